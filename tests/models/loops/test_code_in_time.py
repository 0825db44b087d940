"""Generated C of closed loops in all coordinates, beside the compiled function, in a loop over time."""

import ctypes
import subprocess

import numpy as np
import pytest

import tauforge as tf

from ...targets.runners import require

STEP, STEPS = 1e-3, 2000
LOOP = """
void delta_direct_dynamics(const double *, const double *, const double *, double *);
void run(long steps, double step, const double *tau, double *q, double *qd) {
    double qdd[64];
    for (long k = 0; k < steps; k++) {
        delta_direct_dynamics(q, qd, tau, qdd);
        for (int i = 0; i < COUNT; i++) { qd[i] += step * qdd[i]; q[i] += step * qd[i]; }
    }
}
"""


@pytest.mark.parametrize("optimise", ["-O0", "-O2"])
def test_two_seconds_of_a_delta(tmp_path, optimise):
    """Euler's steps with C's accelerations and with those of the compiled function lead to the same state."""
    require("gcc")
    robot = tf.robots.delta()
    program = tf.direct_dynamics(robot, coordinates="all")
    code = program.write(tmp_path / "delta.c", name="delta_direct_dynamics")
    q, count = tf.close_loops(robot, [0.1, 0.2, 0.15]), program.inputs["qd"].size
    (tmp_path / "loop.c").write_text(LOOP.replace("COUNT", str(count)))
    library = tmp_path / "delta.so"
    sources = [str(code), str(tmp_path / "loop.c")]
    subprocess.run(
        ["gcc", optimise, "-ffp-contract=off", "-shared", "-fPIC", "-o", str(library), *sources, "-lm"], check=True
    )
    tau, there, speed = np.array([0.3, -0.2, 0.1]), q.copy(), np.zeros(count)
    pointer = ctypes.POINTER(ctypes.c_double)
    run = ctypes.CDLL(str(library)).run
    run.argtypes = [ctypes.c_long, ctypes.c_double, pointer, pointer, pointer]
    run(STEPS, STEP, *(x.ctypes.data_as(pointer) for x in (tau, there, speed)))
    f, qd = program.compile(), np.zeros(count)
    for _ in range(STEPS):
        qd = qd + STEP * f(q, qd, tau)
        q = q + STEP * qd
    assert np.abs(qd).max() > 0.01
    np.testing.assert_allclose(there, q, atol=1e-9)
    np.testing.assert_allclose(speed, qd, atol=1e-9)
