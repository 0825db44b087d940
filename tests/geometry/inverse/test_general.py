"""Arms without a closed form: elimination finds all solutions."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.geometry.inverse.circle import zeros
from tauforge.geometry.inverse.refine import refine
from tauforge.robot.joint import Limits

from .arms import TIP, apart, check, perturbed, poses, random_arm, states

KINDS = ("RRRRRR", "RRPRRR", "RPRRRR", "PRRRRR", "RRRRRP", "RRPRPR", "PPRRRR", "RPRRRP")


def test_a_general_arm():
    ik, found = check(random_arm("RRRRRR", 0), TIP, states(random_arm("RRRRRR", 0), 40))
    assert "general, by elimination" in ik.kind
    assert "wave" in ik.explain()
    assert (found.count % 2 == 0).all()
    with pytest.raises(tf.ProgramError, match="no exact closed form"):
        _ = ik.program


def manseur_and_doty():
    """Return the arm that Manseur and Doty (1989) showed to have 16 solutions."""
    twists, lengths = np.deg2rad([0, 90, 1, 90, 1, 90]), [0.0, 0.3, 1.0, 0.0, 1.5, 0.0]
    joints = [
        tf.Joint(name=f"joint{k + 1}", antecedent=k, alpha=twists[k], d=lengths[k], r=0.2 * (k == 2)) for k in range(6)
    ]
    bodies = [tf.Body(name=f"link{k + 1}") for k in range(6)]
    return tf.Robot(name="manseur_doty", joints=tuple(joints), bodies=tuple(bodies))


def test_sixteen_solutions():
    arm = manseur_and_doty()
    q = np.array([[2.2456373, -2.93056826, 1.44296773, -2.03791584, 2.28192047, 0.26050853]])
    _, found = check(arm, "link6", q)
    assert found.count == 16
    off = found.q[0, :, None] - found.q[0]
    off = np.abs(off - 2 * np.pi * np.round(off / (2 * np.pi))).max(axis=2)
    assert off[~np.eye(16, dtype=bool)].min() > 1e-3


def test_the_determinant_and_eigenvalues_find_the_same():
    arm = random_arm("RRRRRR", 3)
    T = poses(arm, states(arm, 60, 4), TIP)
    ik = tf.inverse_geometry(arm, frame=TIP)
    general = ik._general
    assert general.eliminated is not None
    found = ik(T, limits=False)
    eigen = refine(ik._newton, ik._arm.chain, T, general.candidates(T, np.zeros((60, 6))))
    assert found.count.tolist() == eigen.good.sum(axis=1).tolist()


def test_one_pose_at_a_time():
    """Single poses take a shorter way to the same solutions, within limits and without."""
    free = random_arm("RRRRRR", 3)
    limited = replace(free, joints=tuple(replace(joint, limits=Limits(lower=-2.0, upper=2.5)) for joint in free.joints))
    T = poses(free, states(free, 30, 5), TIP)
    skewed = T[0].copy()
    skewed[0, 0] += 1e-9
    for arm, limits in ((free, False), (limited, True)):
        ik = tf.inverse_geometry(arm, frame=TIP)
        short = ik._quick_within_limits if limits else ik._quick_anywhere
        many, alone = ik(T, limits=limits), [short(goal) for goal in T]
        assert sum(q is not None for q in alone) >= 25
        for k, q in enumerate(alone):
            if q is not None:
                assert len(q) == many.count[k]
                assert (
                    len(q) == 0 or apart(arm, np.broadcast_to(q, (len(q), *q.shape)), many.q[k, : len(q)]).max() < 1e-9
                )
        assert short(skewed) is None
        assert len(ik(skewed, limits=limits).q) == many.count[0]


def test_zeros_of_waves():
    """Zeros that are close together, and a wave that only touches zero, on and off the grid."""
    given = np.array([[0.3, 0.303, 0.307, 5.0], [1.0, 1.02, 4.0, 4.05], [2.0, 2.0, 3.0, 5.5]])
    at = 2.0 * np.pi * np.arange(17) / 17
    values = np.prod(np.sin(0.5 * (at[:, None] - given[:, None])), axis=2) * (2.0 + np.cos(3.0 * at))
    found = zeros(values)
    assert found.crossed[:2].tolist() == [4, 4]
    assert found.crossed[2] >= 2
    for k, own in enumerate(given):
        angles = found.angle[found.wave == k]
        assert np.abs(angles[:, None] - own).min(axis=0).max() < 1e-6


def test_a_general_arm_with_a_sliding_joint():
    arm = random_arm("RRPRRR", 1)
    check(arm, TIP, states(arm, 20))


def test_axes_that_almost_meet():
    arm = perturbed(tf.robots.puma560(), 1e-4)
    ik, found = check(arm, "link6", states(arm, 30))
    assert "nearly" in ik.kind
    assert (found.count == 8).mean() > 0.8


def test_four_joints_without_a_closed_form():
    arm = random_arm("RRRR", 2)
    check(arm, TIP, states(arm, 20))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000))
def test_a_thousand_geometries(seed):
    kinds = KINDS[0] if seed < 500 else KINDS[seed % len(KINDS)]
    arm = random_arm(kinds, seed)
    check(arm, TIP, states(arm, 5, seed))


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-4, 1e-3])
@pytest.mark.parametrize("name", ["ur5", "puma560"])
def test_calibrated_arms_have_solutions_everywhere(name, size):
    arm = perturbed(tf.robots.bundled(name), size)
    q = states(arm, 100, 3)
    check(arm, "link6", q)
    q[:, 4] = 0.0
    T = poses(arm, q, "link6")
    found = tf.inverse_geometry(arm, frame="link6")(T, limits=False)
    assert (found.count > 0).all()
    if size > 1e-5:
        assert (apart(arm, found.q, q) < 1e-4).all()


@pytest.mark.slow
def test_two_parallel_and_two_meeting_axes():
    parallel = random_arm("RRRRRR", 8, [None, None, 0.0, None, None, None])
    check(parallel, TIP, states(parallel, 10_000, 8))
    meeting = random_arm("RRRRRR", 9, lengths=[None, None, 0.0, None, None, None])
    check(meeting, TIP, states(meeting, 10_000, 9))
