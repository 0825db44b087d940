"""Functions to sweep, which worker processes can import too, and a script that sweeps until it is killed."""

import os
import signal
import sys
from pathlib import Path

import numpy as np

import tauforge as tf

ROBOT = tf.robots.planar2r()
TIMES = np.linspace(0.0, 0.05, 4)


def fall(angle, speed):
    """Return a short simulation."""
    return tf.simulate(ROBOT, TIMES, q0=[angle, 0.3], qd0=[speed, 0.0], rtol=1e-5, atol=1e-7)


def noted(angle, speed, log, killed_at=None):
    """Return a short simulation, and write a line for each call. Its process is killed once, at one of the angles."""
    with open(log, "a") as file:
        file.write(f"{angle!r} {speed!r}\n")
    if killed_at is not None and (angle, speed) == killed_at and first(f"{log}.killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    return fall(angle, speed)


def first(path):
    """Tell whether this is the first call of all processes."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def deadly(x):
    """Return a square, or kill the process."""
    if x == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def grid(count):
    """Return parameters with so many cases, and those of the one half-way."""
    angles, speeds = np.linspace(-1.0, 1.0, count // 2), [0.0, 0.5]
    return {"angle": angles, "speed": speeds}, (float(angles[len(angles) // 2]), 0.5)


if __name__ == "__main__":
    folder, count, workers = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    parameters, middle = grid(count)
    fixed = {"log": str(folder / "log"), "killed_at": middle}
    runs = tf.sweep(noted, parameters, fixed=fixed, store=folder / "runs.zarr", workers=workers, jobs=2)
    print(runs)
