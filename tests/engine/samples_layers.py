"""Samples of what networks are made of: activations, losses, layers. How to read them: samples.py."""

from __future__ import annotations

import numpy as np

from engine.tensor import make

M = [[0.3, -1.2, 0.7], [1.5, 0.4, -0.6]]
N = [[1.1, 0.2, -0.9], [-0.4, 2.0, 0.5]]
V = [0.5, -1.5, 2.0]
P = [0.5, 1.5, 2.0]
ACT = [-4.0, -0.7, 0.4, 2.5, 7.0]
SLOPES = [0.5, -1.0, 2.0, 0.3, -0.8]
CHANCES = [0.2, 0.5, 0.9]
ONE = np.float64(2.0)
IMAGE = np.round(np.sin(np.arange(32.0)) * 3, 2).reshape(1, 2, 4, 4).tolist()
SMALL = np.round(np.cos(np.arange(8.0)) * 2, 2).reshape(1, 2, 2, 2).tolist()
KERNEL = np.round(np.cos(np.arange(24.0)), 2).reshape(3, 2, 2, 2).tolist()
GROUPED = np.round(np.cos(np.arange(8.0)), 2).reshape(2, 1, 2, 2).tolist()


def fixed(data: object, integer: bool = False) -> object:
    """Return a tensor that asks for no gradient."""
    return make(np.array(data, np.int64 if integer else None))


CLASSES = fixed([2, 0], True)
PIXELS = fixed([[[0, 1], [1, 0]]], True)
SIGNS = fixed([1.0, -1.0, 1.0])
WEIGHTS = fixed([1.0, 2.0, 0.5])
PLAIN = ((1, 1), (0, 0), (1, 1), False, (0, 0), 1)
STRIDED = ((2, 2), (1, 1), (1, 1), False, (0, 0), 1)
MIXED = fixed([[True, False], [True, True]])

