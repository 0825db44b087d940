"""Geometry and velocity against Pinocchio, on 300 random trees of 2 to 25 bodies, on fixed and floating bases."""

from random import Random

import numpy as np
import pinocchio as pin
import pytest

import tauforge as tf
from tauforge.models.link_motion import VELOCITY

from ..interpret import interpret
from ..random_robots import random_robot, random_state, random_tree, seeds
from .agree import agree
from .with_pinocchio import Twin

AXES = {"base": pin.LOCAL_WORLD_ALIGNED, "frame": pin.LOCAL}


@seeds(quick=4, all=300)
def test_transforms_and_motions_of_links(seed):
    robot = random_tree(seed)
    twin, (q, qd, qdd) = Twin(robot), map(np.array, random_state(robot, seed))
    model, data, frames = twin.model, twin.data, twin.frames
    pin.forwardKinematics(model, data, twin.q(q), twin.v(qd), twin.v(qdd))
    pin.updateFramePlacements(model, data)
    placements = [data.oMf[frame] for frame in frames]
    agree(interpret(tf.transforms(robot), q), np.array([x.homogeneous for x in placements]))
    random, links = Random(seed), [body.name for body in twin.robot.bodies]
    root, one = random.randrange(len(links)), random.randrange(len(links))
    relative = np.array([(placements[root].inverse() * x).homogeneous for x in placements])
    agree(interpret(tf.transforms(robot, relative_to=links[root]), q), relative)
    agree(interpret(tf.transforms(robot, frames=links[one], relative_to=links[root]), q), relative[[one]])
    velocities = [pin.getFrameVelocity(model, data, frame, pin.LOCAL).vector for frame in frames]
    agree(interpret(tf.link_velocities(robot), q, qd), np.array(velocities))
    accelerations = [pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL).vector for frame in frames]
    agree(interpret(tf.link_accelerations(robot), q, qd, qdd), np.array(accelerations))


@seeds(quick=4, all=300)
def test_jacobians_and_their_rates(seed):
    robot, random = random_tree(seed), Random(seed)
    twin, (q, qd, _) = Twin(robot, hinges=True), map(np.array, random_state(robot, seed))
    link = random.randrange(len(twin.robot.bodies))
    point = np.array([random.uniform(-1, 1) for _ in range(3)]) * (seed % 2)
    frame, model, data = twin.frame(link, point), twin.model, twin.data
    pin.computeJointJacobians(model, data, twin.q(q))
    pin.computeJointJacobiansTimeVariation(model, data, twin.q(q), twin.v(qd))
    pin.updateFramePlacements(model, data)
    for axes, reference in AXES.items():
        asked = {"frame": twin.robot.bodies[link].name, "point": tuple(point), "axes": axes}
        J = twin.columns(pin.getFrameJacobian(model, data, frame, reference))
        Jd = twin.columns(pin.getFrameJacobianTimeVariation(model, data, frame, reference))
        agree(interpret(tf.jacobian(robot, **asked), q), J)
        agree(interpret(tf.jacobian_rate(robot, **asked), q, qd), Jd)
        agree(interpret(tf.jacobian_bias(robot, **asked), q, qd), Jd @ qd)


@seeds(quick=4, all=300)
def test_centre_of_mass(seed):
    robot = random_tree(seed)
    twin, (q, qd, _) = Twin(robot), map(np.array, random_state(robot, seed))
    model, data = twin.model, twin.data
    pin.centerOfMass(model, data, twin.q(q), twin.v(qd))
    mass, moments = twin.standing()
    part = data.mass[0] / (data.mass[0] + mass)
    agree(interpret(tf.centre_of_mass(robot), q), part * data.com[0] + moments / (data.mass[0] + mass))
    agree(interpret(tf.centre_of_mass_velocity(robot), q, qd), part * data.vcom[0])
    J = pin.jacobianCenterOfMass(model, data, twin.q(q)).reshape(3, model.nv)
    agree(interpret(tf.centre_of_mass_jacobian(robot), q), part * J[:, twin.places])


@seeds(quick=5, all=60)
def test_manipulability_and_determinant(seed):
    robot = random_robot(seed, largest=9, fixed=False)
    twin, (q, _, _) = Twin(robot), map(np.array, random_state(robot, seed))
    pin.computeJointJacobians(twin.model, twin.data, twin.q(q))
    pin.updateFramePlacements(twin.model, twin.data)
    J = twin.columns(pin.getFrameJacobian(twin.model, twin.data, twin.frames[-1], pin.LOCAL_WORLD_ALIGNED))
    J = J[:, [k for k in range(robot.dof) if J[:, k].any()]]
    for rows in (VELOCITY, VELOCITY[:3], ("vx", "vz", "wy")):
        asked = {"frame": robot.bodies[-1].name, "rows": rows}
        part = J[[VELOCITY.index(row) for row in rows]]
        singular = np.linalg.svd(part, compute_uv=False)
        w = interpret(tf.manipulability(robot, **asked), q)
        assert abs(w - np.prod(singular)) <= 1e-9 * max(1.0, np.prod(np.maximum(singular, 1.0)))
        if part.shape[0] == part.shape[1]:
            det = interpret(tf.jacobian_determinant(robot, **asked), q)
            assert det == pytest.approx(np.linalg.det(part), rel=1e-9, abs=1e-9)
