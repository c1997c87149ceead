"""A NumPy engine that behaves as PyTorch's autograd does, to the node, the order, the digit and the message.

Start with README.md, then events.py (what it states), ops/table.py (what a derivative is) and backward.py.
"""
