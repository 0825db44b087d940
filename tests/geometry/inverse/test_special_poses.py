"""Regular poses at which axes that are apart in general become parallel or meet: no state is lost."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.geometry.inverse import other_orders

from .arms import apart
from .special_poses import (
    RIGHT,
    arm_of,
    brute_force,
    classes,
    last,
    lost,
    poses,
    random_structure,
    smallest,
    special_states,
)

PALLETISER = [(0.0, 0.0, 0.0, 0), (RIGHT, 0.0, 0.0, 0), (0.0, 1.0, 0.0, 0), (0.0, 1.0, 0.0, 0), (RIGHT, 0.0, 0.0, 0)]
STRUCTURES = {
    "a palletiser": PALLETISER,
    "a palletiser with offsets": [
        (0.0, 0.0, 0.5, 0),
        (RIGHT, 0.3, 0.0, 0),
        (0.0, 1.1, 0.0, 0),
        (0.0, 1.2, 0.0, 0),
        (RIGHT, 0.25, 0.0, 0),
    ],
    "a last axis along an earlier one": [
        (-RIGHT, 0.5, 0.0, 0),
        (-RIGHT, 0.0, 0.3, 0),
        (0.0, 1.0, 0.0, 0),
        (RIGHT, 0.0, 0.0, 0),
    ],
    "a slide at the base": [
        (0.0, 0.0, 0.3, 1),
        (-RIGHT, 0.5, 0.0, 0),
        (RIGHT, 0.0, 0.0, 0),
        (RIGHT, 0.5, 0.0, 0),
        (0.0, 0.3, 0.3, 0),
    ],
    "a slide between": [
        (0.0, 0.0, 0.0, 0),
        (RIGHT, 0.5, 0.3, 0),
        (0.0, 0.5, 0.0, 1),
        (0.0, 0.3, 0.3, 0),
        (-RIGHT, 0.3, 0.0, 0),
    ],
    "a slide at the end": [
        (0.0, 0.0, 0.3, 0),
        (-RIGHT, 0.5, 0.0, 0),
        (RIGHT, 0.0, 0.3, 0),
        (RIGHT, 0.0, 0.0, 0),
        (-RIGHT, 0.0, 0.3, 1),
    ],
    "four joints": [(0.0, 0.0, 0.0, 0), (0.0, 0.3, 0.0, 0), (RIGHT, 0.5, 0.3, 0), (-RIGHT, 0.3, 0.3, 0)],
    "five joints by elimination": [
        (0.0, 0.0, 0.0, 0),
        (RIGHT, 0.3, 0.0, 0),
        (RIGHT, 0.0, 0.0, 0),
        (0.0, 0.3, 0.0, 0),
        (-RIGHT, 0.3, 0.0, 0),
    ],
    "eliminated joints in another order": [
        (0.0, 0.0, 0.0, 0),
        (0.0, 0.5, 0.3, 0),
        (-RIGHT, 0.3, 0.0, 0),
        (RIGHT, 0.5, 0.3, 0),
        (-RIGHT, 0.3, 0.3, 0),
    ],
    "six joints by elimination": [
        (0.0, 0.0, 0.0, 0),
        (RIGHT, 0.0, 0.0, 0),
        (0.0, 0.3, 0.0, 0),
        (-RIGHT, 0.5, 0.3, 0),
        (0.0, 0.3, 0.3, 0),
        (RIGHT, 0.3, 0.0, 0),
    ],
    "a determinant that vanishes everywhere": [
        (0.0, 0.0, 0.0, 0),
        (0.0, 0.5, 0.0, 0),
        (-RIGHT, 0.5, 0.0, 0),
        (-RIGHT, 0.3, 0.0, 0),
        (-RIGHT, 0.5, 0.0, 0),
        (0.0, 0.3, 0.3, 0),
    ],
}


def test_a_palletiser_with_its_tool_vertical():
    q = np.array([0.3, 0.8, -1.2, 0.4, 0.5])
    ik = tf.inverse_geometry(arm_of(PALLETISER), frame=last(PALLETISER))
    T = tf.transforms(arm_of(PALLETISER), frames=last(PALLETISER)).compile()(q)[0]
    found = ik(T)
    assert found.exact
    assert found.count == 4
    assert not found.family.any()
    assert apart(ik.robot, found.q[None], q[None])[0] < 1e-9


def test_states_do_not_depend_on_the_state_they_are_to_be_near():
    q = special_states(PALLETISER, 0, 4, "parallel", 20, np.random.default_rng(1))
    ik, T = tf.inverse_geometry(arm_of(PALLETISER), frame=last(PALLETISER)), poses(PALLETISER, q)
    first = ik(T, limits=False)
    for seed in range(3):
        near = np.random.default_rng(seed).uniform(-3.0, 3.0, q.shape)
        again = ik(T, near=near, limits=False)
        np.testing.assert_array_equal(again.count, first.count)
        for k in range(first.q.shape[1]):
            there = first.count > k
            assert (apart(ik.robot, again.q[there], first.q[there, k]) < 1e-6).all()


@pytest.mark.parametrize("name", STRUCTURES)
def test_no_regular_state_is_lost(name):
    rows, some = STRUCTURES[name], 0
    ik = tf.inverse_geometry(arm_of(rows), frame=last(rows))
    for _, _, q in classes(rows, 12, np.random.default_rng(6)):
        gone, family = lost(rows, ik, q)
        assert not gone.any()
        assert not family.any()
        some += len(q)
    assert some > 10


@pytest.mark.parametrize("name", ["a palletiser", "four joints", "a slide between"])
def test_as_many_solutions_as_by_brute_force(name):
    rows, random = STRUCTURES[name], np.random.default_rng(3)
    ik = tf.inverse_geometry(arm_of(rows), frame=last(rows))
    for _, _, q in classes(rows, 2, random):
        T = poses(rows, q[:1])
        every = brute_force(rows, T[0], random)
        every = every[smallest(rows, every) > 1e-3]
        found = ik(T, limits=False)
        assert all(apart(ik.robot, found.q, x[None])[0] < 1e-4 for x in every)


@pytest.mark.parametrize("size", [1e-5, 1e-7, 1e-9, 1e-11, 1e-13])
def test_tools_that_are_almost_vertical(size):
    """There, what determines the last joint is as small as the tilt."""
    rows = STRUCTURES["a palletiser with offsets"]
    q = special_states(rows, 0, 4, "parallel", 60, np.random.default_rng(4))
    q[:, 3] += size * np.random.default_rng(5).choice([-1.0, 1.0], len(q))
    q[::2, 4] = 0.0  # where the tilt is at the end of its range
    gone, family = lost(rows, tf.inverse_geometry(arm_of(rows), frame=last(rows)), q)
    assert not gone.any()
    assert not family.any()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_random_structures(seed):
    """200 poses of each class, and a count by brute force for some of them."""
    rows = random_structure(np.random.default_rng(seed))
    ik, random = tf.inverse_geometry(arm_of(rows), frame=last(rows)), np.random.default_rng(seed)
    for kind, pair, q in classes(rows, 200, random):
        gone, family = lost(rows, ik, q)
        assert not gone.any(), (rows, kind, pair, q[gone][0])
        assert not family.any()
        T = poses(rows, q[::10])
        found = ik(T, limits=False)
        for k in range(len(T)):
            every = brute_force(rows, T[k], random)
            every = every[smallest(rows, every) > 1e-3]
            assert all(apart(ik.robot, found.q[[k]], x[None])[0] < 1e-4 for x in every), (rows, kind, pair, q[10 * k])


def test_free_joints_do_not_multiply_starts(monkeypatch):
    """Where a joint can be anywhere, all its positions are solutions: each of them was looked at more closely."""
    rows = [(0.0, 0.0, 0.0, 0), (-RIGHT, 0.3, 0.3, 0), (0.0, 0.3, 0.0, 0), (-RIGHT, 0.0, 0.0, 0), (-RIGHT, 0.0, 0.3, 0)]
    q, sizes = np.array([[np.pi, RIGHT, RIGHT, -RIGHT, RIGHT]]), []
    refine = other_orders.refine

    def counted(newton, chain, T, starts):
        sizes.append(starts.shape[1])
        assert sizes[-1] < 1000
        return refine(newton, chain, T, starts)

    monkeypatch.setattr(other_orders, "refine", counted)
    gone, family = lost(rows, tf.inverse_geometry(arm_of(rows), frame=last(rows)), q)
    assert len(sizes) == 2  # by other orders, and by moving joints all around
    assert not gone.any()
    assert not family.any()


def test_poses_that_are_almost_reached_are_not_called_out_of_reach():
    """A singular pose whose rounding decides whether steps find a state; a search ends nanometres from it."""
    rows = [
        (0.0, 0.0, 0.3, 1), (-RIGHT, 0.0, 0.0, 0), (0.0, 0.5, 0.0, 0), (-RIGHT, 0.0, 0.0, 0), (RIGHT, 0.3, 0.0, 0),
        (RIGHT, 0.3, 0.0, 0),
    ]  # fmt: skip
    off = 1e-8
    q = np.array([[0.3, np.pi + off, -off, off - RIGHT, off - RIGHT, np.pi - off]])
    found = tf.inverse_geometry(arm_of(rows), frame=last(rows))(poses(rows, q), limits=False)
    assert found.count[0] or "near a singular state" in found.reason[0]
