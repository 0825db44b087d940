"""Rollouts equal loops in Python over compiled models, and converge as their methods promise."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.simulation import rollout_checks
from tests.random_loops import random_mechanism
from tests.random_robots import random_robot, random_state, random_tree, seeds

METHODS = ("semi-implicit", "rk4")


def batch(robot, count, seed=0):
    """Return states and torques, (count, n) each."""
    rows = [random_state(robot, seed + k) for k in range(max(1, count))]
    return [np.array([row[i] for row in rows])[:count] for i in range(3)]


class Loop:
    """The same steps in Python."""

    def __init__(self, robot):
        self.robot = robot
        self.dynamics, self.move = tf.direct_dynamics(robot).compile(), tf.integrate(robot).compile()
        self.flat = all(joint.kind.is_flat for joint in robot.expanded().joints)

    def semi_implicit(self, q, qd, torques, h):
        qd = qd + h * self.dynamics(q, qd, torques(q, qd, 0.0))
        return self.move(q, h * qd), qd

    def rk4(self, q, qd, torques, h):
        def f(q, v, part):
            return self.dynamics(q, v, torques(q, v, part))

        a1 = f(q, qd, 0.0)
        q2, v2 = self.move(q, h / 2 * qd), qd + h / 2 * a1
        a2 = f(q2, v2, 0.5)
        q3, v3 = self.move(q, h / 2 * v2), qd + h / 2 * a2
        a3 = f(q3, v3, 0.5)
        v4 = qd + h * a3
        q4 = self.move(q, h * v3) if self.flat else self.move(q2, h * v3 - h / 2 * qd)
        a4 = f(q4, v4, 1.0)
        if self.flat:
            after = self.move(q, h / 6 * (qd + 2 * v2 + 2 * v3 + v4))
        else:
            after = self.move(q, h / 12 * (3 * qd + 2 * v2 + 2 * v3 - v4))
            after = self.move(after, h / 12 * (-qd + 2 * v2 + 2 * v3 + 3 * v4))
        return after, qd + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)

    def run(self, method, q, qd, tau, h, steps, torques=None):
        """Return the states after each step; ``tau`` has an axis of steps."""
        step, rows = {"semi-implicit": self.semi_implicit, "rk4": self.rk4}[method], []
        for k in range(steps):
            given = (lambda q, v, part, k=k: torques(q, v, (k + part) * h)) if torques else lambda *_, k=k: tau[:, k]
            q, qd = step(q, qd, given, h)
            rows.append(np.hstack([q, qd]))
        return np.stack(rows, axis=1)


def joined(result):
    return np.concatenate([result.q, result.qd], axis=-1)


def close(a, b, tolerance=1e-14):
    assert a.shape == b.shape
    assert np.abs(a - b).max() <= tolerance * np.abs(b).max()


@pytest.mark.parametrize("method", METHODS)
@seeds(3, 40)
def test_equals_a_loop_in_python(seed, method):
    robot = random_tree(seed, largest=4 if seed < 3 else 8)
    q, qd, _ = batch(robot, 3, seed)
    tau = np.random.default_rng(seed).normal(size=(3, 6, robot.dof))
    result = tf.rollout(robot, q, qd, tau, 1e-3, method=method)
    close(joined(result), Loop(robot).run(method, q, qd, tau, 1e-3, 6))
    assert np.allclose(result.t, 1e-3 * np.arange(1, 7), rtol=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_prismatic_joints_and_a_floating_base(method):
    robot = replace(random_robot(5, smallest=3, largest=3, fixed=False), name="mixed")
    robot = replace(robot, joints=(replace(robot.joints[0], sigma=1), *robot.joints[1:]))
    for own in (robot, random_robot(6, smallest=2, largest=2, floating=True)):
        q, qd, _ = batch(own, 2)
        tau = np.random.default_rng(1).normal(size=(2, 50, len(own.velocity_names)))
        result = tf.rollout(own, q, qd, tau, 1e-3, method=method)
        close(joined(result), Loop(own).run(method, q, qd, tau, 1e-3, 50))


@pytest.mark.parametrize("count", [0, 1, 3, 4097])
@pytest.mark.parametrize("threads", [None, 1, 3])
def test_batches(count, threads):
    robot = tf.robots.planar2r()
    q, qd, tau = batch(robot, count)
    result = tf.rollout(robot, q, qd, tau[:, None], 1e-3, steps=4, threads=threads)
    assert result.q.shape == result.qd.shape == (count, 4, 2)
    if count:
        expected = Loop(robot).run("semi-implicit", q, qd, np.repeat(tau[:, None], 4, axis=1), 1e-3, 4)
        close(joined(result), expected)


def test_a_state_does_not_depend_on_its_batch_or_on_threads():
    robot = tf.robots.puma560()
    q, qd, tau = batch(robot, 37)
    whole = tf.rollout(robot, q, qd, tau[:, None], 1e-3, steps=20, threads=1)
    for threads in (2, 5):
        assert np.array_equal(whole.q, tf.rollout(robot, q, qd, tau[:, None], 1e-3, steps=20, threads=threads).q)
    for k in (0, 8, 36):
        assert np.array_equal(whole.qd[k], tf.rollout(robot, q[k], qd[k], tau[k], 1e-3, steps=20).qd)


def test_every_kth_state_and_the_last():
    robot = tf.robots.planar2r()
    q, qd, tau = batch(robot, 9)
    options = {"tau": tau[:, None], "dt": 1e-3, "steps": 12}
    whole = tf.rollout(robot, q, qd, **options)
    some = tf.rollout(robot, q, qd, **options, every=4)
    last = tf.rollout(robot, q, qd, **options, every=None)
    assert np.array_equal(some.q, whole.q[:, 3::4])
    assert np.array_equal(some.t, whole.t[3::4])
    assert last.q.shape == (9, 2)
    assert np.array_equal(last.qd, whole.qd[:, -1])
    assert last.t == whole.t[-1]


def test_no_steps():
    robot = tf.robots.planar2r()
    assert tf.rollout(robot, [0.1, 0.2], [0, 0], np.zeros((0, 2)), 1e-3).q.shape == (0, 2)
    assert tf.rollout(robot, [0.1, 0.2], [0, 0], None, 1e-3, steps=0, every=None).q.tolist() == [0.1, 0.2]


def test_forms_of_torques():
    robot = tf.robots.planar2r()
    q, qd, _ = batch(robot, 6)
    constant, by_step = np.array([1.0, -2.0]), np.random.default_rng(0).normal(size=(5, 2))
    a = tf.rollout(robot, q, qd, constant, 1e-3, steps=5).q
    assert np.array_equal(a, tf.rollout(robot, q, qd, np.tile(constant, (5, 1)), 1e-3).q)
    assert np.array_equal(a, tf.rollout(robot, q, qd, np.tile(constant, (6, 1, 1)), 1e-3, steps=5).q)
    b = tf.rollout(robot, q, qd, by_step, 1e-3).q
    assert np.array_equal(b, tf.rollout(robot, q, qd, np.tile(by_step, (6, 1, 1)), 1e-3).q)
    assert np.array_equal(b, tf.rollout(robot, q, qd, np.asfortranarray(by_step), 1e-3).q)
    once = tf.rollout(robot, q, qd, by_step[:1], 1e-3).q
    assert once.shape == (6, 1, 2)
    assert np.array_equal(once, b[:, :1])
    grid = tf.rollout(robot, q[:, None], qd[:, None], np.stack([by_step, -by_step]), 1e-3).q
    assert grid.shape == (6, 2, 5, 2)
    assert np.array_equal(grid[:, 0], b)
    assert not np.array_equal(grid[:, 1], b)
    free = tf.rollout(robot, q, qd, None, 1e-3, steps=5).q
    assert np.array_equal(free, tf.rollout(robot, q, qd, [0, 0], 1e-3, steps=5).q)


def test_single_precision():
    robot = tf.robots.planar2r()
    q, qd, tau = batch(robot, 5)
    single = tf.rollout(robot, q, qd, tau[:, None], 1e-3, steps=50, dtype="float32")
    double = tf.rollout(robot, q, qd, tau[:, None], 1e-3, steps=50)
    assert single.q.dtype == np.float32
    close(single.q, double.q, 1e-4)
    assert not np.array_equal(single.q, double.q)


def test_out_receives_the_states():
    robot = tf.robots.planar2r()
    out = np.zeros((3, 4, 4))
    result = tf.rollout(robot, np.zeros((3, 2)), np.ones(2), None, 1e-3, steps=4, out=out)
    assert np.shares_memory(result.q, out)
    assert np.array_equal(result.q, tf.rollout(robot, np.zeros((3, 2)), np.ones(2), None, 1e-3, steps=4).q)


def energy_error(robot, q, qd, method, h):
    energies = tf.energy(robot).compile()
    last = tf.rollout(robot, q, qd, None, h, steps=round(0.4 / h), method=method, every=None)
    return abs(sum(energies(last.q, last.qd)) - sum(energies(q, qd)))


@pytest.mark.parametrize(("method", "order", "h"), [("semi-implicit", 1, 1e-3), ("rk4", 4, 1e-2)])
@pytest.mark.parametrize("floating", [False, True])
def test_order_of_convergence(method, order, h, floating):
    robot = random_robot(11, smallest=3, largest=3, fixed=False, floating=floating)
    q, qd, _ = map(np.array, random_state(robot, 3))
    reference = tf.rollout(robot, q, qd, None, 5e-4, steps=800, method="rk4", every=None)
    errors = []
    for step in (h, h / 2):
        last = tf.rollout(robot, q, qd, None, step, steps=round(0.4 / step), method=method, every=None)
        errors.append(np.abs(joined(last) - joined(reference)).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)
    energies = [energy_error(robot, q, qd, method, step) for step in (h, h / 2)]
    assert np.log2(energies[0] / energies[1]) > order - 0.5


@pytest.mark.parametrize("method", METHODS)
def test_quaternions_stay_unit(method):
    robot = random_robot(6, smallest=2, largest=2, floating=True)
    q, qd, _ = batch(robot, 4)
    result = tf.rollout(robot, q, qd, None, 1e-3, steps=2000, method=method, every=500)
    assert np.abs(np.linalg.norm(result.q[..., 3:7], axis=-1) - 1).max() < 1e-15 * 4


@pytest.mark.parametrize("method", METHODS)
def test_closed_loops_stay_closed(method):
    robot, q = random_mechanism(1, planar=True)
    q, qd = tf.close_loops(robot, guess=q), np.full(len(robot.velocity_names), 0.3)
    result = tf.rollout(robot, q, qd, None, 1e-3, steps=200, method=method)
    errors = tf.loop_closure(robot).compile()(result.q)
    assert np.abs(errors[0]).max() < 1e-10
    assert np.abs(result.q[-1] - q).max() > 1e-2
    few = joined(tf.rollout(robot, q, qd, None, 1e-3, steps=5, method=method))
    zeros = np.zeros((1, 5, len(qd)))
    close(few, Loop(robot).run(method, q[None], qd[None], zeros, 1e-3, 5)[0], 1e-12)


def test_the_energy_error_falls_with_the_order_of_the_method():
    """Of torques, friction and a controller's integral; it is computed when it is asked for."""
    robot = tf.robots.planar2r()
    rubbing = replace(robot, joints=tuple(replace(joint, FV=0.2) for joint in robot.joints))
    for method, order in (("semi-implicit", 1), ("rk4", 4)):
        coarse, fine = (
            tf.rollout(
                rubbing, [0.3, 1.0], [0.0, 0.0], [1.0, -0.5], dt, steps=round(1 / dt), method=method
            ).energy_error
            for dt in (4e-3, 2e-3)
        )
        assert coarse / fine == pytest.approx(2.0**order, rel=0.2)
    controlled = tf.rollout(
        rubbing, [[0.1, 0.2], [1.0, 2.0]], [0.0, 0.0], tf.gravity(rubbing), 1e-3, steps=50, every=None
    )
    assert controlled.energy_error.shape == (2,)
    assert controlled.energy_error.max() < 1e-12  # it rests


