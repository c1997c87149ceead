"""Where an expression stands in the source, as code positions tell it."""

import sys

import pytest

from engine.trace.spans import MODULE_SCOPE, SNIPPET, Spans, innermost


class Probe:
    """Notes the span of the expression that calls it."""

    def __init__(self, spans):
        self.spans, self.seen = spans, []

    def note(self, *_, **__):
        self.seen.append(self.spans.of_frame(innermost(sys._getframe(1))))
        return self

    relu = sum = __add__ = __radd__ = __sub__ = __mul__ = __iadd__ = __getitem__ = __neg__ = __lt__ = (
        __call__
    ) = note
    __enter__ = __setitem__ = note

    def __exit__(self, *_):
        return None

    def __bool__(self):
        self.note()
        return False

    def __iter__(self):
        self.note()
        return iter(())

    @property
    def T(self):
        return self.note()

    @T.setter
    def T(self, _):
        self.note()


def seen(source: str) -> list[str]:
    """Run a source with a probe called x; return the text of each span."""
    spans = Spans(source)
    probe = Probe(spans)
    exec(compile(source, SNIPPET, "exec", dont_inherit=True), {"x": probe})
    return [text(source, span) for span in probe.seen]


def text(source: str, span) -> str:
    line, column, end_line, end_column = span
    lines = [each.encode("utf-16-le") for each in source.split("\n")]
    if line == end_line:
        return lines[line - 1][2 * column : 2 * end_column].decode("utf-16-le")
    parts = [
        lines[line - 1][2 * column :],
        *lines[line : end_line - 1],
        lines[end_line - 1][: 2 * end_column],
    ]
    return "\n".join(part.decode("utf-16-le") for part in parts)


@pytest.mark.parametrize(
    "source, expected",
    [
        ("y = x * 2 + 1", ["x * 2", "x * 2 + 1"]),
        ("y = -x\n", ["-x"]),
        ("x += 3", ["x += 3"]),
        ("y = x[0].sum(1)", ["x[0]", "x[0].sum(1)"]),
        ("y = [x * i for i in (1, 2)]", ["x * i", "x * i"]),
        ("y = (lambda a: a + a)(x)", ["a + a"]),
        ("y = x(*(1, 2))", ["x(*(1, 2))"]),
        ("y = (x +\n     1)", ["x +\n     1"]),
        ("for i in range(60): y = x * i", ["x * i"] * 60),
    ],
)
def test_the_span_is_the_expression_itself(source, expected):
    assert seen(source) == expected


def test_a_chain_over_several_lines_starts_where_the_chain_starts():
    assert seen("y = (x\n     .relu()\n     .sum())") == ["x\n     .relu()", "x\n     .relu()\n     .sum()"]
    assert seen("y = (x\n     .T)") == ["x\n     .T"]


@pytest.mark.parametrize(
    "source, expected",
    [
        ("with x:\n    pass", ["x"]),
        ("with x as y:\n    pass", ["x"]),
        ("for t in x:\n    pass", ["x"]),
        ("if x < 3:\n    pass", ["x < 3", "x < 3"]),
        ("while x:\n    pass", ["x"]),
        ("y = 1 if x else 2", ["x"]),
    ],
)
def test_a_statement_with_a_block_gives_its_expression_only(source, expected):
    assert seen(source) == expected


def test_storing_into_an_attribute_or_item_gives_the_whole_statement():
    assert seen("x.T = None") == ["x.T = None"]
    assert seen("x[0] = 5") == ["x[0] = 5"]


def test_columns_count_utf_16_units():
    source = "é = x; z = é * 3; s = '𝄞'; w = x * 4"
    assert seen(source) == ["é * 3", "x * 4"]


def test_an_unparsable_source_has_an_empty_index():
    assert Spans("x = = 1").line(1, 5) == [1, 4, 1, 5]


def test_a_syntax_error_past_the_end_of_its_line_is_inside_the_text():
    assert Spans("f(\n").line(1, 99) == [1, 2, 1, 2]
    assert Spans("f(\n").line(99, 1) is None


def binding(source, name, last=None, now=None, scope=MODULE_SCOPE):
    return text(source, Spans(source).binding(name, scope, last, now))


LOOP = "y = 1\nfor i in range(3):\n    y = y * 2\n    z = y\nwith f() as q:\n    pass\n"


def test_a_name_is_bound_by_the_statement_that_ran_last():
    spans = Spans(LOOP)
    assert spans.binding("y", MODULE_SCOPE, [3, 8, 3, 13], [1, 0, 1, 1]) == [3, 4, 3, 5]


def test_else_by_the_nearest_statement_above():
    spans = Spans(LOOP)
    assert spans.binding("z", MODULE_SCOPE, [3, 8, 3, 13], [5, 5, 5, 8]) == [4, 4, 4, 5]
    assert spans.binding("i", MODULE_SCOPE, None, [3, 8, 3, 13]) == [2, 4, 2, 5]
    assert spans.binding("q", MODULE_SCOPE, [5, 5, 5, 8], [6, 4, 6, 8]) == [5, 12, 5, 13]


def test_a_parameter_is_bound_where_the_function_lists_it():
    source = "a = 0\ndef f(a, b=2):\n    a = a + b\n"
    assert Spans(source).binding("a", 2, None, [3, 8, 3, 13]) == [2, 6, 2, 7]
    assert Spans(source).binding("a", MODULE_SCOPE, None, [3, 8, 3, 13]) == [1, 0, 1, 1]


def test_a_name_nobody_binds_has_no_place():
    assert Spans(LOOP).binding("torch", MODULE_SCOPE, None, [1, 0, 1, 1]) is None


def test_a_deep_expression_does_not_exhaust_the_stack():
    assert Spans("x = " + "-" * 80 + "1").binding("x", MODULE_SCOPE, None, [1, 0, 1, 1]) == [1, 0, 1, 1]
