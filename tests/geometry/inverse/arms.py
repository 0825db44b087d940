"""Arms for the tests of inverse geometry: bundled ones, random ones, and their states."""

from dataclasses import replace

import numpy as np

import tauforge as tf

TIP = "tip"


def random_arm(kinds, seed, alphas=None, lengths=None):
    """Return an arm of R and P joints with random axes; some angles and lengths may be given."""
    random = np.random.default_rng(seed)
    joints, bodies = [], []
    for k, letter in enumerate(kinds):
        place = {
            "alpha": float(random.uniform(-3.0, 3.0)),
            "d": float(random.uniform(-0.5, 0.5)),
            "theta": float(random.uniform(-3.0, 3.0)),
            "r": float(random.uniform(-0.5, 0.5)),
        }
        if alphas and alphas[k] is not None:
            place["alpha"] = alphas[k]
        if lengths and lengths[k] is not None:
            place["d"] = lengths[k]
        joints.append(tf.Joint(name=f"joint{k + 1}", antecedent=k, sigma=int(letter == "P"), **place))
        bodies.append(tf.Body(name=f"link{k + 1}"))
    tip = tf.Joint(name=TIP, antecedent=len(kinds), sigma=2, mu=0, alpha=0.3, d=0.1, theta=0.4, r=0.2)
    return tf.Robot(name=f"{kinds}{seed}", joints=tuple(joints), bodies=tuple(bodies), frames=(tip,))


def perturbed(robot, size, seed=0):
    """Return a robot with all its lengths and angles changed by up to a size."""
    random = np.random.default_rng(seed)
    joints = []
    for joint in robot.joints:
        changes = {
            key: float(getattr(joint, key)) + random.uniform(-size, size) for key in ("alpha", "d", "theta", "r")
        }
        changes |= {key: float(getattr(joint, key)) + random.uniform(-size, size) for key in ("gamma", "b")}
        joints.append(replace(joint, **changes))
    return replace(robot, joints=tuple(joints))


def states(robot, count, seed=0, fixed=None):
    """Return random states: angles anywhere, slides within half a metre."""
    random = np.random.default_rng(seed)
    q = random.uniform(-np.pi, np.pi, (count, len(robot.coordinate_names)))
    for k, joint in enumerate(joint for joint in robot.joints if joint.axes):
        if joint.sigma == 1:
            q[:, k] = random.uniform(-0.5, 0.5, count)
    for name, value in (fixed or {}).items():
        q[:, robot.coordinate_names.index(name)] = value
    return q


def poses(robot, q, frame):
    return tf.transforms(robot, frames=frame).compile()(q)[..., 0, :, :]


def apart(robot, q, given):
    """Return the distance of the nearest solution (k, K, n) from each state (k, n)."""
    off = q - given[:, None]
    turning = [k for k, joint in enumerate(joint for joint in robot.joints if joint.axes) if joint.sigma == 0]
    off[..., turning] -= 2.0 * np.pi * np.round(off[..., turning] / (2.0 * np.pi))
    return np.nan_to_num(np.abs(off).max(axis=2), nan=10.0).min(axis=1, initial=10.0)


def check(robot, frame, q, *, fixed=None, recalled=1e-5, within=1e-10, **options):
    """Check that the states are found again and that all solutions have the pose; return them."""
    T = poses(robot, q, frame)
    ik = tf.inverse_geometry(robot, frame=frame, fixed=fixed)
    found = ik(T, limits=False, **options)
    assert found.exact.all()
    assert (apart(robot, found.q, q) < recalled).all()
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    assert (np.isfinite(found.q).all(axis=2) == there).all()
    reached = poses(robot, np.nan_to_num(found.q), frame)
    assert np.abs(reached - T[:, None])[there].max() < within
    return ik, found
