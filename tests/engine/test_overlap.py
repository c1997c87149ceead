"""Writing in place while reading the same memory through another view: what PyTorch 2.13 printed."""

from __future__ import annotations

import pytest

from engine import facade

torch = facade.modules()["torch"]


def counted(*shape):
    """Return 1, 2, 3, … in a shape."""
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(float(count)) + 1).reshape(shape)


def copy_to_the_right(x):
    x[:, 1:] = x[:, :-1]


def add_the_right(x):
    x[:, :2] += x[:, 1:]


SMALL = {  # from [[1, 2, 3], [4, 5, 6]]
    "sub first column": (lambda x: x.sub_(x[:, :1]), [[0, 2, 3], [0, 5, 6]]),
    "div first column": (lambda x: x.div_(x[:, :1]), [[1, 2, 3], [1, 5, 6]]),
    "sub second column": (lambda x: x.sub_(x[:, 1:2]), [[-1, 0, 3], [-1, 0, 6]]),
    "div last column": (lambda x: x.mul_(3).div_(x[:, -1:]), [[3 / 9, 6 / 9, 1], [12 / 18, 15 / 18, 1]]),
    "through the transpose": (lambda x: x.t().sub_(x[:, :1].t()), [[0, 2, 3], [0, 5, 6]]),
    "addcmul": (lambda x: x.addcmul_(x[:, :1], x[:, :1]), [[2, 6, 7], [20, 405, 406]]),
    "copy to the right": (copy_to_the_right, [[1, 1, 1], [4, 4, 4]]),
    "add the right": (add_the_right, [[3, 5, 3], [9, 11, 6]]),
}


@pytest.mark.parametrize("name", SMALL)
def test_an_element_is_written_before_the_next_is_read(name):
    write, after = SMALL[name]
    x = counted(2, 3)
    write(x)
    assert x.tolist() == torch.tensor(after, dtype=torch.float32).tolist()


def test_of_a_long_row_blocks_of_64_bytes_see_what_the_row_began_with():
    x = counted(2, 20)
    x -= x[:, :1]
    assert x[0].tolist() == [float(i) for i in range(16)] + [17.0, 18.0, 19.0, 20.0]
    assert x[1].tolist() == [float(i) for i in range(16)] + [37.0, 38.0, 39.0, 40.0]


def test_what_is_dense_and_overlaps_in_part_is_refused():
    x = counted(2, 3)
    with pytest.raises(RuntimeError, match="unsupported operation: some elements of the input tensor"):
        x -= x[0]


def test_gradients_come_from_the_formula_all_the_same():
    a = counted(2, 3).requires_grad_()
    x = a * 1
    x -= x[:, :1]
    x.sum().backward()
    assert a.grad.tolist() == [[-2.0, 1.0, 1.0], [-2.0, 1.0, 1.0]]


def test_an_expanded_tensor_can_be_filled_with_one_value_and_nothing_else():
    shared = torch.ones(1).expand(3)
    assert shared.zero_().tolist() == [0.0] * 3
    assert shared.fill_(2).tolist() == [2.0] * 3
    with pytest.warns(UserWarning, match="Use of masked_fill_ on expanded tensors is deprecated"):
        shared.masked_fill_(torch.tensor([True, False, False]), 5.0)
    assert shared.tolist() == [5.0] * 3
    for write in (lambda: shared.add_(1), lambda: shared.copy_(torch.ones(3)), lambda: shared.exp_()):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            write()
