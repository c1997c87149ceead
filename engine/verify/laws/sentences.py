"""What formulas say in words, and of which nodes it is true. The result is derived by the node's own law."""

from __future__ import annotations

SENTENCES: dict[str, str] = {
    "back through time: at every step, from the last to the first, d_gates @ weight0":
        "MkldnnRnnLayerBackward0",
    "back through time: at every step, from the last to the first, d_gates.T @ input, added up":
        "MkldnnRnnLayerBackward0",
    "back through time: at every step, from the last to the first, d_gates.T @ h, added up":
        "MkldnnRnnLayerBackward0",
    "back through time: at every step, from the last to the first, d_gates, added up":
        "MkldnnRnnLayerBackward0",
    "back through time: at every step, from the last to the first, d_gates @ weight1":
        "MkldnnRnnLayerBackward0",
    "back through time: at every step, from the last to the first, d_c * forget gate":
        "MkldnnRnnLayerBackward0",
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
    "zeros(weight) with each bag's share of grad added at [indices]": "EmbeddingBagBackward0",
    "(weight[indices] * grad of the index's bag).sum(1)": "EmbeddingBagBackward0",
    "grad * (exp(log_probs) - exp(all paths through each label + result0 - log_probs))": "CtcLossBackward0",
    "grad / C * (other classes less than 1 below a label), less the sum of these at the label":
        "MultilabelMarginLossBackward0",
    "grad at [index] of dimension dim": "IndexCopyBackward0 ScatterAddBackward0 ScatterBackward0",
    "grad at [index] of dimension dim, times alpha": "IndexAddBackward0",
    "grad at the place of each maximum":
        "AdaptiveMaxPool2DBackwardBackward0 MaxPool2DWithIndicesBackwardBackward0",
    "grad shared among the neighbours that were mixed, by their weights": "UpsampleBilinear2DBackward0",
    "grad without the padding": "ConstantPadNdBackward0",
    "grad, 0 at [index] of dimension dim":
        "IndexCopyBackward0 IndexFillBackward0 IndexFillBackward1 ScatterBackward0 ScatterBackward1 "
        "SelectScatterBackward0",
    "grad.reshape(repeats x self_sym_sizes).sum(over the copies)": "RepeatBackward0",
    "grad.select(dim, i): the part that came from this tensor": "StackBackward0",
    "grad.sum(all but the bias's dimensions)":
        "NativeBatchNormBackward0 NativeLayerNormBackward0",
    "grad.sum(all but the channels)": "ConvolutionBackward0",
    "grad[mask], then zeros": "MaskedScatterBackward0",
    "grad[start:end] along dim: the part that came from this tensor": "CatBackward0",
    "rstd * (g - g.mean(dim) - x * (g * x).mean(dim)), g = grad * weight, x = (input - mean) * rstd":
        "NativeLayerNormBackward0",
    "not implemented: PyTorch has no derivative here":
        "AsinhBackward1 AcoshBackward1 AtanhBackward1 CdistBackwardBackward0 PdistBackwardBackward0 "
        "EmbeddingBagBackwardBackward0 EmbeddingBagPerSampleWeightsBackwardBackward0",
    "grad * i1(self)":
        "I0Backward0",
    "grad * (i0(self) - result / self)":
        "SpecialI1Backward0",
    "grad * (i1e(self) - sgn(self) * result)":
        "SpecialI0EBackward0",
    "grad * (i0e(self) - result * (sgn(self) + 1 / self))":
        "SpecialI1EBackward0",
    "grad * sum(digamma(self - i / 2) for i in range(p))":
        "MvlgammaBackward0",
    "grad[rows, columns]: the block that came from this tensor":
        "BlockDiagBackward0",
    "sum over the other points of grad * d(distance) / d(x1)":
        "CdistBackward0",
    "sum over the other points of grad * d(distance) / d(x2)":
        "CdistBackward0",
    "sum over the other points of grad * d(distance) / d(self)":
        "PdistBackward0",
    "grad, 0 at [start:end:step] of dimension dim":
        "SliceScatterBackward0",
    "grad at [start:end:step] of dimension dim":
        "SliceScatterBackward0",
    "grad, 0 on the diagonal":
        "DiagonalScatterBackward0",
    "grad / counted(index)":
        "ScatterReduceBackward0 IndexReduceBackward0",
    "product_there(grad, self, src, index, result)":
        "ScatterReduceBackward0 IndexReduceBackward0",
    "shared(grad, self == result)":
        "ScatterReduceBackward0 IndexReduceBackward0",
    "counted(grad, index)":
        "ScatterReduceBackward0 IndexReduceBackward0",
    "product_there(grad, src, self, index, result)":
        "ScatterReduceBackward0",
    "product_there(grad, self, source, index, result)": "IndexReduceBackward0",
    "product_there(grad, source, self, index, result)":
        "IndexReduceBackward0",
    "shared(grad, src, result, index)":
        "ScatterReduceBackward0",
    "shared(grad, source, result, index)":
        "IndexReduceBackward0",
    "channel_shuffle(grad, grad.shape[1] / groups)":
        "ChannelShuffleBackward0",
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
    "emptied(grad, index)": "ScatterReduceBackward0 IndexReduceBackward0",
    "(grad * v).sum(all but dim) / result1": "WeightNormInterfaceBackward0",
    "g / result1 * (grad - v * ((grad * v).sum(all but dim) / result1 ** 2))": "WeightNormInterfaceBackward0",
    "U @ (skew(U.T @ grads[0]) / E * S + S * skew(Vh @ grads[2].T) / E + diag(grads[1])) @ Vh, "
    "E[i, j] = S[j] ** 2 - S[i] ** 2": "LinalgSvdBackward0",
    "solve(R.T on the right, grads[0] + Q @ symmetric(triu(grads[1] @ R.T - Q.T @ grads[0])))":
        "LinalgQrBackward0",
    "V @ (diag(grads[0]) + skew(V.T @ grads[1]) / 2 / (L[j] - L[i])) @ V.T, "
    "L, V = eigenvalues, eigenvectors": "LinalgEighBackward0",
    "-(P @ G @ P).T + G @ P @ P.T - A @ P @ G @ P @ P.T + P.T @ P @ (G - G @ P @ A), "
    "A, P, G = self, result, grad.T": "LinalgPinvBackward0",
    "triangle of -solve(self.T, grad) @ result.T": "LinalgSolveTriangularBackward0",
    "solve(self.T, grad)": "LinalgSolveTriangularBackward0",
    "the upper right corner of matrix_exp([[self.T, grad], [0, self.T]])": "LinalgMatrixExpBackward0",
    "where a row was shortened, what is across it, times maxnorm / length; else grad": "RenormBackward0",
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
