"""What a node's rules make of the gradient: each from its terms, each term from what the node saved."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from engine.verify import slices
from engine.verify.arguments import PACKED, stems
from engine.verify.calls import Visit
from engine.verify.derive import IN_WORDS, UNREAD, Underivable, gathered, law_of, parsed
from engine.verify.formula import Formula, read_formula
from engine.verify.laws.sentences import is_true
from engine.verify.laws.table import PULLS, asks
from engine.verify.numbers import Value, disagreement
from engine.verify.world import World, same

INSIDE = {  # what a silent node may keep without a word of it in its formulas
    *("result", "result1", "result2", "indices", "input", "weight", "self", "total_weight"),
    *("buffer", "output", "inverse", "min", "max", "values"),
}
LOOSE = 1e-6  # what a formula may be off: the law of its node looks at the digits
TOLD = {"index", "indices", "target", "mask", "total_weight"}  # words that nothing else is called
UNSEEN = ("unwritten", "large", "unknown")  # what a formula is made of is not all written
WORD = re.compile(r"[A-Za-z_]\w*")


class Rules:
    """Checks the rows that say what rules have made, and what is dropped afterwards."""

    def __init__(self, world: World) -> None:
        self.world = world

    def ran(self, row: dict, visit: Visit, asked: list[bool]) -> None:
        """Derive the gradient of every edge of a node."""
        world, entry = self.world, self.world.nodes[visit.node]
        told = {rule["slot"]: rule for rule in row["rules"]}
        if len(told) != len(row["rules"]):
            world.refuse("rules", "one for each slot", [rule["slot"] for rule in row["rules"]])
        for slot, grad in enumerate(row["grads"]):
            rule = told.pop(slot, None)
            input_ = entry["inputs"][slot]
            listed = "[" in input_ and input_ in entry["formulas"]  # one rule gives all parts, wanted or not
            if not asked[slot] and grad is not None and not listed:
                world.refuse(f"grads[{slot}]", "nothing: no gradient is wanted there", grad)
            elif grad is None:
                expects = asked[slot] and input_ in entry["formulas"] and any(visit.grads)
                if rule is not None or expects:
                    world.refuse(f"grads[{slot}]", "a gradient", None)
            elif input_ in entry["formulas"]:
                if rule is None:
                    world.refuse("rules", f"the rule of slot {slot}", None)
                self.rule(row, visit, slot, rule, grad)
            else:
                self.unruled(visit, slot, grad)
        self.check_skipped(row, entry, asked)
        for slot in told:
            world.refuse("rules", f"slots of {len(row['grads'])} edges with a gradient", slot)

    def check_skipped(self, row: dict, entry: dict, asked: list[bool]) -> None:
        """For each input without a gradient the reason is told, unless it is a plain argument."""
        named, wanted = dict(entry["args"]), []
        for slot, edge in enumerate(entry["edges"]):
            name = entry["inputs"][slot]
            if row["grads"][slot] is None and edge is not None:
                wanted.append([name, "undefined" if asked[slot] else "not asked for"])
            elif row["grads"][slot] is None and "tensor" in named.get(name, ()):
                wanted.append([name, "not required"])
        self.world.must("skipped", wanted, row["skipped"])

    # ----- one rule ---------------------------------------------------------------------------------
    def rule(self, row: dict, visit: Visit, slot: int, rule: dict, grad: str) -> None:
        """Hold a rule's terms against what was saved, and its result against both derivations."""
        world, entry = self.world, self.world.nodes[visit.node]
        claim = f"rules[{row['rules'].index(rule)}]"
        input_ = entry["inputs"][slot]
        world.must(f"{claim}.input", input_, rule["input"])
        world.must(f"{claim}.formula", entry["formulas"][input_], rule["formula"])
        world.must(f"{claim}.result", grad, rule["result"])
        function = self.read(rule["formula"], entry["name"])
        asked_for = (
            {n for n, _ in asks(function)} if function else self.spoken_of(rule["formula"], visit.node)
        )
        missing = asked_for - stems(rule["terms"])
        if missing:
            world.refuse(f"{claim}.terms", f"also {sorted(missing)}", sorted(rule["terms"]))
        terms = self.terms(claim, rule["terms"], visit)
        made = self.application(visit.node)
        terms = {n: made.get(n, thing) if thing is UNREAD else thing for n, thing in terms.items()}
        known = {**made, **terms, "slot": slot}
        if entry["name"] == "AsStridedBackward0" and "size" not in known:
            known |= slices.of_tensor(world, visit.node)
        visit.terms |= {n.partition("[")[0] for n, text in rule["terms"].items() if text in world.values}
        known["gs"] = [world.value(g) for g in visit.grads]
        if known["gs"] and known["gs"][0] is not None:
            known["g"] = known["gs"][0]
        stem = input_.partition("[")[0]
        pulls = PULLS.get(entry["name"], {})
        if not made:
            known |= {"y": terms["result"]} if "result" in terms else {}
            known = {**undecided(rule["formula"], known), **known}
        if stem in pulls:
            world.derive([(f"grads[{slot}]", grad)], pulls[stem], entry["name"], known)
            self.shown(f"{claim}.formula", rule["formula"], terms, grad, entry["name"])
        else:
            self.by_text(rule["formula"], terms, grad, entry["name"])

    def terms(self, claim: str, told: dict[str, str], visit: Visit) -> dict[str, Any]:
        """Read a rule's terms; each must be the gradient, or what the node was made of."""
        world, made = self.world, self.application(visit.node)
        dropped = world.freed.get(visit.node, set())
        named = []
        for name, text in told.items():
            stem = name.partition("[")[0]
            thing = world.values.get(text, parsed(text))
            if text == "freed" or stem in dropped:
                world.refuse(f"{claim}.terms.{name}", "something that is not freed", text)
            elif name == "grad":
                self.is_gradient(f"{claim}.terms.{name}", visit.grads[:1], text)
            elif stem == "grads":
                number = int(re.sub(r"\D", "", name) or 0)
                self.is_gradient(f"{claim}.terms.{name}", visit.grads[number : number + 1], text)
            else:
                self.is_saved(f"{claim}.terms.{name}", name, thing, text, made)
            named.append((name, thing))
        return gathered(named)

    def is_gradient(self, claim: str, arrived: list[str | None], text: str) -> None:
        """A term called grad is what the node was given."""
        world = self.world
        if arrived != [text] and not (arrived in ([None], []) and text not in world.values):
            world.refuse(claim, arrived[0] if arrived else None, text)

    def is_saved(self, claim: str, name: str, thing: Any, text: str, made: dict[str, Any]) -> None:
        """A term is what an argument or a result was when the operation was applied."""
        stem, bracket, rest = name.partition("[")
        wanted = made.get(stem, UNREAD)
        if bracket and isinstance(wanted, list):
            number = int(rest.rstrip("]"))
            wanted = wanted[number] if number < len(wanted) else UNREAD
        if thing is UNREAD and not IN_WORDS.fullmatch(text) and not PACKED & self.world.words:
            self.world.refuse(claim, "a term as Python writes it", text)
        if wanted is UNREAD or thing is UNREAD:
            return
        if isinstance(wanted, (np.ndarray, Value)):
            agrees = isinstance(thing, Value) and same(wanted, thing)
        else:
            agrees = same_plain(thing, wanted)
        if not agrees:
            self.world.refuse(claim, f"what {name} was", text)

    def application(self, node: str) -> dict[str, Any]:
        """Return what a node's operation was applied to and what it made, by name."""
        return self.world.applications.get(node, {})

    # ----- the formula as it is shown -----------------------------------------------------------------
    def read(self, text: str, node: str) -> Formula | None:
        """Return a formula that can be calculated, None if it says in words what it does."""
        return None if is_true(text, node) else read_formula(text)

    def spoken_of(self, text: str, node: str) -> set[str]:
        """Return which words of a sentence are what its node keeps, or a plain argument."""
        row = self.world.rows[self.world.made_at[node]] if node in self.world.made_at else None
        kept = stems(label for label, _, _ in row["saved"]) if row else set()
        plain = {name for name, what in row["args"] if "text" in what} if row else set()
        return set(WORD.findall(text)) & (kept & TOLD | plain | {"grad"})

    def shown(self, claim: str, text: str, terms: dict[str, Any], grad: str, name: str) -> None:
        """Of a node with a law, the formula must give the same, or be a sentence that is known to be true."""
        formula = self.read(text, name)
        if formula is None:
            if not is_true(text, name):
                self.world.refuse(claim, f"an expression, or words known to be true of {name}", text)
            return
        try:
            wrong = self.calculated(formula, terms, grad)
        except Underivable as gap:
            if gap.reason in UNSEEN:
                return
            wrong = str(gap)
        if wrong is not None:
            self.world.refuse(claim, f"a formula that gives {self.world.brief(grad)}", f"{text}: {wrong}")

    def calculated(self, formula: Formula, terms: dict[str, Any], grad: str) -> str | None:
        """Say how what a formula gives differs from a gradient, or None."""
        value = self.world.values[grad]
        derivation = law_of(formula, "a formula", terms)
        made = np.asarray(derivation.results()[0])
        made = made if made.ndim else np.broadcast_to(made, value.shape)
        if formula.place is not None and made.shape == value.shape and value.whole:
            made = np.where(formula.spoken(derivation.known), made, value.array)
        wrong = derivation.wrong([value], [made])[0]
        if wrong is None or made.dtype.kind not in "fc":
            return wrong
        finite = np.abs(made[np.isfinite(made)])  # its constants may have been rounded to float32
        return disagreement(value, made, LOOSE * float(finite.max(initial=0.0)))

    def by_text(self, formula: str, terms: dict[str, Any], grad: str, name: str) -> None:
        """Evaluate the formula of a node without a law, if it is plain arithmetic and gives the number."""
        function = self.read(formula, name)
        try:
            if function is not None and self.calculated(function, terms, grad) is None:
                self.world.report.checked += 1
                return
        except Underivable:
            pass
        self.world.leave("operation", name)

    def unruled(self, visit: Visit, slot: int, grad: str) -> None:
        """A node without formulas: the gradient must come from what ran inside of it."""
        world = self.world
        found = slices.pull(world, visit.node, slot)
        if found is not None:
            function, known = found
            known = {**known, "g": world.value(visit.grads[0])}
            world.derive([(f"grads[{slot}]", grad)], function, "CopySlices", known)
        elif grad in visit.grads or grad in visit.made or grad in world.lately():
            world.report.checked += 1
        elif next(world.holders(world.values[grad]), None) is not None:
            world.report.checked += 1
        else:
            world.leave("own", world.nodes[visit.node]["name"])

    # ----- what is dropped --------------------------------------------------------------------------
    def kept(self, node: str) -> set[str] | None:
        """Return the names a node keeps for backward, or None if no row tells."""
        world = self.world
        k = world.made_at.get(node)
        if world.nodes[node]["name"] == "CopySlices":
            return {"fn"}  # the node that acts on the part
        if k is None:
            return None
        row, entry = world.rows[k], world.nodes[node]
        names = {label.partition("[")[0] for label, _, _ in row["saved"]}
        for name, argument in row["args"]:
            if name in entry["inputs"] and argument.get("text") not in (None, "None"):
                names |= {name} & read_by(entry)
        return names

    def freed(self, row: dict, visit: Visit) -> None:
        """What is dropped is what was kept."""
        world, node = self.world, row["node"]
        kept, names, entry = self.kept(node), set(row["names"]), world.nodes[node]
        read = {word for text in entry["formulas"].values() for word in WORD.findall(text)}
        told = visit.terms - {"grad", "grads"}
        if kept is None and entry["formulas"] and not told <= names <= read | set(entry["inputs"]) | INSIDE:
            world.refuse("names", f"what its rules read: {sorted(told)}", row["names"])
        before = world.freed.setdefault(node, set())
        if kept is not None and entry["name"] != "AsStridedBackward0":
            if not names >= kept - before or (kept and not names <= kept):
                world.refuse("names", sorted(kept - before), row["names"])
        if names & before or not names:
            world.refuse("names", "what is not freed yet", row["names"])
        before |= names
        world.freed_at[node] = world.k

    def must_free(self, visit: Visit) -> None:
        """Refuse a node that goes on without dropping what it kept."""
        world, node = self.world, visit.node
        kept = self.kept(node)
        if kept is None:  # no row tells what it keeps: at least what its rules have just read
            kept = visit.terms - {"grad", "grads"}
        if kept and kept - world.freed.get(node, set()) and world.nodes[node]["name"] != "AsStridedBackward0":
            world.refuse("kind", f"saved_freed of {node}: {sorted(kept)}", "edge_flowed")


