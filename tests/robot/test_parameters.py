"""Symbols in the place of numbers, links from mass and centre, kinds of joints by word, and suggestions."""

import numpy as np
import pytest

import tauforge as tf

from ..random_robots import random_robot, random_state

URDF = """<robot name="elbow">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0.01" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 0.1" rpy="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><origin xyz="0 0 0.3"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><origin xyz="0 0 0.4"/><parent link="upper"/><child link="lower"/>
    <axis xyz="0 1 0"/><dynamics damping="0.5"/></joint>
</robot>
"""


def values_of(numeric, symbolic):
    """Return the numbers that a symbolic robot's symbols stand for."""
    pairs = [
        (a, b)
        for x, y in zip(numeric.bodies, symbolic.bodies, strict=True)
        for a, b in zip(x.inertia, y.inertia, strict=True)
    ]
    for x, y in zip(numeric.joints, symbolic.joints, strict=True):
        pairs += [(getattr(x, key), getattr(y, key)) for key in ("b", "d", "e", "r", "IA", "FV", "FS")]
    return {str(b.value): float(a) for a, b in pairs if not isinstance(b, float)}


@pytest.mark.parametrize("seed", range(6))
def test_a_symbolic_robot_with_its_numbers_is_the_robot(seed):
    robot = random_robot(seed, smallest=3, largest=4, rotors=True, several=seed % 2 == 0, equipped=True)
    symbolic = robot.symbolic(lengths=True, actuators=True)
    assert {"XX1", "M3"} <= set(symbolic.symbols)
    q, qd, qdd = random_state(robot, seed)
    bound = symbolic.bind({name: x for name, x in values_of(robot, symbolic).items() if name in symbolic.symbols})
    wanted, found = (tf.inverse_dynamics(x, parameters="standard").compile()(q, qd, qdd) for x in (robot, bound))
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_a_file_becomes_symbolic_in_frames_with_many_zeros():
    robot = tf.load(URDF)
    symbolic = robot.symbolic(lengths=True)
    assert len(symbolic.symbols) <= 22  # two links, and one or two lengths
    assert symbolic.joints[1].FV == 0.5
    program = tf.inverse_dynamics(symbolic, parameters="base")
    assert program.count().total < 60
    found = symbolic.bind({k: x for k, x in values_of(robot.reframed, symbolic).items() if k in symbolic.symbols})
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 2))
    arguments = (q, qd, qdd)
    np.testing.assert_allclose(
        tf.inverse_dynamics(found).compile()(*arguments), tf.inverse_dynamics(robot).compile()(*arguments), rtol=1e-9
    )


def test_a_floating_base_has_symbols_too():
    symbolic = tf.load(URDF, base="floating").symbolic()
    assert "M0" in symbolic.symbols
    assert not any(name.startswith("D") for name in symbolic.symbols)


def test_names_that_are_taken():
    robot = tf.robots.planar2r()
    renamed = tf.Robot(
        name="taken",
        joints=(robot.joints[0], tf.Joint(name="j2", antecedent=1, d=2.0, theta="D2")),
        bodies=robot.bodies,
    )
    symbolic = renamed.symbolic(inertia=False, lengths=True)
    assert str(symbolic.joints[1].d.value) == "D2_"


def test_kinds_by_word():
    assert tf.Joint(name="a", antecedent=0, sigma="prismatic") == tf.Joint(name="a", antecedent=0, sigma=1)
    with pytest.raises(tf.RobotError, match=r"sigma is 'prismattic'; did you mean prismatic\?"):
        tf.Joint(name="a", antecedent=0, sigma="prismattic")


def test_links_from_mass_centre_and_central_inertia():
    body = tf.Body.solid("rod", 2.0, (0.5, 0.0, 0.0), np.diag([0.0, 0.1, 0.1]))
    assert body.inertia == tf.Inertia(YY=0.6, ZZ=0.6, MX=1.0, M=2.0)
    assert str(tf.Body.solid("rod", "m", ("l/2", 0, 0)).inertia.MX) in ("l/2*m", "m*l/2", "0.5*l*m", "l*m/2")
    for wrong in (
        (-1.0,),
        (1.0, (0, 0)),
        (1.0, 0.5),
        (1.0, (0, 0, 0), [1, 2, 3]),
        (1.0, (0, 0, 0), [[1, 2], [3, 4]]),
        (1.0, (0, 0, 0), [[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
    ):
        with pytest.raises(tf.RobotError):
            tf.Body.solid("rod", *wrong)


def test_a_rotated_inertia_is_symmetric_but_for_rounding():
    turned = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    rotated = turned @ np.diag([0.1, 0.2, 0.25]) @ turned.T
    assert not np.array_equal(rotated, rotated.T)
    assert rotated[0, 1] == tf.Body.solid("box", 1.0, inertia=rotated).inertia.XY


def test_suggestions():
    with pytest.raises(tf.RobotError, match=r"did you mean puma560\?"):
        tf.robots.bundled("puma")
    with pytest.raises(tf.ProgramError, match=r"did you mean link6\?"):
        tf.jacobian(tf.robots.puma560(), frame="link_6")
    with pytest.raises(tf.ProgramError, match=r"tf.robots.puma560\(\)"):
        tf.inverse_dynamics("puma560")
