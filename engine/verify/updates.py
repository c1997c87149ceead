"""What optimisers do: each parameter from its gradient, the settings, and the state of the step before."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.verify.derive import Underivable, law_of
from engine.verify.formula import read_formula
from engine.verify.grads import REGROUPED
from engine.verify.laws.optimisers import LAWS
from engine.verify.laws.table import asks
from engine.verify.rates import Rates
from engine.verify.world import World


class Updates:
    """Checks the rows of optimisers, parameter by parameter."""

    def __init__(self, world: World, rates: Rates) -> None:
        self.world = world
        self.step: dict | None = None
        self.rates = rates
        self.state: dict[tuple[int, str, str], str] = {}  # optimizer, tensor, name -> what it was left as
        self.updated: dict[int, set[str]] = {}
        self.due: set[str] = set()

    def on_optimizer_step(self, row: dict) -> None:
        """A step begins; each parameter that it has moved before and that has a gradient is moved again."""
        self.step = row
        known = self.updated.get(row["which"], set())
        if REGROUPED.search(self.world.program.source) is None:
            self.due = {tensor for tensor in known if self.world.grads.get(tensor) is not None}

    def before(self, row: dict) -> None:
        """A step is over when something else begins."""
        if row["kind"] in ("coalesced", "aliases_changed"):
            return  # a sparse gradient's rows are added up on the way; a parameter's memory shows elsewhere
        if row["kind"] not in ("parameter_updated", "limit", "error") and self.due:
            self.world.refuse("kind", f"parameter_updated of {sorted(self.due)}", row["kind"])
            self.due = set()
        if row["kind"] != "parameter_updated":
            self.step = None

    def on_parameter_updated(self, row: dict) -> None:
        """Derive the new parameter and the new state; hold the old ones against what they were left as."""
        world, tensor, step = self.world, row["tensor"], self.step
        if step is None or step["at"] != row["at"]:
            world.refuse("kind", "an optimizer_step before it", row["kind"])
            return
        self.due.discard(tensor)
        self.updated.setdefault(step["which"], set()).add(tensor)
        held = world.is_held(tensor, row["before"])
        if held is False and not world.may_hold(tensor, world.values[row["before"]]):
            world.refuse("before", f"what {tensor} holds", row["before"])
        world.must("grad", world.grads.get(tensor, row["grad"]), row["grad"])
        terms = {n: world.values.get(t, t) if isinstance(t, str) else t for n, t in row["terms"].items()}
        self.check_state(row, step["which"])
        self.rates.used(row, step)
        known = {**terms, "p": world.value(row["before"]), "g": world.value(row["grad"])}
        self.check_law(step["type"], row, known)
        self.check_formula(row, known)
        world.write(tensor, row["after"])

    def check_state(self, row: dict, which: int) -> None:
        """The state before a step is the state after the last one; at first it is zero, or there is none."""
        world, told, resumed = self.world, row["terms"], "load_state_dict" in self.world.words
        for name, term, before, after in row["state"]:
            key = which, row["tensor"], name
            known, value = self.state.get(key), world.value(before)
            if known is not None and not resumed:
                world.must(f"state.{name}", known, before)
            elif value is not None and name != "sum" and not resumed and np.any(value.wide):
                world.refuse(f"state.{name}", "zeros at first, or none", before)
            self.state[key] = after
            if name == "step":
                self.count(row, before, after)
            elif f"{term}_before" in told:
                world.must(f"terms.{term}_before", before or told[f"{term}_before"], told[f"{term}_before"])
            if term in told and name != "step":
                world.must(f"terms.{term}", after, told[term])
            if name == "prev" and before is not None:
                world.must("terms.g_last", before, told["g_last"])

    def count(self, row: dict, before: str | None, after: str) -> None:
        """A step's number is one more than that of the last."""
        world, last = self.world, 0.0 if before is None else float(self.world.values[before].array)
        if float(world.values[after].array) != last + 1:
            world.refuse("state.step", last + 1, after)
        world.report.checked += 1
        if "t" in row["terms"]:
            world.must("terms.t", last + 1, row["terms"]["t"])

    def check_law(self, kind: str, row: dict, known: dict[str, Any]) -> None:
        """Derive what the kind of optimiser makes of all this: the state first, then the parameter."""
        world, steps = self.world, LAWS.get(kind)
        if steps is None:
            world.leave("optimiser", kind)
            return
        known = {**known, "maximize": "-g" in row["formula"], "nesterov": "momentum * buf)" in row["formula"],
                 "decoupled": "(1 - lr * weight_decay)" in row["formula"]}  # fmt: skip
        for name, function in steps.items():
            claim, v = (
                ("after", row["after"]) if name == "after" else (f"terms.{name}", row["terms"].get(name))
            )
            if name == "after" or (name in known and isinstance(v, str)):
                world.derive([(claim, v)], function, kind, known)

    def check_formula(self, row: dict, known: dict[str, Any]) -> None:
        """Evaluate the formula as it is shown, step by step."""
        world, terms = self.world, dict(known)
        *steps, last = row["formula"].split("; ")
        for step in steps:
            name, _, text = step.partition(" = ")
            wrong = self.by_text(text, terms, row["terms"].get(name))
            if wrong:
                world.refuse(f"formula: {name}", wrong, step)
        wrong = self.by_text(last, terms, row["after"])
        if wrong:
            world.refuse("formula", wrong, last)

    def by_text(self, text: str, terms: dict[str, Any], v: Any) -> str | None:
        """Say how a step of a formula differs from what is claimed; keep it if nothing is."""
        function = read_formula(text)
        if function is None:
            return "plain arithmetic"
        unknown = [name for name, _ in asks(function) if name not in terms and name != "d"]
        if unknown:
            return f"terms that are told, not {unknown[0]}"
        name = next((n for n in ("d",) if n not in terms), None)
        try:
            derivation = law_of(function, "an update", terms)
            if isinstance(v, str):
                return derivation.wrong([self.world.values.get(v)])[0]
            if name and derivation.places is None:
                terms[name] = np.asarray(derivation.results()[0])
        except Underivable:
            return None
        return None
