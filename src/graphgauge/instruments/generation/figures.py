"""What the report draws of a comparison: distributions, a map of the embeddings, example graphs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphgauge import report
from graphgauge.distances.scaling import standardise_by
from graphgauge.graphs import GraphSet
from graphgauge.instruments.generation.views import Array, Described

if TYPE_CHECKING:
    from graphgauge.instruments.generation.evaluator import Evaluator, Scores

# Graphs of each set that are drawn, and the nodes up to which springs are worth their time.
EXAMPLES = 8
SPRINGS = 300
# Colours of chemists; other atoms have the last.
ATOM_COLOURS = {6: "#4d4d4d", 7: "#3050f8", 8: "#e02020", 9: "#2ca02c", 16: "#c8a000", 17: "#17becf"}
OTHER_ATOM = "#9467bd"


def draw(evaluator: Evaluator, scores: Scores, folder: str | Path, *, examples: int = EXAMPLES) -> list[Path]:
    """All figures of a comparison: distances over their noise floors, distributions of degree, clustering,
    spectrum, orbits and size, a map of the GIN embeddings, and example graphs.

    Parameters
    ----------
    evaluator, scores : the scores must be of this evaluator
    folder : made if it is not there
    examples : random graphs of each set that are drawn
    """
    folder = Path(folder)
    sides = {f"{evaluator.source.name} (reference)": evaluator.described()}
    sides |= {name: evaluator.described(graphs) for name, graphs in scores.graphs.items()}
    files = report.figures(scores.rows, folder)
    files += report.distributions(
        {name: profile(side) for name, side in sides.items()}, folder / "distributions", titles=TITLES
    )
    points, shares = embedding(sides)
    labels = (f"first component ({shares[0]:.0%} of variance)", f"second component ({shares[1]:.0%})")
    files += report.embedding_map(points, folder / "map", title="Random-GIN embeddings (PCA)", labels=labels)
    seed = evaluator.settings.seed
    samples = {name: drawn(side.side.graphs, examples, seed) for name, side in sides.items()}
    return files + report.drawings(samples, folder / "examples")


TITLES = {
    "degree": "Degree",
    "clustering": "Local clustering coefficient",
    "spectrum": "Eigenvalues of the normalised Laplacian",
    "orbit": "Orbits (up to 4 nodes), per node",
    "size": "Number of nodes",
}


def profile(of: Described) -> dict[str, tuple[Any, Array]]:
    """Property → (centres or labels, mean over the graphs)."""
    degree = of("degree").mean(axis=0)[1:]
    orbit = of("orbit").mean(axis=0)
    nodes, counts = np.unique(of("nodes"), return_counts=True)
    return {
        "degree": (np.arange(degree.size), degree),
        "clustering": _binned(of("clustering").mean(axis=0)[1:], 20, 1.0),
        "spectrum": _binned(of("spectral").mean(axis=0)[1:], 50, 2.0),
        "orbit": ([str(number) for number in range(orbit.size)], orbit),
        "size": (nodes, counts / counts.sum()),
    }


def _binned(shares: Array, bins: int, top: float) -> tuple[Array, Array]:
    """A histogram on [0, top] in fewer bins."""
    return (np.arange(bins) + 0.5) * top / bins, shares.reshape(bins, -1).sum(axis=1)


def embedding(sides: Mapping[str, Described]) -> tuple[dict[str, Array], tuple[float, float]]:
    """The first two principal components of the reference's standardised embeddings, for every set; and the
    reference's shares of variance along them."""
    reference = next(iter(sides.values()))("gin")
    (own,) = standardise_by(reference, reference)
    _, size, axes = np.linalg.svd(own, full_matrices=False)
    axes = np.concatenate([axes, np.zeros((2, axes.shape[1]))])[:2]  # one graph has one component
    axes = axes * np.sign(axes.sum(axis=1, keepdims=True) + 1e-300)  # a sign of its own choice would flip
    variance = np.append(np.square(size), [0.0, 0.0])
    shares = variance[:2] / max(variance.sum(), 1e-300)
    points = {name: standardise_by(reference, of("gin"))[0] @ axes.T for name, of in sides.items()}
    return points, (float(shares[0]), float(shares[1]))


def drawn(graphs: GraphSet, examples: int, seed: int) -> list[tuple[Array, Array, Any]]:
    """Positions, edges and colours of some graphs, chosen at random, in their order."""
    count = min(examples, len(graphs))
    chosen = np.sort(np.random.default_rng([seed, 3]).choice(len(graphs), count, replace=False))
    return [_drawn(graphs[int(g)], seed) for g in chosen]


def _drawn(graph: GraphSet, seed: int) -> tuple[Array, Array, Any]:
    import igraph

    edges = graph.edge_index.T.numpy()
    edges = edges[edges[:, 0] < edges[:, 1]]
    whole = igraph.Graph(graph.num_nodes, edges.tolist())
    if not graph.num_nodes:
        return np.empty((0, 2)), edges, _colours(graph)
    start = np.random.default_rng(seed).normal(size=(graph.num_nodes, 2)).tolist()
    if graph.num_nodes <= SPRINGS:
        layout = whole.layout_kamada_kawai(seed=start)
    else:
        layout = whole.layout_fruchterman_reingold(seed=start, grid="nogrid", niter=200)
    return np.array(layout.coords, dtype=np.float64).reshape(-1, 2), edges, _colours(graph)


def _colours(graph: GraphSet) -> list[str] | None:
    if "node_type" not in graph.node or "edge_type" not in graph.edge:
        return None
    return [ATOM_COLOURS.get(number, OTHER_ATOM) for number in graph.node["node_type"].tolist()]
