"""Singularities: determinants fall into the factors of the textbooks, proved equal, and checked by SymPy."""

import numpy as np
import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app
from tauforge.geometry.singularities import never_vanishes
from tauforge.graph.functions import cos, sin
from tauforge.program.array import inputs, outputs
from tauforge.program.program import Program

sympy = pytest.importorskip("sympy")

KNOWN = {
    "puma560": {"D₄ s₃ - RL₄ c₃", "s₅", "D₃ c₂ + D₄ c₂₃ + RL₄ s₂₃"},
    "rx90": {"c₃", "s₅", "RL₄ s₂₃ - D₃ c₂"},
    "scara": {"s₂"},
    "stanford": {"s₂", "s₅", "q₃"},
    "rrp": {"s₂", "q₃"},
}


@pytest.mark.parametrize("name", [pytest.param("puma560", marks=pytest.mark.slow), "rx90", "scara", "stanford", "rrp"])
def test_of_the_textbooks(name):
    robot = getattr(tf.robots, name)(symbolic=True)
    found = tf.singularities(robot, frame=robot.bodies[-1].name)
    assert {condition.removesuffix(" = 0") for condition in found.conditions} == KNOWN[name]
    found.certify()
    product = sympy.Mul(*(program.to_sympy()["factor"] ** power for program, power in found.factors))
    assert sympy.simplify(sympy.expand_trig(product - found.minors.to_sympy()["minors"][0])) == 0


def test_with_numbers():
    robot = tf.robots.ur5()
    found = tf.singularities(robot, frame="link6")
    found.certify()
    assert {"s₃ = 0", "s₅ = 0"} < {*found.conditions}
    q = np.random.default_rng(0).uniform(-3, 3, (20, 6))
    J = tf.jacobian(robot, frame="link6").compile()(q)
    product = np.prod([program.compile()(q) ** power for program, power in found.factors], axis=0)
    np.testing.assert_allclose(np.abs(product), np.abs(np.linalg.det(J)), atol=1e-12)
    assert str(found).startswith("det J = ")


def test_three_joints_take_linear_rows():
    arm = tf.Robot(
        name="arm",
        joints=(
            tf.Joint(name="a", antecedent=0),
            tf.Joint(name="b", antecedent=1, alpha=np.pi / 2),
            tf.Joint(name="c", antecedent=2, d="D3"),
        ),
        bodies=tuple(tf.Body(name=name) for name in "abc"),
        frames=(tf.Joint(name="tip", antecedent=3, sigma=2, d="D4"),),
    )
    found = tf.singularities(arm, frame="tip")
    assert found.rows == ("vx", "vy", "vz")
    assert {*found.conditions} == {"s₃ = 0", "D₃ c₂ + D₄ c₂₃ = 0"}
    found.certify()


@pytest.mark.slow
def test_common_factors_of_a_redundant_arm():
    """The elbow of the LWR is singular whatever the others do."""
    robot = tf.robots.kuka_lwr()
    found = tf.singularities(robot, frame="link7")
    assert found.conditions == ("s₄ = 0",)
    assert len(found.rest) == 7
    found.certify()
    assert "7 minors" in str(found)


def chain(*joints):
    made = tuple(tf.Joint(name=f"j{k}", antecedent=k, **joint) for k, joint in enumerate(joints))
    return tf.Robot(name="chain", joints=made, bodies=tuple(tf.Body(name=f"l{k}") for k in range(1, len(made) + 1)))


def test_offset_angles_are_proved():
    """Neither sin(0.3) nor the root in cos(π/4) is a fraction: factors keep where they come from."""
    arm = chain({}, {"alpha": np.pi / 2, "theta": 0.3}, {"sigma": 1, "alpha": np.pi / 4, "d": 0.3, "r": 0.25})
    found = tf.singularities(arm, frame="l3")
    assert len(found.conditions) == 2
    found.certify()
    slanted = chain({}, {"alpha": 0.4, "d": 0.5}, {"alpha": np.pi / 6, "d": 0.5})
    tf.singularities(slanted, frame="l3", rows=("vx", "vy", "wz")).certify()


def test_fewer_joints_than_rows_without_common_factors():
    found = tf.singularities(chain({}, {"alpha": -np.pi / 2, "theta": np.pi / 2}), frame="l2")
    assert not found.conditions
    assert len(found.rest) == 2
    assert str(found) == "common factors of 2 minors: 1"
    found.certify()


def test_arms_that_are_never_singular():
    slides = {"sigma": 1}, {"sigma": 1, "alpha": -np.pi / 2}
    assert str(tf.singularities(chain(*slides[:1]), frame="l1")) == "det J = 1"
    assert not tf.singularities(chain(*slides), frame="l2").conditions


