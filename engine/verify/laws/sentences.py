"""What formulas say in words, and of which nodes it is true. The result is derived by the node's own law."""

from __future__ import annotations

SENTENCES: dict[str, str] = {
    "(grads[0] * (input - mean) * rstd).sum(all but the weight's dimensions)": "NativeGroupNormBackward0",
    "grads[0].sum(all but the bias's dimensions)": "NativeGroupNormBackward0",
    "rstd * (g - g.mean(dim) - x * (g * x).mean(dim)), g = grads[0] * weight, x = (input - mean) * rstd":
        "NativeGroupNormBackward0",
    "(grad * (input - mean) * rstd).sum(all but the weight's dimensions)":
        "NativeBatchNormBackward0 NativeLayerNormBackward0",
    "(grad at [index] of dimension dim).sum()": "IndexFillBackward1",
    "(weights * (grad @ value.T - (grad @ value.T * weights).sum(-1)) * scale).T @ query":
        "ScaledDotProductFlashAttentionForCpuBackward0",
    "-grad * one_hot(target)": "NllLoss2DBackward0 NllLossBackward0",
    "-grad * one_hot(target) / total_weight": "NllLoss2DBackward0 NllLossBackward0",
    "-grad * weight[target] * one_hot(target)": "NllLoss2DBackward0 NllLossBackward0",
    "-grad * weight[target] * one_hot(target) / total_weight": "NllLoss2DBackward0 NllLossBackward0",
    "-solve(A.T, grad) @ result.T": "LinalgSolveExBackward0",  # a vector is a column there
    "adaptive_avg_pool2d(grad)": "AdaptiveAvgPool2DBackwardBackward0",
    "avg_pool2d(grad)": "AvgPool2DBackwardBackward0",
    "conv(grad, grad_output)": "ConvolutionBackwardBackward0",
    "conv(grad, weight)": "ConvolutionBackwardBackward0",
    "conv(input, grad)": "ConvolutionBackwardBackward0",
    "conv(input, grad): the inputs under each weight, times grad": "ConvolutionBackward0",
    "conv_transpose(grad, weight)": "ConvolutionBackward0",
    "conv_transpose(grad_output, grad)": "ConvolutionBackwardBackward0",
    "view_as_real(grad)[..., 0]": "ComplexBackward0",
    "view_as_real(grad)[..., 1]": "ComplexBackward0",
    "every element's share: grad / (size of its part), added over its parts": "AdaptiveAvgPool2DBackward0",
    "every element's share: grad / (size of its window), added over its windows": "AvgPool2DBackward0",
    "fold(grad): every window added to where it came from": "Im2ColBackward0",
    "grad * exp(self - result) of this place and all later ones along dim, added": "LogcumsumexpBackward0",
    "grad * weight * rstd, less what the batch's own mean and variance take back":
        "NativeBatchNormBackward0",
    "grad / C * (margin - self[target] + self > 0), less the sum of these at [target]":
        "MultiMarginLossBackward0",
    "grad at [index] of dimension dim": "IndexCopyBackward0 ScatterAddBackward0 ScatterBackward0",
    "grad at [index] of dimension dim, times alpha": "IndexAddBackward0",
    "grad at the place of each maximum":
        "AdaptiveMaxPool2DBackwardBackward0 MaxPool2DWithIndicesBackwardBackward0",
    "grad shared among the neighbours that were mixed, by their weights": "UpsampleBilinear2DBackward0",
    "grad without the padding": "ConstantPadNdBackward0",
    "grad, 0 at [index] of dimension dim":
        "IndexCopyBackward0 IndexFillBackward0 IndexFillBackward1 ScatterBackward0 ScatterBackward1",
    "grad.reshape(repeats x self_sym_sizes).sum(over the copies)": "RepeatBackward0",
    "grad.select(dim, i): the part that came from this tensor": "StackBackward0",
    "grad.sum(all but the bias's dimensions)":
        "NativeBatchNormBackward0 NativeLayerNormBackward0",
    "grad.sum(all but the channels)": "ConvolutionBackward0",
    "grad[mask], then zeros": "MaskedScatterBackward0",
    "grad[start:end] along dim: the part that came from this tensor": "CatBackward0",
    "rstd * (g - g.mean(dim) - x * (g * x).mean(dim)), g = grad * weight, x = (input - mean) * rstd":
        "NativeLayerNormBackward0",
    "sum(grad * input1 * input2)": "TrilinearBackward0",
    "sum(grad * weight * input1)": "TrilinearBackward0",
    "sum(grad * weight * input2)": "TrilinearBackward0",
    "the sum of grad over the copies of each element":
        "UpsampleNearest1DBackward0 UpsampleNearest2DBackward0",
    "unfold(grad)": "Col2ImBackward0",
    "upsample(grad)": (
        "UpsampleBilinear2DBackwardBackward0 UpsampleNearest1DBackwardBackward0 "
        "UpsampleNearest2DBackwardBackward0"
    ),
    "weights * (grad @ value.T - (grad @ value.T * weights).sum(-1)) * scale @ key":
        "ScaledDotProductFlashAttentionForCpuBackward0",
    "weights.T @ grad": "ScaledDotProductFlashAttentionForCpuBackward0",
    "zeros with grad where mask": "MaskedScatterBackwardBackward0",
    "zeros(self.shape) with grad added at [index] of dimension dim": "GatherBackward0",
    "zeros(self.shape) with grad added at [index] of the flat tensor": "TakeBackward0",
    "zeros(self.shape) with grad added at [indices] of dimension dim": "CummaxBackward0 CumminBackward0",
    "zeros(self.shape) with grad added where each element is shown": (
        "ReflectionPad1DBackward0 ReflectionPad2DBackward0 ReflectionPad3DBackward0 "
        "ReplicationPad1DBackward0 ReplicationPad2DBackward0 ReplicationPad3DBackward0"
    ),
    "zeros(self.shape) with grad added where each maximum stood":
        "AdaptiveMaxPool2DBackward0 MaxPool2DWithIndicesBackward0",
    "zeros(self.shape) with grad where mask": "MaskedSelectBackward0",
    "zeros(self_sym_sizes) with grad added at [index] of dimension dim": "IndexSelectBackward0",
    "zeros(self_sym_sizes) with grad added at [indices]": "IndexBackward0",
    "zeros(self_sym_sizes) with grad added at its places in memory": "AsStridedBackward0",
    "zeros(self_sym_sizes) with grad at [index] of dimension dim": "SelectBackward0",
    "zeros(self_sym_sizes) with grad at [indices] of dimension dim": (
        "KthvalueBackward0 MaxBackward0 MedianBackward1 MinBackward0 ModeBackward0 NanmedianBackward1 "
        "SortBackward0 TopkBackward0"
    ),
    "zeros(self_sym_sizes) with grad at [start:end:step] of dimension dim": "SliceBackward0",
    "zeros(self_sym_sizes) with grad on the diagonal": "DiagonalBackward0",
    "zeros(self_sym_sizes) with the windows of grad added where they overlap": "UnfoldBackward0",
    "zeros(weight) with the rows of grad added at [indices]": "EmbeddingBackward0",
}  # fmt: skip
_SAID = {(node, text) for text, nodes in SENTENCES.items() for node in nodes.split()}


def is_true(text: str, node: str) -> bool:
    """Say whether a sentence is known to be true of a node."""
    return (node.partition("_")[0], text) in _SAID
