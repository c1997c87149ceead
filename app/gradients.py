"""Questions about one number of a gradient, and their answers: the shapes of both, checked and documented."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from app.models import PROGRAM, Index, TraceRequest, Whole

Number = float | Literal["nan", "inf", "-inf"]
Count = int | str
MOST_POINTS = 25
PLACE = {"code": PROGRAM, "call": 0, "element": [0]}
Stopped = Literal["time", "memory", "crash"]


class OfProgram(TraceRequest):
    """A program, as it was run, and one backward call of it."""

    call: Whole = Field(ge=0, lt=100_000, description="Which backward call: `call` of its backward_began.")
    element: Index = Field(description="Which element: its index, `[]` for a tensor without dimensions.")


class WhyRequest(OfProgram):
    """Which number is to be taken apart: an element of the gradient that a row of the trace shows."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{**PLACE, "row": 20}]})
    row: Whole = Field(ge=0, lt=1_000_000, description="A row of the trace that shows a gradient.")
    input_nr: Whole = Field(default=0, ge=0, lt=10_000, description="Of a node_entered row: which input.")


class SlopeRequest(OfProgram):
    """Which number is moved to find the slope of what a backward call starts from."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{**PLACE, "made": 0}]})
    made: Whole = Field(
        ge=0, lt=1_000_000,
        description="Which tensor: its place among the rows tensor_made, detached and op_applied, from 0;"
        " those in place are not counted.",
    )  # fmt: skip
    output: Whole = Field(default=0, ge=0, lt=10_000, description="Which output of that operation.")
    written: bool = Field(
        default=False,
        description="Move the number as the call finds it, after what was written; else when it is made.",
    )
    points: Whole = Field(default=0, ge=0, le=MOST_POINTS, description="How many points of the curve.")
    reach: float = Field(default=1.0, gt=0, le=1e6, description="How far the curve goes to either side.")


class Term(BaseModel):
    """A part of a sum: a local derivative times an element of the gradient that a node was given."""

    model_config = ConfigDict(extra="forbid")
    node: str | None = Field(description="The node whose rule this is; null: the call was given it.")
    slot: int
    output: int
    element: list[int] | None
    derivative: Number
    grad: Number | None = Field(
        description="Null where nothing comes through and which it is cannot be told."
    )
    product: Number
    to: int | None = Field(description="The place of `grad`, in `places`.")
    blocked: bool = Field(description="The local derivative is 0 whatever arrives.")


class Place(BaseModel):
    """One element of a gradient, as the sum of its terms, or why it is not taken apart."""

    model_config = ConfigDict(extra="forbid")
    node: str | None
    input_nr: int
    element: list[int]
    number: Number
    stop: Literal["start", "hook", "own", "unknown", "sparse", "complex", "closed"] | None
    before: Number | None = Field(description="What it was before a hook changed it.")
    more: int = Field(description="Terms that are not listed.")
    rest: Number = Field(description="And what they add up to.")
    terms: list[Term]


class Path(BaseModel):
    """A way from the number to the root: the terms on it, and their product."""

    model_config = ConfigDict(extra="forbid")
    product: Number
    hops: list[tuple[int, int]] = Field(description="[place, term], from the number asked for on.")


class WhyAnswer(BaseModel):
    """A number taken apart. The first of its places is the number itself."""

    model_config = ConfigDict(extra="forbid")
    found: bool = Field(description="False: the run has no such gradient, and nothing else is told.")
    stopped: Stopped | None = None
    row: int = 0
    call: int = 0
    shape: list[int] = Field(default_factory=list)
    element: list[int] = Field(default_factory=list)
    number: Number = 0.0
    held: Number | None = Field(None, description="What `.grad` held before this call.")
    node: str | None = None
    input_nr: int = 0
    parts: int = Field(0, description="How many gradients arrive there in this call,")
    of: int = Field(0, description="and how many of them are in the number.")
    whole: Number | None = Field(None, description="What all of them add up to.")
    made: tuple[int, int] | None = Field(None, description="`made` and `output` of the tensor it is of.")
    places: list[Place] = Field(default_factory=list)
    paths: list[Path] = Field(default_factory=list, description="All of them, or none if there are many.")
    count: Count | None = Field(None, description="How many, by elements; null: not all were looked at.")
    node_paths: Count = Field(0, description="How many ways there are from node to node.")


class Estimate(BaseModel):
    """Differences of the output over one step size."""

    model_config = ConfigDict(extra="forbid")
    step: float
    central: Number | None
    right: Number | None
    left: Number | None


class SlopeAnswer(BaseModel):
    """The slope of the output by running the program again with one number moved."""

    model_config = ConfigDict(extra="forbid")
    found: bool = Field(description="False: the run does not get there, and nothing else is told.")
    stopped: Stopped | None = None
    value: Number = 0.0
    result: Number | None = Field(None, description="The sum of each root times the gradient it was given.")
    float64: bool = Field(False, description="Whether float32 was held in 64 bits.")
    dtype: str = ""
    estimates: list[Estimate] = Field(default_factory=list)
    points: list[tuple[Number, Number]] = Field(default_factory=list)
