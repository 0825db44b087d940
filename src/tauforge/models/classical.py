"""The only door from the models to the classical formulations, which are built on the models."""

from __future__ import annotations

from ..program.program import Program
from ..robot.robot import Robot

DEFAULT = "newton-euler"
"""Tauforge's own recursions, in the files of this folder."""


def classical(model: str, robot: Robot, formulation: str, *options: object) -> Program:
    """Return a model's Program as one of the classical formulations gives it."""
    from ..formulations import programs

    made: Program = getattr(programs, model)(robot, formulation, *options)
    return made
