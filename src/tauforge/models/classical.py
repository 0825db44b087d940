"""The only door from the models to the classical formulations, which are built on the models."""

from __future__ import annotations

from ..errors import ProgramError
from ..program.program import Program
from ..robot.robot import Robot
from .coordinates import INDEPENDENT

DEFAULT = "newton-euler"
"""Tauforge's own recursions, in the files of this folder."""


def classical(model: str, robot: Robot, formulation: str, *options: object, coordinates: str = INDEPENDENT) -> Program:
    """Return a model's Program as one of the classical formulations gives it."""
    if coordinates != INDEPENDENT and robot.loops:
        raise ProgramError(
            f"coordinates={coordinates!r} is for formulation={DEFAULT!r}; {formulation!r} does not take it"
        )
    from ..formulations import programs

    made: Program = getattr(programs, model)(robot, formulation, *options)
    return made
