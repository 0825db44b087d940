"""Twists, wrenches and inertias through a pose: the 6x6 matrices of the textbooks, and power that does not change."""

import numpy as np
import pytest

from tauforge.spatial.articulated import Articulated
from tauforge.spatial.inertia import Inertia
from tauforge.spatial.pose import Pose
from tauforge.spatial.rotation import Rotation, about
from tauforge.spatial.screw import Twist, Wrench
from tauforge.spatial.vector import Vector


def skew(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def flat(screw):
    return np.array([*screw[0], *screw[1]])


@pytest.fixture(params=range(4))
def rng(request):
    return np.random.default_rng(request.param)


@pytest.fixture
def pose(rng):
    R = Rotation([about(2, rng.normal()), about(0, rng.normal()), about(2, rng.normal())])
    return Pose(R, Vector(*rng.normal(size=3)), rng.normal())


@pytest.fixture
def screws(rng):
    return Twist.of(rng.normal(size=6)), Twist.of(rng.normal(size=6)), Wrench.of(rng.normal(size=6))


def matrix(pose):
    """Return the 6x6 matrix that takes twists of the antecedent to the link: (17) of Khalil (2010)."""
    back = np.array([pose.R.back(Vector(*unit)) for unit in np.eye(3)]).T
    return np.block([[back, -back @ skew(pose.P)], [np.zeros((3, 3)), back]])


def test_twists_and_wrenches_go_through_a_pose(pose, screws):
    V, _, F = screws
    X = matrix(pose)
    assert np.allclose(flat(V.outward(pose)), X @ flat(V))
    assert np.allclose(flat(F.inward(pose)), X.T @ flat(F))
    assert np.isclose(V.outward(pose).dot(F), V.dot(F.inward(pose)))


def test_points_go_both_ways(pose, rng):
    p = Vector(*rng.normal(size=3))
    assert np.allclose(pose.forth(p), np.array(pose.R.forth(p)) + pose.P)
    assert np.allclose(pose.back(pose.forth(p)), p)


def test_cross_products(screws):
    """V × S and V ×* F are the rates of what moves along, so the power S · F does not change by them."""
    V, S, F = screws
    zero = np.zeros((3, 3))
    of_motion = np.block([[skew(V.w), skew(V.v)], [zero, skew(V.w)]])
    assert np.allclose(flat(V.cross(S)), of_motion @ flat(S))
    assert np.allclose(flat(V.cross_wrench(F)), -of_motion.T @ flat(F))
    assert np.isclose(V.cross(S).dot(F), -S.dot(V.cross_wrench(F)))


def test_inertias_go_inward_as_their_matrices_do(pose, screws, rng):
    V, A, F = screws
    X, body = matrix(pose), Inertia(*rng.normal(size=10))
    rigid = Articulated.rigid(body)
    assert np.allclose(flat(body.times(V)), flat(rigid.times(V)))
    assert np.allclose(flat(body.inward(pose).times(V)), X.T @ flat(body.times(V.outward(pose))))
    soft = rigid.less(F, 0.3)
    assert np.allclose(flat(soft.times(A)), flat(rigid.times(A) + F * (-0.3 * A.dot(F))))
    assert np.allclose(flat(soft.inward(pose).times(V)), X.T @ flat(soft.times(V.outward(pose))))
