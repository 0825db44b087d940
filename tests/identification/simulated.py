"""Recordings whose truth is known: robots simulated in closed loop, measured as encoders and current sensors do.

A sampled controller that knows the robot only roughly follows an exciting motion, and its torques are held from sample
to sample. Joints have friction and rotors. Encoders round positions, current sensors average the torque over the
samples around theirs, add noise and round too. All of it depends on the seed alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pinocchio

import tauforge as tf
from tauforge.parameters.base import grouped

RATE = 500.0
"""Samples per second of controllers and sensors."""
ROBOTS = ("puma560", "panda", "a1", "planar2r")
QUADRUPED = "a1"
CASES = [(name, seed) for name in ROBOTS[:3] for seed in range(8)]
SHORT = {"planar2r": 4.0}
"""Durations in seconds; 8 for others."""
ENCODER = 2.0 * np.pi / 2**17
"""Step of an encoder, at the joint."""
JITTER = 1e-3
"""Noise of poor encoders, which biases least squares."""
NOISE, BITS = 0.01, 12
"""Noise of a torque relative to its largest, and the bits that measure it."""
TRACKER = 2e-5
"""Noise of the pose of a floating base, in metres and radians."""
DATA = Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"


@dataclass(frozen=True, eq=False)
class Case:
    """A true robot, what is known of it, and its recordings: one to learn from, one held out."""

    truth: tf.Robot
    known: tf.Robot
    recordings: tuple[tf.Recording, ...]


@lru_cache
def robot_of(name: str) -> tf.Robot:
    """Return a robot with friction and rotors, as its description has it."""
    if name == "puma560":
        robot = tf.robots.puma560()
    elif name == "panda":
        robot = tf.load(DATA / "panda_description" / "urdf" / "panda.urdf", snap=1e-4)
        robot = robot.lock({joint: 0.02 for joint in robot.joint_names if "finger" in joint})
    elif name == QUADRUPED:
        robot = tf.load(DATA / "a1_description" / "urdf" / "a1.urdf", base="floating", snap=1e-4)
    else:
        robot = tf.robots.bundled(name)
    sizes = np.linspace(1.0, 0.3, len(robot.joints))
    joints = tuple(
        joint if joint.sigma == 2 else replace(joint, IA=0.2 * x, FV=2.0 * x, FS=3.0 * x)
        for joint, x in zip(robot.joints, sizes, strict=True)
    )
    return replace(robot, joints=joints)


def different(robot: tf.Robot, rng: np.random.Generator) -> tf.Robot:
    """Return a robot whose links, rotors and friction differ from the description by up to a fifth."""
    bodies = tuple(
        replace(body, inertia=tf.Inertia(*(factor * x for x in body.inertia)))
        for body, factor in zip(robot.bodies, rng.uniform(0.8, 1.2, len(robot.bodies)), strict=True)
    )
    joints = tuple(
        replace(
            joint,
            **{
                key: getattr(joint, key) * x
                for key, x in zip(("IA", "FV", "FS"), rng.uniform(0.8, 1.2, 3), strict=True)
            },
        )
        for joint in robot.joints
    )
    return replace(robot, bodies=bodies, joints=joints)


@lru_cache
def motions(name: str) -> tuple[tf.Motion, ...]:
    """Return two exciting motions of the joints; a floating base is held for them."""
    robot = robot_of(name)
    held = robot.with_base("fixed") if name == QUADRUPED else robot
    low = np.array([max(joint.limits.lower, -1.5) for joint in held.joints if joint.sigma != 2])
    high = np.array([min(joint.limits.upper, 1.5) for joint in held.joints if joint.sigma != 2])
    wide = high - low < 1.0
    low, high = np.where(wide, 0.5 * (low + high) - 0.5, low), np.where(wide, 0.5 * (low + high) + 0.5, high)
    limits = {"position": (low, high), "velocity": 2.5, "acceleration": 15.0, "torque": np.inf}
    return tuple(
        tf.exciting_trajectory(
            held,
            SHORT.get(name, 8.0),
            limits,
            harmonics=5,
            criterion="determinant",
            starts=1,
            seed=seed,
            friction=("FV", "FS"),
            rotors=True,
        ).motion
        for seed in (0, 1)
    )


class Ridden:
    """The motion of a robot on a floating base: that of its joints, and swings of the base."""

    def __init__(self, joints: tf.Motion, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.joints = joints
        self._size = rng.uniform(-1.0, 1.0, (6, 4)) * np.array([[0.15], [0.15], [0.15], [0.4], [0.4], [0.4]])
        self._rate = 2.0 * np.pi / joints.duration * np.arange(2, 6)

    def pose(self, t: float) -> np.ndarray:
        """Return position and quaternion of the base: at rest at the start, and turned about a moving vector."""
        ramp = min(1.0, t / 1.0) ** 2 * (3.0 - 2.0 * min(1.0, t / 1.0))
        x = ramp * (self._size @ np.sin(self._rate * t))
        angle = float(np.linalg.norm(x[3:]))
        axis = x[3:] * (0.5 if angle < 1e-9 else np.sin(angle / 2.0) / angle)
        return np.concatenate([x[:3], axis, [np.cos(angle / 2.0)]])

    def __call__(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates and velocities."""
        q, qd, _ = self.joints(t)
        h = 1e-5
        one, two, here = self.pose(max(t - h, 0.0)), self.pose(t + h), self.pose(t)
        step = 2.0 * h if t >= h else t + h
        turned = _times(_inverse(one[3:]), two[3:])
        linear = _rotated(_inverse(here[3:]), (two[:3] - one[:3]) / step)
        return np.concatenate([here, q]), np.concatenate([linear, 2.0 * turned[:3] / step * np.sign(turned[3]), qd])


