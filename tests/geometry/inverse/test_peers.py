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
