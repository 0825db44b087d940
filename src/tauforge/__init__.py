"""Tauforge: the dynamic models of any robot, as the program that computes them with the fewest operations."""

from .errors import (
    CertificationError,
    ExpressionError,
    ProgramError,
    RobotError,
    RobotWarning,
    TargetError,
    TauforgeError,
)
from .graph.node import symbol
from .models.inverse_dynamics import inverse_dynamics
from .program.program import Program
from .robot.joint import Joint
from .robot.robot import Base, Body, Loop, Robot
from .spatial.inertia import Inertia

__version__ = "0.1.0"
__all__ = [
    "Base",
    "Body",
    "CertificationError",
    "ExpressionError",
    "Inertia",
    "Joint",
    "Loop",
    "Program",
    "ProgramError",
    "Robot",
    "RobotError",
    "RobotWarning",
    "TargetError",
    "TauforgeError",
    "inverse_dynamics",
    "symbol",
]
