"""The standard modules a program sees: chosen names, nothing that walks attributes or evaluates text."""

from __future__ import annotations

import types

import pytest

from app.sandbox.child import modules, names
from app.sandbox.child.access import Access
from tests.sandbox.test_access import run

STANDARD = modules.standard(Access(lambda target, name: False), 0)


def test_every_module_the_gate_lets_through_exists():
    assert set(STANDARD) == {name for name in names.STANDARD_MODULES if name != "torch"}


def test_no_real_module_and_no_private_name_is_handed_out():
    for title, namespace in STANDARD.items():
        for name in dir(namespace):
            value = getattr(namespace, name)
            assert not name.startswith("_"), f"{title}.{name}"
            assert not isinstance(value, types.ModuleType), f"{title}.{name}"


def test_a_namespace_cannot_be_changed():
    for change in ("math.pi = 3", "del math.pi", "setattr(math, 'pi', 3)", "math.__init__('math', {})"):
        with pytest.raises((AttributeError, TypeError)):
            run(f"import math\n{change}")


@pytest.mark.parametrize(
    "source",
    [
        "from functools import singledispatch", "from functools import cached_property",
        "from typing import get_type_hints", "from typing import ForwardRef", "from typing import Annotated",
        "from collections import UserString", "from dataclasses import make_dataclass",
        "from copy import copyreg", "from random import SystemRandom", "from itertools import nothing",
        "from time import tzset", "from math import nothing",
    ],
)  # fmt: skip
def test_what_walks_or_evaluates_is_left_out(source: str):
    with pytest.raises(ImportError, match="cannot import name"):
        run(source)


def test_random_is_seeded_and_the_same_in_every_run():
    source = (
        "import random\na = [random.random(), random.randint(1, 9), random.Random().random()]\n"
        "random.seed()\nb = random.random()"
    )
    assert run(source)["a"] == run(source)["a"] and run(source)["a"][0] == run(source)["b"]


def test_the_clock_costs_nothing_and_tells_the_same_in_every_run():
    source = (
        "import time\nt = time.time()\ntime.sleep(100)\n"
        "a = time.time() - t, time.strftime('%Y'), time.perf_counter()"
    )
    assert run(source)["a"] == run(source)["a"]
    assert round(run(source)["a"][0]) == 100


def test_wraps_takes_over_name_and_documentation_only():
    source = (
        "import functools\ndef f():\n    'doc'\nf.extra = 1\n"
        "@functools.wraps(f)\ndef g(): pass\na = g.__name__, g.__doc__, hasattr(g, 'extra')"
    )
    assert run(source)["a"] == ("f", "doc", False)


def test_a_cached_function_carries_no_attributes_of_what_it_wraps():
    source = (
        "import functools\ndef f(x): return x\nf.extra = 1\n"
        "g = functools.lru_cache(f)\na = g(3), hasattr(g, 'extra'), g.cache_info().misses"
    )
    assert run(source)["a"] == (3, False, 1)


def test_decorators_for_classes_take_the_programs_own_only():
    for source in (
        "from dataclasses import dataclass\ndataclass(int)",
        "from functools import total_ordering\ntotal_ordering(int)",
    ):
        with pytest.raises(TypeError, match="classes that the program defines"):
            run(source)


def test_importing_what_is_not_there_fails_in_pythons_words():
    with pytest.raises(ModuleNotFoundError, match="No module named 'torch.nothing'"):
        run("import torch.nothing")
    with pytest.raises(ImportError, match="cannot import name 'x' from 'math'"):
        run("from math import x")
