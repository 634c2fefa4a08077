"""Generated families without a number of nodes to choose work in the alignment instrument too."""

from __future__ import annotations

import pytest

from graphgauge.instruments.alignment.data import base_graphs
from graphgauge.instruments.alignment.settings import Settings


@pytest.mark.parametrize("name", ["grid", "lobster", "community"])
def test_sizes_are_the_family_s_own(name: str) -> None:
    base = base_graphs(name, Settings(train_pairs=4, val_pairs=3, order=7))
    assert (len(base.train), len(base.val)) == (4, 3)
    assert int(base.train.nodes_per_graph.min()) >= 10


def test_order_is_the_number_of_nodes_where_there_is_one() -> None:
    assert base_graphs("planar", Settings(train_pairs=2, val_pairs=1, order=9)).train.num_nodes == 18
