"""Same seed, same numbers: PyTorch's CPU generator and its distributions. Returns arrays, knows no Tensor.

Everything is drawn from one stream of 32-bit words (a Mersenne twister). What a call takes from the
stream, and in which order, is part of its meaning: it decides every number drawn later.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import errors
from engine.device import SIMULATED, asked

DEFAULT_SEED = 67280421310721  # of a generator nobody has seeded
BLOCK = 16  # that many normal numbers or more are made in blocks of this size

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GeneratorState:
    """Where a generator stands; opaque, for `set_state`."""

    seed: int
    words: dict[str, Any]
    kept: float | None


class Generator:
    """A stream of random words and the distributions drawn from it."""

    def __init__(self, device: Any = "cpu") -> None:
        self.device = asked(device, "Generator")
        if self.device.type not in ("cpu", SIMULATED):
            raise RuntimeError(errors.no_generator(self.device.type))
        self.manual_seed(DEFAULT_SEED)

    # ----- seed and state -----
    def manual_seed(self, seed: int) -> Generator:
        """Start the stream anew. Of the 64 bits of a seed the twister uses the lower 32."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = int(seed) % 2**64
        self._twister = np.random.MT19937(0)
        self._twister.state = np.random.RandomState(self._seed % 2**32).get_state(legacy=False)
        self.tell_seed: Callable[[], None] | None = None  # called at the first draw the program did not seed
        self._kept: float | None = None  # the second number of a pair of normal ones
        return self

    def seed(self) -> int:
        """Start from another number, and return it. The stream itself gives it: a run stays what it is."""
        self.manual_seed(int(self.long_words(1)[0]))
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed the stream was started from."""
        return self._seed

    def get_state(self) -> GeneratorState:
        """Return where the stream stands."""
        return GeneratorState(self._seed, self._twister.state, self._kept)

    def set_state(self, state: GeneratorState) -> Generator:
        """Go back to where the stream stood."""
        self.tell_seed = None
        self._seed, self._twister.state, self._kept = state.seed, state.words, state.kept
        return self

    # ----- the stream -----
    def words(self, n: int) -> np.ndarray:
        """Take n words of 32 bits."""
        if self.tell_seed is not None:
            tell, self.tell_seed = self.tell_seed, None
            tell()
        return self._twister.random_raw(n)

    def long_words(self, n: int) -> np.ndarray:
        """Take n words of 64 bits: two short ones each, the upper half first."""
        pairs = self.words(2 * n)
        return (pairs[0::2] << np.uint64(32)) | pairs[1::2]

    def fractions(self, n: int, dtype: np.typing.DTypeLike = np.float32) -> np.ndarray:
        """Take n numbers in [0, 1): as many bits as the dtype has digits."""
        if np.dtype(dtype) == np.float64:
            return (self.long_words(n) & np.uint64(2**53 - 1)) * 2.0**-53
        return ((self.words(n) & np.uint64(2**24 - 1)) * 2.0**-24).astype(np.float32)

    # ----- distributions -----
    def uniform(
        self,
        shape: Shape,
        low: float = 0.0,
        high: float = 1.0,
        dtype: np.typing.DTypeLike = np.float32,
    ) -> np.ndarray:
        """Draw from [low, high)."""
        if low > high:
            raise RuntimeError(
                f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
            )
        x = self.fractions(math.prod(shape), dtype)
        if (low, high) != (0.0, 1.0):
            low, high = x.dtype.type(low), x.dtype.type(high)
            x = fused(x, high - low, low)
        return x.reshape(shape)

    def normal(
        self,
        shape: Shape,
        mean: float = 0.0,
        std: float = 1.0,
        dtype: np.typing.DTypeLike = np.float32,
    ) -> np.ndarray:
        """Draw from the normal distribution."""
        if not std >= 0.0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
        n, dtype = math.prod(shape), np.dtype(dtype)
        x = self._normal_blocks(n, dtype) if n >= BLOCK else self._normal_pairs(n)
        if (mean, std) != (0.0, 1.0):
            x = fused(x, x.dtype.type(std), x.dtype.type(mean))
        return x.astype(dtype).reshape(shape)

    def _normal_pairs(self, n: int) -> np.ndarray:
        numbers = []
        for _ in range(n):
            if self._kept is not None:
                numbers.append(self._kept)
                self._kept = None
                continue
            turn, height = self.fractions(2, np.float64).tolist()
            radius = math.sqrt(-2 * math.log1p(-height))
            numbers.append(radius * math.cos(2 * math.pi * turn))
            self._kept = radius * math.sin(2 * math.pi * turn)
        return np.array(numbers, np.float64)

    def _normal_blocks(self, n: int, dtype: np.dtype) -> np.ndarray:
        """Make blocks of 16; a remainder is covered by making the last 16 numbers anew."""
        x = self.fractions(n, dtype)
        whole = n - n % BLOCK
        x[:whole] = box_muller(x[:whole].reshape(-1, BLOCK)).ravel()
        if whole != n:
            x[-BLOCK:] = box_muller(self.fractions(BLOCK, dtype).reshape(1, BLOCK)).ravel()
        return x

    def randint(self, low: int, high: int, shape: Shape) -> np.ndarray:
        """Draw whole numbers from [low, high)."""
        if low >= high:
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            )
        n, span = math.prod(shape), high - low
        words = self.words(n) if span < 2**28 else self.long_words(n)
        return ((words % np.uint64(span)).astype(np.int64) + np.int64(low)).reshape(shape)

    def randperm(self, n: int) -> np.ndarray:
        """Draw an order of 0 .. n-1."""
        order = list(range(n))
        draws = self.words(max(n - 1, 0)) % np.arange(n, 1, -1, dtype=np.uint64)
        for i, step in enumerate(draws.tolist()):
            order[i], order[i + step] = order[i + step], order[i]
        return np.array(order, np.int64)

    def bernoulli_(self, p: float, shape: Shape) -> np.ndarray:
        """Draw booleans that are true with one probability, as `tensor.bernoulli_(p)` does."""
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        return (self.fractions(math.prod(shape), np.float64) < p).reshape(shape)

    def bernoulli(self, p: np.ndarray) -> np.ndarray:
        """Draw booleans, each with a probability of its own, as `torch.bernoulli(p)` does."""
        if not ((p >= 0) & (p <= 1)).all():
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
                "improved?  If so, please report an enhancement request to PyTorch.)"
            )
        return self.fractions(p.size, p.dtype).reshape(p.shape) < p

    def dropout_noise(self, p: float, shape: Shape, dtype: np.typing.DTypeLike = np.float32) -> np.ndarray:
        """Draw what dropout multiplies its input by: 0 with probability p, else 1 / (1 - p)."""
        keep = np.dtype(dtype).type(1 - p)
        return self.bernoulli_(1 - p, shape).astype(dtype) / keep

    def exponential(
        self, shape: Shape, rate: float = 1.0, dtype: np.typing.DTypeLike = np.float32
    ) -> np.ndarray:
        """Draw waiting times: -log(1 - u) / rate."""
        if not rate > 0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
        u = self.fractions(math.prod(shape), np.float64)
        return (-1 / rate * _each(math.log1p, -u)).astype(dtype).reshape(shape)

    def multinomial(self, p: np.ndarray, n: int, replacement: bool = False) -> np.ndarray:
        """Draw n column numbers per row of p, each as likely as its entry is large."""
        _check_multinomial(p, n, replacement)
        rows = np.atleast_2d(p)
        if replacement and n > 1:
            drawn = np.array([self._columns(row, n) for row in rows]).reshape(len(rows), n)
        else:  # whoever's waiting time is over first, goes first
            with np.errstate(divide="ignore"):
                speed = rows / self.exponential(rows.shape, 1.0, rows.dtype)
            drawn = np.argsort(-speed, axis=1, kind="stable")[:, :n]
        return drawn.astype(np.int64).reshape((*p.shape[:-1], n))

    def _columns(self, row: np.ndarray, n: int) -> np.ndarray:
        ends = np.cumsum(row, dtype=row.dtype)
        ends /= ends[-1]
        ends[-1] = 1
        return np.searchsorted(ends, self.fractions(n, np.float64))


def _check_multinomial(p: np.ndarray, n: int, replacement: bool) -> None:
    if p.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if n <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and n > p.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if replacement and n > 1:
        if not (p >= 0).all():
            raise RuntimeError("invalid multinomial distribution (encountering probability entry < 0)")
        if not np.isfinite(p).all():
            raise RuntimeError(
                "invalid multinomial distribution (encountering probability entry = infinity or NaN)"
            )
    elif not (np.isfinite(p) & (p >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not (p.sum(-1) > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


# ----- the generator in use ---------------------------------------------------------------------
_in_use: ContextVar[Generator | None] = ContextVar("generator", default=None)


def default_generator() -> Generator:
    """Return the generator every call without one of its own draws from."""
    generator = _in_use.get()
    if generator is None:
        generator = Generator()
        _in_use.set(generator)
    return generator


def start(seed: int, tell: Callable[[], None]) -> None:
    """Begin a run: the default generator starts from a seed; `tell` is called if the program needs it."""
    default_generator().manual_seed(seed).tell_seed = tell


@contextmanager
def drawing_from(generator: Generator) -> Iterator[Generator]:
    """Make `generator` the default one inside the block."""
    token = _in_use.set(generator)
    try:
        yield generator
    finally:
        _in_use.reset(token)


# ----- arithmetic, to the last bit --------------------------------------------------------------
def fused(x: Any, scale: Any, shift: Any) -> np.ndarray:
    """Compute x * scale + shift with a single rounding, as the processor's fused instruction does."""
    if x.dtype == np.float32:
        return (x.astype(np.float64) * np.float64(scale) + np.float64(shift)).astype(np.float32)
    product = x * scale
    error = _product_error(x, np.float64(scale), product)
    total = product + shift
    part = total - product
    return total + (((product - (total - part)) + (shift - part)) + error)


