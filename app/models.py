"""The shapes of requests and answers, for checking the former and documenting both."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

PROGRAM = "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n(x ** 2).sum().backward()\n"

MOST_LEAVES, MOST_NUMBERS = 64, 64  # names of one formula, and numbers in a row
Name = Annotated[str, Field(max_length=100)]
Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e38, le=1e38)]
Row = Annotated[list[Number], Field(min_length=1, max_length=MOST_NUMBERS)]


def rectangular(value: list[list[float]]) -> list[list[float]]:
    """Return a matrix whose rows are equally long."""
    if len({len(row) for row in value}) > 1:
        raise ValueError("the rows of a matrix must be equally long")
    return value


Matrix = Annotated[list[Row], Field(min_length=1, max_length=MOST_NUMBERS), AfterValidator(rectangular)]
Leaf = Number | Row | Matrix


def whole(value: Any) -> Any:
    """Take 3.0 for 3, as JSON Schema's integers do."""
    return int(value) if type(value) is float and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(whole)]
Position = Annotated[int, Field(ge=0, lt=1_000_000), BeforeValidator(whole)]
Index = Annotated[list[Position], Field(max_length=16)]  # of an element, `[]` for one without dimensions
MOST_CHANGES = 16


class Change(BaseModel):
    """One number of a tensor that is to be another when the tensor is made."""

    model_config = ConfigDict(extra="forbid")
    made: Whole = Field(
        ge=0, lt=1_000_000,
        description="Which tensor: its place among the rows tensor_made, detached and op_applied, from 0;"
        " those in place are not counted.",
    )  # fmt: skip
    output: Whole = Field(default=0, ge=0, lt=10_000, description="Which output of that operation.")
    element: Index = Field(description="Its index, `[]` for a tensor without dimensions.")
    value: Number


class TraceRequest(BaseModel):
    """A program to run."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"code": PROGRAM}]})
    code: str = Field(
        description="Python source that may import torch, or a formula such as `(x*y + sin(x))**2`;"
        " it is run in isolation."
    )
    seed: Annotated[int, BeforeValidator(whole)] = Field(
        default=0, ge=0, lt=2**32, description="Where random numbers start that the program does not seed."
    )
    leaves: dict[Name, Leaf] = Field(
        default_factory=dict,
        max_length=MOST_LEAVES,
        description="Values for the free names of a formula: a number, a vector or a matrix. Else unused.",
    )
    changes: list[Change] = Field(
        default_factory=list,
        max_length=MOST_CHANGES,
        description="Numbers that are to be others than the program says. What fits no tensor is left out.",
    )


class ExportRequest(TraceRequest):
    """A program to run, and what its run is to be taken away as."""

    format: Literal["html", "json", "csv"] = Field(
        default="html", description="A page that plays offline; the trace; its values and gradients."
    )
    level: Literal["story", "chain", "engine"] = Field(
        default="chain", description="The level of detail that the page begins with."
    )
    step: Annotated[int, BeforeValidator(whole)] = Field(
        default=0, ge=0, lt=10**7, description="How many rows have been played where the page begins."
    )


class Element(BaseModel):
    """A box, in px from its top left corner: a leaf, an operation, data that feeds one, a group of these.

    Inside a group, "in" and "out" are the places at its border where edges go on.
    """

    role: Literal["leaf", "op", "data", "group", "in", "out"]
    x: float
    y: float
    width: float
    height: float
    column: int = Field(description="Boxes of one column stand above each other.")
    inside: str | None = Field(None, description="The layout of what a group holds.")


class Edge(BaseModel):
    """A curve from the right side of one box to the left side of another."""

    from_: str = Field(alias="from")
    to: str
    slot: int | None = Field(description="Index in the target's `edges`; null: no gradient goes back.")
    path: str = Field(description="SVG path, in the direction of the values.")
    label: str | None
    port: str | None = Field(None, description="Into a group: at which of its boxes the edge goes on.")
    exit: str | None = Field(None, description="Out of a group: from which of its boxes the edge comes.")
    drop: str | None = Field(None, description="Of an edge along a bus: the part that is its own.")


class Layout(BaseModel):
    """Positions by role (`r0`, `r1`, …); equal scenes share one."""

    width: float
    height: float
    elements: dict[str, Element]
    edges: dict[str, Edge]
    buses: dict[str, str] = Field(default={}, description="What the edges of a much used box share.")


class Group(BaseModel):
    """What a group stands for."""

    kind: Literal["module", "call", "loop", "line", "part", "leaves", "data"]
    label: str
    line: int | None
    elements: int
    round: tuple[int, int] | None = Field(None, description="Which round of a loop, of how many.")


class Scene(BaseModel):
    """A layout, and which tensors and nodes of the trace stand at which of its boxes."""

    layout: str
    place: dict[str, str] = Field(description="`r3`, or `r3/r0` for a box inside the group at `r3`.")
    groups: dict[str, Group] = Field(default={})


class TooLarge(BaseModel):
    """How many edges a graph has that is therefore not drawn, and how many are."""

    edges: int
    most: int


class Drawing(BaseModel):
    """Where everything in a trace is drawn."""

    layouts: dict[str, Layout]
    scenes: list[Scene]
    scene_at: list[tuple[int, int]] = Field(description="[row, scene]: shown from that row on.")
    fold: str = Field("auto", description="How elements are grouped.")
    folds: list[str] = Field(default=[], description="How else they may be.")
    late: str | None = Field(None, description="How they should have been, had it not taken too long.")
    too_large: TooLarge | None = Field(None, description="Only there if the graph is too large to be drawn.")


Fold = Literal["auto", "module", "function", "loop", "line", "none"]


class KnownError(BaseModel):
    """An error that has a page which explains it."""

    slug: str
    url: str
    title: str
    where: Literal["outcome", "warning", "pasted"] = Field(
        description="The program's own, or pasted with it."
    )


class TraceAnswer(BaseModel):
    """A program's run, step by step, and its drawing."""

    trace: dict[str, Any] = Field(description="As described by /static/trace.schema.json.")
    drawing: Drawing
    errors: list[KnownError] = Field(description="Which messages in the trace are explained here.")


