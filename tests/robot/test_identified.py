"""The numbers of bundled robots, against files of others."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import tauforge as tf

FOLDERS = [Path(place) / "cmeel.prefix/share/example-robot-data/robots" for place in sys.path]
FOLDER = next((folder for folder in FOLDERS if folder.is_dir()), None)
described = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")


def links(path):
    """Return mass, centre of mass and moments of inertia of each link in a URDF, as they are written."""
    found = {}
    for link in ElementTree.parse(FOLDER / path).getroot().iter("link"):
        inertial = link.find("inertial")
        if inertial is None:
            continue
        origin, moments = inertial.find("origin"), inertial.find("inertia").attrib
        assert [float(x) for x in origin.get("rpy").split()] == [0, 0, 0]
        com = [float(x) for x in origin.get("xyz").split()]
        found[link.get("name")] = (
            float(inertial.find("mass").get("value")),
            com,
            [[float(moments["i" + "".join(sorted(a + b))]) for b in "xyz"] for a in "xyz"],
        )
    return found


@described
def test_the_panda_is_that_of_its_maker():
    """Its frames are the maker's, so that each link is the file's."""
    given = links("panda_description/urdf/panda.urdf")
    for j, body in enumerate(tf.robots.panda().bodies, 1):
        expected = tf.Body.solid("link", *given[f"panda_link{j}"]).inertia
        np.testing.assert_allclose(np.array(body.inertia, float), np.array(expected, float), rtol=1e-12, atol=1e-15)


@described
def test_the_masses_of_the_ur5_are_those_of_its_maker():
    given = links("ur_description/urdf/ur5_robot.urdf")
    names = ("shoulder", "upper_arm", "forearm", "wrist_1", "wrist_2", "wrist_3")
    masses = {name: given[f"{name}_link"][0] for name in names} | {"forearm": 2.33}  # the file has an older value
    assert [float(body.inertia.M) for body in tf.robots.ur5().bodies] == [*masses.values()]


def test_the_centres_of_mass_of_the_ur5_are_those_of_its_maker():
    """The maker's frames are at the far end of each link (Denavit-Hartenberg's own)."""
    a, alpha = [0, -0.425, -0.39225, 0, 0, 0], np.array([1, 0, 0, 1, -1, 0]) * np.pi / 2
    far = [(0, -0.02561, 0.00193), (0.2125, 0, 0.11336), (0.15, 0, 0.0265)]
    far += [(0, -0.0018, 0.01634), (0, 0.0018, 0.01634), (0, 0, -0.001159)]
    for body, d, angle, (x, y, z) in zip(tf.robots.ur5().bodies, a, alpha, far, strict=True):
        c, s = np.cos(angle), np.sin(angle)
        inertia = body.inertia
        com = np.array([inertia.MX, inertia.MY, inertia.MZ], float) / float(inertia.M)
        np.testing.assert_allclose(com, [d + x, c * y - s * z, s * y + c * z], atol=1e-12)


def test_the_stanford_arm_is_pauls():
    """Paul's frames are at the far end of each link, and his moments are about their origins."""
    alpha = np.array([-1, 1, 0, -1, 1, 0]) * np.pi / 2
    moments = [(0.276, 0.255, 0.071), (0.108, 0.018, 0.100), (2.51, 2.51, 0.006)]
    moments += [(0.002, 0.001, 0.001), (0.003, 0.003, 0.0004), (0.013, 0.013, 0.0003)]
    centres = [(0, 0.0175, -0.1105), (0, -0.1054, 0), (0, 0, -0.6447), (0, 0.0092, -0.0054), (0, 0, 0.0566)]
    for body, angle, J, com in zip(
        tf.robots.stanford().bodies, alpha, moments, [*centres, (0, 0, 0.1554)], strict=True
    ):
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        x = body.inertia
        np.testing.assert_allclose(np.array(x[6:9], float) / float(x.M), R @ com, atol=1e-12)
        np.testing.assert_allclose(R @ np.diag(J) @ R.T, matrix(x), atol=1e-12)


def matrix(x):
    return np.array([[x.XX, x.XY, x.XZ], [x.XY, x.YY, x.YZ], [x.XZ, x.YZ, x.ZZ]], float)


OFF = {"panda": 0.02, "puma560": 0.2, "scara": 0.01}
"""How far published values, and a wrist with a moment about its axis alone, are from those of a body."""


@pytest.mark.parametrize("name", tf.robots.names())
def test_every_link_is_possible_and_the_robot_can_be_evaluated(name):
    robot = tf.robots.bundled(name)
    assert robot.symbols == ()
    for body in robot.bodies:
        x = body.inertia
        J, h = matrix(x), np.array([x.MX, x.MY, x.MZ], float)
        pseudo = np.block([[np.trace(J) / 2 * np.eye(3) - J, h[:, None]], [h[None], np.array([[x.M]], float)]])
        assert np.linalg.eigvalsh(pseudo).min() > -OFF.get(name, 1e-12)
    if not robot.loops:
        M = tf.inertia_matrix(robot).compile()(np.linspace(0.1, 1, robot.dof))
        assert np.linalg.eigvalsh(M).min() > 0
