"""Identification of a Panda from 100,000 samples, beside the same steps with Pinocchio's regressor, called from Python.

Both filter positions, differentiate, compute the regressor of each sample, filter and decimate it with the torques, and
solve for the base parameters, friction and rotor inertias. Times are the processor's, on one thread.
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

import tauforge as tf
from tauforge.bench.with_pinocchio import to_pinocchio
from tauforge.identification.factor import Factor
from tauforge.identification.sources import sources_of
from tauforge.identification.states import decimated

from .robots import panda
from .table import Table

Floats = NDArray[np.float64]
PLAIN = ("FV", "FS", "FO")
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


def with_pinocchio(robot: tf.Robot, recording: tf.Recording, result: tf.Identification, stacked: bool) -> Floats:
    """Return the noise of each torque that Pinocchio's regressor leaves, by the same steps.

    Or as such programs are usually written: all samples ``stacked``, filtered but not decimated, and NumPy's ``lstsq``.
    """
    import pinocchio as pin

    model = to_pinocchio(robot)
    data, n = model.createData(), robot.dof
    (source,) = sources_of(result.columns, [recording], cutoff="auto", decimate=None)
    window, step = source.filters.window, source.filters.decimation
    rows, torques, factor = [], [], None
    for states in source.blocks():
        whole = np.empty((len(states), n, 10 * n))
        for k in range(len(states)):
            whole[k] = pin.computeJointTorqueRegressor(model, data, states.q[k], states.qd[k], states.qdd[k])
        own = [states.qdd, states.qd, states.slip, np.ones_like(states.qd)]
        Y = [np.column_stack([whole[:, j, 10 * j :], *(x[:, j] for x in own)]) for j in range(n)]
        if stacked:
            rows.append(np.concatenate([whole, *(np.eye(n) * x[:, :, None] for x in own)], axis=2))
            torques.append(states.tau)
            continue
        block = Factor.of([decimated(y, window, step) for y in Y], decimated(states.tau, window, step))
        factor = block if factor is None else factor + block
    if factor is None:
        A, b = np.concatenate(rows).reshape(-1, 14 * n), np.concatenate(torques).ravel()
        values = np.linalg.lstsq(A, b, rcond=1e-9)[0]
        return np.asarray(np.std((b - A @ values).reshape(-1, n), axis=0))
    return np.array([float(np.abs(R[-1, -1])) / np.sqrt(factor.count) for R in factor.triangles])


def speed(robot: tf.Robot, samples: int, table: Table) -> None:
    """Compare the processor's times, in turn."""
    recording = measured(robot, samples)
    result = tf.identify(robot, recording[:5000], friction=PLAIN)  # compiles
    times: dict[str, float] = {}
    for name, run in {
        "Tauforge": lambda: tf.identify(robot, recording, friction=PLAIN),
        "the same with Pinocchio's regressor": lambda: with_pinocchio(robot, recording, result, stacked=False),
        "stacked, with Pinocchio and lstsq": lambda: with_pinocchio(robot, recording, result, stacked=True),
    }.items():
        took = []
        for _ in range(3 if name == "Tauforge" else 1):
            start = time.process_time()
            run()
            took.append(time.process_time() - start)
        times[name] = min(took)
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
        speed(robot_with_friction(), given.samples, Table())
