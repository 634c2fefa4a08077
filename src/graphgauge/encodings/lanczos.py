"""The lowest eigenpairs of one large connected graph's Laplacian, in memory proportional to its edges."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

Doubles = np.ndarray[Any, np.dtype[np.float64]]

ESTIMATE = 30  # restarts for the estimate that decides between the two
RESTARTS = 600  # of plain Lanczos, before the inverse is factorised after all
CROWDED = 4e-3  # low eigenvalues below this, relative to the largest possible one, are found by the inverse
ROUGH = 1e-3  # tolerance of that estimate
SAME = 1e-9  # eigenvalues nearer than this, relative to the largest possible one, count as equal


def lowest(adjacency: Any, count: int, *, normalised: bool) -> tuple[Doubles, Doubles]:
    """The `count` lowest eigenvalues, ascending, and their vectors (n, count).

    `normalised` says of I − D^(−1/2) A D^(−1/2), else of D − A. The null vector is known, and everything
    else happens at right angles to it. Plain Lanczos iterations find the other pairs fast where these are
    not crowded near 0: graphs without small cuts, whose factors would be full. Where they are (paths,
    grids, roads) the graph has many small cuts, so the Laplacian without one of its nodes can be factorised
    cheaply, and Lanczos iterations on the inverse take a few steps. A rough estimate of the last eigenvalue
    that is wanted decides.

    A Krylov space holds one vector of a repeated eigenvalue, and rounding alone brings in the others. So
    the search is repeated at right angles to everything found until it finds nothing lower than the last
    kept pair.

    Start vectors are fixed: equal input gives equal output.
    """
    n = adjacency.shape[0]
    degree = np.asarray(adjacency.sum(axis=1)).ravel()
    root = np.sqrt(degree) if normalised else np.ones(n)
    scale = 1 / root
    top = 2.0 if normalised else 2.0 * float(degree.max())
    laplacian = diags_array(scale) @ (diags_array(degree) - adjacency) @ diags_array(scale)
    found = (root / np.linalg.norm(root))[:, None]
    values = np.zeros(1)
    solve = _inverse(laplacian) if _crowded(laplacian, top, count, found) else _plain(laplacian, top)
    while True:
        missing = min(max(count - 1, 1), n - found.shape[1])
        if not missing:
            break
        try:
            new, vectors = solve(missing, found)
        except ArpackNoConvergence:
            solve = _inverse(laplacian)
            new, vectors = solve(missing, found)
        order = np.argsort(values := np.concatenate([values, new]), kind="stable")
        found, values = np.hstack([found, vectors])[:, order], values[order]
        if values.size > count and new.min() >= values[count - 1] - SAME * top:
            break
    return values[:count], found[:, :count]


Solve = Callable[[int, Doubles], tuple[Doubles, Doubles]]


def _crowded(laplacian: Any, top: float, count: int, known: Doubles) -> bool:
    """Whether the wanted eigenvalues are all next to 0, by iterations that are stopped early."""
    wanted = min(max(count - 1, 1), known.shape[0] - 2)
    try:
        values, _ = _highest(lambda x: top * x - laplacian @ x, wanted, known, ESTIMATE, ROUGH)
    except ArpackNoConvergence:
        return True
    return bool(top - values.min() < CROWDED * top)


def _plain(laplacian: Any, top: float) -> Solve:
    """Lanczos on `top` − L, whose highest eigenvalues are the lowest of L."""

    def solve(count: int, known: Doubles) -> tuple[Doubles, Doubles]:
        values, vectors = _highest(lambda x: top * x - laplacian @ x, count, known, RESTARTS)
        return top - values, vectors

    return solve


def _inverse(laplacian: Any) -> Solve:
    """Lanczos on the pseudo-inverse of L, by a factorisation of L without its last node."""
    ground = splu(
        csc_array(laplacian[:-1, :-1]),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )

    def apply(x: Doubles) -> Doubles:
        return np.append(ground.solve(x[:-1]), 0.0)

    def solve(count: int, known: Doubles) -> tuple[Doubles, Doubles]:
        _, vectors = _highest(apply, count, known)
        values = np.einsum("nk,nk->k", vectors, laplacian @ vectors)
        return values, vectors

    return solve


def _highest(
    apply: Callable[[Doubles], Doubles],
    count: int,
    known: Doubles,
    restarts: int | None = None,
    tolerance: float = 0.0,
) -> tuple[Doubles, Doubles]:
    """The `count` highest eigenpairs of a symmetric operator at right angles to the columns of `known`."""
    n = known.shape[0]

    def project(x: Doubles) -> Doubles:
        x = x.ravel()
        return x - known @ (known.T @ x)

    operator = LinearOperator((n, n), matvec=lambda x: project(apply(project(x))), dtype=np.float64)
    rng = np.random.default_rng(0)
    start = project(rng.standard_normal(n))
    more = {"rng": rng} if "rng" in inspect.signature(eigsh).parameters else {}
    basis = min(n - 1, max(2 * count + 1, 32))
    values, vectors = eigsh(
        operator, k=count, which="LA", v0=start, ncv=basis, maxiter=restarts, tol=tolerance, **more
    )
    return values, vectors
