"""End stops: a joint rests on them where spring and weight balance, and bounces as Hunt and Crossley's formula says."""

import numpy as np
import pytest
from scipy.optimize import brentq

import tauforge as tf
from tauforge.robot.joint import Limits

MASS = 2.0


def slide(gravity=0.0, **limits):
    return tf.Robot(
        name="slide",
        joints=(tf.Joint(name="z", antecedent=0, sigma=1, limits=Limits(**limits)),),
        bodies=(tf.Body(name="mass", inertia=tf.Inertia(0, 0, 0, 0, 0, 0, 0, 0, 0, MASS)),),
        gravity=(0.0, 0.0, -gravity),
    )


def test_it_rests_where_spring_and_weight_balance():
    found = tf.simulate(slide(9.81, lower=-0.5), [0.0, 30.0], stops=tf.Stops(1e4, 5.0), method="BDF")
    assert found.q[-1, 0] == pytest.approx(-0.5 - MASS * 9.81 / 1e4, abs=1e-8)
    assert found.potential[-1] == pytest.approx(MASS * 9.81 * found.q[-1, 0])


@pytest.mark.parametrize("c", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_it_bounces_as_the_formula_says(c, side):
    """From m v dv = -k δ (1 + c v) dδ on the way in and out: c v - ln(1 + c v) = -c w - ln(1 - c w)."""
    v, k = 1.5, 2e4
    robot = slide(lower=-0.1, upper=0.1)
    found = tf.simulate(robot, [0.0, 1.0], qd0=[side * v], stops=tf.Stops(k, c), rtol=1e-9, max_step=1e-3, events=back)
    depth = np.sqrt(MASS / k) * v if c == 0.0 else np.sqrt(2.0 * MASS / k * (v - np.log1p(c * v) / c) / c)
    w = v if c == 0.0 else brentq(lambda w: -c * w - np.log1p(-c * w) - c * v + np.log1p(c * v), 0.0, 0.999999 / c)
    turned, left = found.events[0], found.events[1]
    assert side * turned.q[0] - 0.1 == pytest.approx(depth, rel=1e-6)
    assert -side * left.qd[0] == pytest.approx(w, rel=1e-6)


def turns(t, q, qd):
    return qd[0]


def contact(t, q, qd):
    return abs(q[0]) - 0.1


contact.direction, contact.terminal = -1.0, True
back = [turns, contact]


def test_only_named_joints_have_stops():
    hit = tf.simulate(two_joints(), [0.0, 1.0], qd0=[1.0, 1.0], stops=tf.Stops({"b": 1e3}, 0.0))
    assert hit.q[-1, 0] == pytest.approx(1.0, abs=1e-9)
    assert hit.q[-1, 1] < 0.5


def two_joints():
    mass = tf.Inertia(0, 0, 0, 0, 0, 1.0, 0, 0, 0, 1.0)
    joints = (
        tf.Joint(name="a", antecedent=0, limits=Limits(upper=0.3)),
        tf.Joint(name="b", antecedent=0, limits=Limits(upper=0.3)),
    )
    bodies = (tf.Body(name="first", inertia=mass), tf.Body(name="second", inertia=mass))
    return tf.Robot(name="pair", joints=joints, bodies=bodies, gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("robot", "given", "said"),
    [
        (slide(), True, "no joint limits"),
        (slide(upper=1.0), -3.0, "positive number"),
        (slide(upper=1.0), tf.Stops({"knee": 1e3}), "'knee' is not a joint"),
    ],
)
def test_bad_stops(robot, given, said):
    with pytest.raises(tf.ProgramError, match=said):
        tf.simulate(robot, 1.0, stops=given)