class Gap(BaseModel):
    """Numbers of one kind of row that are taken as they stand, and why."""

    kind: str = Field(description="The kind of row, as in the trace.")
    reason: Literal[
        "operation", "large", "unwritten", "unknown", "trouble", "results", "places", "assigned", "own",
        "optimiser", "hook", "packed",
    ]  # fmt: skip
    subject: str = Field(description="The operation, node or type that it is about; may be empty.")
    detail: str
    count: int
    row: int = Field(description="The first row with such a number, counted from 0.")


class Contradiction(BaseModel):
    """A claim of the trace that does not follow from the rest of it."""

    row: int | None = Field(description="Counted from 0; null: the tables contradict themselves.")
    claim: str
    expected: str
    found: str


class CheckAnswer(BaseModel):
    """What came out of deriving a trace again: it holds if there is no problem and nothing stopped it."""

    model_config = ConfigDict(extra="forbid")
    checked: int = Field(description="Numbers that were derived again and agree.")
    of: int = Field(description="Numbers that were looked at.")
    rows: int = Field(description="Rows that were looked at and hold, from the first on.")
    given: list[Gap] = Field(description="What was not derived; the most frequent reasons, in their order.")
    problems: list[Contradiction]
    stopped: Literal["time", "memory", "crash"] | None = Field(description="Why the check ended early.")


class ExampleAnswer(BaseModel):
    """A program to start from."""

    slug: str
    title: str
    summary: str
    code: str
    url: str


class ExamplesAnswer(BaseModel):
    """The programs to start from, told in the reader's language."""

    examples: list[ExampleAnswer]


class Health(BaseModel):
    """A sign of life."""

    status: Literal["ok"]


class Wrong(BaseModel):
    """What is wrong, and where in the request."""

    at: str
    message: str


class ProblemAnswer(BaseModel):
    """A refused request (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[Wrong] | None = None
