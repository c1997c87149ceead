"""torch.nn.functional. Only a list."""

from engine.nn.functional.activations import (
    celu, elu, gelu, glu, gumbel_softmax, hardshrink, hardsigmoid, hardswish, hardtanh, leaky_relu, log_softmax,
    logsigmoid, mish, prelu, relu, relu6, relu_, rrelu, selu, sigmoid, silu, softmax, softmin, softplus, softshrink,
    softsign, tanh, tanhshrink, threshold,
)  # fmt: skip
from engine.nn.functional.attention import scaled_dot_product_attention
from engine.nn.functional.convolution import (
    adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_max_pool1d, adaptive_max_pool2d, avg_pool1d, avg_pool2d,
    conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, interpolate, max_pool1d, max_pool2d, pixel_shuffle,
)  # fmt: skip
from engine.nn.functional.distance import cosine_similarity, normalize, pairwise_distance
from engine.nn.functional.layers import (
    alpha_dropout, batch_norm, bilinear, dropout, dropout1d, dropout2d, embedding, feature_alpha_dropout, group_norm,
    instance_norm, layer_norm, linear, one_hot, pad, rms_norm,
)  # fmt: skip
from engine.nn.functional.losses import (
    binary_cross_entropy, binary_cross_entropy_with_logits, cosine_embedding_loss, cross_entropy, gaussian_nll_loss,
    hinge_embedding_loss, huber_loss, kl_div, l1_loss, margin_ranking_loss, mse_loss, multi_margin_loss,
    multilabel_soft_margin_loss, nll_loss, poisson_nll_loss, smooth_l1_loss, soft_margin_loss, triplet_margin_loss,
)  # fmt: skip

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "adaptive_max_pool2d", "alpha_dropout",
    "avg_pool1d", "avg_pool2d", "batch_norm", "bilinear", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "celu", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
    "conv_transpose2d", "cosine_embedding_loss", "cosine_similarity", "cross_entropy", "dropout", "dropout1d",
    "dropout2d", "elu", "embedding", "feature_alpha_dropout", "gaussian_nll_loss", "gelu", "glu", "group_norm", "gumbel_softmax",
    "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "hinge_embedding_loss", "huber_loss", "instance_norm",
    "interpolate", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "linear", "log_softmax", "logsigmoid",
    "margin_ranking_loss", "max_pool1d", "max_pool2d", "mish", "mse_loss", "multi_margin_loss",
    "multilabel_soft_margin_loss", "nll_loss", "normalize", "one_hot", "pad", "pairwise_distance", "pixel_shuffle",
    "poisson_nll_loss", "prelu", "relu", "relu6", "relu_", "rms_norm", "rrelu", "scaled_dot_product_attention",
    "selu", "sigmoid", "silu", "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin", "softplus",
    "softshrink", "softsign", "tanh", "tanhshrink", "threshold", "triplet_margin_loss",
]  # fmt: skip
