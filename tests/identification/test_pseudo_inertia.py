"""Pseudo-inertias against point masses, and the divergence against the affine-invariant metric."""

import numpy as np
import pytest
from scipy.linalg import logm, sqrtm

import tauforge as tf
from tauforge.identification.pseudo_inertia import (
    divergence,
    packed,
    parameters_of,
    pseudo_inertia,
    unpacked,
    whitening,
)
from tauforge.spatial.vector import Vector


def points(rng, count=6):
    return rng.uniform(0.1, 2.0, count), rng.normal(size=(count, 3))


def test_it_is_the_second_moment_of_point_masses():
    masses, places = points(np.random.default_rng(1))
    body = tf.Inertia()
    for m, p in zip(masses, places, strict=True):
        body = body.plus(tf.Inertia(M=m).shifted(Vector(*p)))
    lifted = np.column_stack([places, np.ones(len(masses))])
    P = pseudo_inertia(body)
    assert np.allclose(P, (lifted * masses[:, None]).T @ lifted, rtol=1e-13)
    assert np.allclose(parameters_of(P), body, rtol=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_whitening_makes_its_own_matrix_the_unit_matrix(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(4, 4))
    P, S = A @ A.T, rng.normal(size=(4, 4))
    S = S + S.T
    L = np.linalg.cholesky(P)
    assert np.allclose(unpacked(np.linalg.solve(whitening(L), parameters_of(P))), np.eye(4))
    entries = np.linalg.solve(whitening(L), parameters_of(L @ S @ L.T))
    assert np.allclose(unpacked(entries), S)
    assert np.allclose(entries, packed(S))
    assert np.sum(entries**2) == pytest.approx(np.sum(S**2)), "packing keeps the length"


def test_the_divergence_is_that_of_the_metric_in_every_frame():
    rng = np.random.default_rng(2)
    A, T, E = (rng.normal(size=(4, 4)) for _ in range(3))
    prior = A @ A.T
    root = np.real(sqrtm(prior))
    P = root @ (np.eye(4) + 1e-4 * (E + E.T)) @ root
    inverse = np.linalg.inv(root)
    distance = np.linalg.norm(logm(inverse @ P @ inverse))
    assert divergence(P, prior) == pytest.approx(distance**2 / 2, rel=1e-3)
    far = A @ np.diag([0.5, 1.0, 2.0, 3.0]) @ A.T
    assert divergence(far, prior) == pytest.approx(divergence(T @ far @ T.T, T @ prior @ T.T))
    assert divergence(far - 10.0 * prior, prior) == np.inf, "no body has it"
    assert divergence(prior, prior) == pytest.approx(0.0, abs=1e-9)
