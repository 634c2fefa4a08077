"""Values of the generation instrument against the same computed with other people's tools."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match
from prdc import compute_prdc
from scipy.linalg import sqrtm
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.preprocessing import StandardScaler

from graphgauge.graphs import GraphSet
from graphgauge.instruments.generation import Evaluator

SEEDS = 3


def made() -> tuple[list[nx.Graph], list[nx.Graph]]:
    """Reference and generated graphs of several kinds; some are isomorphic, in other orders of nodes."""
    rng = np.random.default_rng(4)
    real = [nx.gnp_random_graph(int(rng.integers(4, 10)), 0.4, seed=seed) for seed in range(15)]
    other = [nx.gnp_random_graph(int(rng.integers(4, 10)), 0.3, seed=100 + seed) for seed in range(8)]
    again = []
    for g in (2, 5):
        order = rng.permutation(len(real[g])).tolist()
        graph = nx.empty_graph(len(order))
        graph.add_edges_from((order[u], order[v]) for u, v in real[g].edges)
        again.append(graph)
    return real, [*other, *again, nx.path_graph(6), nx.path_graph(6), nx.cycle_graph(5)]


@pytest.fixture(scope="module")
def graphs() -> tuple[list[nx.Graph], list[nx.Graph]]:
    return made()


@pytest.fixture(scope="module")
def evaluator(graphs) -> Evaluator:
    return Evaluator(
        graphs[0], seeds=SEEDS, replicates=0, metrics="classical,kernels,gin,shares,sizes", valid="tree"
    )


@pytest.fixture(scope="module")
def scores(evaluator, graphs):
    return evaluator.score(graphs[1])


# ── MMD of histograms, by double loops ─────────────────────────────────────────────────────────────────────


def mmd2(x: list, y: list, kernel) -> float:
    def mean(a: list, b: list) -> float:
        return sum(kernel(p, q) for p in a for q in b) / (len(a) * len(b))

    return mean(x, x) + mean(y, y) - 2.0 * mean(x, y)


def gaussian_emd(width: float, bandwidth: float):
    def kernel(p: np.ndarray, q: np.ndarray) -> float:
        bins = max(p.size, q.size)
        p, q = (np.pad(v, (0, bins - v.size)) for v in (p, q))
        at = width * np.arange(bins)
        return float(np.exp(-(wasserstein_distance(at, at, p, q) ** 2) / (2.0 * bandwidth**2)))

    return kernel


def gaussian_tv(bandwidth: float):
    def kernel(p: np.ndarray, q: np.ndarray) -> float:
        bins = max(p.size, q.size)
        p, q = (np.pad(v, (0, bins - v.size)) for v in (p, q))
        return float(np.exp(-((0.5 * np.abs(p - q).sum()) ** 2) / (2.0 * bandwidth**2)))

    return kernel


def degrees(graph: nx.Graph) -> np.ndarray:
    counts = np.array(nx.degree_histogram(graph), dtype=float)
    return counts / counts.sum()


def clustering(graph: nx.Graph) -> np.ndarray:
    counts = np.zeros(100)
    for node, triangles in nx.triangles(graph).items():
        pairs = max(1, graph.degree(node) * (graph.degree(node) - 1) // 2)
        counts[min(99, 100 * triangles // pairs)] += 1
    return counts / counts.sum()


def spectrum(graph: nx.Graph) -> np.ndarray:
    values = np.linalg.eigvalsh(nx.normalized_laplacian_matrix(graph).toarray())
    counts = np.histogram(values.clip(0.0, 2.0), bins=200, range=(-1e-5, 2.0))[0].astype(float)
    return counts / counts.sum()


def path_lengths(graph: nx.Graph) -> np.ndarray:
    lengths = [d for _, row in nx.all_pairs_shortest_path_length(graph) for d in row.values() if d]
    return np.bincount(lengths) / len(lengths)


@pytest.mark.parametrize(
    ("metric", "histogram", "kernel"),
    [
        ("degree_mmd2_emd", degrees, gaussian_emd(1.0, 1.0)),
        ("degree_mmd2_tv", degrees, gaussian_tv(1.0)),
        ("clustering_mmd2_emd", clustering, gaussian_emd(0.01, 0.1)),
        ("clustering_mmd2_tv", clustering, gaussian_tv(0.1)),
        ("spectral_mmd2_emd", spectrum, gaussian_emd(1.0, 1.0)),
        ("spectral_mmd2_tv", spectrum, gaussian_tv(1.0)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_classical_metrics(graphs, scores, metric, histogram, kernel):
    real, generated = ([histogram(graph) for graph in side] for side in graphs)
    assert scores[metric] == pytest.approx(mmd2(generated, real, kernel), rel=1e-9)


# The 15 orbits of graphlets of up to 4 nodes, by (nodes, edges, degree of the node, degrees of the graphlet).
ORBITS = {
    (2, (1, 1), 1): 0, (3, (1, 1, 2), 1): 1, (3, (1, 1, 2), 2): 2, (3, (2, 2, 2), 2): 3,
    (4, (1, 1, 2, 2), 1): 4, (4, (1, 1, 2, 2), 2): 5, (4, (1, 1, 1, 3), 1): 6, (4, (1, 1, 1, 3), 3): 7,
    (4, (2, 2, 2, 2), 2): 8, (4, (1, 2, 2, 3), 1): 9, (4, (1, 2, 2, 3), 2): 10, (4, (1, 2, 2, 3), 3): 11,
    (4, (2, 2, 3, 3), 2): 12, (4, (2, 2, 3, 3), 3): 13, (4, (3, 3, 3, 3), 3): 14,
}  # fmt: skip


def orbits(graph: nx.Graph) -> np.ndarray:
    """Mean orbit counts of the nodes: every connected induced subgraph is looked at."""
    counts = np.zeros(15)
    for size in (2, 3, 4):
        for nodes in itertools.combinations(graph, size):
            part = graph.subgraph(nodes)
            if nx.is_connected(part):
                degree = tuple(sorted(d for _, d in part.degree))
                for _, own in part.degree:
                    counts[ORBITS[size, degree, own]] += 1
    return counts / len(graph)


def test_orbit_metrics(graphs, scores):
    real, generated = ([orbits(graph) for graph in side] for side in graphs)
    assert scores["orbit_mmd2_tv"] == pytest.approx(mmd2(generated, real, gaussian_tv(30.0)), rel=1e-9)
    shares = [
        [np.append(counts.sum() == 0, counts / max(counts.sum(), 1e-300)) for counts in side]
        for side in (generated, real)
    ]
    assert scores["orbit_mmd2_emd"] == pytest.approx(mmd2(*shares, gaussian_emd(1.0, 1.0)), rel=1e-9)


def test_path_lengths_and_sizes(graphs, evaluator):
    scores = evaluator.score(graphs[1], metrics="path_length_mmd2_emd,sizes")
    for metric, number in (
        ("nodes_w1", len),
        ("edges_w1", nx.Graph.number_of_edges),
        ("components_w1", nx.number_connected_components),
        ("diameter_w1", lambda g: max(nx.diameter(g.subgraph(c)) for c in nx.connected_components(g))),
    ):
        real, generated = ([number(graph) for graph in side] for side in graphs)
        assert scores[metric] == pytest.approx(wasserstein_distance(generated, real), abs=1e-12)
    real, generated = ([path_lengths(graph) for graph in side] for side in graphs)
    assert scores["path_length_mmd2_emd"] == pytest.approx(
        mmd2(generated, real, gaussian_emd(1.0, 1.0)), rel=1e-9
    )


# ── kernels ────────────────────────────────────────────────────────────────────────────────────────────────


def wl_counts(graph: nx.Graph, rounds: int) -> dict:
    colour = {node: (degree,) for node, degree in graph.degree}
    counts: dict = {}
    for round_ in range(rounds + 1):
        for own in colour.values():
            counts[round_, own] = counts.get((round_, own), 0) + 1
        colour = {
            node: (colour[node], tuple(sorted((colour[v] for v in graph[node]), key=repr))) for node in graph
        }
    return counts


def test_weisfeiler_lehman(graphs, scores):
    def kernel(p: dict, q: dict) -> float:
        def product(a: dict, b: dict) -> float:
            return float(sum(count * b.get(colour, 0) for colour, count in a.items()))

        return product(p, q) / np.sqrt(product(p, p) * product(q, q))

    real, generated = ([wl_counts(graph, 4) for graph in side] for side in graphs)
    assert scores["wl_mmd2"] == pytest.approx(mmd2(generated, real, kernel), rel=1e-9)


def rooted_balls(graph: nx.Graph, radius: int, node: str | None) -> dict:
    """Node → the subgraph within so many steps, the node marked, with labels or whole degrees."""
    label = dict(graph.nodes(data=node)) if node else dict(graph.degree)
    balls = {}
    for root in graph:
        near = nx.single_source_shortest_path_length(graph, root, cutoff=radius)
        ball = nx.Graph(graph.subgraph(near))
        nx.set_node_attributes(ball, {v: (label[v], v == root) for v in ball}, "seen")
        balls[root] = ball
    return balls


class Classes:
    """Numbers of isomorphism classes, found by trying all graphs of the same key."""

    def __init__(self, edge: str | None) -> None:
        self.known: dict = {}
        self.count = 0
        self.like = {"node_match": categorical_node_match("seen", None)}
        if edge:
            self.like["edge_match"] = categorical_edge_match(edge, None)

    def number(self, ball: nx.Graph) -> int:
        key = tuple(sorted((str(seen), ball.degree(v)) for v, seen in ball.nodes(data="seen")))
        for other, number in self.known.setdefault(key, []):
            if nx.is_isomorphic(ball, other, **self.like):
                return number
        self.known[key].append((ball, self.count))
        self.count += 1
        return self.count - 1


def nspdk_rows(
    graphs: list[nx.Graph], radius: int, distance: int, node: str | None, edge: str | None
) -> list:
    """Of every graph the features of Costa and De Grave: each block (r, d) of length 1, then the whole."""
    classes, rows = Classes(edge), []
    for graph in graphs:
        blocks: dict = {}
        apart = dict(nx.all_pairs_shortest_path_length(graph))
        for r in range(radius + 1):
            number = {root: classes.number(ball) for root, ball in rooted_balls(graph, r, node).items()}
            for u, v in itertools.combinations_with_replacement(graph, 2):
                d = apart[u].get(v, distance + 1)
                if d <= distance:
                    pair = tuple(sorted((number[u], number[v])))
                    block = blocks.setdefault((r, d), {})
                    block[pair] = block.get(pair, 0) + 1
        row = {}
        for place, block in blocks.items():
            length = np.sqrt(sum(count**2 for count in block.values()) * len(blocks))
            row |= {(*place, pair): count / length for pair, count in block.items()}
        rows.append(row)
    return rows


def linear_mmd2(x: list[dict], y: list[dict]) -> float:
    """Squared distance of the mean feature vectors."""
    apart: dict = {}
    for rows, sign in ((x, 1.0), (y, -1.0)):
        for row in rows:
            for place, value in row.items():
                apart[place] = apart.get(place, 0.0) + sign * value / len(rows)
    return sum(value**2 for value in apart.values())


def test_nspdk(graphs, scores):
    real, generated = graphs
    rows = nspdk_rows([*real, *generated], 4, 4, None, None)
    expected = linear_mmd2(rows[len(real) :], rows[: len(real)])
    assert expected > 0.05
    assert scores["nspdk_mmd2"] == pytest.approx(expected, rel=1e-9)


def test_nspdk_with_labels(graphs):
    rng = np.random.default_rng(7)
    sides = [[nx.Graph(graph) for graph in side if graph.number_of_edges()] for side in graphs]
    for graph in itertools.chain(*sides):
        nx.set_node_attributes(graph, {v: int(rng.integers(2)) for v in graph}, "node_type")
        nx.set_edge_attributes(graph, {e: int(rng.integers(2)) for e in graph.edges}, "edge_type")
    settings = {"nspdk_radius": 2, "nspdk_distance": 3, "replicates": 0}
    found = Evaluator(sides[0], metrics="nspdk_mmd2", **settings).score(sides[1])
    rows = nspdk_rows([*sides[0], *sides[1]], 2, 3, "node_type", "edge_type")
    expected = linear_mmd2(rows[len(sides[0]) :], rows[: len(sides[0])])
    assert found["nspdk_mmd2"] == pytest.approx(expected, rel=1e-9)
    unlabelled = nspdk_rows([*sides[0], *sides[1]], 2, 3, None, None)
    assert expected != pytest.approx(linear_mmd2(unlabelled[len(sides[0]) :], unlabelled[: len(sides[0])]))


# ── embeddings ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def embedded(evaluator, graphs) -> list[tuple[np.ndarray, np.ndarray]]:
    """For every network the generated and the reference embeddings, standardised by scikit-learn."""
    generated = evaluator.described(GraphSet.from_networkx(graphs[1]))
    out = []
    for seed in range(SEEDS):
        scaler = StandardScaler().fit(evaluator.described()("gin", seed))
        out.append(
            (scaler.transform(generated("gin", seed)), scaler.transform(evaluator.described()("gin", seed)))
        )
    return out


def by_seed(scores, metric: str) -> list[float]:
    return [row.value for row in scores if row.metric == metric]


def test_rbf_is_the_largest_over_ten_bandwidths(scores, embedded):
    for value, (x, y) in zip(by_seed(scores, "gin_mmd2_rbf"), embedded, strict=True):
        apart = cdist(y, y)
        scale = np.sqrt(np.square(apart).sum() / (len(y) * (len(y) - 1)))
        found = []
        for multiple in (0.01, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0):
            gamma = 1.0 / (2.0 * (multiple * scale) ** 2)
            found.append(
                rbf_kernel(x, x, gamma).mean()
                + rbf_kernel(y, y, gamma).mean()
                - 2 * rbf_kernel(x, y, gamma).mean()
            )
        assert value == pytest.approx(max(found), rel=1e-9)


def test_linear_and_kernel_distance(scores, embedded):
    for value, (x, y) in zip(by_seed(scores, "gin_mmd2_linear"), embedded, strict=True):
        assert value == pytest.approx(np.square(x.mean(0) - y.mean(0)).sum(), rel=1e-9)
    for value, (x, y) in zip(by_seed(scores, "gin_kd"), embedded, strict=True):
        (n, m), (kxx, kyy) = (len(x), len(y)), (polynomial_kernel(a, a, degree=3) for a in (x, y))
        within = (kxx.sum() - kxx.trace()) / (n * (n - 1)) + (kyy.sum() - kyy.trace()) / (m * (m - 1))
        assert value == pytest.approx(within - 2 * polynomial_kernel(x, y, degree=3).mean(), rel=1e-9)


def test_frechet(scores, embedded):
    for value, (x, y) in zip(by_seed(scores, "gin_fd"), embedded, strict=True):
        a, b = np.cov(x.T), np.cov(y.T)
        root = sqrtm(a + 1e-9 * np.eye(len(a))) @ sqrtm(b + 1e-9 * np.eye(len(b)))
        cross = np.linalg.svd(root, compute_uv=False).sum()  # tr (A½ B A½)½
        far = np.square(x.mean(0) - y.mean(0)).sum() + np.trace(a) + np.trace(b) - 2 * cross
        assert value == pytest.approx(far, rel=1e-4)


def test_precision_recall_density_coverage(graphs):
    """The authors' package leaves out the surface of a ball, as we do where no distances tie: no two graphs
    are isomorphic here."""
    classes: list[nx.Graph] = []
    for graph in [*graphs[0], *graphs[1]]:
        if not any(nx.is_isomorphic(graph, one) for one in classes):
            classes.append(graph)
    real, generated = classes[:13], classes[13:]
    evaluator = Evaluator(real, metrics="gin", seeds=1, replicates=0, k=3)
    scores = evaluator.score(generated)
    scaler = StandardScaler().fit(evaluator.described()("gin"))
    x = scaler.transform(evaluator.described(GraphSet.from_networkx(generated))("gin"))
    theirs = compute_prdc(scaler.transform(evaluator.described()("gin")), x, nearest_k=3)
    for name in ("precision", "recall", "density", "coverage"):
        assert scores[f"gin_{name}"] == pytest.approx(theirs[name], abs=1e-12)
    for name, one, two in (("f1_pr", "precision", "recall"), ("f1_dc", "density", "coverage")):
        a, b = theirs[one], theirs[two]
        assert scores[f"gin_{name}"] == pytest.approx(2 * a * b / (a + b) if a + b else 0.0, abs=1e-12)


# ── shares ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_uniqueness_and_novelty_by_brute_force(graphs, scores):
    real, generated = graphs
    first = [not any(nx.is_isomorphic(g, h) for h in generated[:i]) for i, g in enumerate(generated)]
    novel = [not any(nx.is_isomorphic(g, h) for h in real) for g in generated]
    valid = [nx.is_tree(g) for g in generated]
    assert 0 < sum(novel) < len(novel)
    assert scores["valid"] == np.mean(valid) > 0
    assert scores["unique"] == np.mean(first) < 1
    assert scores["novel"] == np.mean(novel)
    assert scores["vun"] == np.mean(np.array(valid) & first & novel) == 1 / 13


def test_labels_count_for_uniqueness_and_novelty():
    rng = np.random.default_rng(0)

    def labelled() -> nx.Graph:
        graph = nx.gnp_random_graph(3, 0.6, seed=int(rng.integers(20)))
        for node in graph:
            graph.nodes[node]["node_type"] = int(rng.integers(2))
        for edge in graph.edges:
            graph.edges[edge]["edge_type"] = int(rng.integers(2))
        return graph

    real, generated = [labelled() for _ in range(30)], [labelled() for _ in range(40)]
    match = {
        "node_match": categorical_node_match("node_type", None),
        "edge_match": categorical_edge_match("edge_type", None),
    }
    first = [not any(nx.is_isomorphic(g, h, **match) for h in generated[:i]) for i, g in enumerate(generated)]
    novel = [not any(nx.is_isomorphic(g, h, **match) for h in real) for g in generated]
    scores = Evaluator(real, metrics="shares", replicates=0).score(generated)
    assert 0 < np.mean(first) < 1
    assert 0 < np.mean(novel) < 1
    assert scores["unique"] == np.mean(first)
    assert scores["novel"] == np.mean(novel)


def test_valid_unique_novel_by_hand():
    """Of six given one cannot be read; ethanol is there thrice, and benzene is in the reference too."""
    given = ["CCO", "OCC", "C(C)O", "CO", "c1ccccc1", "C1CC"]
    scores = Evaluator(["CCO", "C1=CC=CC=C1", "CCN"], metrics="shares", replicates=0).score(given)
    found = [scores[name] for name in ("valid", "unique", "novel", "vun")]
    assert found == pytest.approx([5 / 6, 3 / 5, 1 / 5, 1 / 6], rel=1e-12)
