"""Every paper's tables and figures, made again, agree with what is published."""

import numpy as np
import pytest

from tauforge.papers import PAPERS, paper, wolinski
from tauforge.papers.entry import Verdict
from tauforge.papers.iftomm import andrews, bricard, fourbars, governor, library
from tauforge.papers.iftomm.problem import Run, point


def check(parts):
    parts = list(parts)
    differing = [entry for part in parts for entry in part.entries if entry.verdict is Verdict.DIFFERS]
    assert differing == []
    for part in parts:
        assert part.entries
        assert all(figure.svg.rstrip().endswith("</svg>") for figure in part.figures)
    return parts


@pytest.mark.parametrize("name", ["khalil", "meghdari", "grigorov", "lemoine"])
def test_a_paper(name):
    made = check(paper(name).parts())
    assert len(made) >= 3


def test_the_torques_of_the_lwr():
    check([wolinski._inverse()])


@pytest.mark.slow
def test_the_forward_problem_of_the_lwr():
    (part,) = check([wolinski._forward()])
    assert len(part.entries) > 20


@pytest.mark.parametrize(
    "problem", [andrews.PROBLEM, bricard.PROBLEM, governor.PROBLEM, fourbars.PROBLEMS[0]], ids=lambda x: x.name
)
def test_a_benchmark_problem(problem):
    check([library.part(problem)])


def test_bricard_in_all_coordinates_is_as_accurate_as_in_independent_ones():
    def away(coordinates):
        robot = bricard.bricard()
        run = Run(bricard.task().changed(simulation={"coordinates": coordinates}).simulate(robot), 0.0)
        return max(np.abs(point(run, robot, "P3", t) - p).max() for t, p in bricard.REFERENCE.items())

    assert away("all") <= away("independent") < 1e-8


@pytest.mark.slow
def test_forty_linkages():
    check([library.part(fourbars.PROBLEMS[1])])


def test_all_papers_have_their_short_names():
    for name in PAPERS:
        assert paper(name).key == name
