"""Similarity blocks: padding may never be seen in a result."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from graphgauge.graphs import GraphSet, Pairs
from graphgauge.instruments.alignment.evaluation import SOLVED_ON
from graphgauge.instruments.alignment.siamese import alignment_loss
from graphgauge.instruments.alignment.similarity import blocks, similarity
from graphgauge.matching import linear_assignment
from graphgauge.perturb import make_pairs


def ragged(sizes: list[int]) -> Pairs:
    rng = np.random.default_rng(0)
    edges = [[(int(rng.integers(v)), v) for v in range(1, n)] for n in sizes]
    return make_pairs(GraphSet.from_edges(edges, num_nodes=sizes), 0.1, "add", seed=1)


def plain_loss(left: torch.Tensor, right: torch.Tensor, pairs: Pairs) -> torch.Tensor:
    """The formula, one graph at a time."""
    terms = []
    for p in range(len(pairs)):
        a, b = pairs.left.node_ptr[p : p + 2].tolist()
        sigma = left[a:b] @ right[a:b].T
        terms.append(F.cross_entropy(sigma, pairs.truth[a:b] - a, reduction="sum"))
    return torch.stack(terms).sum() / pairs.left.num_nodes


@pytest.mark.parametrize("sizes", [[5, 5, 5], [3, 9, 17, 1, 40], [0, 4, 0], [2], [1, 1], [8, 16, 7, 0]])
def test_loss_and_gradient_equal_the_formula_pair_by_pair(sizes: list[int]) -> None:
    pairs = ragged(sizes)
    torch.manual_seed(0)
    left, right = (torch.randn(sum(sizes), 6, requires_grad=True) for _ in range(2))
    ours = alignment_loss(left, right, blocks(pairs))
    gradients = torch.autograd.grad(ours, (left, right))
    plain = plain_loss(left, right, pairs)
    expected = torch.autograd.grad(plain, (left, right))
    torch.testing.assert_close(ours, plain, rtol=1e-5, atol=1e-6)
    for mine, theirs in zip(gradients, expected, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


def test_loss_has_a_gradient_where_the_published_one_has_none() -> None:
    """A true entry of probability 1e-20: −log(p + 1e-7) is flat there, the exact loss is not."""
    pairs = ragged([2])
    left = torch.tensor([[46.0], [-46.0]], requires_grad=True)
    right = torch.empty(2, 1)
    right[pairs.truth] = torch.tensor([[-1.0], [1.0]])  # the partner is the least similar node
    loss = alignment_loss(left, right, blocks(pairs))
    gradient = torch.autograd.grad(loss, left)[0]
    probability = torch.softmax(left.detach() @ right.T, dim=1)[0, pairs.truth[0]]
    assert probability < 1e-30
    assert loss.item() == pytest.approx(92.0)
    assert (gradient.abs() > 0.5).all()


def test_blocks_cover_every_pair_once_with_little_padding() -> None:
    sizes = np.random.default_rng(1).integers(0, 60, size=200).tolist()
    pairs = ragged(sizes)
    found = blocks(pairs)
    seen = torch.cat([b.pairs for b in found]).tolist()
    assert sorted(seen) == [i for i, n in enumerate(sizes) if n]
    assert sum(b.rows for b in found) == sum(sizes)
    assert sum(b.left.numel() for b in found) < 1.3 * sum(sizes)


def test_padded_columns_cannot_be_chosen() -> None:
    pairs = ragged([3, 7])
    block = blocks(pairs)[0]
    sigma = similarity(-torch.ones(10, 2), torch.ones(10, 2), block)
    assert (sigma[0, :, 3:] == float("-inf")).all()
    assert sigma[1].isfinite().all()


def test_the_softmax_is_taken_over_rows() -> None:
    """A similarity whose best assignment differs for Σ, its row softmax and its column softmax."""
    rng = np.random.default_rng(0)
    sigma = next(m for m in (torch.from_numpy(rng.normal(0, 3, (5, 5))) for _ in range(100)) if _differ(m))
    expected = linear_assignment(sigma.exp() / sigma.exp().sum(1, keepdim=True))
    assert linear_assignment(SOLVED_ON["softmax"](sigma)).tolist() == expected.tolist()
    assert linear_assignment(SOLVED_ON["sigma"](sigma)).tolist() == linear_assignment(sigma).tolist()


def _differ(sigma: torch.Tensor) -> bool:
    found = {tuple(linear_assignment(m).tolist()) for m in (sigma, sigma.softmax(1), sigma.softmax(0))}
    return len(found) == 3
