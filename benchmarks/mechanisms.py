"""IFToMM's benchmark mechanisms: time, evaluations, energy drift, and the largest error against published values.

Times are processor times of a whole simulation, with everything compiled.

    python -m benchmarks.mechanisms
    python -m benchmarks.mechanisms --problems andrews,bricard
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser

from tauforge.papers.entry import Verdict
from tauforge.papers.iftomm.library import PROBLEMS

from .table import Table


def main(arguments: list[str] | None = None) -> None:
    """Run the problems and print the figures; what differs from a reference stops the benchmark."""
    parser = ArgumentParser(prog="python -m benchmarks.mechanisms", description=(__doc__ or "").partition("\n")[0])
    names = [problem.name for problem in PROBLEMS]
    parser.add_argument("--problems", default=",".join(names), help=f"some of {', '.join(names)}, with commas between")
    wanted = parser.parse_args(arguments).problems.split(",")
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"there is no problem {unknown[0]!r}; choose among {', '.join(names)}")
    table = Table()
    for problem in PROBLEMS:
        if problem.name not in wanted:
            continue
        run = problem.run(again=True)
        found = run.trajectory
        table.title(f"{problem.title}: {found.method} over {found.t[-1]:g} s")
        for entry in problem.checks(run):
            if entry.verdict is Verdict.DIFFERS:
                sys.exit(f"{problem.name}: {entry.what}: {entry.published} is published, ours is {entry.ours}")
        table.row("time", 1e3 * run.seconds, "ms", note=f"{found.steps} steps, {found.evaluations} evaluations")
        table.row("simulated seconds per second", found.t[-1] / run.seconds, "")
        if problem.conserves:
            table.row("energy drift, relative to the kinetic energy", run.drift, "")
        if found.residual.any():
            table.row("loops open by at most", float(found.residual.max()), "m, rad", "< 1e-8")


if __name__ == "__main__":
    main()
