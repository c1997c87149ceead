"""Which of NumPy's functions there are, as tables: names, how large a result would be, what a tensor gives.

A function here is one of ours around one of NumPy's. What takes a function, a file or a buffer, and what
hands out memory nobody has written to, is not in the tables.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from engine.numeric import failures, sizes
from engine.numeric.border import COPY_WARNING, as_tensor, compute, inside, keyword, outside, refuse
from engine.numeric.hidden import hide
from engine.numeric.kinds import real_dtype
from engine.tensor import Tensor

UFUNCS = """abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh
atan atan2 atanh bitwise_and bitwise_count bitwise_not bitwise_or bitwise_xor cbrt ceil conj conjugate
copysign cos cosh deg2rad degrees divide divmod equal exp exp2 expm1 fabs float_power floor floor_divide
fmax fmin fmod frexp gcd greater greater_equal heaviside hypot invert isfinite isinf isnan lcm ldexp
left_shift less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
logical_xor matmul maximum minimum mod modf multiply negative nextafter not_equal positive pow power
rad2deg radians reciprocal remainder right_shift rint sign signbit sin sinh spacing sqrt square subtract
tan tanh true_divide trunc vecdot""".split()

PLAIN = """all allclose amax amin angle any append argmax argmin argpartition argsort argwhere around
array_equal array_equiv array_split atleast_1d atleast_2d atleast_3d average base_repr binary_repr block
broadcast_arrays broadcast_shapes can_cast clip column_stack compress concat concatenate copyto
count_nonzero cross cumprod cumsum cumulative_prod cumulative_sum delete diagonal diff digitize dsplit
dstack ediff1d expand_dims extract fill_diagonal fix flatnonzero flip fliplr flipud
format_float_positional format_float_scientific gradient hsplit hstack i0 imag insert interp intersect1d
iscomplex iscomplexobj isclose isdtype isin isneginf isposinf isreal isrealobj isscalar issubdtype ix_
lexsort matrix_transpose max may_share_memory mean median min min_scalar_type moveaxis nan_to_num
nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar
ndim nonzero partition permute_dims place poly polyadd polyder polyint polymul polysub polyval prod
promote_types ptp put put_along_axis putmask ravel ravel_multi_index real real_if_close result_type
rollaxis roll roots rot90 round row_stack searchsorted select setdiff1d setxor1d shape shares_memory
sinc size sort split squeeze stack std sum swapaxes take_along_axis trace transpose trapezoid tril
trim_zeros triu union1d unique unique_all unique_counts unique_values unravel_index unstack unwrap var
vsplit vstack where""".split()

SIZED: dict[str, sizes.Rule] = {
    "arange": sizes.stepped, "linspace": sizes.spaced, "logspace": sizes.spaced, "geomspace": sizes.spaced,
    "full": sizes.shaped, "ones": sizes.shaped, "zeros": sizes.shaped, "full_like": sizes.like,
    "ones_like": sizes.like, "zeros_like": sizes.like, "eye": sizes.square, "identity": sizes.square,
    "tri": sizes.square, "triu_indices": sizes.square, "tril_indices": sizes.square,
    "diag_indices": sizes.broadcast, "diag": sizes.squared, "diagflat": sizes.squared, "tile": sizes.tiled,
    "repeat": sizes.repeated, "resize": sizes.reshaped, "broadcast_to": sizes.reshaped, "outer": sizes.pairs,
    "kron": sizes.pairs, "dot": sizes.vector_products, "inner": sizes.last_products, "vdot": sizes.broadcast,
    "tensordot": sizes.tensor_products, "einsum": sizes.einstein, "meshgrid": sizes.grid,
    "indices": sizes.indexed, "pad": sizes.padded, "bincount": sizes.counted, "histogram": sizes.binned,
    "histogram_bin_edges": sizes.binned, "cov": sizes.rows_squared, "corrcoef": sizes.rows_squared,
    "vander": sizes.powers, "polyfit": sizes.fitted, "take": sizes.taken, "choose": sizes.broadcast,
    "percentile": sizes.shares, "quantile": sizes.shares, "nanpercentile": sizes.shares,
    "nanquantile": sizes.shares, "convolve": sizes.broadcast, "correlate": sizes.broadcast,
    "reshape": sizes.broadcast,
}  # fmt: skip
LINALG = """cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm
matrix_power matrix_rank matrix_transpose norm outer pinv qr slogdet solve svd svdvals trace vecdot
vector_norm""".split()
LINALG_SIZED = {"outer": sizes.pairs, "matmul": sizes.matrix_products}
TESTING = """assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal
assert_array_equal assert_array_less assert_equal""".split()

DTYPE_AT = {"zeros": 1, "ones": 1, "empty": 1, "full": 2, "identity": 1, "eye": 3, "arange": 3, "tri": 3,
            "zeros_like": 1, "ones_like": 1, "empty_like": 1, "full_like": 2}  # fmt: skip
INSTEAD = {"empty": "zeros", "empty_like": "zeros_like"}  # NumPy's show what lay in memory before

# ----- with a tensor as the first argument ---------------------------------------------------------------
GIVEN_BACK = frozenset(
    """argmax argmin argsort argwhere around choose clip compress cumprod cumsum fix linalg.cholesky
