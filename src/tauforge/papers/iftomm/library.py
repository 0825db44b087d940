"""The IFToMM library of computational benchmark problems, as far as mechanisms with loops and stiff drives go."""

from __future__ import annotations

from collections.abc import Iterator

from ..drawing import histories
from ..entry import Figure, Paper, Part, shown
from ..proof import small
from . import andrews, bricard, fourbars, governor
from .problem import Problem, Run

PROBLEMS = (andrews.PROBLEM, *fourbars.PROBLEMS, bricard.PROBLEM, governor.PROBLEM)
DRIFT, CLOSED = 1e-5, 1e-8
"""How much the energy may vary, relative to the kinetic one, and how far loops may be open, in m or rad."""
FEW = 7
"""Coordinates that are drawn."""


def parts() -> Iterator[Part]:
    """Yield one part for each problem."""
    for problem in PROBLEMS:
        yield part(problem)


def part(problem: Problem) -> Part:
    """Return a problem, simulated and compared."""
    run = problem.run()
    found = run.trajectory
    entries = list(problem.checks(run))
    if problem.conserves:
        entries.append(small("energy drift, relative to the kinetic energy", "", "conserved", run.drift, DRIFT))
    if found.residual.any():
        entries.append(small("loops are closed, in m or rad", "", "at all times", float(found.residual.max()), CLOSED))
    work = f"{found.steps} steps, {found.evaluations} evaluations, {run.seconds:.2g} s of processor time with compiling"
    entries.append(shown(f"{found.method} over {found.t[-1]:g} s", "", "", work))
    return Part(problem.title, problem.text, tuple(entries), (_drawn(problem, run),))


def _drawn(problem: Problem, run: Run) -> Figure:
    found = run.trajectory
    lines = {name: found.q[:, k] for k, name in enumerate(found.coordinate_names[:FEW])}
    panels = {"coordinates [rad, m]": lines}
    return histories(f"{problem.title}: coordinates", f"Of the first {len(lines)} joints.", found.t, panels)


PAPER = Paper(
    "iftomm",
    "IFToMM Technical Committee for Multibody Dynamics: Library of computational benchmark problems, "
    "iftomm-multibody.org",
    "Mechanisms with closed loops, singular positions, redundant constraints and stiff drives.",
    parts,
)
