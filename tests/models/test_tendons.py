"""Tendons, springs of spherical joints and lifts: what they add to each model, by hand and by identities."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.joint import Mimic
from tauforge.robot.kinds import SPHERICAL

from ..interpret import interpret
from ..oracles.agree import agree, solved
from ..oracles.complex_step import derivative, tangent
from ..random_robots import random_robot, random_state, seeds, with_tendons


def robot_of(seed, heavy=True, **more):
    """Return a robot with tendons, its spherical joints elastic, and, of each third, a joint that follows another."""
    options = {"rotors": True, "equipped": True, "several": seed % 2 == 0, "floating": seed % 3 == 1, **more}
    robot = random_robot(seed, smallest=3, largest=6, **options)
    joints = [replace(x, eta=1, k=3.0) if x.sigma == SPHERICAL else x for x in robot.joints]
    single = [j for j, joint in enumerate(joints, 1) if len(joint.axes) == 1]
    if seed % 3 == 0 and heavy and len(single) > 1:
        joints[single[1] - 1] = replace(joints[single[1] - 1], mimic=Mimic(joint=single[0], ratio=-1.5, offset=0.2))
    return with_tendons(replace(robot, joints=tuple(joints)), seed, heavy)


def state_of(robot, seed):
    """Return a random state, in which joints that follow others have no coordinates."""
    q, qd, qdd = random_state(robot, seed)
    own = [not joint.mimic for joint in robot.expanded().joints for _ in joint.kind.coordinates]
    return np.array(q)[own], np.array(qd), np.array(qdd)


def lengths(robot, q):
    """Return each tendon's Jacobian by qd and its length, mimic joints put in by hand."""
    whole = robot.expanded()
    names, places = whole.velocity_names, dict(zip(whole.coordinate_names, q, strict=True))
    for tendon in whole.tendons:
        J, length = np.zeros(whole.dof), 0.0
        for j, x in tendon.joints:
            joint = whole.joints[j - 1]
            master = whole.joints[joint.mimic.joint - 1] if joint.mimic else joint
            ratio, offset = (joint.mimic.ratio, joint.mimic.offset) if joint.mimic else (1.0, 0.0)
            J[names.index(master.name)] += x * ratio
            length += x * (ratio * places[master.name] + offset)
        yield tendon, J, length


@seeds(quick=6, all=150)
def test_tendons_by_hand(seed):
    """τ and M have Jᵀ times the tension and the inertia of each, the energies what belongs to them."""
    robot = robot_of(seed)
    bare = replace(robot, tendons=())
    q, qd, qdd = state_of(robot, seed)
    tau, h, f = (
        interpret(p(bare), *x)
        for p, x in ((tf.inverse_dynamics, (q, qd, qdd)), (tf.bias, (q, qd)), (tf.friction, (qd,)))
    )
    M, (T, V) = interpret(tf.inertia_matrix(bare), q), interpret(tf.energy(bare), q, qd)
    for tendon, J, length in lengths(robot, q):
        rubbing = tendon.FV * (J @ qd) + tendon.FS * np.sign(J @ qd)
        spring = tendon.k * (length - tendon.rest)
        tau = tau + J * (tendon.IA * (J @ qdd) + rubbing + spring)
        h, f = h + J * (rubbing + spring), f + J * rubbing
        M = M + tendon.IA * np.outer(J, J)
        T, V = T + tendon.IA * (J @ qd) ** 2 / 2, V + tendon.k * (length - tendon.rest) ** 2 / 2
    agree(interpret(tf.inverse_dynamics(robot), q, qd, qdd), tau)
    agree(interpret(tf.bias(robot), q, qd), h)
    agree(interpret(tf.friction(robot), qd), f)
    agree(interpret(tf.inertia_matrix(robot), q), M)
    agree(interpret(tf.energy(robot), q, qd), [T, V])
    agree(interpret(tf.gravity(robot), q), interpret(tf.gravity(bare), q))


@seeds(quick=5, all=150)
def test_accelerations_are_those_of_the_efforts(seed):
    """Direct and hybrid dynamics invert inverse dynamics, whichever way they take."""
    for heavy in (True, False):
        robot = robot_of(seed, heavy)
        q, qd, qdd = state_of(robot, seed)
        tau, M = interpret(tf.inverse_dynamics(robot), q, qd, qdd), interpret(tf.inertia_matrix(robot), q)
        for method in ("composite", "auto") if heavy else ("composite", "articulated"):
            agree(interpret(tf.direct_dynamics(robot, method=method), q, qd, tau), qdd, solved(M))
        joints = [x for x in robot.expanded().joints if x.axes and not x.mimic]
        chosen = {joint.name for joint in joints if Random(joint.name).random() < 0.5}
        known = np.array([joint.name in chosen for joint in joints for _ in joint.axes])
        hybrid = tf.hybrid_dynamics(robot, accelerated=chosen)
        efforts, accelerations = interpret(hybrid, q, qd, qdd[known], tau[~known])
        agree(efforts, tau[known], solved(M))
        agree(accelerations, qdd[~known], solved(M))