def read_by(entry: dict) -> set[str]:
    """Return the words in the rules of a node's edges that lead somewhere."""
    rules = (
        entry["formulas"].get(i, "") for i, edge in zip(entry["inputs"], entry["edges"]) if edge is not None
    )
    return {word for rule in rules for word in WORD.findall(rule)}


def undecided(formula: str, known: dict[str, Any]) -> dict[str, Any]:
    """Return what a formula leaves out because it was decided: what was reduced, and how."""
    found: dict[str, Any] = {"reduction": 1 if "numel()" in formula or "total_weight" in formula else 2}
    small, big = known.get("g"), known.get("self_sym_sizes", getattr(known.get("self"), "shape", None))
    if small is None or big is None or not small.shape:
        return found
    if len(big) != len(small.shape):
        return {**found, "dim": UNREAD}
    dims = [d for d, n in enumerate(big) if n != small.shape[d]] or [d for d, n in enumerate(big) if n == 1]
    return {**found, "dim": tuple(dims) if dims else UNREAD, "keepdim": True}


def same_plain(found: Any, wanted: Any) -> bool:
    """Say whether two plain arguments say the same; one number may stand for a tuple of it."""
    if isinstance(found, Value):
        return found.whole and np.size(found.array) == 1 and same_plain(found.array.item(), wanted)
    if isinstance(found, (tuple, list)) != isinstance(wanted, (tuple, list)):
        found, wanted = (x if isinstance(x, (tuple, list)) else (x,) for x in (found, wanted))
    if isinstance(found, float) and isinstance(wanted, float) and found != found:
        return wanted != wanted
    return found == wanted or (found in ((), (None,)) and wanted in ((), (None,)))
