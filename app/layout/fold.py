"""Which elements of a scene are shown as one: by module, function, round of a loop, or line.

A policy is a row of POLICIES: it gives, for the scopes of the row that made an element, those that become
groups. What comes out is a tree of groups; folding decides no place and no size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from app.layout.graph import Element, Graph
from app.layout.scopes import Scope, Scopes

SMALL = 150  # elements: up to here a graph is shown whole unless the reader asks for groups
LEAST = 2  # operations in a group
COLUMN = 12  # leaves, or data, that stand at one place by themselves
FEW = 8  # boxes beside each other
PART = 40  # operations in a group of what nothing else divides

Chain = tuple[Scope, ...]


def by_kind(*kinds: str) -> Callable[[Chain], Chain]:
    """Return the policy that groups by scopes of these kinds, one inside the other."""
    return lambda chain: tuple(scope for scope in chain if scope.kind in kinds)


def by_line(chain: Chain) -> Chain:
    """Group what one run of one statement made."""
    return tuple(scope for scope in chain if scope.kind == "line")[-1:]


# Note: groups
POLICIES: dict[str, Callable[[Chain], Chain]] = {
    "auto": by_kind("module", "call", "loop"),
    "module": by_kind("module"),
    "function": by_kind("call"),
    "loop": by_kind("loop"),
    "line": by_line,
    "none": lambda _: (),
}


@dataclass(slots=True)
class Group:
    """Elements and groups of them, in order of creation. The whole scene is a group without a kind."""

    kind: str = ""  # "module", "call", "loop", "line", "part", "leaves" or "data"
    label: str = ""
    line: int | None = None
    count: int = 0  # which round of `of`
    of: int = 0
    items: list[Group | Element] = field(default_factory=list)

    def elements(self) -> Iterator[Element]:
        """Yield every element in it, however deep."""
        for item in self.items:
            if isinstance(item, Group):
                yield from item.elements()
            else:
                yield item


class Folder:
    """Folds the scenes of one trace by one policy."""

    def __init__(self, trace: dict, graph: Graph, policy: str) -> None:
        self._trace, self._graph, self._policy = trace, graph, policy
        self._scopes: list[Chain] | None = None

    def fold(self, elements: list[Element], anyway: bool = False) -> Group | None:
        """Return the groups of a scene, None where it is shown whole. `anyway`: even if it is small."""
        automatic = self._policy == "auto"
        if self._policy == "none" or (automatic and len(elements) <= SMALL and not anyway):
            return None
        ops = [element for element in elements if element.role == "op"]
        policy = POLICIES[self._policy]
        root = self._tree(ops, lambda op: policy(self.scopes(op)))
        if automatic:
            open_most(root, len(ops))
            self._divide(root)
        number_rounds(root)
        return root if any(isinstance(item, Group) for item in root.items) else None

    def sources(self, kind: str, elements: list[Element]) -> Group:
        """Return a group of leaves or of data, by the modules or by the calls that made them."""
        root = self._tree(elements, self._origin)
        return Group(kind, items=root.items)

    def scopes(self, element: Element) -> Chain:
        """Return the scopes of the row that made an element."""
        if self._scopes is None:
            self._scopes = Scopes(self._trace).of_row
        return self._scopes[element.born] if 0 <= element.born < len(self._scopes) else ()

    def _tree(self, elements: list[Element], chain_of: Callable[[Element], Chain]) -> Group:
        root, known = Group(), {}
        for element in elements:
            here, key = root, ()
            for scope in chain_of(element):
                key = (*key, scope.key)
                if key not in known:
                    known[key] = Group(scope.kind, scope.label, scope.line, scope.count)
                    here.items.append(known[key])
                here = known[key]
            here.items.append(element)
        root.items = simplified(root)
        while len(root.items) == 1 and isinstance(root.items[0], Group):
            root.items = root.items[0].items
        return root

    def _origin(self, element: Element) -> Chain:
        """Return where a leaf or datum comes from: its path of modules, else the calls that made it."""
        names = self._trace["tensors"][element.id]["names"]
        parts = names[0].split(".")[:-1] if names and self._trace["tensors"][element.id]["parameter"] else []
        if parts:
            return tuple(Scope("module", ("path", part), part, None) for part in parts)
        return by_kind("call")(self.scopes(element))

    def _divide(self, group: Group) -> None:
        """Divide what is still too much for one look: by statements, then by number."""
        if len(group.items) > SMALL:
            group.items = self._by_statement(group.items)
        if len(group.items) > SMALL:
            group.items = parts(group.items)
        for item in group.items:
            if isinstance(item, Group):
                self._divide(item)

    def _by_statement(self, items: list[Group | Element]) -> list[Group | Element]:
        root, known = Group(), {}
        for item in items:
            scope = None if isinstance(item, Group) else next(iter(by_line(self.scopes(item))), None)
            if scope is None:
                root.items.append(item)
                continue
            if scope.key not in known:
                known[scope.key] = Group("line", scope.label, scope.line)
                root.items.append(known[scope.key])
            known[scope.key].items.append(item)
        if len(root.items) == 1:
            return items
        return simplified(root)


def simplified(group: Group) -> list[Group | Element]:
    """Return what is in a group, without groups of one and without groups that hold one group alone."""
    items: list[Group | Element] = []
    for item in group.items:
        if isinstance(item, Group):
            item.items = simplified(item)
            if len(item.items) == 1 and isinstance(item.items[0], Group):
                item.items = item.items[0].items
            if len(item.items) < LEAST:
                items += item.items
                continue
        items.append(item)
    return items


def open_most(root: Group, elements: int) -> None:
    """Open groups that hold most of a scene, such as the model beside its loss: they divide nothing."""
    while largest := max((item for item in root.items if isinstance(item, Group)), key=size, default=None):
        if size(largest) * 2 < elements or len(root.items) > FEW:
            return
        i = root.items.index(largest)
        root.items[i : i + 1] = largest.items


def size(group: Group) -> int:
    """Return how many elements are in a group."""
    return sum(1 for _ in group.elements())


def parts(items: list[Group | Element]) -> list[Group | Element]:
    """Return the same in groups of equal number, in order of creation."""
    size = max(PART, -(-len(items) // SMALL))
    starts = range(0, len(items), size)
    labels = [f"{start + 1}–{min(start + size, len(items))}" for start in starts]
    return [Group("part", label, items=items[start : start + size]) for start, label in zip(starts, labels)]


def number_rounds(group: Group) -> None:
    """Tell each round of a loop how many there are beside it."""
    rounds = [item for item in group.items if isinstance(item, Group) and item.kind == "loop"]
    for item in rounds:
        item.of = max(other.count for other in rounds if other.line == item.line)
    for item in group.items:
        if isinstance(item, Group):
            number_rounds(item)


def all_groups(group: Group) -> Iterable[Group]:
    """Yield a group and all groups in it."""
    yield group
    for item in group.items:
        if isinstance(item, Group):
            yield from all_groups(item)
