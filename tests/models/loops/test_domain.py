"""Proofs about robots with closed loops are over the states that close them, and so are counterexamples."""

import pickle
from contextlib import suppress
from dataclasses import replace
from math import pi

import numpy as np
import pytest

import tauforge as tf
from tauforge.graph.evaluate import symbols
from tauforge.models.loops.closure import loop_closure
from tauforge.models.loops.domain import ClosedStates
from tests.planar_loops import planar_loop
from tests.random_loops import random_mechanism
from tests.random_robots import seeds

SOLID = tf.Inertia(0.31, 0.02, -0.01, 0.42, 0.03, 0.53, 0.21, 0.12, -0.13, 1.7)


def mechanism(name, joints, frames, pairs):
    """Return a robot of uniform bodies whose loops revolute joints close, between pairs of frames."""
    bodies = tuple(
        tf.Body(name=f"{x.name}_link", inertia=tf.Inertia(*(y * (1 + k / 7) for y in SOLID)))
        for k, x in enumerate(joints)
    )
    numbers = {x.name: k for k, x in enumerate(joints, 1)}
    places = tuple(tf.Joint(name=x, antecedent=numbers[on], sigma=2, mu=0, **how) for x, on, how in frames)
    robot = tf.Robot(name=name, joints=tuple(joints), bodies=bodies, frames=places, gravity=(0.0, 0.0, -9.81))
    for one, other in pairs:
        robot = robot.with_loop(one, other, kind="revolute", name=f"{one}_{other}")
    return robot


def palletiser():
    """Return an arm with three parallelograms: a lever drives the forearm, and rods keep the tool level."""
    a, f = 1.0, -0.6  # directions of arm and forearm
    joints = [
        tf.Joint(name="column", antecedent=0),
        tf.Joint(name="arm", antecedent=1, alpha=-pi / 2, d=0.2, theta=a),
        tf.Joint(name="forearm", antecedent=2, d=0.8, theta=-1.6, mu=0),
        tf.Joint(name="lever", antecedent=1, alpha=-pi / 2, d=0.2, theta=f),
        tf.Joint(name="rod", antecedent=4, d=-0.5, theta=1.6, mu=0),
        tf.Joint(name="plate", antecedent=2, d=0.8, theta=-a, mu=0),
        tf.Joint(name="stay", antecedent=1, alpha=-pi / 2, d=0.5, theta=a, mu=0),
        tf.Joint(name="tool", antecedent=3, d=1.0, theta=-f, mu=0),
        tf.Joint(name="guide", antecedent=6, d=0.3, theta=f, mu=0),
    ]
    frames = [
        ("rod_end", "rod", {"d": 0.8}),
        ("forearm_end", "forearm", {"d": -0.5}),
        ("stay_end", "stay", {"d": 0.8}),
        ("plate_end", "plate", {"d": 0.3}),
        ("guide_end", "guide", {"d": 1.0}),
        ("tool_end", "tool", {"d": 0.3}),
    ]
    return mechanism("palletiser", joints, frames, [(frames[k][0], frames[k + 1][0]) for k in (0, 2, 4)])


def excavator():
    """Return a boom that a cylinder lifts, on a turning column, and a bucket on a four-bar linkage."""
    joints = [
        tf.Joint(name="column", antecedent=0),
        tf.Joint(name="boom", antecedent=1, alpha=-pi / 2, d=0.3, theta=0.5, mu=0),
        tf.Joint(name="barrel", antecedent=1, alpha=-pi / 2, d=0.9, theta=1.2, mu=0),
        tf.Joint(name="piston", antecedent=3, sigma=1, alpha=pi / 2, r=0.7),
        tf.Joint(name="rocker", antecedent=2, d=0.5, theta=1.5),
        tf.Joint(name="link", antecedent=5, d=0.25, theta=-1.2, mu=0),
        tf.Joint(name="bucket", antecedent=2, d=1.1, theta=1.3, mu=0),
    ]
    frames = [
        ("rod_eye", "piston", {"alpha": -pi / 2}),
        ("boom_eye", "boom", {"d": 1.1, "theta": 0.2}),
        ("link_end", "link", {"d": 0.6}),
        ("bucket_eye", "bucket", {"d": 0.3}),
    ]
    return mechanism("excavator", joints, frames, [(frames[k][0], frames[k + 1][0]) for k in (0, 2)])


def faulty(robot, by=1e-3):
    """Return the robot with another inertia of the last bodies that turn."""

    def wrong(x):
        return x._replace(MX=x.MX + by, ZZ=x.ZZ + by)

    turning = [k for k, joint in enumerate(robot.joints) if joint.sigma == 0]
    bodies = [replace(x, inertia=wrong(x.inertia)) if k in turning[-2:] else x for k, x in enumerate(robot.bodies)]
    return replace(robot, bodies=tuple(bodies))


