"""`python -m tests.bench`: our engine against the floor (the same NumPy calls, no graph) and against others.

micrograd, HIPS autograd and torch take part if they are installed (`pip install -e '.[bench]'`); torch may
live in an environment of its own: `--torch PATH_TO_ITS_PYTHON`. Nothing here asserts a time.
"""

from __future__ import annotations

import argparse
import statistics
import sys

import pyperf

from tests.bench import facts
from tests.bench.engines import WORK, found
from tests.bench.rounds import children, measured

# work, who, against whom, at most or at least, ratio
TARGETS = [
    ("expression", "autograd", "gradstep", "at least", 2.0),
    ("scalar_network", "gradstep", "micrograd", "at most", 4.0),
    ("tensor_network", "micrograd", "gradstep", "at least", 10.0),
    ("layers", "gradstep", "floor", "at most", 1.3),
    ("layers", "torch", "gradstep", "at least", 1.0),
    ("chain_1000", "gradstep", "floor", "at most", 6.0),
    ("chain_10000", "gradstep", "floor", "at most", 6.0),
    ("chain_1000", "autograd", "gradstep", "at least", 1.5),
    ("chain_10000", "autograd", "gradstep", "at least", 1.5),
    *(
        (work, who, "gradstep", "at most", 1.6)
        for work in ("layers", "chain_1000", "chain_10000")
        for who in ("facts", "recorded")
    ),
]


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="how often each engine is sampled")
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter that can import torch")
    parser.add_argument(
        "--only", nargs="+", choices=WORK, default=list(WORK), metavar="WORK", help=", ".join(WORK)
    )
    parser.add_argument("--engines", nargs="+", metavar="NAME", help="leave the others out; the floor stays")
    parser.add_argument("--output", metavar="FILE", help="keep the samples, for python -m pyperf stats FILE")
    parser.add_argument("--no-facts", action="store_true", help="leave out bytes a row and the long chain")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    """Print the tables."""
    chosen = options(arguments)
    engines = found() + (["torch"] if chosen.torch and "torch" not in found() else [])
    if chosen.engines:
        engines = [name for name in engines if name == "floor" or name in chosen.engines]
    print(f"Python {sys.version.split()[0]}; CPU time, median of {chosen.rounds} rounds taken in turn.")
    print("Ratios to the floor; in brackets the median deviation in per cent, if it is above 5.\n")
    print(f"{'':40}{'floor':>12}" + "".join(f"{name:>15}" for name in engines[1:]))
    results: dict[tuple[str, str], pyperf.Benchmark] = {}
    with children(engines, chosen.torch) as everybody:
        for work in chosen.only:
            of_work = measured(work, everybody, chosen.rounds)
            results |= {(work, name): bench for name, bench in of_work.items()}
            print(line(work, engines, of_work), flush=True)
    print_targets(results)
    if chosen.output:
        pyperf.BenchmarkSuite(list(results.values())).dump(chosen.output, replace=True)
    if not chosen.no_facts:
        facts.print_all(chosen.only)


def line(work: str, engines: list[str], found: dict[str, pyperf.Benchmark]) -> str:
    """Return one row of the table of ratios."""
    floor = found["floor"].median()
    cells = [f"{WORK[work]:40}{floor * 1e3:>9.3f} ms"]
    for name in engines[1:]:
        cells.append(f"{cell(found[name], floor) if name in found else '–':>15}")
    return "".join(cells)


def cell(bench: pyperf.Benchmark, floor: float) -> str:
    """Return a ratio, and how far its samples lie apart if they do."""
    spread = bench.median_abs_dev() / bench.median() * 100 if bench.get_nvalue() > 1 else 0
    return f"{bench.median() / floor:.2f}x" + (f" [{spread:.0f}]" if spread > 5 else "")


def print_targets(results: dict[tuple[str, str], pyperf.Benchmark]) -> None:
    """Print what is aimed at, from samples of the same round: the median of their ratios."""
    print("\nAimed at")
    for work, who, whom, word, target in TARGETS:
        if (work, who) in results and (work, whom) in results:
            pairs = zip(results[work, who].get_values(), results[work, whom].get_values())
            ratio = statistics.median(a / b for a, b in pairs)
            met = ratio <= target if word == "at most" else ratio >= target
            said = f"{who} / {whom} = {ratio:.2f} ({word} {target:g})"
            print(f"{'yes' if met else 'NO':>4}  {WORK[work]:40}{said}")


if __name__ == "__main__":
    main(sys.argv[1:])
