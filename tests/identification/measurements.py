"""Measurements of robots whose parameters are known, reduced to a triangle."""

from dataclasses import dataclass
from functools import cache

import numpy as np

import tauforge as tf
from tauforge.identification.consistent import Reduced
from tauforge.parameters.base import BaseParameters, grouped
from tests.random_robots import random_robot


@dataclass(frozen=True)
class Measured:
    """Reduced torques, the base parameters that gave them, and the same for another motion, weighted alike."""

    base: BaseParameters
    reduced: Reduced
    truth: np.ndarray
    other: tuple[np.ndarray, np.ndarray]

    @property
    def forms(self):
        return {self.base.name(*key): form for key, form in self.base.forms.items()}

    @property
    def first(self):
        """Number of the first link in names."""
        return 0 if self.base.of.base.floating else 1

    def error(self, values):
        """Return the length of the residual of the other motion."""
        Y, tau = self.other
        return np.linalg.norm(Y @ values - tau)


def measured(robot, noise, *, seed=0, samples=200):
    """Return measurements at random states, with noise as a part of each torque's own spread."""
    rng = np.random.default_rng(seed)
    base, regressor, places = compiled(robot)
    values = base.values()
    truth = np.array(list(values.values()))
    q, qd, qdd = states(robot, rng, 2 * samples)
    Y = regressor(q, qd, qdd).reshape(2 * samples, robot.dof, -1)[:, :, places]
    tau = Y @ truth
    spread = tau.std(axis=0) + 1e-3 * np.abs(tau).max()
    tau = tau + noise * spread * rng.normal(size=tau.shape)
    Y, tau = Y / spread[:, None], tau / spread
    known, rest = slice(samples), slice(samples, None)
    whole = np.column_stack([Y[known].reshape(-1, len(truth)), tau[known].ravel()])
    R = np.linalg.qr(whole, mode="r")
    p = len(truth)
    reduced = Reduced(tuple(values), R[:p, :p], R[:p, p], float(R[p, p] ** 2), len(whole))
    return Measured(base, reduced, truth, (Y[rest].reshape(-1, p), tau[rest].ravel()))


@cache
def compiled(robot):
    """Return the base parameters, the regressor, and its columns for each of them."""
    base = grouped(robot)
    program = tf.regressor(robot, parameters="base")
    labels = program.outputs["Y"].labels[1]
    places = [labels.index(name if name in labels else name.removesuffix("R")) for name in base.values()]
    return base, program.compile(), places


def states(robot, rng, count):
    """Return random states; closed ones where the robot has loops."""
    nq, nv = len(robot.coordinate_names), robot.dof
    q = rng.uniform(-2, 2, (count, nq))
    if robot.loops:
        held = [robot.coordinate_names.index(name) for name in robot.velocity_names]
        start = tf.close_loops(robot, None, guess=np.full(nq, 0.5))
        q = np.array([tf.close_loops(robot, start[held] + rng.uniform(-0.2, 0.2, nv), guess=start) for _ in q])
    for joint in robot.expanded().joints:
        if joint.kind.word in ("floating", "spherical"):
            place = robot.coordinate_names.index(f"{joint.name}{joint.kind.coordinates[-1]}")
            q[:, place - 3 : place + 1] /= np.linalg.norm(q[:, place - 3 : place + 1], axis=1, keepdims=True)
    return q, rng.normal(size=(count, nv)), 3.0 * rng.normal(size=(count, nv))


def heavy(seed, **kind):
    """Return a random robot that something moves and torques depend on."""
    robot = random_robot(seed, rotors=True, **kind)
    return robot if robot.dof else heavy(seed + 1000, **kind)
