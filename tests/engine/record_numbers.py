"""Record what PyTorch prints, draws and adds into data/*.json: `python tests/engine/record_numbers.py`.

Needs torch, which the tests themselves do not: they read the files.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

DATA = Path(__file__).parent / "data"
NAMES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()


def write(name: str, rows: Any) -> None:
    """Write one file, a row a line so that differences can be read."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    (DATA / f"{name}.json").write_text(f"[\n{lines}\n]\n")
    print(f"{name}: {len(rows)} rows")


# ----- dtype ------------------------------------------------------------------------------------
def promotion() -> list[dict[str, Any]]:
    """Return a row per dtype and pair of ranks: what it becomes with every dtype or number."""
    ranks = {"vector": (2,), "scalar": ()}
    rows = []
    for a in NAMES:
        for rank_a, shape_a in ranks.items():
            left = torch.ones(shape_a).to(getattr(torch, a))
            for rank_b, shape_b in ranks.items():
                rights = [torch.ones(shape_b).to(getattr(torch, b)) for b in NAMES]
                rows.append(_promotion_row(a, rank_a, rank_b, left, rights))
            rows.append(_promotion_row(a, rank_a, "number", left, [True, 1, 1.0, 1j]))
    return rows


def _promotion_row(a: str, rank_a: str, rank_b: str, left: torch.Tensor, rights: list) -> dict[str, Any]:
    results = [str(torch.result_type(left, right)).removeprefix("torch.") for right in rights]
    return {"dtype": a, "ranks": [rank_a, rank_b], "results": results}


# ----- format -----------------------------------------------------------------------------------
def _tensors() -> Iterator[tuple[Any, str, dict[str, Any]]]:
    nan, inf = math.nan, math.inf
    for data in (
        1.5, 3.0, nan, -0.0, [], [1.0, 2.0], [1.0, -2.5, 3.25], [0.0] * 13, [0.0] * 40, [1e-5, 1.0],
        [1e-4], [1e-3, 1.0], [1e9], [123456.0, 1.0], [1e8, 1.0], [nan, 1.0], [inf, -inf, 2.0],
        [nan, 0.5], [0.1, -0.2, 1000.0], [99999.5, 0.1], [1.0] * 30, [0.123456] * 11,
        [[1.0, 2.0], [3.0, 4.0]], [[]], [[[1.0], [2.5]], [[-3.0], [4.0]]], [[0.5] * 12] * 2,
    ):  # fmt: skip
        yield data, "float32", {}
        yield data, "float32", {"grad_fn": "ViewBackward0"}
    yield [1.0, 2.0], "float32", {"requires_grad": True}
    yield [[1.0, 2.0], [3.0, 4.0]], "float32", {"requires_grad": True, "parameter": True}
    for dtype in ("float64", "float16", "bfloat16"):
        yield [0.1, 1.0 / 3], dtype, {}
        yield [], dtype, {"requires_grad": True}
    for dtype in ("int64", "int32", "uint8"):
        for data in (7, [1, 20, 100], [[1], [22]], []):
            yield data, dtype, {}
    for data in (True, [True, False], [[True], [True]]):
        yield data, "bool", {}
    for data in (1 + 2j, [1.5 - 2j, 3 + 0j], [0.5j, complex(nan, -inf)], [1e-6 + 1j] * 5):
        yield data, "complex64", {"grad_fn": "ViewBackward0"}
        yield data, "complex128", {}
    yield list(range(1001)), "int64", {}
    yield np.arange(1200.0).reshape(3, 400).tolist(), "float32", {}
    yield np.arange(1024.0).reshape(8, 8, 16).tolist(), "float64", {"grad_fn": "CopySlices"}
    for options in (
        {"precision": 2}, {"threshold": 5}, {"threshold": 2, "edgeitems": 1}, {"linewidth": 30},
        {"sci_mode": True}, {"sci_mode": False}, {"profile": "short"}, {"profile": "full"},
        {"threshold": 1, "edgeitems": 0},
    ):  # fmt: skip
        for data in ([0.123456, 10000.0, 3.0], [[1.0, 2, 3, 4, 5, 6, 7, 8]] * 3, list(range(30))):
            yield data, "float32", {"options": options}


