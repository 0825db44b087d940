"""Andrews' squeezing mechanism (Schiehlen 1990; Hairer and Wanner, Solving ODEs II, VII.7): published accelerations."""

import numpy as np

import tauforge as tf
from tauforge.papers.iftomm.andrews import (
    END,
    LENGTH,
    SC,
    SD,
    SPEED,
    START,
    STIFFNESS,
    TORQUE,
    B,
    C,
    andrews,
    in_order,
    task,
)
from tauforge.papers.iftomm.andrews import spring as spring_expressions

PUBLISHED = 1.5e-9
"""Error of the published coordinates, in rad."""


def spring(gamma):
    """Return the wrenches that the links exert: K3 pulls a spring."""
    c, s = np.cos(gamma), np.sin(gamma)
    R = np.array([[c, -s], [s, c]])
    arm = np.array([SD, -SC])
    way = np.array(C) - (np.array(B) + R @ arm)
    length = np.linalg.norm(way)
    fx, fy = R.T @ (way * STIFFNESS * (length - LENGTH) / length)  # on K3, in its own axes
    wrenches = np.zeros((7, 6))
    wrenches[2] = (-fx, -fy, 0.0, 0.0, 0.0, -(arm[0] * fy - arm[1] * fx))
    return wrenches


def acceleration(q, speed):
    robot = andrews()
    assert robot.independent == ("beta",)
    q = np.array(in_order(q))
    closed = tf.close_loops(robot, [q[0]], guess=q)
    np.testing.assert_allclose(closed, q, atol=1e-8)
    direct = tf.direct_dynamics(robot, external_wrenches=True).compile()
    return direct(q, [speed], [TORQUE], spring(q[2]))


def test_at_the_start():
    np.testing.assert_allclose(acceleration(START, 0.0), 14222.443919954114, rtol=1e-9)


def test_the_spring_of_the_benchmark_is_that_of_the_formulas():
    expressions = tf.Program.of(w=spring_expressions())
    for gamma in (-1.0, 0.3, 2.0):
        np.testing.assert_allclose(expressions.compile()(gamma), spring(gamma)[2], rtol=1e-12)


def test_in_motion():
    q = [15.810771195154167, -15.756371058412443, 0.04082224011964045, -0.5347301163420822, 0.5244099658799554,
         0.5347301163420807, 1.0480807410419326]  # fmt: skip
    np.testing.assert_allclose(acceleration(q, 1139.920302259102), -24631.763123350287, rtol=1e-6)


def away(coordinates):
    """Return how far the coordinates at 0.03 s are from the published ones."""
    found = task().changed(simulation={"coordinates": coordinates}).simulate(andrews())
    return np.abs(found.q[-1] - in_order(END)).max(), abs(found.qd[-1, 0] / SPEED - 1)


def test_all_coordinates_are_as_accurate_as_the_independent_ones():
    (angles, speed), (own, rate) = away("all"), away("independent")
    assert angles <= max(own, PUBLISHED)
    assert speed <= max(rate, PUBLISHED)
