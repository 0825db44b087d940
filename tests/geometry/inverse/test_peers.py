"""Other libraries find as many solutions."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.geometry.inverse.chain import Chain

from .arms import poses, states


def axes(robot, frame):
    """Return directions and offsets of the axes, as EAIK takes them, and the rotation of the frame at zero."""
    chain = Chain.of(robot, frame).numbers()
    H, points = (np.array([getattr(axis, key) for axis in chain.axes]) for key in ("h", "o"))
    P = np.vstack([points[0], np.diff(points, axis=0), np.array(chain.end.P) - points[-1]])
    return H, P, np.array(chain.end.homogeneous).reshape(4, 4)[:3, :3]


@pytest.mark.parametrize("name", ["ur5", "puma560", "rx90"])
def test_eaik_finds_as_many(name):
    HPRobot = pytest.importorskip("eaik.IK_HP").HPRobot
    robot = tf.robots.bundled(name)
    H, P, R = axes(robot, "link6")
    T = poses(robot, states(robot, 200, 21), "link6")
    found = tf.inverse_geometry(robot, frame="link6")(T, limits=False)
    peer, goals = HPRobot(H, P), T.copy()
    goals[:, :3, :3] = T[:, :3, :3] @ R.T
    assert [int((~np.array(peer.IK(goal).is_LS)).sum()) for goal in goals] == found.count.tolist()


@pytest.mark.parametrize(
    ("name", "kind"), [("ur5", "three_parallel_two_intersecting"), ("puma560", "spherical_two_parallel")]
)
def test_ik_geo_finds_the_same(name, kind):
    Robot = pytest.importorskip("ik_geo").Robot
    robot = tf.robots.bundled(name)
    H, P, R = axes(robot, "link6")
    T = poses(robot, states(robot, 100, 22), "link6")
    found = tf.inverse_geometry(robot, frame="link6")(T, limits=False)
    peer = getattr(Robot, kind)(H.tolist(), P.tolist())
    for pose, q, count in zip(T, found.q, found.count, strict=True):
        columns = (pose[:3, :3] @ R.T).T.tolist()
        theirs = np.array([own for own, inexact in peer.get_ik(columns, pose[:3, 3].tolist()) if not inexact])
        assert len(theirs) == count
        off = np.abs(np.sin(0.5 * (theirs[:, None] - q[:count]))).max(axis=2)
        assert off.min(axis=1).max() < 1e-6