def _product_error(x: np.ndarray, y: np.float64, product: np.ndarray) -> np.ndarray:
    """Return exactly what rounding took from a product: split both factors into halves of 26 bits."""
    x_high, y_high = (v * 134217729.0 - (v * 134217729.0 - v) for v in (x, y))
    x_low, y_low = x - x_high, y - y_high
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def box_muller(x: np.ndarray) -> np.ndarray:
    """Turn rows of 16 fractions into rows of 16 normal numbers: 8 radii and 8 angles."""
    heights, turns = x.dtype.type(1) - x[:, :8], x[:, 8:]
    if x.dtype == np.float32:
        radius = np.sqrt(np.float32(-2) * _log(heights))
        sine, cosine = _sine_and_cosine(np.float32(2 * math.pi) * turns)
    else:
        radius, angle = np.sqrt(-2 * _each(math.log, heights)), 2 * math.pi * turns
        sine, cosine = _each(math.sin, angle), _each(math.cos, angle)
    return np.concatenate([radius * cosine, radius * sine], axis=1)


def _each(function: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    """Apply a function of the C library: NumPy's own differ from it in the last bit, now and then."""
    return np.array([function(value) for value in x.ravel().tolist()], np.float64).reshape(x.shape)


# In float32 PyTorch's vector kernels compute log, sin and cos from polynomials; so do we, or about one
# number in five would differ in its last bit.
_LOG = np.array(
    [7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
     -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1], np.float32,
)  # fmt: skip
_SINE = np.array([-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1], np.float32)
_COSINE = np.array([2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2], np.float32)
_QUARTER_PI = (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)  # minus, in three parts
_LN2 = (0.693359375, -2.12194440e-4)  # in two parts


def _fma(a: Any, b: Any, c: Any) -> np.ndarray:
    return (np.multiply(a, b, dtype=np.float64) + c).astype(np.float32)


def _polynomial(coefficients: np.ndarray, x: np.ndarray) -> np.ndarray:
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = _fma(value, x, coefficient)
    return value


def _log(x: np.ndarray) -> np.ndarray:
    """Compute the float32 logarithm as the vector kernels do: x = m * 2**e, m in [0.7, 1.4)."""
    mantissa, exponent = np.frexp(x)
    small = mantissa < np.float32(math.sqrt(0.5))
    exponent = (exponent - small).astype(np.float32)
    x = np.where(small, mantissa - np.float32(1) + mantissa, mantissa - np.float32(1))
    square = x * x
    value = _polynomial(_LOG, x) * x
    value = _fma(value, square, exponent * np.float32(_LN2[1]))
    value = _fma(square, np.float32(-0.5), value)
    return _fma(exponent, np.float32(_LN2[0]), x + value)


def _sine_and_cosine(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute both for x >= 0 in float32 as the vector kernels do: fold into +-pi/4 around an axis."""
    octant = (x * np.float32(4 / math.pi)).astype(np.int32)
    octant = (octant + 1) & ~1
    for part in _QUARTER_PI:
        x = _fma(octant.astype(np.float32), np.float32(part), x)
    square = x * x
    sine = _fma(_polynomial(_SINE, square) * square, x, x)
    cosine = _polynomial(_COSINE, square) * square
    cosine = _fma(cosine, square, -(square * np.float32(0.5))) + np.float32(1)
    across = (octant & 2) != 0
    sine, cosine = np.where(across, cosine, sine), np.where(across, sine, cosine)
    return np.where(octant & 4, -sine, sine), np.where((octant + 2) & 4, -cosine, cosine)
