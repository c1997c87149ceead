"""What `torch.xxx(...)` and `x.xxx(...)` call where one name covers several operations, or none. Only lists.

Names that mean exactly one row of the table are not here: methods.py makes those from the row.
"""

from __future__ import annotations

from engine.functions import (
    activations,
    algebra,
    arithmetic,
    chains,
    conversions,
    joining,
    making,
    moving,
    parts,
    picking,
    ranges,
    reductions,
    shapes,
    windows,
)
from engine.functions.activations import *  # noqa: F403
from engine.functions.algebra import *  # noqa: F403
from engine.functions.arithmetic import *  # noqa: F403
from engine.functions.arithmetic import refuse_bools
from engine.functions.chains import *  # noqa: F403
from engine.functions.conversions import *  # noqa: F403
from engine.functions.joining import *  # noqa: F403
from engine.functions.making import *  # noqa: F403
from engine.functions.moving import *  # noqa: F403
from engine.functions.moving import named_type
from engine.functions.parts import *  # noqa: F403
from engine.functions.picking import *  # noqa: F403
from engine.functions.ranges import *  # noqa: F403
from engine.functions.reductions import *  # noqa: F403
from engine.functions.shapes import *  # noqa: F403
from engine.functions.windows import *  # noqa: F403
from engine.ops.dims import axes

MODULES = (
    activations, algebra, arithmetic, conversions, joining, making, moving, picking, ranges, reductions,
    shapes,
    activations, algebra, arithmetic, chains, conversions, joining, making, parts, picking, ranges,
    reductions, shapes, windows,
)  # fmt: skip
EVERY = frozenset(name for module in MODULES for name in module.__all__)
METHODS_ONLY = frozenset(
    "contiguous cpu cuda expand expand_as is_pinned new_empty new_full new_ones new_tensor new_zeros "
    "pin_memory repeat reshape_as sum_to_size to type_as view view_as xpu".split()
)
FUNCTIONS_ONLY = frozenset(
    "atleast_1d atleast_2d atleast_3d bartlett_window blackman_window block_diag broadcast_shapes "
    "broadcast_tensors bucketize cartesian_prod cat cdist celu celu_ chain_matmul fill gradient "
    "hamming_window hann_window kaiser_window randint_like range scalar_tensor unravel_index "
    "column_stack combinations concat concatenate cumulative_trapezoid dstack einsum finfo hstack iinfo "
    "isin logspace meshgrid rrelu row_stack rsub searchsorted selu selu_ stack std_mean tensordot "
    "threshold threshold_ trapezoid trapz tril_indices triu_indices vander var_mean vstack".split()
)
ALIASES = {
    "absolute": "abs", "negative": "neg", "multiply": "mul", "subtract": "sub", "divide": "div",
    "arccos": "acos", "arcsin": "asin", "arctan": "atan", "arccosh": "acosh", "arcsinh": "asinh",
    "arctanh": "atanh", "arctan2": "atan2", "fix": "trunc", "clip": "clamp", "less": "lt", "less_equal": "le",
    "greater": "gt", "greater_equal": "ge", "not_equal": "ne", "swapaxes": "transpose",
    "swapdims": "transpose", "moveaxis": "movedim",
}  # fmt: skip
__all__ = [*sorted(EVERY - METHODS_ONLY), "axes", "named_type", "refuse_bools"]
METHODS = sorted(EVERY - FUNCTIONS_ONLY)
