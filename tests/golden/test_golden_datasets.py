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
    "grid": (
        "697fa8aace32f79e7d9dbb192dce89d0409c3523a82f0c65d325520bdca8cebd",
        1858,
        [[0, 0, 1, 1, 1], [1, 15, 0, 2, 16]],
    ),
    "lobster": (
        "f88df3a60fd5690f4ec581d2372a7b3566b80bac5a9d09cfaf7a2a05a5401f25",
        438,
        [[0, 1, 1, 1, 1], [1, 0, 2, 14, 19]],
    ),
    "community": (
        "9658c9574595b7a0da1ec4fe6c227e121dc68dce35fddfe0018511ff74acaa96",
        5740,
        [[0, 0, 0, 0, 0], [2, 3, 4, 7, 14]],
    ),
    "planar": (
        "63b12aeb9dad9001dc7aca7da6c2a0dc06a7ba86d1e281053d94202ebf274e0d",
        1080,
        [[0, 0, 0, 0, 0], [3, 51, 52, 54, 56]],
    ),
    "ego": (
        "de9352865785445a44823579c0b8ca5c8c7cae150c6e8613e3cb4cf894840ab8",
        1242,
        [[0, 0, 0, 0, 0], [13, 24, 51, 161, 163]],
    ),
    "proteins": (
        "e2ed45876d187d2e57423bd07ce7bfcd33d0f3f11d6b32ea3d26b150b97c8b5a",
        244,
        [[0, 0, 0, 0, 1], [11, 14, 15, 16, 20]],
    ),
    "enzymes": (
        "f53d204d3b30dc99e4fe8adc7ad0a3a2f55d151941801c662290a391d7df3dfa",
        646,
        [[0, 0, 0, 1, 1], [1, 2, 3, 0, 2]],
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
    "ego train": "bc74ac93250b735ab3986dd5e82af11ae150d30564188aeed0db2a39d0038e9d",
    "ego val": "8970dbcf2079d8330e0e5e1c0850463ec0323d8ae5b47c6563f96cdf6e34859e",
    "ego test": "1e8cbfb30e3c7b19ad973eff3ddb2204eb0be2ffa2e01dc04caf758ca4399c3a",
    "proteins train": "5cadb0331028c48bc63601ba4b2c252df64f670b058cd7487dced976c6df93fe",
    "proteins val": "0b38fa37eb03352194c83106849fb71ef0e7839776345af5c1d45c3f638fd476",
    "proteins test": "384b5eb71db004a715f0b334697c17fe05a322e9c3f21905a26a286246e6788d",
    "enzymes train": "1c797b8c8bc6eaf528e10121f1824f12f1ab3fcaed726cf12a5834cdf0943d2e",
    "enzymes val": "e7035866d85b8cdee25eecf1d718ce5563ea8879220bac2398f5d7216a4145ed",
    "enzymes test": "8053bb9bbdc0fa1ecfbe30bb633d025789e9dd6f35792f78d6823b502d51afda",
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
