"""Every formulation against Lagrange's equations and against the fast path: exactly, and on numbers."""

from dataclasses import replace
from itertools import count, islice

import numpy as np
import pytest

import tauforge as tf
from tauforge.graph.node import symbol
from tauforge.program.array import outputs
from tauforge.program.program import Program
from tauforge.robot.joint import Mimic

from ..interpret import interpret
from ..random_robots import random_robot, random_state

NAMES = tuple(tf.formulations())
WITH_INERTIA = [name for name, each in tf.formulations().items() if "inertia" in each.offers]
WITH_CORIOLIS = [name for name, each in tf.formulations().items() if "coriolis" in each.offers]


def drawn(seed):
    return random_robot(seed, largest=4, symbolic=seed % 3 == 0, rotors=True)


SERIAL = list(islice((seed for seed in count() if drawn(seed).is_serial and drawn(seed).dof), 100))
TREES = list(islice((seed for seed in count() if not drawn(seed).is_serial and drawn(seed).dof), 20))
QUICK = SERIAL[:6] + TREES[:4]
BUNDLED = ["rrp", "puma560", "sr400"]
BUNDLED += [pytest.param(name, marks=pytest.mark.slow) for name in tf.robots.names() if name not in BUNDLED]
SEEDS = [*QUICK, *(pytest.param(seed, marks=pytest.mark.slow) for seed in SERIAL[6:] + TREES[4:])]


@pytest.mark.parametrize("seed", SEEDS)
def test_all_are_lagrange(seed):
    robot = drawn(seed)
    referee = tf.inverse_dynamics(robot, formulation="lagrange")
    referee.certify(tf.inverse_dynamics(robot))
    for name in NAMES:
        tf.inverse_dynamics(robot, formulation=name).certify(referee)


@pytest.mark.parametrize("seed", QUICK[::3])
def test_with_base_parameters(seed):
    robot = drawn(seed)
    for name in NAMES:
        base = tf.inverse_dynamics(robot, parameters="base", formulation=name)
        base.certify(tf.inverse_dynamics(robot, parameters="base"))


@pytest.mark.parametrize("seed", QUICK[1::3])
def test_with_friction_springs_and_wrenches(seed):
    robot = drawn(seed)
    joints = tuple(
        replace(x, FV=symbol(f"FV{j}"), FS=symbol(f"FS{j}"), eta=1, k=symbol(f"K{j}"), rest=0.3) if x.axes else x
        for j, x in enumerate(robot.joints)
    )
    robot = replace(robot, joints=joints)
    for name in NAMES:
        for model in (tf.inverse_dynamics, tf.bias):
            ours = model(robot, formulation=name, external_wrenches=True)
            ours.certify(model(robot, external_wrenches=True))
        tf.gravity(robot, formulation=name).certify(tf.gravity(robot))


@pytest.mark.parametrize("seed", QUICK[::2])
@pytest.mark.parametrize("name", WITH_INERTIA)
def test_inertia_matrix_and_direct_dynamics(name, seed):
    robot = drawn(seed)
    tf.inertia_matrix(robot, formulation=name).certify(tf.inertia_matrix(robot))
    tf.direct_dynamics(robot, formulation=name).certify(tf.direct_dynamics(robot))


@pytest.mark.parametrize("seed", QUICK[::2])
@pytest.mark.parametrize("name", WITH_CORIOLIS)
def test_coriolis_matrix(name, seed):
    robot = drawn(seed)
    n = robot.dof
    ours, fast = (tf.coriolis_matrix(robot, formulation=f) for f in (name, "newton-euler"))

    def times_rates(program):
        C = program.results["C"].nodes
        values = [sum((C[n * i + k] * symbol(f"qd[{k}]") for k in range(n)), start=0.0) for i in range(n)]
        state = {key: array for key, array in program.arguments.items() if key != "parameters"}
        return Program(program.name, state, {"y": outputs(values, [n], [], "")})

    times_rates(ours).certify(times_rates(fast))


