"""`matplotlib.pyplot`: lines, points and bars of plain numbers become a row; the page draws them."""

from __future__ import annotations

import math
from typing import Any

from app.sandbox.child.stand_ins.said import accepts, say
from engine.events import Plotted, emit
from engine.tensor import Tensor

MOST_POINTS, MOST_SERIES, MOST_FIGURES = 500, 12, 20
LONGEST = 120  # characters of a text in a figure
TEXTS = {"title": "title", "xlabel": "x", "ylabel": "y", "suptitle": "title"}
IGNORED = """legend grid xlim ylim axis tight_layout axhline axvline fill_between text annotate xticks yticks
xscale yscale margins draw pause ion ioff clf cla close gca_ colorbar errorbar""".split()
ELSEWHERE = "imshow hist contour contourf pcolormesh matshow quiver boxplot pie".split()
TITLE = "matplotlib"


class Line2D:
    """What `plot` gives: something that may be asked to change, and does not."""

    __slots__ = ()

    def set_data(self, *_: Any, **__: Any) -> None:
        """Accept other numbers, another label, another colour."""

    set_label = set_color = set_ydata = set_xdata = set_data


class Axes:
    """One coordinate system: what was plotted into it since it was shown last."""

    __slots__ = ("_sg_series", "_sg_texts", "_sg_figures")

    def __init__(self, figures: Figures) -> None:
        self._sg_series: list[dict] = []
        self._sg_texts = {"title": "", "x": "", "y": ""}
        self._sg_figures = figures

    def plot(self, *values: Any, label: Any = "", **_: Any) -> list:
        """Plot lines: y, or x and y, each perhaps with a format."""
        rest = [value for value in values if not isinstance(value, str)]
        pairs = [(None, rest[0])] if len(rest) == 1 else list(zip(rest[::2], rest[1::2]))
        for x, y in pairs:
            self._sg_add("line", x, y, label)
        return [Line2D() for _ in pairs]

    def scatter(self, x: Any, y: Any, *_: Any, label: Any = "", **__: Any) -> None:
        """Plot points."""
        self._sg_add("points", x, y, label)

    def bar(self, x: Any, height: Any, *_: Any, label: Any = "", **__: Any) -> None:
        """Plot bars."""
        self._sg_add("bars", x, height, label)

    semilogy = semilogx = loglog = step = plot

    def _sg_add(self, kind: str, x: Any, y: Any, label: Any) -> None:
        columns = in_columns(y)
        for column in columns:
            if len(self._sg_series) >= MOST_SERIES:
                return
            across = list(range(len(column))) if x is None else in_columns(x)[0]
            if len(across) != len(column):
                shapes = f"({len(across)},) and ({len(column)},)"
                raise ValueError(f"x and y must have same first dimension, but have shapes {shapes}")
            step = max(1, math.ceil(len(column) / MOST_POINTS))
            told = {"kind": kind, "label": str(label)[:LONGEST]}
            self._sg_series.append({**told, "x": across[::step], "y": column[::step]})

    def _sg_text(self, name: str, text: Any) -> None:
        self._sg_texts[name] = str(text)[:LONGEST]

    def _sg_show(self) -> None:
        if self._sg_series:
            series, self._sg_series = self._sg_series, []
            emit(Plotted(**self._sg_texts, series=series))


def _setter(name: str) -> Any:
    return lambda self, text="", *_, **__: self._sg_text(name, text)


for _name, _field in TEXTS.items():
    setattr(Axes, f"set_{_name}", _setter(_field))
for _name in (
    *IGNORED,
    *(f"set_{name}" for name in ("xlim", "ylim", "xscale", "yscale", "xticks", "yticks")),
):
    setattr(Axes, _name, lambda self, *_, **__: None)
for _name in ELSEWHERE:
    setattr(Axes, _name, lambda self, *_, _call=f"plt.{_name}", **__: say(TITLE, _call))


class Figure:
    """A figure: it only leads to its axes."""

    __slots__ = ("_sg_figures",)

    def __init__(self, figures: Figures) -> None:
        self._sg_figures = figures

    def add_subplot(self, *_: Any, **__: Any) -> Axes:
        """Return further axes."""
        return self._sg_figures.another()

    def show(self) -> None:
        """Show what was plotted."""
        self._sg_figures.show()

    def suptitle(self, *_: Any, **__: Any) -> None:
        """Accept anything else about the whole."""

    tight_layout = savefig = autofmt_xdate = subplots_adjust = suptitle


class Figures:
    """All that one run plots."""

    def __init__(self) -> None:
        self.axes: list[Axes] = []
        self.shown = 0

    def another(self) -> Axes:
        """Return new axes; plt's own functions now mean these."""
        self.axes.append(Axes(self))
        return self.axes[-1]

    def current(self) -> Axes:
        """Return the axes that plt's own functions mean."""
        return self.axes[-1] if self.axes else self.another()

    def show(self, *_: Any, **__: Any) -> None:
        """Turn what was plotted into rows."""
        axes, self.axes = self.axes, []
        for each in axes:
            if self.shown < MOST_FIGURES:
                self.shown += bool(each._sg_series)
                each._sg_show()

    def subplots(self, rows: int = 1, columns: int = 1, *_: Any, **__: Any) -> tuple:
        """Return a figure and its axes: one, a list of them, or a list of lists."""
        rows, columns = min(int(rows), 4), min(int(columns), 4)
        grid = [[self.another() for _ in range(columns)] for _ in range(rows)]
        flat = [axes for row in grid for axes in row]
        shaped = flat[0] if len(flat) == 1 else grid if rows > 1 and columns > 1 else flat
        return Figure(self), shaped

    def names(self) -> dict[str, Any]:
        """Return the names of `matplotlib.pyplot`."""

        def of_axes(name: str) -> Any:
            call = lambda *values, **named: getattr(self.current(), name)(*values, **named)  # noqa: E731
            call.__name__ = call.__qualname__ = name.removeprefix("set_")
            return call

        own = ("plot", "scatter", "bar", "semilogy", "semilogx", "loglog", "step", *IGNORED, *ELSEWHERE)
        return {
            **{name: of_axes(name) for name in own},
            **{name: of_axes(f"set_{name}") for name in TEXTS},
            "figure": lambda *_, **__: (self.another(), Figure(self))[1],
            "subplots": self.subplots,
            "subplot": lambda *_, **__: self.another(),
            "gca": lambda: self.current(),
            "show": self.show,
            "savefig": accepts(TITLE, "plt.savefig"),
        }


def in_columns(value: Any) -> list[list[Any]]:
    """Return numbers as lists: of a table its columns. A tensor goes to NumPy, which may refuse."""
    plain = plain_numbers(value)
    if not isinstance(plain, list):
        plain = [plain]
    if plain and all(isinstance(row, list) for row in plain):
        return [list(column) for column in zip(*plain)]
    return [plain]


def plain_numbers(value: Any) -> Any:
    """Return a number, or nested lists of numbers; what is no finite number is named as JSON can."""
    if isinstance(value, Tensor):
        value = value.numpy()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (str, bytes)) or value is None:
        return "nan"
    if not isinstance(value, (int, float)) and hasattr(value, "__iter__"):
        return [plain_numbers(each) for each in value]
    number = float(value)
    if math.isfinite(number):
        return number
    return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"
