"""Laws of bags of embeddings, of alignments and of several labels at once."""

from __future__ import annotations

import itertools

import numpy as np

from engine.verify.laws.table import law


# ----- bags ---------------------------------------------------------------------------------------
def members(indices, offsets, include_last_offset=False, padding_idx=-1):
    """Return by bag the places of its indices, those of the padding left out."""
    ends = [*np.ravel(offsets).tolist(), len(indices)]
    pairs = list(itertools.pairwise(ends))[: -1 if include_last_offset else None]
    return [[k for k in range(a, b) if indices[k] != padding_idx] for a, b in pairs]


def bags(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
         include_last_offset=False, padding_idx=-1):  # fmt: skip
    """Return the sum, mean or maximum of the rows of each bag, and the bookkeeping that goes with it."""
    scale = np.ones(len(indices)) if per_sample_weights is None else per_sample_weights
    how = {0: lambda rows: rows.sum(0), 1: lambda rows: rows.mean(0), 2: lambda rows: rows.max(0)}[mode]
    width, own = weight.shape[1], members(indices, offsets, include_last_offset, padding_idx)
    found = [how(np.array([weight[indices[k]] * scale[k] for k in b])) if b else np.zeros(width) for b in own]
    sizes = np.array([len(bag) for bag in own], int)
    numbers = np.zeros(len(indices), int)
    for i, start in enumerate(np.ravel(offsets)[: len(own)]):
        numbers[start:] = i
    last = sizes
    if mode == 2:
        last = np.array([[indices[bag[c]] for c in np.argmax(weight[indices[bag]], 0)] if bag else [0] * width
                         for bag in own]).reshape(-1, width)  # fmt: skip
    if mode == 0 and padding_idx < 0:
        numbers, sizes, last = np.zeros(0, int), 0 * sizes, 0 * sizes
    return np.array(found).reshape(-1, width), numbers, sizes, last


def bags_slope(g, weight_sym_sizes, indices, offsets, scale_grad_by_freq=False, mode=0, result3=None,
               per_sample_weights=None, include_last_offset=False, padding_idx=-1):  # fmt: skip
    """Return a table of zeros with what each index gets of its bag's gradient added to its row."""
    back = np.zeros(weight_sym_sizes)
    for i, bag in enumerate(members(indices, offsets, include_last_offset, padding_idx)):
        for k in bag:
            each = np.array(g[i], dtype=np.float64)
            if mode == 2:
                first = [next(j for j in bag if indices[j] == row) == k for row in result3[i]]
                each = each * (result3[i] == indices[k]) * first
            each = each / len(bag) if mode == 1 else each
            each = each if per_sample_weights is None else each * per_sample_weights[k]
            back[indices[k]] += each / (frequency(indices, indices[k]) if scale_grad_by_freq else 1)
    return back


def frequency(indices, row):
    """Return how often a row counts as named: PyTorch looks at the wrong one of the sorted indices."""
    place = sorted(set(indices.tolist())).index(row)
    return np.sum(indices == sorted(indices.tolist())[place])


def bag_weights_slope(g, weight, indices, offsets, include_last_offset=False):
    """Return for each index the product of its row and its bag's gradient."""
    back = np.zeros(len(indices))
    for i, bag in enumerate(members(indices, offsets, include_last_offset)):
        for k in bag:
            back[k] = np.sum(weight[indices[k]] * g[i])
    return back


law("embedding_bag", bags, "EmbeddingBagBackward0", weight=bags_slope, per_sample_weights=bag_weights_slope)


# ----- alignments ---------------------------------------------------------------------------------
def labels(targets, counts, i):
    """Return the labels of one sequence."""
    start = 0 if np.ndim(targets) > 1 else sum(counts[:i])
    return list((targets[i] if np.ndim(targets) > 1 else targets)[start : start + counts[i]])


def steps_of(word, blank):
    """Return the states of a labelling, and the matrix that says which may follow which."""
    states = [blank, *itertools.chain.from_iterable((label, blank) for label in word)]
    follow = np.eye(len(states)) + np.eye(len(states), k=1)
    for s in range(2, len(states)):
        follow[s - 2, s] = states[s] not in (blank, states[s - 2])
    return np.array(states, int), follow


