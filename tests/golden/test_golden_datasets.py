"""Pinned data: a dataset's content may change only together with an entry under "Changed numbers"."""

from __future__ import annotations

import pytest

from graphgauge.datasets import available, base, load

# Name → hash, ordered edges and first five edges of base(name, "train", 3, seed=7).
DRAWN = {
    "er": (
        "66761b7d7a4ab0555d73ca79c84b9659e5494524f8ed2c0f7a4e89fa8a4e4750",
        2372,
        [[0, 0, 0, 0, 0], [14, 16, 23, 30, 38]],
    ),
    "ba": (
        "c7fc06da97ec72ba15893d8ccf8689b856ae4467db786d4f6cad989969b92d90",
        2304,
        [[0, 0, 0, 0, 0], [1, 2, 3, 4, 5]],
    ),
    "ws": (
        "d682a147c8b0bea3a3d0436e74c01c3896f56a0ece2ed1b91ebe0c505805e2d6",
        2400,
        [[0, 0, 0, 0, 0], [1, 2, 4, 80, 96]],
    ),
    "regular": (
        "f99db857609efef5991bc36271d36885843152914c21c2f6c29a7e4ecad438c6",
        2400,
        [[0, 0, 0, 0, 0], [16, 25, 28, 33, 70]],
    ),
    "sbm": (
        "1755612814873d078fa4f0ec303ded3aa5b819838893a7f36ed1fd6c9b3c5caf",
        2366,
        [[0, 0, 0, 0, 0], [3, 14, 15, 22, 24]],
    ),
    "tree": (
        "5662f4ceb138bac46302946f8b776ad9fd0365eb0f64885dc1958112c6f452cd",
        594,
        [[0, 1, 1, 1, 2], [69, 24, 63, 90, 14]],
    ),
    "aqsol": (
        "2134ea83a94f004cc3fdece49a3c14baf0cf9490c769cf0a727bdd8ecfc210f9",
        108,
        [[0, 1, 1, 2, 2], [1, 0, 2, 1, 3]],
    ),
    "zinc": (
        "3db768a1a67d6d32d239d530ca28fdbd643d4bcba4f700975fedf677fdd277b8",
        168,
        [[0, 1, 1, 1, 2], [1, 0, 2, 23, 1]],
    ),
    "cora": (
        "eb16c025b85e84414bc6337425c2aad0a6d57fdaf51d50f90573db18a47b37b0",
        906,
        [[0, 0, 1, 1, 1], [1, 92, 0, 4, 6]],
    ),
    "citeseer": (
        "7198ada9b865d37e7f4f348e4aa9b912a12e27d8b25645c559b779895026b1c6",
        946,
        [[0, 0, 0, 0, 1], [12, 21, 35, 47, 47]],
    ),
    "pubmed": (
        "61c4f42999f381b841a691d85d3239876aab36baa0e9978b1bad2d46c2a4a699",
        828,
        [[0, 0, 1, 1, 1], [5, 61, 14, 48, 64]],
    ),
}
# Name and split → hash of the structure of the stored data.
STORED = {
    "aqsol train": "312d8f3277ab43343e97f98453c149406604861b41be163b1ae99c5d13c96b1e",
    "aqsol val": "fbb2390e45b216538e8f1cfaf669ebd45c0f8d3673fb307c5735905badb3d188",
    "aqsol test": "195eedcc135a3bae8f674366f62bd59846d2fe0e97468237a118832ad146b4fd",
    "zinc val": "8be9b8eb0dcea1162e608233d86e959eac0a38f3698d287063521e9f84413d25",
    "zinc test": "ace9d80cab8753f71154d7aa34bce0c7b76106cac0463bd7d327204f61b10670",
    "zinc train_standin": "a246def5e480065423db5d1e461854b58eebc063552f9452b549663906cb2e84",
    "cora": "0c13a8b92ddb5bfec7862c382e9264569a0b0c9fc60f511b3550b68c4f5a7540",
    "citeseer": "f29eb630df96bfa096fd1a57a5627d3b2633c06e7469ce8f6212701cb6532c42",
    "pubmed": "7c7b22bb0498405e310b127c4655b26e21df709f8b3044401c6d8a41bcd2551d",
}


def need(name: str) -> None:
    if not available(name):
        pytest.skip(f"{name} is not at hand (GRAPHGAUGE_DATA names the folder that holds it)")


@pytest.mark.parametrize("name", DRAWN)
def test_draws_are_pinned(name: str) -> None:
    need(name)
    content, edges, first = DRAWN[name]
    graphs = base(name, "train", 3, 7)
    assert graphs.edge_index[:, :5].tolist() == first
    assert graphs.num_edges == edges
    assert graphs.content_hash == content


@pytest.mark.parametrize("title", STORED)
def test_stored_data_is_pinned(title: str) -> None:
    need(title.split()[0])
    assert load(*title.split()).structure().content_hash == STORED[title]
