"""Identification of a Panda from 100,000 samples, beside the same steps with Pinocchio's regressor, called from Python.

There are three peers. One is ``tf.identify`` itself, with Pinocchio's regressor in the place of the compiled one; both
give the same values. The second is a program that takes the same steps, parallel filtering and decimation among them,
with Pinocchio, NumPy and SciPy alone. The third is what short programs do: all samples stacked, and NumPy's ``lstsq``.
Times are the processor's, on one thread.
``python -m benchmarks.identify`` prints the table; ``--samples`` and ``--memory`` measure long recordings.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfiltfilt, upfirdn

import tauforge as tf
from tauforge.bench.with_pinocchio import to_pinocchio
from tauforge.identification.columns import Columns
from tauforge.identification.sources import sources_of
from tauforge.identification.threads import one_thread_each

from .robots import panda
from .table import Table

Floats = NDArray[np.float64]
PLAIN = ("FV", "FS", "FO")
ACTUATOR = ("IA", *PLAIN)
PINOCCHIO = ("M", "MX", "MY", "MZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ")
"""The order of a link's parameters in Pinocchio's regressor."""
RATE = 1000.0


def motion(t: Floats, joints: int, seed: int = 0) -> tuple[Floats, Floats, Floats]:
    """Return a periodic motion with its velocities and accelerations."""
    random = np.random.default_rng(seed)
    q, qd, qdd = np.zeros((3, len(t), joints))
    for k in range(1, 6):
        w, a, b = 2 * np.pi * 0.1 * k, *(random.normal(size=(2, joints)) / k)
        s, c = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
        q += a * s + b * c
        qd += w * (a * c - b * s)
        qdd -= w * w * (a * s + b * c)
    return q, qd, qdd


def measured(robot: tf.Robot, samples: int, first: int = 0) -> tf.Recording:
    """Return a recording with noise and quantised positions."""
    t = (first + np.arange(samples)) / RATE
    q, qd, qdd = motion(t, robot.dof)
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd, threads=1)
    tau += 0.2 * np.random.default_rng(first).normal(size=q.shape)
    return tf.Recording(t, np.round(q / 2e-5) * 2e-5, tau)


class Regressor:
    """The entries of a regressor, computed by Pinocchio and called from Python for each sample."""

    def __init__(self, robot: tf.Robot, columns: Columns) -> None:
        self.model = to_pinocchio(robot)
        self.data = self.model.createData()
        self.n = robot.dof
        self.places = [[_place(*columns.keys[k], self.n) for k in own] for own in columns.rows]

    def __call__(
        self, q: Floats, qd: Floats, qdd: Floats, slip: Floats, out: Floats | None = None, threads: int = 1
    ) -> Floats:
        whole = self.whole(q, qd, qdd, slip)
        return np.concatenate([whole[:, row, own] for row, own in enumerate(self.places)], axis=1)

    def whole(self, q: Floats, qd: Floats, qdd: Floats, slip: Floats) -> Floats:
        """Return the columns of all links, then those of rotors and friction (samples, n, 14 n)."""
        import pinocchio as pin

        found = np.zeros((len(q), self.n, 14 * self.n))
        for k in range(len(q)):
            found[k, :, : 10 * self.n] = pin.computeJointTorqueRegressor(self.model, self.data, q[k], qd[k], qdd[k])
        for term, x in enumerate((qdd, qd, slip, np.ones_like(qd))):
            own = 10 * self.n + term * self.n + np.arange(self.n)
            found[:, np.arange(self.n), own] = x
        return found


def _place(parameter: str, link: int, n: int) -> int:
    """Return the column of a parameter in Pinocchio's order, with rotors and friction after the links."""
    if parameter in ACTUATOR:
        return 10 * n + ACTUATOR.index(parameter) * n + link - 1
    return 10 * (link - 1) + PINOCCHIO.index(parameter)


def with_pinocchio(robot: tf.Robot, recording: tf.Recording, columns: Columns) -> tf.Identification:
    """Return the same identification with Pinocchio's regressor: all other steps are those of ``tf.identify``."""
    own = columns.function
    columns.__dict__["function"] = Regressor(robot, columns)
    try:
        return tf.identify(robot, recording, friction=PLAIN)
    finally:
        columns.__dict__["function"] = own