LAYERS: dict[str, list[tuple]] = {
    # activations
    "relu": [(ACT,)],
    "threshold_backward": [(V, fixed([0.5, -1.0, 2.0]), 0)],
    "threshold": [(ACT, 0.5, 9.0)],
    "threshold.inplace": [(ACT, 0.5, 9.0)],
    "leaky_relu": [(ACT,), (ACT, 0.2)],
    "leaky_relu.inplace": [(ACT, 0.2)],
    "leaky_relu_backward": [(SLOPES, ACT, 0.2)],
    "hardtanh": [(ACT,), (ACT, -2, 3)],
    "hardtanh_backward": [(SLOPES, ACT, -2, 3)],
    "hardsigmoid": [(ACT,)],
    "hardswish": [(ACT,)],
    "hardswish_backward": [(SLOPES, ACT)],
    "softshrink": [(ACT,)],
    "softshrink_backward": [(SLOPES, ACT, 0.5)],
    "hardshrink": [(ACT,)],
    "hardshrink_backward": [(SLOPES, ACT, 0.5)],
    "elu": [(ACT,), (ACT, 1.5, 2.0, 0.5)],
    "elu.inplace": [(ACT, 1.5)],
    "celu": [(ACT,), (ACT, 2.0)],
    "celu.inplace": [(ACT, 2.0)],
    "elu_backward": [(SLOPES, 1.5, 2.0, 0.5, False, ACT), (SLOPES, 1.5, 1, 1, True, ACT)],
    "gelu": [(ACT,), (ACT, "tanh")],
    "gelu_backward": [(SLOPES, ACT, "none"), (SLOPES, ACT, "tanh")],
    "silu": [(ACT,)],
    "mish": [(ACT,)],
    "softplus": [(ACT,), (ACT, 2, 3)],
    "softplus_backward": [(SLOPES, ACT, 2, 3)],
    "log_sigmoid": [(ACT,)],
    "log_sigmoid_backward": [(SLOPES, ACT, fixed(ACT))],
    "softmax": [(M, 1), (V, 0)],
    "_softmax_backward_data": [(M, N, 1)],
    "log_softmax": [(M, 1), (V, -1)],
    "_log_softmax_backward_data": [(M, N, 1)],
    "glu": [([[1.0, 2.0, 0.5, -1.0]],), ([1.0, 2.0, 0.5, -1.0], 0)],
    "glu_backward": [([[0.5, 1.5]], [[1.0, 2.0, 0.5, -1.0]], -1)],
    "_prelu_kernel": [(V, [0.25]), (M, [[0.25, 0.5, 0.1]])],
    "_prelu_kernel_backward": [(M, N, [[0.25, 0.5, 0.1]])],
    "_scaled_dot_product_flash_attention_for_cpu": [
        ([[M]], [[N]], [[[[1.0, 0.5, -1.0], [0.2, 2.0, 1.0]]]]),
        ([[M]], [[N]], [[[[1.0, 0.5, -1.0], [0.2, 2.0, 1.0]]]], 0.0, True),
        ([[M]], [[N]], [[[[1.0, 0.5, -1.0], [0.2, 2.0, 1.0]]]], 0.0, False, MIXED, 0.3),
    ],
    "_safe_softmax": [(M, 1)],
    "rrelu_with_noise": [(ACT, fixed(SLOPES), 0.1, 0.3, False), (ACT, fixed(SLOPES), 0.1, 0.3, True)],
    "rrelu_with_noise_backward": [(SLOPES, ACT, fixed(SLOPES), 0.1, 0.3, False)],
    # losses
    "multi_margin_loss": [(M, CLASSES), (M, CLASSES, 2, 0.5, WEIGHTS, 2), (M, CLASSES, 1, 1.0, None, 0)],
    "mse_loss": [(V, P), (V, P, 2), (M, N, 0)],
    "mse_loss_backward": [(ONE, V, P, 1), (ONE, V, P, 2), (U := [0.1, -0.5, 0.9], V, P, 0)],
    "smooth_l1_loss": [(V, P), (V, P, 2, 0.5), (V, P, 0)],
    "smooth_l1_loss_backward": [(ONE, V, P, 1, 1.2), (ONE, V, P, 2, 0.7), (U, V, P, 0, 1.2)],
    "huber_loss": [(V, P), (V, P, 2, 0.5), (V, P, 0)],
    "huber_loss_backward": [(ONE, V, P, 1, 1.2), (ONE, V, P, 2, 0.7), (U, V, P, 0, 1.2)],
    "soft_margin_loss": [(V, SIGNS), (V, SIGNS, 2), (V, SIGNS, 0)],
    "soft_margin_loss_backward": [(ONE, V, SIGNS, 1), (U, V, SIGNS, 0)],
    "binary_cross_entropy": [
        (CHANCES, [0.9, 0.1, 0.3]),
        (CHANCES, [0.9, 0.1, 0.3], WEIGHTS, 2),
        (CHANCES, [0.9, 0.1, 0.3], None, 0),
    ],
    "binary_cross_entropy_backward": [
        (ONE, CHANCES, [0.9, 0.1, 0.3], WEIGHTS, 1),
        (U, CHANCES, [0.9, 0.1, 0.3], None, 0),
    ],
    "binary_cross_entropy_with_logits": [
        (V, CHANCES),
        (V, CHANCES, WEIGHTS, None, 2),
        (V, CHANCES, None, WEIGHTS, 0),
    ],
    "nll_loss": [
        (M, CLASSES),
        (M, CLASSES, WEIGHTS, 1),
        (M, CLASSES, WEIGHTS, 0),
        (M, CLASSES, None, 2, 0),
        (V, fixed(1, True)),
    ],
    "nll_loss_backward": [
        (ONE, M, CLASSES, WEIGHTS, 1, -100, fixed(1.5)),
        ([0.5, 2.0], M, CLASSES, None, 0, -100, fixed(0.0)),
    ],
    "nll_loss2d": [(SMALL, PIXELS), (SMALL, PIXELS, None, 0)],
    "nll_loss2d_backward": [([[[0.5, 1.0], [2.0, -1.0]]], SMALL, PIXELS, None, 0, -100, fixed(0.0))],
    # layers
    "mkldnn_rnn_layer": [
        (
            [[[0.5, -1.0]], [[1.5, 0.3]]],
            [[0.1, 0.2], [-0.3, 0.4], [0.5, -0.6], [0.7, 0.8]],
            [[0.2], [-0.1], [0.4], [0.3]],
            [0.1, 0.2, -0.1, 0.3],
            [0.2, -0.2, 0.1, 0.1],
            [[0.4]],
            [[-0.6]],
            *(reverse, (), 2, 1, 1, True, False, False, True),
        )
        for reverse in (False, True)
    ],
    "native_layer_norm": [
        (M, [1.0, 2.0, 0.5], [0.1, 0.2, 0.3], (3,), 1e-5),
        (M, None, None, (2, 3), 0.1),
        (M, None, [0.1, 0.2, 0.3], (3,), 0.5),
    ],
    "native_batch_norm": [
        ([*M, [0.2, 2.2, 0.9]], [1.0, 2.0, 0.5], [0.1, 0.2, 0.3], None, None, True, 0.1),
        (M, [1.0, 2.0, 0.5], [0.1, 0.2, 0.3], fixed([0.1, 0.2, 0.3]), fixed([1.0, 2.0, 0.5]), False, 0.1),
        (IMAGE, None, None, None, None, True, 0.1),
    ],
    "native_group_norm": [
        ([[0.5, 1.0, -2.0, 3.0]], [1.0, 2.0, 0.5, 1.5], [0.1, 0.2, 0.3, 0.4], 1, 4, 1, 2, 0.1),
        (IMAGE, None, None, 1, 2, 16, 1, 0.1),
    ],
    "embedding_bag": [
        (M, fixed([1, 0, 1], True), fixed([0, 1], True), False, mode, False, None, False, padding)
        for mode, padding in ((0, -1), (1, -1), (2, -1), (1, 0), (0, 0))
    ]
    + [(M, fixed([1, 0, 1], True), fixed([0, 2], True), False, 0, False, [0.5, 2.0, -1.0])],
    "_ctc_loss": [
        ([[V, P], [P, V], [V, V]], fixed([[1, 2], [2, 0]], True), (3, 2), (2, 1)),
        ([[V], [P], [V]], fixed([1], True), (3,), (1,)),
    ],
    "multilabel_margin_loss": [(M, fixed([[1, -1, 0], [2, 0, -1]], True), n) for n in (0, 1, 2)],
    "embedding": [(M, fixed([1, 0, 1], True)), (M, fixed([[1, 0], [1, 1]], True))],
    "embedding_dense_backward": [
        ([*M, V], fixed([1, 0, 1], True), 2, -1, False),
        ([*M, V], fixed([1, 0, 1], True), 2, 0, False),
    ],
    "convolution": [
        (IMAGE, KERNEL, [0.1, 0.2, 0.3], *PLAIN),
        (IMAGE, KERNEL, None, *STRIDED),
        (IMAGE, GROUPED, None, (1, 1), (0, 0), (2, 2), False, (0, 0), 2),
        (
            SMALL,
            np.reshape(KERNEL[:2], (2, 2, 2, 2)).tolist(),
            [0.1, 0.2],
            (2, 2),
            (1, 1),
            (1, 1),
            True,
            (1, 1),
            1,
        ),
        ([[[1.0, 2.0, 0.5, -1.0]]], [[[0.5, -1.0]]], [0.1], (1,), (1,), (1,), False, (0,), 1),
    ],
    "_convolution_to_input": [
        (np.ones((1, 3, 3, 3)).tolist(), KERNEL, (1, 2, 4, 4), (1, 1), (0, 0), (1, 1), False, 1),
        (
            np.ones((1, 2, 3, 3)).tolist(),
            np.reshape(KERNEL[:2], (2, 2, 2, 2)).tolist(),
            (1, 2, 2, 2),
            (1, 1),
            (0, 0),
            (1, 1),
            True,
            1,
        ),
    ],
    "_convolution_to_weight": [
        (np.ones((1, 3, 3, 3)).tolist(), IMAGE, (3, 2, 2, 2), (1, 1), (0, 0), (1, 1), False, 1),
        (np.ones((1, 2, 3, 3)).tolist(), SMALL, (2, 2, 2, 2), (1, 1), (0, 0), (1, 1), True, 1),
    ],
    "im2col": [(IMAGE, (2, 2), (1, 1), (1, 1), (2, 2))],
    "col2im": [(np.arange(32.0).reshape(1, 8, 4).tolist(), (4, 4), (2, 2), (1, 1), (0, 0), (2, 2))],
    "max_pool2d_with_indices": [
        (IMAGE, (2, 2)),
        (IMAGE, 3, 2, 1),
        (IMAGE, (2, 2), (3, 3), (0, 0), (1, 1), True),
    ],
    "max_pool2d_with_indices_backward": [([[[[1.0]], [[2.0]]]], SMALL, fixed([[[[3]], [[1]]]], True))],
    "adaptive_max_pool2d": [(IMAGE, (3, 2))],
    "adaptive_max_pool2d_backward": [([[[[1.0]], [[2.0]]]], SMALL, fixed([[[[3]], [[1]]]], True))],
    "avg_pool2d": [
        (IMAGE, (2, 2)),
        (IMAGE, (3, 3), (2, 2), (1, 1)),
        (IMAGE, (3, 3), (2, 2), (1, 1), True, False),
        (IMAGE, (2, 2), (), (0, 0), False, True, 3),
    ],
    "avg_pool2d_backward": [(SMALL, fixed(IMAGE), (2, 2), (), (0, 0), False, True, None)],
    "_adaptive_avg_pool2d": [(IMAGE, (3, 2))],
    "_adaptive_avg_pool2d_backward": [(SMALL, fixed(IMAGE))],
    "upsample_nearest2d": [(SMALL, (4, 6)), (SMALL, (5, 5), 2.5, 2.5)],
    "upsample_nearest2d_backward": [(IMAGE, (4, 4), (1, 2, 2, 2), 2.0, 2.0)],
    "upsample_nearest1d": [([[[1.0, 2.0]]], (5,))],
    "upsample_nearest1d_backward": [([[[1.0, 2.0, 3.0, 4.0]]], (4,), (1, 1, 2), None)],
    "upsample_bilinear2d": [(SMALL, (4, 5), False), (SMALL, (4, 3), True)],
    "upsample_bilinear2d_backward": [(IMAGE, (4, 4), (1, 2, 2, 2), False, None, None)],
}