def closes(robot, state):
    """Tell whether a counterexample closes the loops."""
    names = [f"q[{k}]" for k in range(len(robot.coordinate_names))]
    error, cosine, _ = loop_closure(robot).compile()([state[name] for name in names if name in state])
    return np.abs(error).max() < 1e-11 and np.abs(cosine - 1.0).max() < 1e-11


def refuted(one, other, robot):
    """Check that programs are refuted in a state that closes the loops, and in which their compiled results differ."""
    with pytest.raises(tf.CertificationError) as caught:
        one.certify(other)
    assert not isinstance(caught.value, tf.Undecided), caught.value
    state = caught.value.state
    whole = {f"q[{k}]": 0.0 for k in range(len(robot.coordinate_names))} | state
    assert closes(robot, whole)
    results = []
    for program in (one, other):
        arrays = [[whole.get(str(x), 0.3) for x in array.nodes] for array in program.arguments.values()]
        results.append(program.compile()(*arrays))
    assert np.abs(results[0] - results[1]).max() > 1e-9


@pytest.mark.parametrize("robot", [palletiser(), excavator(), tf.robots.sr400()], ids=lambda robot: robot.name)
def test_base_and_standard_parameters_are_proved_equal_where_the_loops_are_closed(robot):
    standard, base = (tf.inverse_dynamics(robot, parameters=x) for x in ("standard", "base"))
    found = standard.certify(base)
    assert found.where.startswith(f"the loops of {robot.name} are closed") or not found.where
    assert found.probability < 1e-30
    with pytest.raises(tf.CertificationError):
        standard.within(None).certify(base.within(None))


@pytest.mark.parametrize("robot", [palletiser(), excavator(), tf.robots.sr400()], ids=lambda robot: robot.name)
def test_a_fault_is_refuted_in_a_state_that_closes_the_loops(robot):
    wrong = faulty(robot)
    refuted(tf.inverse_dynamics(robot, parameters="standard"), tf.inverse_dynamics(wrong, parameters="base"), robot)


def test_what_vanishes_where_the_loops_are_closed_makes_no_difference():
    robot = palletiser()
    program = tf.gravity(robot)
    zero = program.domain.equations[0]
    first, *rest = program.results["g"].nodes
    other = replace(program, results={"g": replace(program.results["g"], nodes=(first + 5.0 * zero, *rest))})
    assert "are closed" in str(program.certify(other))
    wrong = replace(program, results={"g": replace(program.results["g"], nodes=(first + 1e-6 + zero, *rest))})
    refuted(program, wrong, robot)


def test_what_is_made_from_a_model_is_for_the_same_states():
    robot = palletiser()
    program = tf.gravity(robot)
    assert program.domain.text == "the loops of palletiser are closed"
    kept = [program.derivative("g", "q"), pickle.loads(pickle.dumps(program)), tf.fuse(program, tf.bias(robot))]
    assert all(x.domain.equations == program.domain.equations for x in kept)
    assert tf.gravity(robot.tree()).domain is None
    assert tf.gravity(tf.robots.puma560()).domain is None


def test_each_input_that_holds_coordinates_closes_the_loops():
    robot = tf.robots.fourbar()
    program = tf.difference(robot)
    assert program.domain.inputs == ("q", "q_next")
    assert {"q[1]", "q_next[1]"} <= {*symbols(program.domain.equations)}
    zeros = program.domain.equations[0], program.domain.equations[-1]
    (name, array), *_ = program.results.items()
    nodes = (array.nodes[0] + zeros[0] - 3.0 * zeros[1], *array.nodes[1:])
    assert "are closed" in str(program.certify(replace(program, results={name: replace(array, nodes=nodes)})))


def test_values_given_to_a_program_are_given_to_its_loops():
    robot = tf.robots.fourbar(symbolic=True)
    program = tf.inverse_dynamics(robot)
    names = [name for name in symbols(program.domain.equations) if name in program.parameters]
    assert names
    bound = program.bind({name: 0.31 + 0.07 * k for k, name in enumerate(names)})
    assert not {*symbols(bound.domain.equations)} & {*names}


@seeds(quick=6, all=300)
def test_random_planar_loops_are_never_refuted_wrongly(seed):
    robot, _ = planar_loop(seed)
    standard, base = (tf.inverse_dynamics(robot, parameters=x) for x in ("standard", "base"))
    with suppress(tf.Undecided):
        standard.certify(base)
    refuted(standard, tf.inverse_dynamics(faulty(robot, 0.1), parameters="standard"), robot)


@seeds(quick=3, all=100)
def test_random_spatial_loops_are_never_refuted_wrongly(seed):
    robot, _ = random_mechanism(seed)
    standard, base = (tf.inverse_dynamics(robot, parameters=x) for x in ("standard", "base"))
    with suppress(tf.Undecided):
        standard.certify(base)
    refuted(standard, tf.inverse_dynamics(faulty(robot, 0.1), parameters="standard"), robot)


def test_closed_states_close():
    for robot in (palletiser(), excavator(), tf.robots.gough_stewart()):
        states = ClosedStates(robot).states()
        assert len(states) > 3
        assert all(closes(robot, state) for state in states)
