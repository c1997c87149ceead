"""What the engine's classes are called where a program prints them: `<class 'torch.Tensor'>`.

A table of PyTorch's modules and the classes they define, so that `type(x)` reads as it does there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

HOMES = {
    "torch": "Tensor Size Device DType",
    "torch._C": "_LinAlgError Generator",
    "torch.autograd.anomaly_mode": "detect_anomaly set_detect_anomaly",
    "torch.autograd.function": "Function FunctionCtx",
    "torch.autograd.grad_mode": "no_grad enable_grad set_grad_enabled inference_mode",
    "torch.autograd.graph": "GradientEdge Node save_on_cpu saved_tensors_hooks",
    "torch.distributions.bernoulli": "Bernoulli",
    "torch.distributions.categorical": "Categorical",
    "torch.distributions.distribution": "Distribution",
    "torch.distributions.exponential": "Exponential",
    "torch.distributions.independent": "Independent",
    "torch.distributions.normal": "Normal",
    "torch.distributions.uniform": "Uniform",
    "torch.nn.modules.activation": "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU "
    "LogSigmoid LogSoftmax Mish MultiheadAttention PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmin "
    "Softplus Softshrink Softsign Tanh Tanhshrink Threshold Softmax2d",
    "torch.nn.modules.batchnorm": "BatchNorm1d BatchNorm2d BatchNorm3d "
    "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d",
    "torch.nn.modules.channelshuffle": "ChannelShuffle",
    "torch.nn.modules.container": "ModuleDict ModuleList ParameterDict ParameterList Sequential",
    "torch.nn.modules.conv": "Conv1d Conv2d ConvTranspose1d ConvTranspose2d LazyConv1d LazyConv2d "
    "LazyConvTranspose1d LazyConvTranspose2d",
    "torch.nn.modules.distance": "CosineSimilarity PairwiseDistance",
    "torch.nn.modules.dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "torch.nn.modules.flatten": "Flatten Unflatten",
    "torch.nn.modules.fold": "Fold Unfold",
    "torch.nn.modules.instancenorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    "torch.nn.modules.linear": "Bilinear Identity LazyLinear Linear",
    "torch.nn.modules.loss": "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss "
    "GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss "
    "MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PoissonNLLLoss "
    "SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss",
    "torch.nn.modules.module": "Module",
    "torch.nn.modules.normalization": "GroupNorm LayerNorm RMSNorm",
    "torch.nn.modules.padding": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d "
    "ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d "
    "ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    "torch.nn.modules.pixelshuffle": "PixelShuffle PixelUnshuffle",
    "torch.nn.modules.pooling": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d "
    "AvgPool1d AvgPool2d MaxPool1d MaxPool2d",
    "torch.nn.modules.rnn": "GRU GRUCell LSTM LSTMCell RNN RNNCell",
    "torch.nn.modules.sparse": "Embedding EmbeddingBag",
    "torch.nn.modules.transformer": "TransformerEncoderLayer TransformerDecoder TransformerDecoderLayer "
    "TransformerEncoder",
    "torch.nn.modules.upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    "torch.nn.parameter": "Parameter UninitializedBuffer UninitializedParameter",
    "torch.optim.lr_scheduler": "ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts "
    "CyclicLR ExponentialLR LRScheduler LambdaLR LinearLR MultiStepLR MultiplicativeLR OneCycleLR "
    "PolynomialLR ReduceLROnPlateau SequentialLR StepLR",
    "torch.optim.optimizer": "Optimizer",
    "torch.optim.sparse_adam": "SparseAdam",
    "torch.utils.checkpoint": "CheckpointError",
    "torch.utils.data.dataloader": "DataLoader",
    "torch.utils.data.dataset": "ConcatDataset Dataset IterableDataset Subset TensorDataset",
    "torch.utils.data.sampler": "BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler "
    "WeightedRandomSampler",
    "torch.utils.hooks": "RemovableHandle",
} | {
    f"torch.optim.{name.lower()}": name
    for name in "Adadelta Adagrad Adam Adamax AdamW ASGD LBFGS NAdam RAdam RMSprop Rprop SGD".split()
}
HOME = {name: home for home, names in HOMES.items() for name in names.split()}
RENAMED = {"Device": "device", "DType": "dtype"}
OURS = ("engine", "torch")


def give(kinds: Iterable[Any]) -> None:
    """Call every class among `kinds`, and what it is built from, what PyTorch calls it."""
    for kind in kinds:
        for part in kind.__mro__ if isinstance(kind, type) else ():
            home = HOME.get(part.__name__)
            if home is not None and part.__module__.startswith("engine."):
                part.__module__ = home
                part.__name__ = part.__qualname__ = RENAMED.get(part.__name__, part.__name__)


def is_ours(kind: type) -> bool:
    """Return whether a class is the engine's, by whatever name it goes."""
    return kind.__module__.partition(".")[0] in OURS


def classes(modules: Mapping[str, Any]) -> Iterable[Any]:
    """Return what every module offers."""
    return [value for module in modules.values() for value in vars(module).values()]
