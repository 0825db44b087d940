"""What people print is short, and says what it is."""

import pytest

import tauforge as tf


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: tf.base_parameters(tf.robots.rrp(symbolic=True)), "BaseParameters(rrp: 14 of 30, 7 of them grouped)"),
        (lambda: tf.gravity(tf.robots.planar2r()), "Program(planar2r_gravity: q[2] -> g[2]; 6 mul, 2 add)"),
        (
            lambda: tf.Program.of(y="2*x + 1").count(),
            "Operations(1 mul, 1 add, 0 sin/cos, set-up 0 mul, 0 add, total 2)",
        ),
        (
            lambda: tf.yang_tzeng(tf.robots.planar2r()),
            "Design(planar2r: 2 counterweights of 6 kg, 4 terms vanished, 0 remain)",
        ),
        (lambda: tf.robots.puma560(), "Robot('puma560', RRRRRR, 0 symbols)"),
    ],
)
def test_reprs(made, expected):
    assert repr(made()) == expected
