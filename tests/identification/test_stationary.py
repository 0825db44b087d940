"""The covariance of estimates under stationary noise, from residuals that have lost what the estimates follow."""

from types import SimpleNamespace

import numpy as np
from scipy.linalg import toeplitz

from tauforge.identification.noise import correlated
from tauforge.identification.samples import Block
from tauforge.identification.stationary import stationary

SAMPLES, WAVES, PARAMETERS, MEMORY = 200, 40, 24, 3


def test_what_the_estimates_take_of_the_noise_is_given_back():
    rng = np.random.default_rng(0)
    t = np.arange(SAMPLES)[:, None] / SAMPLES
    waves = 2.0 * np.pi * np.arange(1, WAVES + 1) * t
    Y = np.hstack([np.sin(waves), np.cos(waves)]) @ rng.normal(size=(2 * WAVES, PARAMETERS))  # slow, as torques are
    bread = np.linalg.inv(Y.T @ Y)
    taps = np.array([0.5, 0.8, 0.5])
    covariances = np.correlate(taps, taps, "full")[2:]
    true = Y.T @ toeplitz(np.pad(covariances, (0, SAMPLES - 3))) @ Y
    noise = np.apply_along_axis(np.convolve, 1, rng.normal(size=(1000, SAMPLES + 2)), taps, "valid")
    residuals = noise - noise @ Y @ bread @ Y.T
    sums = np.mean([correlated([e[:, None]], 20) for e in residuals], axis=0)
    counts = SAMPLES - np.arange(21.0)[:, None]
    samples = SimpleNamespace(
        columns=SimpleNamespace(rows=(tuple(range(PARAMETERS)),)),
        passed=lambda job: [job([Block([Y], np.zeros((SAMPLES, 1)))])],
    )
    factor = np.linalg.cholesky(Y.T @ Y)
    found = factor @ stationary(samples, sums, counts, MEMORY, np.linalg.inv(factor).T, np.ones(1)) @ factor.T
    ratio = np.diag(found) / np.diag(true)
    plain = Y.T @ toeplitz(np.pad((sums / counts)[:3, 0], (0, SAMPLES - 3))) @ Y
    assert np.mean(np.diag(plain) / np.diag(true)) < 0.8  # residuals alone tell too little
    assert abs(np.mean(ratio) - 1.0) < 0.05
    assert np.abs(ratio - 1.0).max() < 0.1
