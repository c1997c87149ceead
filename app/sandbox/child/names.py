"""Which names a program may say, as tables: the one place that the gate and the guarded access both ask."""

from __future__ import annotations

RESERVED = "_sg"  # our own names inside a program; nothing of the learner's may start so

_OPERATORS = """add sub mul truediv floordiv mod divmod pow matmul lshift rshift and or xor""".split()
_METHODS = """init post_init call repr str len getitem setitem delitem missing iter next reversed
contains enter exit bool float int round hash eq ne lt le gt ge neg pos abs invert""".split()

# special methods that a class may define; a direct call of one (`x.__len__()`) is as good as `len(x)`
DEFINABLE = frozenset(f"__{prefix}{name}__" for name in _OPERATORS for prefix in ("", "r", "i")) | frozenset(
    f"__{name}__" for name in _METHODS
)

READABLE = frozenset({"__name__", "__qualname__", "__doc__", "__version__"})
LIVE = frozenset({"__class__", "__dict__"})  # readable, through guarded access
ASSIGNABLE = frozenset({"__all__", "__version__", "__author__"})  # as plain names, which scripts do

# ways from a value to the interpreter's insides
INSPECTING = frozenset(
    """tb_frame tb_next tb_lasti tb_lineno f_back f_builtins f_code f_globals f_locals f_trace f_generator
f_lasti f_lineno co_code co_consts gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await cr_origin
ag_frame ag_code ag_await with_traceback mro""".split()
)
# plain attributes that guarded access looks at when the program runs, besides the engine's internal names
FORMATTING = frozenset({"format", "format_map"})  # of str: they walk attributes by a text's own word
# of NumPy's arrays, should one ever get out: files, raw memory, other views of it
MEMORY = frozenset(
    """tofile dump dumps ctypes resize setflags setfield getfield view data base flags dtype astype byteswap
choose put itemset newbyteorder descr tobytes""".split()
)
GUARDED = FORMATTING | MEMORY | {"obj", "register"}
# in patterns (`case A(data=x)`), which cannot be rewritten, these are common and give nothing away
PLAIN_IN_PATTERNS = frozenset({"data", "dtype", "base", "flags", "view"})

REFUSED_BUILTINS = frozenset(
    """eval exec compile open input breakpoint globals locals memoryview exit quit help license credits
copyright""".split()
)

STANDARD_MODULES = frozenset(
    """torch math random collections collections.abc itertools functools typing dataclasses time copy timeit
sys io argparse logging warnings gc contextlib abc __future__""".split()
)
NUMPY_MODULES = frozenset(
    {"numpy", "numpy.random", "numpy.linalg", "numpy.testing", "numpy.exceptions", "numpy.typing"}
)  # the engine's own, whose objects guard NumPy's
STAND_INS = frozenset(
    """matplotlib matplotlib.pyplot torchvision torchvision.datasets torchvision.transforms tqdm tqdm.auto
tqdm.notebook graphviz torchviz""".split()
)
FUTURE = frozenset(
    """annotations print_function division absolute_import unicode_literals with_statement generators
nested_scopes""".split()
)


def is_special(name: str) -> bool:
    """Return whether a name is of the `__name__` kind."""
    return name.startswith("__") and name.endswith("__")


def is_closed(name: str) -> bool:
    """Return whether no attribute of this name is open to a program, of whatever object."""
    if is_special(name):
        return name not in READABLE and name not in LIVE and name not in DEFINABLE
    return name.startswith(RESERVED) or name in INSPECTING


def mangled(name: str, owner: str | None) -> str:
    """Return what Python makes of a private name inside the class `owner`."""
    stripped = (owner or "").lstrip("_")
    private = name.startswith("__") and not name.endswith("__")
    return f"_{stripped}{name}" if private and stripped else name
