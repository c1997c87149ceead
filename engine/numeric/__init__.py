"""`import numpy` as a learner gets it: NumPy computes, but none of its own objects is ever handed out.

An array, a scalar, a dtype or a ufunc of NumPy can write files, run callbacks on raw memory and reach its
C insides through names without any underscore. So every object here is one of ours, and what it holds of
NumPy's is internal to it. `border.py` is the only place where a value goes in or comes out.
"""
