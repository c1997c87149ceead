"""Which free names of a formula are numbers, vectors or matrices, as their use tells. Pure."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from app.sandbox.child.expressions.functions import FUNCTIONS
from app.sandbox.child.expressions.reading import Formula, Line

FIRST, SECOND, LATER = 2, 3, 4  # sizes of dimensions in the order in which they are met
ALONE = 3  # of the only one
PASSES = 3  # a later line may tell about an earlier one


LIKELY_NUMBERS = frozenset("a b c k bias lam alpha beta gamma eta sigma".split())


@dataclass(frozen=True, slots=True)
class Defined:
    """What is known of a name that a line gives: found once, so that long chains of lines stay cheap."""

    tree: ast.expr
    guess: int
    is_matrix: bool
    dims: list[tuple] | None


@dataclass(slots=True)
class Shapes:
    """What has been found out: ranks of free names, and their dimensions, where equal ones share a class."""

    formula: Formula
    ranks: dict[str, int] = field(default_factory=dict)
    defined: dict[str, Defined] = field(default_factory=dict)
    same: dict[tuple, tuple] = field(default_factory=dict)
    least: dict[tuple, int] = field(default_factory=dict)
    seen: set[tuple[int, int]] = field(default_factory=set)

    def define(self, line: Line) -> None:
        """Learn what a line gives a name to."""
        if line.target:
            tree = line.tree
            known = Defined(tree, self.guess(tree), self.is_matrix(tree), self.dims(tree))
            self.defined[line.target] = known

    # ----- ranks, from the top down -----
    def want(self, node: ast.expr, rank: int) -> None:
        """Learn that a value is wanted with at least so many dimensions."""
        if (id(node), rank) in self.seen:
            return
        self.seen.add((id(node), rank))
        match node:
            case ast.Name(id=name):
                self._want_name(name, rank)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                self._want_product(left, right, rank)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                self.want(left, rank)
                self.want(right, 0)
            case ast.BinOp(left=left, right=right):
                self._want_both(node, rank)
            case ast.UnaryOp(operand=operand):
                self.want(operand, rank)
            case ast.Attribute(value=value):
                self.want(value, 2)
            case ast.Subscript(value=value, slice=index):
                self.want(value, (len(index.elts) if isinstance(index, ast.Tuple) else 1) + rank)
            case ast.Call(func=ast.Name(id=name), args=args):
                self._want_arguments(FUNCTIONS[name].kind, args, rank)

    def _want_both(self, node: ast.BinOp, rank: int) -> None:
        """Learn what two operands are, element by element."""
        has = max(self.guess(node.left), self.guess(node.right))
        wanted = rank if has < rank else (min(has, 1) if self._is_shift(node) else 0)
        likely = [_is_likely_number(side) for side in (node.left, node.right)]
        for side, is_number in zip((node.left, node.right), likely, strict=True):
            self.want(side, 0 if has < rank and is_number and not all(likely) else wanted)

    def _is_shift(self, node: ast.BinOp) -> bool:
        """Return whether a bare name is added to a vector that a product with a matrix made: a bias."""
        sides = (node.left, node.right)
        made = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.MatMult) for n in sides)
        return made and isinstance(node.op, ast.Add | ast.Sub)

    def _want_name(self, name: str, rank: int) -> None:
        if name in self.defined:
            self.want(self.defined[name].tree, rank)
        elif name in self.formula.free:
            self.ranks[name] = max(self.ranks.get(name, 0), min(rank, 2))

    def _want_product(self, left: ast.expr, right: ast.expr, rank: int) -> None:
        for side in (left, right):
            self.want(side, 2 if self.is_matrix(side) else 1)
        has = self.guess(left) + self.guess(right) - 2
        if has < rank:
            self.want(left if self.guess(left) < 2 else right, 2)

    def _want_arguments(self, kind: str, args: list[ast.expr], rank: int) -> None:
        if kind == "extreme":
            kind = "reduce" if len(args) == 1 else "pairs"
        least = {"vector": max(1, rank), "reduce": 1, "dot": 1, "square": 2, "along": 1 + rank}.get(
            kind, rank
        )
        for arg in args:
            if kind == "reduce" and isinstance(arg, ast.Name) and is_capital(arg.id):
                self.want(arg, 2)
            elif kind in ("reduce", "vector", "along", "dot") and self.guess(arg) >= least:
                self.want(arg, 0)
            else:
                self.want(arg, least)

    def is_matrix(self, node: ast.expr) -> bool:
        """Return whether a factor of `@` is a matrix: it has a capital name, or is known as one."""
        match node:
            case ast.Name(id=name) if name in self.defined:
                return self.defined[name].is_matrix
            case ast.Name(id=name):
                return is_capital(name) or self.ranks.get(name, 0) == 2
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return self.is_matrix(left) and self.is_matrix(right)
            case ast.BinOp(left=left, op=ast.Pow()):
                return self.is_matrix(left)
            case ast.BinOp(left=left, right=right):
                return self.is_matrix(left) or self.is_matrix(right)
            case ast.UnaryOp(operand=value) | ast.Attribute(value=value):
                return self.is_matrix(value)
            case ast.Call(func=ast.Name(id=name), args=args) if FUNCTIONS[name].kind in (
                "map",
                "vector",
                "pairs",
            ):
                return any(self.is_matrix(arg) for arg in args)
        return False

    def guess(self, node: ast.expr) -> int:
        """Return the dimensions that a value has by what is known so far."""
        match node:
            case ast.Name(id=name) if name in self.defined:
                return self.defined[name].guess
            case ast.Name(id=name):
                return self.ranks.get(name, 0)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return (2 if self.is_matrix(left) else 1) + (2 if self.is_matrix(right) else 1) - 2
            case ast.BinOp(left=left, right=right):
                return max(self.guess(left), self.guess(right))
            case ast.UnaryOp(operand=value) | ast.Attribute(value=value):
                return self.guess(value)
            case ast.Subscript(value=value, slice=index):
                return self.guess(value) - (len(index.elts) if isinstance(index, ast.Tuple) else 1)
            case ast.Call(func=ast.Name(id=name), args=args):
                ranks = [self.guess(arg) for arg in args]
                kind = FUNCTIONS[name].kind
                if kind in ("map", "vector", "pairs") or (kind == "extreme" and len(args) == 2):
                    return max(ranks)
                return max(ranks) - 1 if kind == "along" else 0
        return 0

    # ----- dimensions, from the leaves up -----
    def dims(self, node: ast.expr) -> list[tuple] | None:
        """Return the classes of a value's dimensions, and learn which have to be equal; None: unknown."""
        match node:
            case ast.Constant():
                return []
            case ast.Name(id=name) if name in self.defined:
                return self.defined[name].dims
            case ast.Name(id=name):
                return [(name, i) for i in range(self.ranks.get(name, 0))]
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return self._product(self.dims(left), self.dims(right))
            case ast.BinOp(left=left, right=right):
                return self._together(self.dims(left), self.dims(right))
            case ast.UnaryOp(operand=value):
                return self.dims(value)
            case ast.Attribute(value=value):
                found = self.dims(value)
                return found and found[::-1]
            case ast.Subscript(value=value, slice=index):
                return self._index(self.dims(value), index.elts if isinstance(index, ast.Tuple) else [index])
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(name, [self.dims(arg) for arg in args])
        return None

    def _call(self, name: str, args: list[list[tuple] | None]) -> list[tuple] | None:
        kind = FUNCTIONS[name].kind
        if kind == "pairs" or (kind == "extreme" and len(args) == 2):
            return self._together(*args)
        if kind in ("map", "vector"):
            return args[0]
        if kind == "along":
            return args[0] and args[0][:-1]
        if kind == "dot" and args[0] and args[1]:
            self._equal(args[0][-1], args[1][0])
        if kind == "square" and args[0] and len(args[0]) == 2:
            self._equal(*args[0])
        return []

    def _product(self, left: list[tuple] | None, right: list[tuple] | None) -> list[tuple] | None:
        if not left or not right:
            return None
        self._equal(left[-1], right[0])
        return left[:-1] + right[1:]

    def _together(self, left: list[tuple] | None, right: list[tuple] | None) -> list[tuple] | None:
        if left is None or right is None:
            return left or right
        for one, other in zip(reversed(left), reversed(right), strict=False):
            self._equal(one, other)
        return max(left, right, key=len)

    def _index(self, found: list[tuple] | None, index: list[ast.expr]) -> list[tuple] | None:
        if found is None or len(found) < len(index):
            return None
        for dim, each in zip(found, index, strict=False):
            at = ast.literal_eval(each)
            root = self.root(dim)
            self.least[root] = max(self.least.get(root, 1), at + 1 if at >= 0 else -at)
        return found[len(index) :]

    def root(self, dim: tuple) -> tuple:
        """Return the one of a class of equal dimensions that stands for all."""
        while dim in self.same:
            dim = self.same[dim]
        return dim

    def _equal(self, one: tuple, other: tuple) -> None:
        one, other = self.root(one), self.root(other)
        if one != other:
            self.same[other] = one
            self.least[one] = max(self.least.get(one, 1), self.least.get(other, 1))


def _is_likely_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in LIKELY_NUMBERS)


def is_capital(name: str) -> bool:
    """Return whether a name is written as those of matrices are."""
    return name[0].isupper() and len(name.rstrip("0123456789_")) <= 2


def shapes(formula: Formula) -> dict[str, tuple[int, ...]]:
    """Return the shape of each free name that its use asks for."""
    found = Shapes(formula)
    for _ in range(PASSES):
        found.defined.clear()
        found.seen.clear()
        for line in formula.lines:
            found.want(line.tree, 0)
            found.define(line)
    for line in formula.lines:
        found.dims(line.tree)
    dims = [(name, i) for name in formula.free for i in range(found.ranks.get(name, 0))]
    roots = list(dict.fromkeys(found.root(dim) for dim in dims))
    usual = [ALONE] if len(roots) == 1 else [FIRST, SECOND, *[LATER] * len(roots)]
    sizes = {root: max(size, found.least.get(root, 1)) for root, size in zip(roots, usual, strict=False)}
    return {
        name: tuple(sizes[found.root((name, i))] for i in range(found.ranks.get(name, 0)))
        for name in formula.free
    }