def texts() -> list[dict[str, Any]]:
    """Return a row per tensor: how it is written."""
    rows = []
    for data, dtype, how in _tensors():
        array = np.array(data, "complex128" if dtype.startswith("complex") else None)
        tensor = torch.from_numpy(array).to(getattr(torch, dtype))
        flat = np.atleast_1d(array).ravel()
        numbers = flat.view(np.float64).tolist() if array.dtype.kind == "c" else flat.tolist()
        if "grad_fn" in how:
            tensor = _with_history(tensor.requires_grad_(), how["grad_fn"])
        elif how.get("requires_grad"):
            tensor.requires_grad_()
        if how.get("parameter"):
            tensor = torch.nn.Parameter(tensor.detach())
        torch.set_printoptions(**how.get("options", {}))
        rows.append({"dtype": dtype, "shape": array.shape, "data": numbers, **how, "text": repr(tensor)})
        torch.set_printoptions(profile="default")
    return rows


def _with_history(leaf: torch.Tensor, grad_fn: str) -> torch.Tensor:
    if grad_fn == "ViewBackward0":
        return leaf.view_as(leaf)
    made = leaf * 1
    if grad_fn == "CopySlices":
        made[:0] = 0
    assert type(made.grad_fn).__name__ == grad_fn
    return made


def sparse_texts() -> list[dict[str, Any]]:
    """Return a row per sparse tensor: how it is written."""
    rows = []
    for indices, values, shape in (
        ([[1, 3, 1]], [[1.0, 1.0]] * 3, (4, 2)),
        ([[0, 1], [2, 0]], [0.5, 2.0], (2, 3)),
        ([[]], [], (3,)),
    ):
        for dtype in ("float32", "float64"):
            at, held = (
                torch.tensor(indices, dtype=torch.int64),
                torch.tensor(values, dtype=getattr(torch, dtype)),
            )
            tensor = torch.sparse_coo_tensor(at, held, shape)
            rows.append(
                {"indices": indices, "values": values, "shape": shape, "dtype": dtype, "text": repr(tensor)}
            )
    return rows


# ----- random -----------------------------------------------------------------------------------
def draws() -> list[dict[str, Any]]:
    """Return a row per seed: calls in a row, each with what it drew. A call is (method, arguments)."""
    rows = []
    for seed in (0, 3, 42, 2**32 + 3, 2**63 + 11, -1):
        torch.manual_seed(seed)
        calls = [[name, arguments, _draw(name, arguments)] for name, arguments in _calls()]
        rows.append({"seed": seed, "calls": calls})
    return rows


def _calls() -> Iterator[tuple[str, dict[str, Any]]]:
    for n in (1, 3, 16, 19):
        for dtype in ("float32", "float64"):
            yield "uniform", {"shape": [n], "dtype": dtype}
            yield "normal", {"shape": [n], "dtype": dtype}
            yield "exponential", {"shape": [n], "rate": 2.5, "dtype": dtype}
    for dtype in ("float32", "float64"):
        yield "uniform", {"shape": [2, 3], "low": -0.3, "high": 0.6, "dtype": dtype}
        yield "normal", {"shape": [2, 3], "mean": 0.3, "std": 0.7, "dtype": dtype}
        yield "normal", {"shape": [2, 9], "mean": 0.3, "std": 0.7, "dtype": dtype}
        yield "bernoulli", {"p": [0.2, 0.5, 0.9, 0.0, 1.0], "dtype": dtype}
        yield "dropout_noise", {"p": 0.3, "shape": [6], "dtype": dtype}
    for low, high in ((0, 10), (-5, 5), (0, 2**28 - 1), (0, 2**28), (-(2**40), 2**62)):
        yield "randint", {"low": low, "high": high, "shape": [3]}
    for n in (0, 1, 6, 40):
        yield "randperm", {"n": n}
    yield "bernoulli_", {"p": 0.3, "shape": [7]}
    for n, replacement in ((1, False), (3, False), (1, True), (6, True)):
        yield "multinomial", {"p": [0.1, 3.0, 0.5, 1.4], "n": n, "replacement": replacement}
        yield "multinomial", {"p": [[0.1, 3.0, 0.5], [2.0, 2.0, 0.1]], "n": n, "replacement": replacement}