def passing(probs, word, blank):
    """Return the probability of a labelling, and by step and state that of the paths that go through."""
    states, follow = steps_of(word, blank)
    seen = probs[:, states]
    start, end = np.zeros(len(states)), np.zeros(len(states))
    start[:2] = end[-2:] = 1
    before, after = [start * seen[0]], [end]
    for row in seen[1:]:
        before.append((before[-1] @ follow) * row)
    for row in seen[:0:-1]:
        after.insert(0, follow @ (row * after[0]))
    through = np.array(before) * np.array(after)
    return np.sum(before[-1] * end), through, states, np.array(before)


def ctc(log_probs, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    """Return minus the logarithm of each labelling's probability, and the logarithms on the way."""
    longest = max(np.shape(targets)[1] if np.ndim(targets) > 1 else 0, *target_lengths)
    alphas = np.zeros((len(input_lengths), len(log_probs), 2 * longest + 1))
    totals = np.zeros(len(input_lengths))
    for i, length in enumerate(input_lengths):
        word = labels(targets, target_lengths, i)
        totals[i], _, states, before = passing(np.exp(log_probs[:length, i]), word, blank)
        alphas[i, :length] = -np.inf
        alphas[i, :length, : len(states)] = np.log(before)
    return -np.log(totals), alphas


def ctc_slope(g, log_probs, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    """Return each class's probability, less the share of the paths that go through it."""
    back = np.zeros(np.shape(log_probs))
    for i, length in enumerate(input_lengths):
        probs = np.exp(log_probs[:length, i])
        total, through, states, _ = passing(probs, labels(targets, target_lengths, i), blank)
        if total > 0:
            share = np.zeros_like(probs)
            for s, state in enumerate(states):
                share[:, state] += through[:, s]
            back[:length, i] = g[i] * (probs - share / total)
        elif not zero_infinity:
            back[:length, i] = np.nan
    return back


law("_ctc_loss", ctc, "CtcLossBackward0", log_probs=ctc_slope)


# ----- several labels -----------------------------------------------------------------------------
def crossings(self, target):
    """Return the rows, and for each (row, label, other class) that comes too near how much."""
    rows = np.reshape(self, (-1, np.shape(self)[-1]))
    found = []
    for i, row in enumerate(np.reshape(target, rows.shape)):
        own = list(itertools.takewhile(lambda label: label >= 0, row))
        others = [c for c in range(len(row)) if c not in own]
        found += [(i, a, b, 1 - rows[i, a] + rows[i, b]) for a in own for b in others]
    return rows, [each for each in found if each[3] > 0]


def multilabel(self, target, reduction=1):
    """Return the sum of what comes too near, over the number of classes."""
    rows, near = crossings(self, target)
    each = np.zeros(len(rows))
    for i, _, _, gap in near:
        each[i] += gap / rows.shape[1]
    marks = np.zeros(rows.shape)
    for i, row in enumerate(np.reshape(target, rows.shape)):
        marks[i, list(itertools.takewhile(lambda label: label >= 0, row))] = 1
    total = each.mean() if reduction == 1 else each.sum()
    return (total if reduction else each.reshape(np.shape(self)[:-1])), marks.reshape(np.shape(self))


def multilabel_slope(g, self, target, reduction=1):
    """Return what a label loses and another class gets where they come too near."""
    rows, near = crossings(self, target)
    back, flow = np.zeros(rows.shape), np.broadcast_to(np.reshape(g, -1), len(rows))
    for i, a, b, _ in near:
        share = flow[i] / rows.shape[1] / (len(rows) if reduction == 1 else 1)
        back[i, a] -= share
        back[i, b] += share
    return back.reshape(np.shape(self))


law("multilabel_margin_loss", multilabel, "MultilabelMarginLossBackward0", self=multilabel_slope)
law(
    "multilabel_margin_loss_backward",
    lambda grad, self, target, reduction: multilabel_slope(grad, self, target, reduction),
)
