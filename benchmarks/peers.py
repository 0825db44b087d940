"""A Panda beside six other libraries, and Talos and ANYmal on a floating base beside those that can hold them.

What ``tauforge bench`` does, on the robots of ``example-robot-data``, or where it is not installed on those of
``benchmarks.robots``: python -m benchmarks.peers [--robots NAME ...] [--effort quick] [--json FOLDER] [--plot FOLDER]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

import tauforge as tf
from tauforge.bench.compare import PEERS, rows
from tauforge.bench.peer import MODELS, Peer
from tauforge.bench.prepare import prepared
from tauforge.cli import bench
from tauforge.program.search import EFFORTS

from .loading import data
from .robots import humanoid, panda, quadruped

ROBOTS: dict[str, tuple[str, str, Callable[[], tf.Robot]]] = {
    "panda": ("panda_description/urdf/panda.urdf", "fixed", panda),
    "talos": ("talos_data/robots/talos_reduced.urdf", "floating", humanoid),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", "floating", quadruped),
}
"""File, base, and what to take where there is none."""


def robot(name: str) -> tf.Robot:
    """Return a robot of the benchmarks; the Panda without its fingers."""
    path, base, other = ROBOTS[name]
    folder = data()
    if folder is None:
        return other()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tf.RobotWarning)
        found = tf.load(folder / path, base=base).tree()
    return found.lock({joint: 0.0 for joint in found.joint_names if "finger" in joint})


def main(arguments: Sequence[str] | None = None, peers: Sequence[type[Peer]] = PEERS) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", nargs="+", choices=ROBOTS, default=[*ROBOTS])
    parser.add_argument("--models", nargs="+", choices=MODELS, default=[*MODELS])
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--effort", choices=EFFORTS, help="optimise our models with this effort")
    parser.add_argument("--json", type=Path, help="a folder to write the figures to")
    parser.add_argument("--plot", type=Path, help="a folder to draw the ratios to")
    options = parser.parse_args(arguments)
    for name in options.robots:
        found, notes = prepared(robot(name))
        rest = {"batch": options.batch, "seconds": options.seconds, "peers": peers, "effort": options.effort}
        timed = [*rows(found, options.models, **rest)]
        Console(highlight=False, width=120).print(bench.table(found, timed, options.batch, notes))
        if options.json:
            bench.save(options.json / f"{name}.json", found, timed, options.batch, notes)
        if options.plot:
            bench.plot(options.plot / f"{name}.svg", found, timed)


if __name__ == "__main__":
    main()
