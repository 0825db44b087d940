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
from ..program.split import split_rest, split_setup
from ..robot.robot import Robot
from ..targets.c import CERTIFICATE, MADE, digest, how_made
from ..targets.read_c import read_c, rounded

_HEAD = re.compile(r"^/\*\n(.*?)\n \*/\n\n", re.DOTALL | re.MULTILINE)
_CERTIFIED = re.compile(rf"^ \* {CERTIFICATE}(\w+)\n", re.MULTILINE)
_STATES = 64
_SIZES = 1.0, 12.0
_TOLERANCE = 1e-9
_METHODS = {name: getattr(Program, name) for name in ("derivative", "jvp", "vjp", "hessian", "bind", "optimise")} | {
    "split_setup": split_setup,
    "split_rest": split_rest,
}


@dataclass(frozen=True)
class Verified:
    """What was found about a file of generated C.

    Attributes
    ----------
    model
        What the file was compared with: the model with its options, and what was made from it.
    unchanged
        Whether its text is the one that was written; None if it has no certificate.
    proved
        Whether it computes exactly the robot's model with constants rounded as they are written.
    difference
        The largest difference from the model at random states, relative to the largest entry of each output.
    states
        How many states there were.
    """

    model: str
    unchanged: bool | None
    proved: bool
    difference: float
    states: int

    def __str__(self) -> str:
        words = {True: "unchanged", False: "changed since it was written", None: "without a certificate"}
        proof = "proved equal to" if self.proved else "not proved, but close to"
        return (
            f"{words[self.unchanged]}; {proof} {self.model}: largest difference {self.difference:.1e} at {self.states} "
            "states"
        )


def verify(path: str | Path, robot: Robot, program: Program | None = None) -> Verified:
    """Check a file of generated C against a robot; a TargetError says where they differ.

    What the file includes, such as a header, is not read.

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
    certificate = _CERTIFIED.search(text, head.start(), head.end()) if head else None
    unchanged = None
    if head and certificate:
        unchanged = digest(text[head.start() : certificate.start()] + text[certificate.end() :]) == certificate[1]
    model = program or _made(_said(head[1]) if head else "", robot, path)
    if model.repeat:
        raise TargetError(f"{path}: a function that is repeated cannot be read back")
    try:
        found = read_c(text, model)
    except TauforgeError as error:
        raise TargetError(f"{path}: {error}") from None
    off, worst = max((_difference(found, model, size) for size in _SIZES), key=lambda x: x[0])
    proved = _proved(found, model)
    if not proved and not off <= _TOLERANCE:
        raise TargetError(f"{path}: it is not this model of {robot.name}: {worst}")
    return Verified(_words(model, robot), unchanged, proved, off, _STATES * len(_SIZES))


def _without_carriage_returns(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def _said(head: str) -> str:
    """Return what the head says about how the file was made."""
    lines = [line.removeprefix(" *").strip() for line in head.split("\n")]
    start = next((i for i, line in enumerate(lines) if line.startswith(MADE)), len(lines))
    end = next((i for i, line in enumerate(lines) if line.startswith(CERTIFICATE)), len(lines))
    return "".join(lines[start:end]).removeprefix(MADE)


def _made(said: str, robot: Robot, path: str | Path) -> Program:
    """Return the model of a robot, made as the head says."""
    if not said:
        raise TargetError(
            f"{path}: its head does not say how it was made; give the model to tf.verify(file, robot, program)"
        )
    try:
        (first, options), *rest = json.loads(said)
        program = MODELS[first.replace("_", "-")].function(robot, **options)
        for name, more in rest:
            program = _METHODS[name](program, **more)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise TargetError(
            f"{path}: its head does not say how it was made in our words; give the model to "
            "tf.verify(file, robot, program)"
        ) from None
    return program


def _words(model: Program, robot: Robot) -> str:
    """Return what made a model from a robot, in words."""
    steps = json.loads(how_made(model) or "[]")
    made = [f"{name}({', '.join(f'{key}={value!r}' for key, value in options.items())})" for name, options in steps]
    return f"{'.'.join(made) or model.name} of {robot.name}"


def _difference(found: Program, model: Program, size: float) -> tuple[float, str]:
    """Return the largest relative difference at random states of about a size, and where it is."""
    rng = np.random.default_rng(0)
    given: dict[str, Any] = {}
    for name, array in model.arguments.items():
        signs = rng.choice([-size, size], (_STATES, *array.shape))
        given[name] = rng.uniform(0.2, 1.2, signs.shape) * signs
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
