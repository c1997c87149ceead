"""A warning that is shown again, is of no class, or says what is not so."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, corruption, double


@corruption("warning")
def warning_shown_again(trace, row, k):
    return SKIP if row["line"] is None else double(trace, k)


@corruption("warning")
def warning_of_no_class(trace, row, k):
    row["category"] = "UserWarming"
    return k


@corruption("warning")
def warning_at_another_line(trace, row, k):
    if row["line"] is None:
        return SKIP
    row["line"] += 1
    return k


@corruption("warning")
def warning_of_sizes_that_are_the_same(trace, row, k):
    if "target size" not in row["message"]:
        return SKIP
    row["message"] = row["message"].replace("torch.Size([1])", "torch.Size([2])")
    return k


@corruption("warning")
def warning_about_a_tensor_that_retains_its_grad(trace, row, k):
    binding = next((r for r in trace["rows"][:k] if r["kind"] == "names_bound" and "y" in r["names"]), None)
    if binding is None or not row["message"].startswith("The .grad attribute"):
        return SKIP
    asked = {"kind": "retain_grad", "at": binding["at"], "tensor": binding["names"]["y"]}
    trace["rows"].insert(trace["rows"].index(binding) + 1, asked)
    return next(i for i, r in enumerate(trace["rows"]) if r["kind"] == "warning")
