"""Transforms, Jacobians and their rates, motions of links and the centre of mass against Pinocchio, on random trees."""

from random import Random

import numpy as np
import pinocchio as pin
import pytest

from tauforge.graph.evaluate import evaluate
from tauforge.models.centre_of_mass import centre_of_mass, centre_of_mass_jacobian, centre_of_mass_velocity
from tauforge.models.jacobian import jacobian, jacobian_bias, jacobian_rate
from tauforge.models.link_motion import VELOCITY, link_accelerations, link_velocities
from tauforge.models.manipulability import jacobian_determinant, manipulability
from tauforge.models.transforms import transforms
from tauforge.robot.joint import FIXED

from ..random_robots import random_robot, random_state
from .with_pinocchio import rotation, to_pinocchio, translation

ROBOTS = 60
AXES = {"base": pin.LOCAL_WORLD_ALIGNED, "frame": pin.LOCAL}


def values(program, *state):
    """Return a Program's only output at q, qd, qdd."""
    given = {f"{name}[{i}]": x for name, xs in zip(("q", "qd", "qdd"), state, strict=False) for i, x in enumerate(xs)}
    (array,) = program.results.values()
    return np.array(evaluate(array.nodes, given)).reshape(array.shape)


def agree(ours, theirs):
    theirs = theirs.reshape(ours.shape)  # Pinocchio returns a matrix of one column as a vector
    assert np.abs(ours - theirs).max() <= 1e-9 * max(1.0, np.abs(theirs).max())


def with_frames(robot, point=(0.0, 0.0, 0.0)):
    """Return the robot in Pinocchio with a frame for each link, its origin moved to a point."""
    model = to_pinocchio(robot)
    placed, frames, moved = [(0, pin.SE3.Identity())], [], pin.SE3(np.eye(3), np.array(point))
    for joint, body in zip(robot.joints, robot.bodies, strict=True):
        parent, on = placed[joint.antecedent]
        if joint.sigma == FIXED:
            for axis, angle, length in (("z", "gamma", "b"), ("x", "alpha", "d"), ("z", "theta", "r")):
                on = on * rotation(axis, float(getattr(joint, angle)))
                on = on * translation(axis, float(getattr(joint, length)))
            placed.append((parent, on))
        else:
            placed.append((model.getJointId(joint.name), pin.SE3.Identity()))
        frames.append(model.addFrame(pin.Frame(body.name, placed[-1][0], 0, placed[-1][1] * moved, pin.OP_FRAME)))
    return model, frames


def trees(first, **options):
    for seed in range(first, first + 20):
        robot = random_robot(seed, branch_by_branch=True, **options)
        if robot.dof:
            yield seed, robot, [np.array(x) for x in random_state(robot, seed)]


@pytest.mark.parametrize("first", range(0, ROBOTS, 20))
def test_transforms(first):
    for seed, robot, (q, _, _) in trees(first):
        model, frames = with_frames(robot)
        data = model.createData()
        pin.framesForwardKinematics(model, data, q)
        placements = [data.oMf[frame] for frame in frames]
        agree(values(transforms(robot), q), np.array([x.homogeneous for x in placements]))
        random, links = Random(seed), [body.name for body in robot.bodies]
        root, one = random.randrange(len(links)), random.randrange(len(links))
        relative = np.array([(placements[root].inverse() * x).homogeneous for x in placements])
        agree(values(transforms(robot, relative_to=links[root]), q), relative)
        agree(values(transforms(robot, frames=links[one], relative_to=links[root]), q), relative[[one]])


@pytest.mark.parametrize("first", range(0, ROBOTS, 20))
def test_jacobians_and_their_rates(first):
    for seed, robot, (q, qd, _) in trees(first):
        random = Random(seed)
        point = tuple(random.uniform(-1, 1) for _ in range(3)) if seed % 2 else (0.0, 0.0, 0.0)
        model, frames = with_frames(robot, point)
        data = model.createData()
        pin.computeJointJacobians(model, data, q)
        pin.computeJointJacobiansTimeVariation(model, data, q, qd)
        pin.updateFramePlacements(model, data)
        j = random.randrange(len(frames))
        for axes, reference in AXES.items():
            asked = {"frame": robot.bodies[j].name, "point": point, "axes": axes}
            J = pin.getFrameJacobian(model, data, frames[j], reference)
            agree(values(jacobian(robot, **asked), q), J)
            Jd = pin.getFrameJacobianTimeVariation(model, data, frames[j], reference).reshape(6, robot.dof)
            agree(values(jacobian_rate(robot, **asked), q, qd), Jd)
            agree(values(jacobian_bias(robot, **asked), q, qd), Jd @ qd)


@pytest.mark.parametrize("first", range(0, ROBOTS, 20))
def test_motions_of_links(first):
    for _, robot, (q, qd, qdd) in trees(first):
        model, frames = with_frames(robot)
        data = model.createData()
        pin.forwardKinematics(model, data, q, qd, qdd)
        velocities = [pin.getFrameVelocity(model, data, f, pin.LOCAL).vector for f in frames]
        agree(values(link_velocities(robot), q, qd), np.array(velocities))
        accelerations = [pin.getFrameClassicalAcceleration(model, data, f, pin.LOCAL).vector for f in frames]
        agree(values(link_accelerations(robot), q, qd, qdd), np.array(accelerations))


@pytest.mark.parametrize("first", range(0, ROBOTS, 20))
def test_centre_of_mass(first):
    for _, robot, (q, qd, _) in trees(first, fixed=False):  # Pinocchio's universe has no mass
        model = to_pinocchio(robot)
        data = model.createData()
        pin.centerOfMass(model, data, q, qd)
        agree(values(centre_of_mass(robot), q), data.com[0])
        agree(values(centre_of_mass_velocity(robot), q, qd), data.vcom[0])
        agree(values(centre_of_mass_jacobian(robot), q), pin.jacobianCenterOfMass(model, data, q))


@pytest.mark.parametrize("first", range(0, ROBOTS, 20))
def test_manipulability_and_determinant(first):
    for seed, robot, (q, _, _) in trees(first, largest=9, fixed=False):
        model, frames = with_frames(robot)
        data = model.createData()
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        link, frame = robot.bodies[-1].name, frames[-1]
        J = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED).reshape(6, robot.dof)
        J = J[:, [k for k in range(robot.dof) if J[:, k].any()]]
        for rows in (VELOCITY, VELOCITY[:3], ("vx", "vz", "wy")):
            part = J[[VELOCITY.index(row) for row in rows]]
            singular = np.linalg.svd(part, compute_uv=False)
            w = values(manipulability(robot, frame=link, rows=rows), q)
            assert abs(w - np.prod(singular)) <= 1e-9 * max(1.0, np.prod(np.maximum(singular, 1.0))), seed
            if part.shape[0] == part.shape[1]:
                det = values(jacobian_determinant(robot, frame=link, rows=rows), q)
                assert det == pytest.approx(np.linalg.det(part), rel=1e-9, abs=1e-9), seed
