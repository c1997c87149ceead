"""`numpy.random`: NumPy's own numbers from seeds that are known. No generator here asks the system for one.

What is not seeded by the program starts from the seed of the run, so that two runs give the same.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from engine.numeric import runs, sizes
from engine.numeric.border import call, compute, inside, outside
from engine.numeric.hidden import hide
from engine.numeric.kinds import ndarray, real_dtype
from engine.tensor import Tensor

# where each method has its `size`; None: the sizes are the arguments themselves
SHARED = {
    "beta": 2, "binomial": 2, "chisquare": 1, "dirichlet": 1, "exponential": 1, "f": 2, "gamma": 2,
    "geometric": 1,
    "gumbel": 2, "hypergeometric": 3, "laplace": 2, "logistic": 2, "lognormal": 2, "logseries": 1,
    "multinomial": 2,
    "multivariate_normal": 2, "negative_binomial": 2, "noncentral_chisquare": 2, "noncentral_f": 3,
    "normal": 2,
    "pareto": 1, "poisson": 1, "power": 1, "random": 0, "rayleigh": 1, "standard_cauchy": 0,
    "standard_exponential": 0, "standard_gamma": 1, "standard_normal": 0, "standard_t": 1, "triangular": 3,
    "uniform": 2, "vonmises": 2, "wald": 2, "weibull": 1, "zipf": 1,
}  # fmt: skip
LEGACY = SHARED | {"rand": None, "randn": None, "randint": 2, "random_sample": 0}
MODERN = SHARED | {"integers": 2}
WITH_DTYPE = ("randint", "integers", "random", "standard_normal", "standard_exponential", "standard_gamma")


class Drawing:
    """What both kinds of generators do. What they hold is NumPy's."""

    __slots__ = ("held",)

    def __copy__(self) -> Drawing:
        return _around(type(self), copy.deepcopy(held(self)))

    def __deepcopy__(self, memo: dict) -> Drawing:
        return self.__copy__()

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, *args: Any, **named: Any
    ) -> Any:
        """Draw from 0 .. a-1, or from what is in a list or array."""
        sizes.check_call(sizes.shaped, [inside(size)], {})
        if isinstance(a, int):
            sizes.check(0 if replace else int(a))
        if type(a) in (list, tuple) and not _numeric(a):  # the same draws, of the places
            places = compute(held(self).choice, (len(a), inside(size), inside(replace), inside(p)))
            return a[int(places)] if size is None else [a[int(i)] for i in np.ravel(places)]
        return call(held(self).choice, (a, size, replace, p, *args), named)

    def permutation(self, x: Any, *args: Any, **named: Any) -> Any:
        """Return 0 .. x-1, or what is in a list or array, in random order."""
        if isinstance(x, int):
            sizes.check(int(x))
        return call(held(self).permutation, (x, *args), named)

    def shuffle(self, x: Any, *args: Any, **named: Any) -> None:
        """Put what is in a list or array into random order, in place."""
        if type(x) is list:
            order = list(range(len(x)))
            compute(held(self).shuffle, (order,))
            x[:] = [x[i] for i in order]
            return
        if not isinstance(x, (ndarray, Tensor)):
            raise TypeError(f"'{type(x).__name__}' object does not support item assignment")
        compute(held(self).shuffle, (inside(x), *map(inside, args)), {k: inside(v) for k, v in named.items()})


held, _hold = hide(Drawing)


def _around(kind: type, real: Any) -> Any:
    made = object.__new__(kind)
    _hold(made, real)
    return made


def _numeric(values: Any) -> bool:
    """Return whether a list is one array of numbers."""
    try:
        return np.asarray(inside(values)).dtype.kind in "biufc"
    except (TypeError, ValueError):
        return False


def _drawer(name: str, at: int | None) -> Any:
    def draw(self: Drawing, *args: Any, **named: Any) -> Any:
        size = args if at is None else named.get("size", args[at] if len(args) > at else None)
        sizes.check_call(sizes.shaped, [inside(size)], {})
        given = [inside(a) for a in args]
        by_name = {k: real_dtype(v) if k == "dtype" else inside(v) for k, v in named.items()}
        if name not in WITH_DTYPE and "dtype" in named:
            raise TypeError(f"{name}() got an unexpected keyword argument 'dtype'")
        sizes.check_call(sizes.broadcast, given, {})
        return outside(compute(getattr(held(self), name), given, by_name), (*args, *named.values()))

    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = f"Draw as numpy.random's {name} does."
    return draw


# ----- two kinds -------------------------------------------------------------------------------------------
class RandomState(Drawing):
    """The old kind of generator: the Mersenne Twister and its old ways to draw."""

    __slots__ = ()

    def __init__(self, seed: Any = None) -> None:
        _hold(self, compute(np.random.RandomState, (inside(fresh() if seed is None else seed),)))

    def seed(self, seed: Any = None) -> None:
        """Start anew; without a seed, from the seed of the run."""
        compute(held(self).seed, (inside(runs.current().seed if seed is None else seed),))

    def get_state(self, legacy: bool = True) -> Any:
        """Return the state, to be set again later."""
        return outside(held(self).get_state())

    def set_state(self, state: Any) -> None:
        """Go back to a state."""
        if type(state) is not tuple:
            raise TypeError("a state is what get_state() returned")
        compute(held(self).set_state, (inside(state),))

    def random_integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """Draw integers up to and with high."""
        low, high = (1, low) if high is None else (low, high)
        return self.randint(low, high + 1, size)

    def __repr__(self) -> str:
        return "RandomState(MT19937)"


class Generator(Drawing):
    """The new kind of generator: PCG64."""

    __slots__ = ()

    def __init__(self, seed: Any = None) -> None:
        _hold(self, compute(np.random.default_rng, (inside(fresh() if seed is None else seed),)))

    def permuted(self, x: Any, *, axis: Any = None, out: Any = None) -> Any:
        """Return an array with every line in a random order of its own."""
        return call(held(self).permuted, (x,), {"axis": axis, "out": out})

    def spawn(self, n_children: int) -> list[Generator]:
        """Return independent generators."""
        return [_around(Generator, each) for each in compute(held(self).spawn, (inside(n_children),))]

    def __repr__(self) -> str:
        return "Generator(PCG64)"


for _kind, _methods in ((RandomState, LEGACY), (Generator, MODERN)):
    for _name, _at in _methods.items():
        setattr(_kind, _name, _drawer(_name, _at))


def default_rng(seed: Any = None) -> Generator:
    """Return a new generator, or the one given."""
    return seed if isinstance(seed, Generator) else Generator(seed)


# ----- the module's own ------------------------------------------------------------------------------------
def fresh() -> list[int]:
    """Return a seed that no other generator of the run has."""
    here = runs.current()
    here.asked += 1
    runs.tell_seed()
    return [here.seed, here.asked]


def _of_module(name: str) -> Any:
    def draw(*args: Any, **named: Any) -> Any:
        here = runs.current()
        if here.state is None:
            here.state = RandomState(here.seed)
            if name not in ("seed", "set_state"):
                runs.tell_seed()
        return getattr(here.state, name)(*args, **named)

    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = getattr(RandomState, name).__doc__
    return draw


def names() -> dict[str, Any]:
    """Return the names of `numpy.random`."""
    own = ("choice", "permutation", "shuffle", "seed", "get_state", "set_state", "random_integers")
    found = {name: _of_module(name) for name in (*LEGACY, *own)}
    found |= {"ranf": found["random_sample"], "sample": found["random_sample"]}
    return found | {"RandomState": RandomState, "Generator": Generator, "default_rng": default_rng}