def _inverse(q: np.ndarray) -> np.ndarray:
    return q * [-1.0, -1.0, -1.0, 1.0]


def _times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def _rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _times(_times(q, np.append(v, 0.0)), _inverse(q))[:3]


@lru_cache
def controller_of(name: str, number: int) -> tf.Controller:
    """Return a controller that knows the description only."""
    robot, motion = robot_of(name), motions(name)[number]
    if name != QUADRUPED:
        return tf.computed_torque(robot, 400.0, 40.0, motion)
    kp, kd = [2e4] * 3 + [800.0] * 3 + [200.0] * 12, [1e3] * 3 + [30.0] * 3 + [10.0] * 12
    return tf.pd_control(robot, kp, kd, Ridden(motion, number))


def recorded(name: str, truth: tf.Robot, number: int, rng: np.random.Generator) -> tf.Recording:
    """Return a recording of one motion."""
    motion, law = motions(name)[number], controller_of(name, number)
    t = np.arange(0.0, motion.duration, 1.0 / RATE)
    start = law.at(0.0)
    run = tf.simulate(truth, t, controller=law, rate=RATE, q0=start["q_ref"], method="Tsit5", rtol=1e-7, atol=1e-9)
    held = np.concatenate([run.tau[:1], 0.5 * (run.tau[1:] + run.tau[:-1])])
    largest = np.abs(held).max(axis=0)
    noisy = held + NOISE * largest * rng.normal(size=held.shape)
    step = 2.0 * 1.5 * largest / 2**BITS
    tau = step * np.round(noisy / step)
    q, joints = run.q.copy(), len(motion(0.0).q)
    q[:, -joints:] = ENCODER * np.round(q[:, -joints:] / ENCODER)
    if name == QUADRUPED:
        q[:, :7] += TRACKER * rng.normal(size=(len(q), 7))
    return tf.Recording(t, q, tau, name=f"{name} {number}", reference=np.array([law.at(x)["q_ref"] for x in t]))


def poorly_measured(recording: tf.Recording, seed: int) -> tf.Recording:
    """Return the recording with positions from poor encoders."""
    noise = np.random.default_rng(seed).normal(size=recording.q.shape)
    return recording.changed(q=recording.q + JITTER * noise)


def true_values(truth: tf.Robot, names: tuple[str, ...]) -> np.ndarray:
    """Return the true values of base parameters, rotors and friction by their names."""
    known = dict(grouped(truth, None, True).values())
    for number, joint in enumerate(truth.joints, 1):
        known |= {f"{key}{number}": float(getattr(joint, key)) for key in ("FV", "FS", "FO")}
    return np.array([known[name] for name in names])


@lru_cache(maxsize=4)
def case(name: str, seed: int) -> Case:
    """Return one of the cases."""
    rng = np.random.default_rng([seed, ROBOTS.index(name)])
    truth = different(robot_of(name), rng)
    return Case(truth, robot_of(name), tuple(recorded(name, truth, k, rng) for k in (0, 1)))