linalg.inv linalg.pinv linalg.solve ptp repeat reshape round searchsorted take transpose""".split()
)  # NumPy wraps the result up as what it was given
ITS_OWN: dict[str, Callable] = {
    "ndim": lambda t: t.ndim, "nonzero": lambda t: t.nonzero(), "real": lambda t: t.real,
    "shape": lambda t: t.shape,
    "squeeze": lambda t, axis=None: t.squeeze() if axis is None else t.squeeze(axis),
    "swapaxes": lambda t, axis1, axis2: t.swapaxes(axis1, axis2),
}  # fmt: skip
WARNED = frozenset("copy dot inner vdot nan_to_num".split())


def function(name: str, rule: sizes.Rule = sizes.broadcast, within: str = "") -> Callable:
    """Return our function around the one of NumPy's of that name."""
    path = within + INSTEAD.get(name, name)
    at = DTYPE_AT.get(name)

    def call(*args: Any, **named: Any) -> Any:
        tensor = bool(args) and isinstance(args[0], Tensor)
        if tensor and path in failures.REDUCTIONS:
            axis = named.get("axis", args[1] if len(args) > 1 else None)
            raise failures.reduction_of_tensor(name, axis)
        if tensor and path in ITS_OWN:
            return ITS_OWN[path](*args, **named)
        if tensor and path in WARNED:
            warnings.warn(COPY_WARNING, DeprecationWarning, stacklevel=2)
        refuse(path, args, named)
        given = [real_dtype(a) if i == at and a is not None else inside(a) for i, a in enumerate(args)]
        given_by_name = {k: keyword(k, v) for k, v in named.items()}
        sizes.check_call(rule, given, given_by_name)
        found = compute(resolved(path), given, given_by_name)
        if tensor and path in GIVEN_BACK:
            return as_tensor(found, quiet=bool(within))
        return outside(found, (*args, *named.values()))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Do what numpy.{within}{name} does."
    return call


@cache
def resolved(path: str) -> Any:
    """Return what NumPy has under a path such as linalg.inv; numpy.testing loads slowly, so not before."""
    found: Any = np
    for step in path.split("."):
        found = getattr(found, step)
    return found


# ----- ufuncs ----------------------------------------------------------------------------------------------
class ufunc:  # noqa: N801 - NumPy's name
    """A function that works element by element. Knows NumPy's by name only."""

    __slots__ = ("held",)

    def __init__(self, title: str) -> None:
        if title not in UFUNCS:
            raise TypeError("cannot create 'numpy.ufunc' instances")
        _hold(self, title)

    @property
    def __name__(self) -> str:
        return getattr(np, _title(self)).__name__

    nin = property(lambda self: getattr(np, _title(self)).nin)
    nout = property(lambda self: getattr(np, _title(self)).nout)
    nargs = property(lambda self: getattr(np, _title(self)).nargs)
    identity = property(lambda self: getattr(np, _title(self)).identity)

    def __call__(self, *args: Any, **named: Any) -> Any:
        real = getattr(np, _title(self))
        rule = sizes.matrix_products if _title(self) == "matmul" else sizes.broadcast
        given, given_by_name = _brought_in(rule, args, named)
        masked = given_by_name.get("where", True) is not True
        if masked and given_by_name.get("out") is None and len(given) <= real.nin:
            unmasked = {k: v for k, v in given_by_name.items() if k != "where"}
            given_by_name["out"] = _blank(real, given, unmasked)
        return _brought_out(compute(real, given, given_by_name), args, named)

    def reduce(self, *args: Any, **named: Any) -> Any:
        """Join all elements along an axis."""
        return _joined(getattr(np, _title(self)).reduce, args, named)

    def accumulate(self, *args: Any, **named: Any) -> Any:
        """Join the elements along an axis, keeping every step."""
        return _joined(getattr(np, _title(self)).accumulate, args, named)

    def outer(self, *args: Any, **named: Any) -> Any:
        """Join every element of one with every element of the other."""
        refuse(f"{_title(self)}.outer", args, named)
        given, given_by_name = _brought_in(sizes.pairs, args, named)
        found = compute(getattr(np, _title(self)).outer, given, given_by_name)
        return outside(found, (*args, *named.values()))

    def at(self, array: Any, *args: Any) -> None:
        """Change the elements at some places, each as often as it is named."""
        compute(getattr(np, _title(self)).at, [inside(array), *map(inside, args)])

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"


_title, _hold = hide(ufunc)


def _joined(real: Callable, args: tuple, named: dict[str, Any]) -> Any:
    given, given_by_name = _brought_in(sizes.broadcast, args, named)
    return _brought_out(compute(real, given, given_by_name), args, named)


def _brought_in(rule: sizes.Rule, args: tuple, named: dict[str, Any]) -> tuple[list, dict[str, Any]]:
    given, given_by_name = [inside(a) for a in args], {k: keyword(k, v) for k, v in named.items()}
    sizes.check_call(rule, given, {})
    return given, given_by_name


def _brought_out(found: Any, args: tuple, named: dict[str, Any]) -> Any:
    if named.get("out") is None and any(isinstance(a, Tensor) for a in args):
        return as_tensor(found)
    return outside(found, (*args, *named.values()))


def _blank(real: Any, given: list, named: dict[str, Any]) -> Any:
    """Return zeros to write a masked result into: NumPy's own has whatever lay where the mask is off."""
    with np.errstate(all="ignore"):
        shape = np.broadcast_shapes(*(np.shape(a) for a in given))
        sizes.check(sizes.total(shape))
        whole = compute(real, given, named)
    return tuple(np.zeros_like(part) for part in whole) if isinstance(whole, tuple) else np.zeros_like(whole)


def table() -> dict[str, Any]:
    """Return every function of `numpy` itself, by name."""
    plain = {name: function(name) for name in PLAIN if hasattr(np, name)}
    sized = {name: function(name, rule) for name, rule in SIZED.items()}
    made_anew = {name: function(name, SIZED[real]) for name, real in INSTEAD.items()}
    return plain | sized | made_anew | {name: ufunc(name) for name in UFUNCS if hasattr(np, name)}
