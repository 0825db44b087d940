"""The models by name, for the command line: one line each."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import ProgramError
from ..program.program import Program
from .inverse_dynamics import inverse_dynamics

MODELS: dict[str, tuple[Callable[..., Program], str]] = {
    "inverse-dynamics": (inverse_dynamics, "joint efforts from coordinates, velocities and accelerations"),
}


def model(name: str) -> Callable[..., Program]:
    """Return a model's function by its name, with - or _ between the words."""
    key = name.replace("_", "-")
    if key not in MODELS:
        raise ProgramError(f"unknown model {name!r}; there are {', '.join(MODELS)}")
    return MODELS[key][0]
