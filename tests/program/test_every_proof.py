"""The proof turned against everything: models, formulations, derivatives, base forms, generated C; and faults."""

from collections.abc import Iterator
from inspect import signature
from itertools import islice
from random import Random

import pytest
from hypothesis import strategies as st

import tauforge as tf
from tauforge.errors import ExpressionError
from tauforge.graph import intervals
from tauforge.models.registry import MODELS
from tauforge.targets.read_c import read_c, rounded

from ..random_robots import random_robot, seeds, trees
from .mutants import mutant

RARELY = st.sampled_from((False, False, False, True))
ANY = {"symbolic": st.booleans(), "rotors": True, "equipped": st.booleans(), "several": RARELY, "floating": RARELY}
ALL = {"quick": 3, "all": 2000, **ANY}
WITH_BASE = ("inverse-dynamics", "direct-dynamics", "inertia-matrix", "bias", "gravity")


def models(robot: tf.Robot, random: Random) -> Iterator[tf.Program]:
    """Give every model that the robot has, in any order."""
    last = robot.bodies[-1].name
    options = {"frame": last, "accelerated": [robot.expanded().joints[-1].name]}
    for name in random.sample(sorted(MODELS), len(MODELS)):
        function = MODELS[name].function
        taken = signature(function).parameters
        try:
            yield function(robot, **{key: x for key, x in options.items() if key in taken})
        except (tf.ProgramError, tf.RobotError, ExpressionError):  # as a determinant of five joints
            assert name not in WITH_BASE


@trees(**ALL)
def test_generated_c_computes_the_program(robot):
    """Of each robot a few models are tried, of all robots all of them."""
    for program in islice(models(robot, Random(robot.name)), 5):
        try:
            rounded(program).certify(read_c(program.code("c"), program).program(program))
        except tf.Undecided as error:  # as the inertia at the end of an arm that cannot move it there
            if "a divisor is zero" not in str(error):
                raise


@trees(**ALL)
def test_derivatives_do_not_depend_on_the_mode(robot):
    last = robot.bodies[-1].name
    for program in (tf.inverse_dynamics(robot), tf.energy(robot), tf.jacobian(robot, frame=last)):
        for output in program.outputs:
            forward, reverse = (program.derivative(output, "q", mode=mode) for mode in ("forward", "reverse"))
            forward.certify(reverse)


@trees(**ALL)
def test_base_forms_are_equal(robot):
    base = tf.base_parameters(robot)
    for name in WITH_BASE:
        model = MODELS[name].function
        base.in_standard(model(base.robot)).certify(model(robot))


@trees(quick=4, all=2000, largest=3, symbolic=st.booleans(), rotors=True)
def test_formulations_are_equal(robot):
    expected = tf.inverse_dynamics(robot)
    for name in tf.formulations():
        try:
            program = tf.inverse_dynamics(robot, formulation=name)
        except (tf.RobotError, tf.ProgramError):  # those of serial robots
            continue
        program.certify(expected)


@seeds(quick=30, all=2000)
def test_no_mutant_is_proved_equal(seed):
    random = Random(seed)
    robot = random_robot(
        seed, smallest=2, largest=4, fixed=False, symbolic=seed % 2 == 0, rotors=True, equipped=seed % 3 > 0
    )
    program = next(program for program in models(robot, random) if program.count().total)
    what, other = mutant(program, random)
    try:
        program.certify(other)
    except tf.CertificationError:
        return
    assert equal(program, other), what


def equal(one: tf.Program, other: tf.Program) -> bool:
    """Tell whether two Programs agree to 200 digits at random states, as a mutant of what cancels does."""
    random = Random(0)
    pairs = [
        (a, b)
        for name, array in one.results.items()
        for a, b in zip(array.nodes, other.results[name].nodes, strict=True)
    ]
    names = sorted({x for p in (one, other) for array in p.arguments.values() for x in map(str, array.nodes)})
    for _ in range(3):
        state = {name: random.uniform(-2, 2) for name in names}
        try:
            values = intervals.evaluate([x for pair in pairs for x in pair], state, 200)
        except intervals.Undefined:
            continue
        if any(x < y or y < x for x, y in zip(values[::2], values[1::2], strict=True)):
            return False
    return True


def test_the_judge_of_mutants_sees_differences():
    assert equal(tf.Program.of(y="x*x"), tf.Program.of(y="x**2"))
    assert not equal(tf.Program.of(y="sin(x)"), tf.Program.of(y="sin(x) + 1e-150"))


def test_mutants_of_friction_are_refuted():
    arm = random_robot(3, smallest=2, largest=2, equipped=True)
    program = tf.friction(arm)
    assert any(node.op == "sign" for node in program.order)
    for seed in range(20):
        with pytest.raises(tf.CertificationError):
            program.certify(mutant(program, Random(seed))[1])


def test_outputs_that_are_mostly_zero_are_read_back():
    pair = tf.Robot(
        name="pair",
        joints=tuple(tf.Joint(name=f"j{k}", antecedent=0, sigma=0) for k in range(12)),
        bodies=tuple(tf.Body(name=f"b{k}", inertia=tf.Inertia(ZZ=1.0 + k, M=1.0)) for k in range(12)),
    )
    program = tf.inertia_matrix(pair)
    assert "memset" in program.code("c")
    rounded(program).certify(read_c(program.code("c"), program).program(program))
