"""Gauss quadrature for the integral and the sums that the exact laws are made of."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

NEGLIGIBLE = 45.0
"""Terms smaller than the whole by a factor ``exp(-NEGLIGIBLE)`` are left out."""

_Floats = NDArray[np.float64]


def leave_one_out_integrals(probabilities: _Floats, counts: NDArray[np.int64]) -> _Floats:
    """Return ``integral_0^1 product_{i != r} (1 - p_i t) dt`` for a member ``r`` of every group.

    Parameters
    ----------
    probabilities : (g,) float64 array
        ``p`` of each group, from 0 to 1.
    counts : (g,) int64 array
        Sizes of the groups.

    Returns
    -------
    (g,) float64 array
        With a relative error of about 1e-14.

    Notes
    -----
    The integrand is a polynomial in ``t`` that falls about like ``exp(-s t)``, ``s`` the sum of all ``p``.
    The first panel reaches to ``t = 4 / s``; each further one is as long as all before it. On each of them
    24 nodes integrate it to rounding; for small ``s`` fewer do.

    Examples
    --------
    >>> leave_one_out_integrals(np.array([1.0, 0.5]), np.array([1, 1])).round(12).tolist()
    [0.75, 0.5]
    """
    total = float(counts @ probabilities)
    nodes, weights = _legendre(_node_count(total))
    integrals = np.zeros(len(probabilities))
    for start, end in _panels(total):
        factors = 1 - np.outer(start + (end - start) * nodes, probabilities)
        products = np.exp(np.log(factors) @ counts) * weights * (end - start)
        integrals += products @ (1 / factors)
    return integrals


def _panels(total: float) -> Iterator[tuple[float, float]]:
    start, end = 0.0, 4 / max(4.0, total)
    while start < 1 and total * start < NEGLIGIBLE:
        yield start, end
        start, end = end, min(1.0, 2 * end)


def _node_count(total: float) -> int:
    # The error of m nodes for exp(-s t) on [0, 1] is (m!)^4 / ((2m + 1) (2m)!^3) s^(2m).
    for nodes, largest in ((1, 1e-7), (2, 2e-3), (4, 0.3)):
        if total < largest:
            return nodes
    return 24


@lru_cache
def _legendre(count: int) -> tuple[_Floats, _Floats]:
    """Return Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


@lru_cache
def sum_rule(terms: int) -> tuple[_Floats, _Floats]:
    """Return nodes and weights for ``f(0) + f(1) + ... + f(terms - 1)`` of a smooth function.

    Up to 20 terms are summed one by one; more by the 20-point Gauss rule of the uniform measure on those
    integers, exact for polynomials of degree 39: from the Jacobi matrix of the discrete Chebyshev
    polynomials.

    Parameters
    ----------
    terms : int
        At least 1.

    Returns
    -------
    nodes, weights : float64 arrays

    Examples
    --------
    >>> nodes, weights = sum_rule(1000)
    >>> len(nodes), round(float(weights @ nodes**2)), sum(i * i for i in range(1000))
    (20, 332833500, 332833500)

    References
    ----------
    Gautschi, *Orthogonal Polynomials: Computation and Approximation*, 2004, section 1.5.2.
    """
    points = 20
    if terms <= points:
        return np.arange(terms, dtype=np.float64), np.ones(terms)
    degree = np.arange(1, points, dtype=np.float64)
    beside = degree / 2 * np.sqrt((float(terms) ** 2 - degree**2) / (4 * degree**2 - 1))
    nodes, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    return nodes + (terms - 1) / 2, terms * vectors[0] ** 2