def test_bad_input():
    with pytest.raises(tf.ProgramError, match="rows=3"):
        tf.singularities(tf.robots.scara(), frame="link4", rows=3)
    with pytest.raises(tf.ProgramError, match="frame=None"):
        tf.singularities(tf.robots.scara(), frame=None)
    with pytest.raises(tf.ProgramError, match="no joint moves base"):
        tf.singularities(tf.robots.scara(), frame="base")
    with pytest.raises(tf.ProgramError, match="closed loops"):
        tf.singularities(tf.robots.fourbar(), frame="link1")
    with pytest.raises(tf.ProgramError, match="never has full rank"):
        tf.singularities(tf.robots.planar2r(), frame="link2")
    with pytest.raises(tf.ProgramError, match="choose among"):
        tf.singularities(tf.robots.puma560(), frame="link6", rows=["vq"])


def test_command_says_where_all_minors_vanish(tmp_path):
    slides = chain({"sigma": 1}, {"sigma": 1, "alpha": -np.pi / 2})
    pan_tilt = chain({}, {"alpha": -np.pi / 2, "theta": np.pi / 2})
    for robot, said in ((slides, "never singular"), (pan_tilt, "what is left of all 2 minors vanishes")):
        robot.save(tmp_path / "arm.toml")
        result = CliRunner().invoke(app, ["singularities", str(tmp_path / "arm.toml")])
        assert said in result.output


@pytest.mark.parametrize(("offset", "holds"), [(10.0, False), (5.001, False), (5.0, True), (4.999, True), (0.5, True)])
def test_equations_that_never_hold_are_no_conditions(offset, holds):
    """A shoulder that is further from the first axis than the arm is long: the tip never comes to lie on it."""
    lengths, angles = (0.0, offset, 3.0), (0.0, np.pi / 2, 0.0)
    joints = [
        tf.Joint(name=f"j{k}", antecedent=k - 1, d=d, alpha=a)
        for k, (d, a) in enumerate(zip(lengths, angles, strict=True), 1)
    ]
    tip = tf.Joint(name="tip", antecedent=3, sigma=2, d=2.0)
    bodies = tuple(tf.Body(name=f"l{k}") for k in range(3))
    found = tf.singularities(tf.Robot(name="arm", joints=tuple(joints), bodies=bodies, frames=(tip,)), frame="tip")
    assert len(found.factors) == 3  # the number, s3, and the distance from the first axis
    assert "s₃ = 0" in found.conditions
    assert len(found.conditions) == 1 + holds


def factor(n, value):
    """Return a factor with n joints as a Program."""
    q = inputs("q", [f"q{k}" for k in range(n)], "coordinates")
    return Program("factor", {"q": q}, {"factor": outputs([value(*q.nodes)], [], [], "factor")})


def test_proofs_that_factors_never_vanish():
    assert never_vanishes(factor(1, lambda a: 3.0 + 2.0 * cos(a) + 2.0 * cos(2.0 * a)))  # at least 3/4
    assert never_vanishes(factor(2, lambda a, b: -(1.01 + cos(a) * cos(b))))
    assert never_vanishes(factor(2, lambda a, b: 1e-6 * (1.02 + sin(a) * cos(b) * sin(b) + cos(a) * 0.8)))
    assert not never_vanishes(factor(2, lambda a, b: 1.0 + cos(a) * cos(b)))  # touches zero
    assert not never_vanishes(factor(1, lambda a: 2.0 + a))  # a length has no range
    rng, proved = np.random.default_rng(5), 0
    grid = np.stack(np.meshgrid(*[np.linspace(-np.pi, np.pi, 121)] * 2), axis=-1).reshape(-1, 2)
    for _ in range(60):
        x = rng.normal(size=6)
        own = factor(
            2,
            lambda a, b, x=x: (
                x[0] + x[1] + x[2] * cos(a) + x[3] * sin(b) * cos(a) + x[4] * sin(2.0 * b) + x[5] * cos(b)
            ),
        )
        a, b = grid.T
        values = x[0] + x[1] + x[2] * np.cos(a) + x[3] * np.sin(b) * np.cos(a) + x[4] * np.sin(2 * b) + x[5] * np.cos(b)
        least, most = values.min(), values.max()
        if never_vanishes(own):
            proved += 1
            assert least > 0.0 or most < 0.0
        else:
            assert least < 0.02 and most > -0.02  # noqa: PT018
    assert proved > 5


def test_a_number_beyond_floats_is_said_in_words():
    joints = tuple(tf.Joint(name=f"j{k}", antecedent=k - 1, d=1e-320 * k) for k in (1, 2, 3))
    robot = tf.Robot(name="tiny", joints=joints, bodies=tuple(tf.Body(name=f"l{k}") for k in range(3)))
    with pytest.raises(tf.ProgramError, match="too large, or too small, for a float"):
        tf.singularities(robot, frame="l2", rows=("vx", "vy"))
