"""What a row of the table says of itself: saves, formulas, names of results, where learners find it."""

import pytest

import engine.methods  # noqa: F401 - fills the table and gives Tensor its operators
from engine.ops.table import TABLE, Op, op
from engine.tensor import Tensor


def row(forward, **rest):
    return Op("made up", forward, "MadeUpBackward0", {"self": rest.pop("rule", lambda grad: grad)}, **rest)


def test_a_rules_parameters_are_what_is_saved():
    assert TABLE["mul"].saves == ("other", "self")
    assert TABLE["exp"].saves == ("result",)
    assert TABLE["max.dim"].saves == ("dim", "keepdim", "self_sym_sizes", "indices")


def test_a_rules_source_is_its_formula():
    assert TABLE["div"].formulas["other"] == "-grad * (self / other / other)"
    assert TABLE["sin"].formulas["self"] == "grad * self.cos()"


def test_of_a_conditional_the_branch_that_ran_is_shown():
    assert TABLE["pow"].formula("self", {"exponent": 0}) == "zeros_like(self)"
    assert TABLE["pow"].formula("self", {"exponent": 2}) == "grad * (exponent * self ** (exponent - 1))"
    assert TABLE["add"].formula("other", {"alpha": 3}) == "grad * alpha"


def test_results_may_have_names_and_be_saved_by_them():
    made = row(lambda self: (self, self), outputs=("values", "indices"), rule=lambda grad, indices: grad)
    assert (made.outputs, made.results) == (2, ("values", "indices"))
    assert made.saves == ("indices",)


@pytest.mark.parametrize("name", ["sum.dim", "_softmax_backward_data", "tanh_backward", "relu_"])
def test_overloads_and_what_serves_rules_only_are_public_nowhere(name):
    assert not Op(name, lambda self: self, None, {}).spelled


def test_every_public_row_is_spelled_in_known_ways():
    for made in TABLE.values():
        assert made.spelled <= {"method", "function", "inplace"}, made


def test_what_serves_rules_only_is_no_method():
    for name in (
        "tanh_backward",
        "_softmax_backward_data",
        "_index_put_impl",
        "new_zeros_like",
        "linalg_inv",
    ):
        assert not hasattr(Tensor, name), name


def test_a_name_cannot_be_used_twice():
    with pytest.raises(ValueError, match="doubled"):
        op("exp", lambda self: self)


def test_the_forward_is_refused_an_option_nobody_knows():
    with pytest.raises(ValueError, match="unknown"):
        op("made_up_op", lambda self: self, colour="red")