def test_heavy_tendons_need_the_matrix():
    robot = with_tendons(tf.robots.planar2r(), 1)
    with pytest.raises(tf.ProgramError, match="tendons with inertia, which articulated bodies cannot follow"):
        tf.direct_dynamics(robot, method="articulated")


@seeds(quick=4, all=100)
def test_power_is_the_rate_of_energy(seed):
    robot = robot_of(seed)
    q, qd, qdd = state_of(robot, seed)
    energy = tf.energy(robot)
    rate = sum(
        interpret(energy.derivative(name, key), q, qd) @ along
        for name in energy.outputs
        for key, along in (("q", qd), ("qd", qdd))
    )
    power = (interpret(tf.inverse_dynamics(robot), q, qd, qdd) - interpret(tf.friction(robot), qd)) @ qd
    agree(rate, power)


@seeds(quick=2, all=40)
def test_derivatives_are_those_of_a_complex_step(seed):
    """Springs of spherical joints apart, whose rotation vector has an absolute value that no complex number has."""
    robot = robot_of(3 * seed + 2)
    program = tf.inverse_dynamics(robot.neglect("k") if seed % 2 else replace(robot, joints=_stiff(robot)))
    state = dict(zip(("q", "qd", "qdd"), state_of(robot, seed), strict=True))
    for name, values in state.items():
        directions = tangent(robot, values) if name == "q" else np.eye(len(values))
        agree(interpret(program.derivative("tau", name), *state.values()), derivative(program, state, name, directions))


def _stiff(robot):
    return tuple(replace(joint, eta=0) if joint.sigma == SPHERICAL else joint for joint in robot.joints)


@seeds(quick=3, all=60)
def test_base_parameters_and_regressor(seed):
    robot = robot_of(seed)
    q, qd, qdd = state_of(robot, seed)
    tau = interpret(tf.inverse_dynamics(robot), q, qd, qdd)
    agree(interpret(tf.inverse_dynamics(robot, parameters="base"), q, qd, qdd), tau)
    plain = robot.neglect("k", "lift")
    program = tf.regressor(plain)
    whole = plain.expanded()
    first = 1 - len(whole.joints) + len(plain.joints)
    values = {f"{n}{j}": x for j, b in enumerate(whole.bodies, first) for n, x in b.inertia._asdict().items()}
    own = [(f"{j}", joint) for j, joint in enumerate(whole.joints, first)] + [(f"_{t.name}", t) for t in whole.tendons]
    values |= {f"{key}{name}": getattr(x, key) for name, x in own for key in ("IA", "FV", "FS")}
    labels = program.outputs["Y"].labels[1]
    assert {f"{key}_{tendon.name}" for key in ("IA", "FV", "FS") for tendon in robot.tendons} <= set(labels)
    agree(
        interpret(program, q, qd, qdd) @ [values[label] for label in labels],
        interpret(tf.inverse_dynamics(plain), q, qd, qdd),
    )
    energies = tf.energy_regressor(plain)
    rows = interpret(energies, q, qd)
    known = [values[label] for label in energies.outputs["kinetic"].labels[0]]
    agree([row @ known for row in rows], interpret(tf.energy(plain), q, qd))


@pytest.mark.parametrize("formulation", tf.formulations())
def test_every_formulation_has_them(formulation):
    robot = with_tendons(random_robot(16, smallest=3, largest=3, rotors=True, equipped=True, fixed=False), 4)
    assert robot.tendons
    assert any(any(body.lift) for body in robot.bodies)
    q, qd, qdd = state_of(robot, 1)
    tau = interpret(tf.inverse_dynamics(robot), q, qd, qdd)
    agree(interpret(tf.inverse_dynamics(robot, formulation=formulation), q, qd, qdd), tau)
    agree(interpret(tf.gravity(robot, formulation=formulation), q), interpret(tf.gravity(robot), q))
    if "inertia" in tf.formulations()[formulation].offers:
        M = interpret(tf.inertia_matrix(robot), q)
        agree(interpret(tf.inertia_matrix(robot, formulation=formulation), q), M)
        agree(interpret(tf.direct_dynamics(robot, formulation=formulation), q, qd, tau), qdd, solved(M))


def test_locked_joints_leave_their_part_of_the_length():
    robot = with_tendons(tf.robots.puma560().neglect("FV", "FS"), 2)
    held = robot.lock({"joint2": 0.3, "joint5": -0.2})
    moving = [k for k, name in enumerate(robot.joint_names) if name not in ("joint2", "joint5")]
    q, qd, qdd = np.zeros((3, 6))
    q[moving], qd[moving], qdd[moving] = np.random.default_rng(0).uniform(-1, 1, (3, 4))
    q[1], q[4] = 0.3, -0.2
    tau = interpret(tf.inverse_dynamics(robot), q, qd, qdd)[moving]
    agree(interpret(tf.inverse_dynamics(held), q[moving], qd[moving], qdd[moving]), tau)
    rope = tf.Tendon(name="rope", joints=((2, 1.0),), k=2.0)
    assert not replace(robot, tendons=(rope,)).lock({"joint2": 0.3}).tendons


