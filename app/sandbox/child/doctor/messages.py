"""Errors whose message and place say enough for a change that is certain: one function per message."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from app.sandbox.child.doctor import edits
from app.sandbox.child.doctor.case import Case, Finding
from app.sandbox.child.doctor.graphs import subject
from app.sandbox.child.doctor.paths import tensor_of
from app.sandbox.child.doctor.program import Program, attribute, called, keyword, method

Mended = tuple[dict[str, str], edits.Edits | None] | None
FACTORIES = {"tensor", "arange", "ones", "zeros", "full", "randint", "eye"}


def message(case: Case) -> Iterator[Finding]:
    """Look the message of the error up."""
    error = case.error
    if not error or not error["at"]:
        return
    for pattern, code, mend in MESSAGES:
        if pattern.match(error["message"]):
            found = mend(case, error["at"])
            if found is not None:
                terms, fix = found
                yield Finding(code, len(case.rows) - 1, error["at"], terms=terms, fix=fix, node=error["node"])
            return


def whole_numbers(case: Case, at: list[int]) -> Mended:
    """`torch.tensor([1, 2], requires_grad=True)` needs a floating dtype."""
    program = case.program
    call = program.find(at, ast.Call)
    if call is None or called(call) not in FACTORIES or keyword(call, "requires_grad") is None:
        return None
    root = program.text(call.func).rpartition(".")[0]
    if not root:
        return {"name": called(call)}, None
    dtype = keyword(call, "dtype")
    new = f"{root}.float32"
    fix = (
        edits.replaced(program, dtype.value, new)
        if dtype
        else edits.with_argument(program, call, f"dtype={new}")
    )
    return {"name": called(call)}, fix


def not_a_scalar(case: Case, at: list[int]) -> Mended:
    """`y.backward()` of a vector: one number is missing."""
    program = case.program
    call = program.find(at, ast.Call)
    found = method(call, "backward")
    if found is None or program.text(found.value) in ("torch.autograd", "autograd"):
        return None
    tensor = tensor_of(case, found.value, len(case.rows) - 1)
    if tensor is None:
        return None
    shape = case.tensors[tensor]["shape"]
    shown = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    by = "mean" if "reduction=" in program.source else "sum"
    fix = edits.replaced(program, found.value, f"{program.operand(found.value)}.{by}()")
    return {"name": program.text(found.value), "shape": shown, "by": by}, fix


def leaf_in_place(case: Case, at: list[int]) -> Mended:
    """`w -= lr * w.grad` outside of no_grad."""
    program = case.program
    statement = program.statement(at)
    if not isinstance(statement, (ast.AugAssign, ast.Expr, ast.Assign)):
        return None
    uses = any(attribute(node, "grad") for node in ast.walk(statement))
    text = " ".join(program.text(statement).split())
    fix = edits.wrapped(program, statement, "with torch.no_grad():") if uses else None
    return {"text": text, "line": str(statement.lineno)}, fix if program.is_taken("torch") else None


def to_numpy(case: Case, at: list[int]) -> Mended:
    """`x.numpy()` of a tensor that requires grad."""
    found = method(case.program.find(at, ast.Call), "numpy")
    if found is None:
        return None
    text = case.program.text(found.value)
    return {"name": text}, edits.replaced(
        case.program, found.value, f"{case.program.operand(found.value)}.detach()"
    )


def grad_is_none(case: Case, at: list[int]) -> Mended:
    """`w.grad.zero_()` before there is a gradient."""
    program = case.program
    statement = program.statement(at)
    found = method(statement.value, "zero_") if isinstance(statement, ast.Expr) else None
    grad = found.value if found else None
    if attribute(grad, "data"):
        grad = grad.value
    if attribute(grad, "grad") is None:
        return None
    tensor = case.names_at(len(case.rows)).get(program.text(grad.value))
    if tensor is not None and case.tensors[tensor]["kind"] == "result":
        return None  # it will never have one
    fix = edits.replaced(program, statement, f"{program.text(grad)} = None")
    return {"name": program.text(grad.value)}, fix


def called_flag(case: Case, at: list[int]) -> Mended:
    """`x.requires_grad()` is called, though it is a value."""
    program = case.program
    call = program.find(at, ast.Call)
    found = method(call, "requires_grad", "is_leaf")
    if found is None or call.args or call.keywords:
        return None
    asks = isinstance(program.parent[call], ast.Expr) and found.attr == "requires_grad"
    new = f"{program.operand(found.value)}.{found.attr}" + ("_()" if asks else "")
    return {"name": program.text(found.value), "flag": found.attr}, edits.replaced(program, call, new)


def number_backward(case: Case, at: list[int]) -> Mended:
    """`loss.item().backward()`: a plain number has no graph."""
    program = case.program
    found = method(program.find(at, ast.Call), "backward") or attribute(
        program.find(at, ast.Attribute), "backward"
    )
    if found is None:
        return None
    inner = method(found.value, "item")
    if inner is not None:
        text = program.text(inner.value)
        return {"name": text}, edits.replaced(program, found.value, program.operand(inner.value))
    if not isinstance(found.value, ast.Name):
        return None
    name = found.value.id
    return {"name": name}, without_item(program, name, found.value)


def without_item(program: Program, name: str, use: ast.Name) -> edits.Edits | None:
    """`loss = f(x).item()` keeps the tensor, if the number is used for nothing else."""
    stores = [node for node in program.names(name) if isinstance(node.ctx, ast.Store)]
    statement = program.parent[stores[0]] if len(stores) == 1 else None
    inner = method(statement.value, "item") if isinstance(statement, ast.Assign) else None
    if inner is None or any(
        isinstance(node.ctx, ast.Load) and node is not use for node in program.names(name)
    ):
        return None
    return edits.replaced(program, statement.value, program.text(inner.value))


def tensor_zero_grad(case: Case, at: list[int]) -> Mended:
    """`w.zero_grad()`: a tensor has no such method."""
    program = case.program
    statement = program.statement(at)
    found = method(statement.value, "zero_grad") if isinstance(statement, ast.Expr) else None
    if found is None or not isinstance(found.value, ast.Name):
        return None
    return {"name": found.value.id}, edits.replaced(program, statement, f"{found.value.id}.grad = None")


def class_as_loss(case: Case, at: list[int]) -> Mended:
    """`nn.MSELoss(pred, y)` makes a module, it computes nothing."""
    program = case.program
    calls = [
        node for node in program.inside(at, ast.Call) if called(node).endswith("Loss") and len(node.args) == 2
    ]
    if not calls:
        return None
    return {"name": program.text(calls[0].func)}, edits.after_text(program, calls[0].func, "()")


def no_device(case: Case, at: list[int]) -> Mended:
    """There is no CUDA here: stay on the CPU."""
    program = case.program
    change: edits.Edits = []
    for node in program.nodes:
        found = method(node, "cuda")
        if found is not None and not node.args and not node.keywords and program.text(found.value) != "torch":
            change += [{"at": program.span(found.value)[2:] + program.span(node)[2:], "text": ""}]
        elif isinstance(node, ast.Constant) and re.fullmatch(r"cuda(:\d)?", str(node.value)):
            change += edits.replaced(program, node, '"cpu"')
    alone = any(isinstance(program.parent[node], ast.Expr) for node in program.nodes if method(node, "cuda"))
    return {"line": str(at[0])}, None if alone else change


def other_dtype(case: Case, at: list[int]) -> Mended:
    """A float64 or whole-number input of a layer of float32."""
    program = case.program
    call = program.find(at, ast.Call)
    arg = call.args[0] if call is not None and len(call.args) == 1 and not call.keywords else None
    tensor = case.names_at(len(case.rows)).get(arg.id) if isinstance(arg, ast.Name) else None
    if (
        tensor is None
        or case.tensors[tensor]["dtype"] == "float32"
        or called(call) in ("mm", "matmul", "dot")
    ):
        return None
    terms = {"name": arg.id, "dtype": case.tensors[tensor]["dtype"]}
    return terms, edits.replaced(program, arg, f"{arg.id}.float()")


def shared_memory(case: Case, at: list[int]) -> Mended:
    """Writing into what `expand` gave: several elements are one place in memory."""
    program = case.program
    statement = program.statement(at)
    name = subject(statement)
    if name is None:
        return None
    terms = {"name": name, "text": " ".join(program.text(statement).split()), "line": str(statement.lineno)}
    return terms, edits.before(program, statement, f"{name} = {name}.clone()")


COUNTS = re.compile(
    r"function (\w+)Backward returned an incorrect number of gradients \(expected (\d+), got (\d+)\)"
)


def too_few_gradients(case: Case, at: list[int]) -> Mended:
    """A custom Function's backward must return something for every argument of forward."""
    program = case.program
    found = COUNTS.match(case.error["message"])
    if found is None:
        return None
    name, expected, got = found[1], int(found[2]), int(found[3])
    terms = {"name": name, "expected": str(expected), "got": str(got)}
    classes = [node for node in program.nodes if isinstance(node, ast.ClassDef) and node.name == name]
    returns = [
        node for each in classes for part in each.body
        if isinstance(part, ast.FunctionDef) and part.name == "backward"
        for node in ast.walk(part) if isinstance(node, ast.Return)
    ]  # fmt: skip
    calls = [
        node for node in program.nodes if method(node, "apply") and program.text(node.func.value) == name
    ]
    names = case.names_at(len(case.rows))
    rest = [arg for call in calls for arg in call.args[got:]]
    plain = all(
        isinstance(arg, ast.Constant) or (isinstance(arg, ast.Name) and arg.id not in names) for arg in rest
    )
    if len(returns) != 1 or not rest or not plain or got >= expected or returns[0].value is None:
        return terms, None
    if isinstance(returns[0].value, ast.Tuple) and program.text(returns[0].value).startswith("("):
        return terms, None
    return terms, edits.after_text(program, returns[0].value, ", None" * (expected - got))


