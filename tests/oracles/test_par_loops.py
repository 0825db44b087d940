"""SR400 and AKR3000 with random numbers, on fixed and floating bases: rank and dynamics against Pinocchio's tree,
projected on the motions that its constraint Jacobians allow.
"""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import tauforge as tf
from tauforge.models.loops.freedom import freedom
from tauforge.robot.entries import axis_names

from ..random_robots import seeds
from .agree import agree, solved
from .with_pinocchio import Twin, constant_pose

DATA = Path(__file__).parents[1] / "formats" / "data"


class Closed(Twin):
    """A robot with closed loops in Pinocchio: its tree, and the frames of the cuts."""

    def __init__(self, robot):
        super().__init__(robot.derived(loops=()))
        self.loops = robot.expanded().loops
        self.cuts = [[self._placed(joint) for joint in (loop.joint, loop.frame)] for loop in self.loops]
        self.data = self.model.createData()

    def _placed(self, joint):
        link = joint.antecedent - 1
        on, carrier = (self.pose[link], self.carrier[link]) if joint.antecedent else (pin.SE3.Identity(), 0)
        return self.model.addFrame(
            pin.Frame(f"{joint.name} cut", carrier, 0, on * constant_pose(joint), pin.FrameType.OP_FRAME)
        )

    def equations(self, q):
        """Return the rows of J for all loops, in Pinocchio's order: the motion of B against A, seen from A."""
        model, data = self.model, self.data
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        rows = []
        for loop, (a, b) in zip(self.loops, self.cuts, strict=True):
            A, B = data.oMf[a], data.oMf[b]
            moves = [pin.getFrameJacobian(model, data, k, pin.LOCAL_WORLD_ALIGNED) for k in (a, b)]
            there = moves[0][:3] + np.cross(moves[0][3:], (B.translation - A.translation)[:, None], axis=0)
            seen = np.vstack([A.rotation.T @ (moves[1][:3] - there), A.rotation.T @ (moves[1][3:] - moves[0][3:])])
            rows.append(seen[list(loop.joint.kind.held)])
        return np.vstack(rows)


def numbers(name, seed, base):
    """Return the robot of a file with a random number for each symbol, without friction."""
    robot, rng = tf.load(DATA / f"{name}.par", base=base).neglect("FV", "FS"), np.random.default_rng(seed)
    heavy = {symbol: rng.uniform(1.0, 2.0) for symbol in robot.symbols if symbol[:2] in ("XX", "YY", "ZZ", "IA")}
    light = {
        symbol: rng.uniform(-0.1, 0.1) for symbol in robot.symbols if symbol[:2] in ("XY", "XZ", "YZ", "MX", "MY", "MZ")
    }
    rest = {symbol: rng.uniform(0.5, 1.5) for symbol in robot.symbols}
    robot = robot.bind({**rest, **heavy, **light})
    if base == "floating":
        robot = robot.with_base("floating", tf.Body(name="base", inertia=tf.Inertia(2, 0, 0, 3, 0, 4, 0, 0, 0, 5)))
    return robot, rng


@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("name", ["SR400", "AKR3000"])
@seeds(quick=1, all=10)
def test_rank_and_dynamics(seed, name, base):
    robot, rng = numbers(name, seed, base)
    twin, found = Closed(robot), freedom(robot.expanded())
    near = found.q.copy()
    near[-len(robot.joints) :] += rng.uniform(-0.2, 0.2, len(robot.joints))
    q = tf.close_loops(robot, guess=near)
    names = axis_names(robot.expanded())
    free = [names.index(axis) for axis in robot.velocity_names]
    dependent = [k for k in range(len(names)) if k not in free]

    def J(at):
        return twin.equations(at)[:, twin.places]

    here, at = J(twin.q(q)), twin.q(q)
    rank = np.linalg.matrix_rank(here, tol=1e-7)
    assert (found.mobility, found.redundant) == (len(names) - rank, len(here) - rank)
    assert robot.dof == found.mobility
    qd, qdd = rng.normal(size=(2, len(free)))
    G = np.zeros((len(names), len(free)))
    G[free] = np.eye(len(free))
    G[dependent] = -np.linalg.lstsq(here[:, dependent], here[:, free], rcond=1e-9)[0]
    v, h = G @ qd, 1e-4
    ends = [J(pin.integrate(twin.model, at, twin.v(k * h * v))) @ v for k in (-2, -1, 1, 2)]
    rate = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h)
    a = G @ qdd
    a[dependent] -= np.linalg.lstsq(here[:, dependent], rate, rcond=1e-9)[0]
    tau = G.T @ twin.rows(pin.rnea(twin.model, twin.data, at, twin.v(v), twin.v(a)))
    M = G.T @ twin.symmetric(pin.crba(twin.model, twin.data, at)) @ G
    agree(tf.inverse_dynamics(robot).compile()(q, qd, qdd), tau, 1e-8)
    agree(tf.inertia_matrix(robot).compile()(q), M)
    agree(tf.direct_dynamics(robot).compile()(q, qd, tau), qdd, 10 * max(1e-8, solved(M)))