def test_attached_robots_bring_their_tendons():
    arm = replace(tf.robots.planar2r(), tendons=(tf.Tendon(name="rope", joints=((1, 1.0), (2, "c")), k="k"),))
    both = arm.attach(arm, at=arm.bodies[-1].name, name="second")
    assert [(x.name, [j for j, _ in x.joints]) for x in both.tendons] == [("rope", [1, 2]), ("second_rope", [3, 4])]
    assert {"c", "k"} <= set(both.symbols)
    bound = both.bind(c=2.0, k=3.0)
    assert [(x.joints[1][1], x.k) for x in bound.tendons] == [(2.0, 3.0)] * 2


@pytest.mark.parametrize(
    ("tendon", "message"),
    [
        ({"joints": ()}, "'rope': its length is a sum over joints; it needs at least one, and each once"),
        ({"joints": ((1, 1.0), (1, 2.0))}, "'rope': its length is a sum over joints"),
        ({"joints": ((3, 1.0),)}, "'rope' acts on joint 3; there are joints 1 to 2"),
        ({"joints": ((1, "2*"),)}, "a coefficient of tendon 'rope': "),
        ({"joints": ((1, 1.0),), "k": "x y"}, "k of tendon 'rope': "),
    ],
)
def test_refusals(tendon, message):
    with pytest.raises(tf.RobotError, match=message):
        replace(tf.robots.planar2r(), tendons=(tf.Tendon(name="rope", **tendon),))


def test_tendons_act_on_joints_of_one_degree_of_freedom():
    robot = tf.robots.planar2r()
    ball = replace(robot, joints=(replace(robot.joints[0], sigma=SPHERICAL), robot.joints[1]))
    rope = tf.Tendon(name="rope", joints=((1, 1.0),))
    with pytest.raises(tf.RobotError, match=r"'rope' acts on joint 'joint1', which is spherical; it must have one"):
        replace(ball, tendons=(rope,))
    with pytest.raises(tf.RobotError, match="two tendons are called 'rope'"):
        replace(robot, tendons=(rope, rope))
    with pytest.raises(tf.RobotError, match="a spherical joint cannot have rest"):
        replace(ball, joints=(replace(ball.joints[0], eta=1, k=1.0, rest=1.0), ball.joints[1]))
    with pytest.raises(tf.RobotError, match="a lift must have 4 components, MX, MY, MZ, M"):
        tf.Body(name="x", lift=(1.0,))


@pytest.mark.parametrize("ending", ["urdf", "par"])
def test_formats_without_a_place_for_them(tmp_path, ending):
    robot = tf.robots.planar2r(symbolic=False)
    robot = replace(robot, gravity=(0, 0, -9.81)).neglect("IA")
    pulled = replace(robot, tendons=(tf.Tendon(name="rope", joints=((1, 1.0),)),))
    with pytest.raises(tf.RobotError, match=r"tendons? .*rope.* save (the robot as|a) \.toml"):
        pulled.save(tmp_path / f"arm.{ending}")
    lifted = replace(robot, bodies=(replace(robot.bodies[0], lift=(0, 0, 0, 1.0)), robot.bodies[1]))
    with pytest.raises(tf.RobotError, match=r"link '.*save (the robot as|a) \.toml"):
        lifted.save(tmp_path / f"arm.{ending}")


def test_the_spring_of_a_spherical_joint_turns_it_back():
    """About any axis it is k times the angle, also through zero and by the shorter way."""
    body = tf.Body(name="ball", inertia=tf.Inertia(XX=1.0, YY=1.0, ZZ=1.0))
    joint = tf.Joint(name="j", antecedent=0, sigma=SPHERICAL, eta=1, k=5.0)
    robot = tf.Robot(name="r", joints=(joint,), bodies=(body,))
    axis = np.array([1.0, 2.0, -2.0]) / 3
    for angle in (0.0, 1e-9, 0.3, -2.0, 3.1):
        for way in (1, -1):  # of the two quaternions of a rotation
            q = way * np.array([*(axis * np.sin(angle / 2)), np.cos(angle / 2)])
            agree(interpret(tf.bias(robot), q, np.zeros(3)), 5.0 * angle * axis)
            agree(interpret(tf.energy(robot), q, np.zeros(3)), [0.0, 2.5 * angle**2])


def test_the_spring_of_a_spherical_joint_has_its_derivative_by_the_rotation():
    """Also where it is relaxed."""
    ball = tf.Joint(name="j", antecedent=0, sigma=SPHERICAL, eta=1, k=5.0)
    robot = tf.Robot(name="r", joints=(ball,), bodies=random_robot(2).bodies[:1])
    program, step, still = tf.bias(robot), tf.integrate(robot), np.zeros(3)
    slope = program.derivative("h", "q")
    for q in ([0.0, 0.0, 0.0, 1.0], [0.1, -0.3, 0.2, 0.9]):
        rows = [[interpret(program, interpret(step, q, e * side), still) for side in (1e-6, -1e-6)] for e in np.eye(3)]
        expected = np.transpose([(a - b) / 2e-6 for a, b in rows])
        agree(interpret(slope, q, still), expected, 1e-6)
