"""What went wrong in a run, or goes wrong silently: from its trace and the program's text. Runs nothing.

Each kind of fault is a function from a `Case` to findings; `diagnose.py` lists them.
"""