@pytest.mark.parametrize("robot", BUNDLED)
def test_on_numbers_of_the_bundled_robots(robot):
    robot = tf.robots.bundled(robot)
    if any(len(joint.axes) != 1 for joint in robot.joints):
        pytest.skip("classical formulations have joints with one degree of freedom")
    random = np.random.default_rng(0)
    robot = robot.bind({name: random.uniform(0.1, 1.0) for name in robot.symbols})
    state = random_state(robot, 1)
    expected = interpret(tf.inverse_dynamics(robot, formulation="lagrange"), *state)
    for name in NAMES:
        found = interpret(tf.inverse_dynamics(robot, formulation=name), *state)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), name


def test_mimic_joints():
    """A joint that follows another: all formulations gather its effort on its master's."""
    arm = tf.robots.rrp(symbolic=True).bind(g1=0.1, b1=0.2, a1=0.3, d1=0.4, r1=0.5)
    mimic = Mimic(joint=2, ratio=-0.5, offset=0.1)
    robot = replace(arm, joints=(*arm.joints[:2], replace(arm.joints[2], mimic=mimic)))
    for name in NAMES:
        tf.inverse_dynamics(robot, formulation=name).certify(tf.inverse_dynamics(robot))
    for name in WITH_INERTIA:
        tf.inertia_matrix(robot, formulation=name).certify(tf.inertia_matrix(robot))
        tf.direct_dynamics(robot, formulation=name).certify(tf.direct_dynamics(robot))
    numbers = robot.bind(dict.fromkeys(robot.symbols, 0.5))
    for refused in (tf.configuration_space, tf.yang_tzeng):
        with pytest.raises(tf.ProgramError, match="'joint3' follows another"):
            refused(numbers)


def test_fixed_rates_of_a_description_are_used():
    robot = tf.robots.planar2r()
    robot = replace(robot, joints=(replace(robot.joints[0], QP=0.7, QDP=-0.2), robot.joints[1]))
    for name in NAMES:
        tf.inverse_dynamics(robot, formulation=name).certify(tf.inverse_dynamics(robot))


def test_clear_refusals():
    arm = tf.robots.planar2r()
    with pytest.raises(tf.ProgramError, match=r"unknown formulation 'magic'.*'waters'"):
        tf.inverse_dynamics(arm, formulation="magic")
    with pytest.raises(tf.ProgramError, match=r"'waters' \(Waters 1979\) gives torques.*'kane'"):
        tf.inertia_matrix(arm, formulation="waters")
    with pytest.raises(tf.ProgramError, match=r"coriolis.*'uicker-kahn'"):
        tf.coriolis_matrix(arm, formulation="kane")
    with pytest.raises(tf.ProgramError, match="floating"):
        tf.inverse_dynamics(arm.with_base("floating"), formulation="grigorov")
    with pytest.raises(tf.ProgramError, match="free_base"):
        tf.inverse_dynamics(arm.with_base("floating"), formulation="kane", free_base=True)
    ball = replace(arm, joints=(replace(arm.joints[0], sigma=3), arm.joints[1]))
    with pytest.raises(tf.ProgramError, match=r"joint 'joint1' is spherical.*Waters 1979"):
        tf.inverse_dynamics(ball, formulation="waters")
    with pytest.raises(tf.ProgramError, match="its base moves"):
        tf.inverse_dynamics(replace(arm, base=tf.Base(W0=(0.0, 0.0, 1.0))), formulation="lagrange")
    massless = replace(arm, bodies=(arm.bodies[0], tf.Body(name="tip")))
    for name in WITH_INERTIA:
        with pytest.raises(tf.ProgramError, match="joint2"):
            tf.direct_dynamics(massless, formulation=name)


@pytest.mark.parametrize(("method", "message"), [("articulated", "has its own"), ("shortest", "unknown method")])
def test_a_method_is_not_ignored(method, message):
    with pytest.raises(tf.ProgramError, match=message):
        tf.direct_dynamics(tf.robots.planar2r(), formulation="lagrange", method=method)
