"""Distances: (n, d), (m, d) → number. How far two samples of vectors are apart."""
