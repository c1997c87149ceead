"""What `torch.xxx(...)` and `x.xxx(...)` call where one name covers several operations, or none. Only lists.

Names that mean exactly one row of the table are not here: methods.py makes those from the row.
"""

from __future__ import annotations

from engine.functions import activations, algebra, arithmetic, conversions, joining, picking, reductions, shapes
from engine.functions.algebra import *  # noqa: F403
from engine.functions.activations import *  # noqa: F403
from engine.functions.arithmetic import *  # noqa: F403
from engine.functions.conversions import *  # noqa: F403
from engine.functions.joining import *  # noqa: F403
from engine.functions.picking import *  # noqa: F403
from engine.functions.reductions import *  # noqa: F403
from engine.functions.shapes import *  # noqa: F403
from engine.ops.dims import axes

MODULES = (activations, algebra, arithmetic, conversions, joining, picking, reductions, shapes)
EVERY = frozenset(name for module in MODULES for name in module.__all__)
METHODS_ONLY = frozenset(
    "contiguous expand expand_as repeat reshape_as sum_to_size to type_as view view_as".split()
)
FUNCTIONS_ONLY = frozenset(
    "atleast_1d atleast_2d atleast_3d broadcast_tensors cartesian_prod cat celu column_stack concat concatenate "
    "cumulative_trapezoid dstack einsum hstack meshgrid rrelu row_stack rsub selu stack std_mean tensordot threshold "
    "trapezoid trapz var_mean vstack".split()
)
ALIASES = {
    "absolute": "abs", "negative": "neg", "multiply": "mul", "subtract": "sub", "arccos": "acos", "arcsin": "asin",
    "arctan": "atan", "arccosh": "acosh", "arcsinh": "asinh", "arctanh": "atanh", "arctan2": "atan2", "fix": "trunc",
    "swapaxes": "transpose", "swapdims": "transpose", "less": "lt", "less_equal": "le",
    "greater": "gt", "greater_equal": "ge", "not_equal": "ne", "divide": "div", "clip": "clamp", "moveaxis": "movedim",
}  # fmt: skip
__all__ = sorted(EVERY - METHODS_ONLY)
METHODS = sorted(EVERY - FUNCTIONS_ONLY)
__all__ += ["axes"]