def _draw(name: str, given: dict[str, Any]) -> list[float]:
    dtype = getattr(torch, given.get("dtype", "float32"))
    into = torch.empty(given["shape"], dtype=dtype) if "shape" in given else None
    p = torch.tensor(given["p"], dtype=dtype) if "p" in given else None
    match name:
        case "uniform":
            drawn = into.uniform_(given.get("low", 0.0), given.get("high", 1.0))
        case "normal":
            drawn = into.normal_(given.get("mean", 0.0), given.get("std", 1.0))
        case "exponential":
            drawn = into.exponential_(given["rate"])
        case "randint":
            drawn = torch.randint(given["low"], given["high"], given["shape"])
        case "randperm":
            drawn = torch.randperm(given["n"])
        case "bernoulli":
            drawn = torch.bernoulli(p)
        case "bernoulli_":
            drawn = into.bernoulli_(given["p"])
        case "dropout_noise":
            drawn = torch.nn.functional.dropout(torch.ones_like(into), given["p"])
        case "multinomial":
            drawn = torch.multinomial(p, given["n"], given["replacement"])
    return drawn.ravel().tolist()


# ----- sums -------------------------------------------------------------------------------------
def sums() -> list[dict[str, Any]]:
    """Return a row per array and reduction. The array is drawn by NumPy's frozen RandomState."""
    rows = []
    for dtype in ("float32", "float64", "complex64", "float16"):
        for n in (1, 4, 5, 7, 8, 13, 15, 16, 31, 33, 64, 100, 257, 1000, 5000):
            rows += _sums_of([n], None, [0], dtype)
    for shape, order, dims in (
        ([3, 4], None, [0]), ([3, 4], None, [1]), ([40, 3], None, [0]), ([17, 9], None, [0]),
        ([20, 33], None, [0]), ([4, 300], None, [1]), ([3, 300], [1, 0], [1]), ([3, 300], [1, 0], [0]),
        ([30, 70], [1, 0], [0, 1]), ([5, 18, 7], None, [1]), ([5, 18, 7], None, [0, 2]),
        ([4, 3, 6, 5], None, [0, 2, 3]), ([4, 3, 6, 5], [2, 0, 3, 1], [0, 1]), ([1, 6], None, [0]),
        ([600, 5], None, [0]), ([2, 3, 40], [0, 2, 1], [1]),
    ):  # fmt: skip
        for dtype in ("float32", "float64"):
            rows += _sums_of(shape, order, dims, dtype)
    return rows


def drawn_array(shape: list[int], order: list[int] | None, dtype: str) -> np.ndarray:
    """Return the array of a row."""
    array = np.random.RandomState(math.prod(shape)).standard_normal(shape).astype(dtype)
    return array.transpose(order) if order else array


def _sums_of(shape: list[int], order: list[int] | None, dims: list[int], dtype: str) -> list[dict[str, Any]]:
    tensor = torch.from_numpy(drawn_array(shape, None, dtype))
    tensor = tensor.permute(order) if order else tensor
    results = {"sum": tensor.sum(dims), "mean": tensor.mean(dims)}
    if dtype in ("float32", "float64"):
        results |= {"var": tensor.var(dims, correction=0), "std": tensor.std(dims, correction=0)}
        if tensor.numel() < 20:
            results |= {"cumsum": tensor.cumsum(dims[0]), "cumprod": tensor.cumprod(dims[0])}
    numbers = {name: torch.view_as_real(r).ravel().tolist() if r.is_complex() else r.ravel().tolist()
               for name, r in results.items()}  # fmt: skip
    return [{"dtype": dtype, "shape": shape, "order": order, "dims": dims, **numbers}]


if __name__ == "__main__":
    torch.set_num_threads(1)
    DATA.mkdir(exist_ok=True)
    write("promotion", promotion())
    write("texts", texts())
    write("sparse_texts", sparse_texts())
    write("draws", draws())
    write("sums", sums())