def with_scipy(robot: tf.Robot, recording: tf.Recording, columns: Columns) -> Floats:
    """Return the values as a program without Tauforge finds them by the same steps: filtered positions, differences,
    regressor and torques filtered alike and decimated, and least squares weighted by the noise, with its errors.
    """
    (source,) = sources_of(columns, [recording], cutoff="auto", decimate=None)
    how, places = source.filters, [_place(*key, robot.dof) for key in columns.keys]
    sections = butter(4, how.cutoff, fs=1.0 / how.step, output="sos")
    q = sosfiltfilt(sections, recording.q, axis=0)
    qd = np.gradient(q, how.step, axis=0)
    qdd = np.gradient(qd, how.step, axis=0)
    Y = Regressor(robot, columns).whole(q, qd, qdd, np.sign(qd))[:, :, places]
    A, b = (upfirdn(how.window, x, down=how.decimation, axis=0)[5:-5] for x in (Y, recording.tau))
    noise = np.ones(robot.dof)
    for _ in range(4):
        W = (A / noise[:, None]).reshape(-1, len(places))
        values: Floats = np.linalg.lstsq(W, (b / noise).ravel(), rcond=1e-9)[0]
        noise = np.std(b - A @ values, axis=0)
    np.sqrt(np.diag(np.linalg.pinv(W.T @ W)))  # the errors
    return values


def stacked(robot: tf.Robot, recording: tf.Recording, columns: Columns) -> Floats:
    """Return the values as short programs find them: all samples stacked, filtered but not decimated, and lstsq."""
    (source,) = sources_of(columns, [recording], cutoff="auto", decimate=None)
    regressor, states = Regressor(robot, columns), list(source.blocks())
    A = np.concatenate([regressor.whole(x.q, x.qd, x.qdd, x.slip) for x in states]).reshape(-1, 14 * robot.dof)
    values: Floats = np.linalg.lstsq(A, np.concatenate([x.tau for x in states]).ravel(), rcond=1e-9)[0]
    return values


def speed(robot: tf.Robot, samples: int, table: Table) -> None:
    """Compare the processor's times, in turn."""
    recording = measured(robot, samples)
    result = tf.identify(robot, recording[:5000], friction=PLAIN)  # compiles
    times, values = dict[str, float](), list[Floats]()
    for name, run in {
        "Tauforge": lambda: tf.identify(robot, recording, friction=PLAIN),
        "the same with Pinocchio's regressor": lambda: with_pinocchio(robot, recording, result.columns),
        "the same steps with Pinocchio and SciPy": lambda: with_scipy(robot, recording, result.columns),
        "Pinocchio's regressor, stacked, and lstsq": lambda: stacked(robot, recording, result.columns),
    }.items():
        took = []
        for _ in range(9 if name == "Tauforge" else 2):
            start = time.process_time()
            found = run()
            took.append(time.process_time() - start)
        times[name] = min(took)
        if isinstance(found, tf.Identification):
            values.append(found.values)
    assert np.allclose(*values, rtol=1e-6, atol=1e-9), "Pinocchio's regressor gives other values"
    table.title(f"{samples} samples of a Panda to {len(result.names)} estimates with errors, one thread")
    ours = times["Tauforge"]
    for name, took in times.items():
        table.row(name, took, "s", "< 1" if took == ours else "", "" if took == ours else f"{took / ours:.1f} times")


def memory(robot: tf.Robot, samples: int, table: Table) -> None:
    """Measure the memory that a recording on disk needs."""
    with tempfile.TemporaryDirectory() as folder:
        arrays = {
            key: np.lib.format.open_memmap(f"{folder}/{key}.npy", "w+", float, (samples, robot.dof))
            for key in ("q", "tau")
        }
        for first in range(0, samples, 100_000):
            part = measured(robot, min(100_000, samples - first), first)
            for key, array in arrays.items():
                array[first : first + len(part)] = getattr(part, key)
        for array in arrays.values():
            array.flush()
        code = f"import benchmarks.identify as b; b.from_disk({folder!r})"
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, found.stdout.split())
    table.title(f"{samples} samples of a Panda on disk")
    table.row("time of the processor", seconds, "s")
    table.row("memory of the whole process", megabytes, "MB", "< 500")


def from_disk(folder: str) -> None:
    """Identify from arrays on disk, and print seconds and megabytes."""
    q, tau = (np.load(f"{folder}/{key}.npy", mmap_mode="r") for key in ("q", "tau"))
    start = time.process_time()
    tf.identify(robot_with_friction(), tf.Recording(1 / RATE, q, tau), friction=PLAIN)
    lines = (
        Path("/proc/self/status").read_text().splitlines()
    )  # getrusage would count the process that started this one
    peak = next(line for line in lines if line.startswith("VmHWM"))
    print(time.process_time() - start, float(peak.split()[1]) / 1024)


def robot_with_friction() -> tf.Robot:
    """Return a Panda with rotors and friction."""
    robot = panda()
    return replace(robot, joints=tuple(replace(x, IA=0.2, FV=1.0, FS=0.5, FO=0.1) for x in robot.joints))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--memory", type=int, default=0, help="measure the memory of so many samples instead")
    given = parser.parse_args()
    if given.memory:
        memory(robot_with_friction(), given.memory, Table())
    else:
        with one_thread_each():
            speed(robot_with_friction(), given.samples, Table())
