"""What a sweep costs beside its function: cases per second by threads, processes and a Dask cluster; and a new robot.

Absolute times depend on the machine. Run it with ``make bench``.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tauforge as tf

from .table import Table


def nothing(x: float) -> float:
    """Return next to nothing."""
    return x + 1.0


def millisecond(x: float) -> float:
    """Take a millisecond."""
    end = time.perf_counter() + 1e-3
    while time.perf_counter() < end:
        pass
    return x


def rate(work: Callable[[], tf.Sweep]) -> float:
    """Return cases per second."""
    start = time.perf_counter()
    done = work().done
    return done / (time.perf_counter() - start)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print cases per second."""
    from distributed import Client, LocalCluster

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=500)
    given = parser.parse_args(arguments)
    table = Table()
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        tempfile.TemporaryDirectory() as folder,
    ):
        kinds: dict[str, Any] = {"threads": "threads", "processes": "processes", "Dask": client}
        for name, workers in kinds.items():
            for function, count in ((nothing, given.count), (millisecond, given.count // 10)):
                for place in (None, Path(folder) / f"{name}-{function.__name__}.zarr"):
                    sweep = partial(tf.sweep, function, {"x": np.arange(float(count))}, jobs=2)
                    told = "on disk" if place else "in memory"
                    found = rate(partial(sweep, workers=workers, store=place))
                    table.row(f"{function.__name__}, 2 {name}, {told}", found, "cases/s")
        runs(table, given.runs, folder)


def runs(table: Table, count: int, folder: str) -> None:
    """Print the rates of short simulations: other starts, and other robots."""
    robot, t = tf.robots.puma560(), np.linspace(0.0, 0.1, 11)
    starts = np.random.default_rng(0).uniform(-1.0, 1.0, (count, 6))
    simulated = partial(tf.sweep, robot, fixed={"t": t}, jobs=1)
    simulated({"q0": starts[:2]})
    table.row("simulations of a Puma 560, other starts", rate(lambda: simulated({"q0": starts})), "cases/s")
    place = Path(folder) / "puma.zarr"
    table.row("the same, on disk", rate(lambda: simulated({"q0": starts}, store=place)), "cases/s")
    loaded = partial(tf.sweep, robot.payload("load", at=robot.bodies[-1].name), fixed={"t": t}, jobs=1)
    loads = np.linspace(0.1, 2.0, max(2, count // 20))
    table.row("simulations of a Puma 560, other loads", rate(lambda: loaded({"load": loads})), "cases/s")


if __name__ == "__main__":
    main()