def anomaly(case: Case, at: list[int]) -> Mended:
    """Anomaly mode has stopped at the first nan of a backward rule."""
    node = case.error["node"]
    if node is None:
        return None
    fact = case.nodes[node]
    return {"node": fact["name"], "line": str((fact["at"] or at)[0])}, None


MESSAGES: tuple[tuple[re.Pattern, str, Callable[[Case, list[int]], Mended]], ...] = tuple(
    (re.compile(pattern), code, mend)
    for pattern, code, mend in (
        (r"[Oo]nly Tensors of floating point", "whole_numbers", whole_numbers),
        (r"grad can be implicitly created only for scalar outputs", "not_a_scalar", not_a_scalar),
        (r"a (view of a )?leaf Variable that requires grad", "leaf_in_place", leaf_in_place),
        (r"Can't call numpy\(\) on Tensor that requires grad", "to_numpy", to_numpy),
        (r"'NoneType' object has no attribute '(zero_|data)'", "grad_is_none", grad_is_none),
        (r"'bool' object is not callable", "called_flag", called_flag),
        (r"'(float|int)' object has no attribute 'backward'", "number_backward", number_backward),
        (r"'(Tensor|Parameter)' object has no attribute 'zero_grad'", "tensor_zero_grad", tensor_zero_grad),
        (r"Boolean value of Tensor with more than one value", "class_as_loss", class_as_loss),
        (r"Torch not compiled with CUDA enabled", "no_device", no_device),
        (r"unsupported operation: more than one element of the written-to", "shared_memory", shared_memory),
        (r"function \w+ returned an incorrect number of gradients", "too_few_gradients", too_few_gradients),
        (r"Function '\w+' returned nan values", "anomaly", anomaly),
        (r"mat1 and mat2 must have the same dtype", "other_dtype", other_dtype),
    )
)