def test_a_copy_of_a_rollout_has_no_energy_error():
    found = tf.rollout(tf.robots.planar2r(), [0.3, 1.0], [0.0, 0.0], None, 1e-3, steps=10)
    with pytest.raises(tf.ProgramError, match="is a copy"):
        _ = pickle.loads(pickle.dumps(found)).energy_error


def test_a_rollout_that_jumps_to_another_branch_warns():
    robot = tf.robots.fivebar()
    q0 = tf.close_loops(robot, np.array([[2.0, 1.1], [1.5, 1.5]]), guess=[2.0, -1.2, 1.1, 1.2])
    with pytest.warns(tf.SimulationWarning, match="1 of 2 states, 0 the first, meet a singular state"):
        tf.rollout(robot, q0, [0.0, 0.0], None, 1e-3, steps=300, method="rk4", coordinates="independent")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.rollout(robot, q0, [0.0, 0.0], None, 1e-3, steps=200, method="rk4")


def test_a_rollout_with_states_that_are_not_finite_warns():
    fast = np.array([[0.0, 0.0], [1e200, 1e200]])
    with pytest.warns(tf.SimulationWarning, match="1 of 2 states, 1 the first, become infinite or NaN"):
        tf.rollout(tf.robots.planar2r(), [0.3, 1.0], fast, None, 1e-3, steps=10)


def test_branches_of_independent_joints_are_not_looked_for_in_all_coordinates(monkeypatch):
    robot, seen = tf.robots.fivebar(), []
    q = np.array([tf.close_loops(robot, [2.0, 1.0], guess=[2.0, -1.0, 1.0, 1.0])] * 3)
    real = rollout_checks._changes_branch
    monkeypatch.setattr(rollout_checks, "_changes_branch", lambda *a: (seen.append(a[2].shape[0]), real(*a))[1])
    monkeypatch.setattr(rollout_checks, "ROWS", 10)  # two states of five rows
    rests = np.zeros((3, 2))
    tf.rollout(robot, q, rests, None, 1e-3, steps=4, coordinates="all")
    assert seen == []
    tf.rollout(robot, q, rests, None, 1e-3, steps=4, coordinates="independent")
    assert seen == [2, 1]
