"""Generated C checked again: against its certificate, and against the robot that it is said to be made for."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CertificationError, ProgramError, TargetError, TauforgeError, Undecided
from ..files import read_bytes
from ..models.registry import MODELS
from ..program.program import PARAMETERS, Program
from ..robot.robot import Robot
from ..targets.c import digest
from ..targets.read_c import read_c, rounded

_HEAD = re.compile(r"/\*\n(.*?)\n \*/\n\n", re.DOTALL)
_STATES = 64
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Verified:
    """What was found about a file of generated C.

    Attributes
    ----------
    unchanged
        Whether its text is the one that was written; None if it has no certificate.
    proved
        Whether it computes exactly the robot's model with constants rounded as they are written.
    difference
        The largest difference from the model at random states, relative to the largest entry of each output.
    states
        How many states there were.
    """

    unchanged: bool | None
    proved: bool
    difference: float
    states: int

    def __str__(self) -> str:
        words = {True: "unchanged", False: "changed since it was written", None: "without a certificate"}
        proof = "proved equal to the model" if self.proved else "equal to the model"
        return f"{words[self.unchanged]}; {proof}: largest difference {self.difference:.1e} at {self.states} states"


def verify(path: str | Path, robot: Robot, program: Program | None = None) -> Verified:
    """Check a file of generated C against a robot; a TargetError says where they differ.

    Parameters
    ----------
    path
        The file.
    robot
        The robot that it should be about.
    program
        The model that it should compute, if its head does not say how it was made.
    """
    text = _without_carriage_returns(read_bytes(path))
    head = _HEAD.search(text)
    said = _said(head[1]) if head else {}
    code = text[head.end() :] if head else ""
    unchanged = digest(code) == said["Certificate"] if "Certificate" in said else None
    model = program or _made(said.get("Made by", ""), robot, path)
    if model.repeat:
        raise TargetError(f"{path}: a function that is repeated cannot be read back")
    try:
        found = read_c(code or text, model)
    except TauforgeError as error:
        raise TargetError(f"{path}: {error}") from None
    off, worst = _difference(found, model)
    proved = _proved(found, model)
    if not proved and not off <= _TOLERANCE:
        raise TargetError(f"{path}: it is not this model of {robot.name}: {worst}")
    return Verified(unchanged, proved, off, _STATES)


def _without_carriage_returns(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def _said(head: str) -> dict[str, str]:
    """Return what the lines of the head say that were written for this check."""
    lines = [line.removeprefix(" *").strip() for line in head.split("\n")]
    found: dict[str, str] = {}
    start = next((i for i, line in enumerate(lines) if line.startswith("Made by: ")), None)
    end = next((i for i, line in enumerate(lines) if line.startswith("Certificate: ")), None)
    if end is not None:
        found["Certificate"] = lines[end].removeprefix("Certificate: ")
        if start is not None:
            found["Made by"] = " ".join(lines[start:end]).removeprefix("Made by: ")
    return found


def _made(said: str, robot: Robot, path: str | Path) -> Program:
    """Return the model of a robot, made as the head says."""
    if not said:
        raise TargetError(f"{path}: its head does not say how it was made; name the model")
    try:
        steps = json.loads(said)
        (first, options), *rest = steps
        program = MODELS[first.replace("_", "-")].function(robot, **options)
        for name, more in rest:
            program = _method(program, name, more)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise TargetError(f"{path}: its head does not say how it was made in our words; name the model") from None
    return program


def _method(program: Program, name: str, options: dict[str, Any]) -> Program:
    if name not in ("derivative", "bind", "optimise"):
        raise ValueError(name)
    return getattr(program, name)(**options)  # type: ignore[no-any-return]


def _difference(found: Program, model: Program) -> tuple[float, str]:
    """Return the largest relative difference at random states, and where it is."""
    rng = np.random.default_rng(0)
    given: dict[str, Any] = {}
    for name, array in model.arguments.items():
        given[name] = rng.uniform(0.2, 1.2, (_STATES, *array.shape)) * rng.choice([-1.0, 1.0], (_STATES, *array.shape))
    given[PARAMETERS] = {name: rng.uniform(0.2, 1.2) for name in model.parameters}
    with np.errstate(all="ignore"):
        ours, theirs = (_values(program, given) for program in (model, found))
    worst, where = 0.0, ""
    for name, values in ours.items():
        other = theirs[name]
        scale = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
        off = np.abs(values - other) / scale
        off = np.where(np.isnan(values) & np.isnan(other), 0.0, np.where(np.isnan(off), np.inf, off))
        if off.size and float(off.max()) > worst:
            place = np.unravel_index(int(off.argmax()), off.shape)
            worst = float(off.max())
            index = ", ".join(str(int(i)) for i in place[1:])
            where = f"{name}[{index}] is {float(other[place])!r} there, and {float(values[place])!r} here"
    return worst, where


def _values(program: Program, given: dict[str, Any]) -> dict[str, Any]:
    found = program.compile()(*(given[name] for name in program.arguments))
    several = found if len(program.results) > 1 else (found,)
    return dict(zip(program.results, several, strict=True))


def _proved(found: Program, model: Program) -> bool:
    try:
        return bool(found.certify(rounded(model)))
    except (CertificationError, Undecided, ProgramError):
        return False
