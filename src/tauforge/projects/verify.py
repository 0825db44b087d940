"""Generated C checked again: against its certificate, and against the robot that it is said to be made for.

Three things are looked at, in this order:

1. the text: only what our printer can have printed is read (`targets/read_c.py`);
2. exact arithmetic: the text computes the same function of real numbers as the model, proved as for any two Programs;
3. floating point: each operation of the text is done as C does it, unfolded, and compared with the model to 60
   digits, with a bound on what all its roundings can add up to (`targets/c_arithmetic.py`).
"""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CertificationError, ExpressionError, ProgramError, TargetError, TauforgeError, Undecided
from ..files import as_path, read_bytes
from ..formats.apart_child import limit_memory
from ..graph.high_precision import evaluate_precisely
from ..models.registry import MODELS
from ..program.program import PARAMETERS, Program
from ..program.split import split_rest, split_setup
from ..robot.robot import Robot
from ..targets import generate
from ..targets.c import CERTIFICATE, FLOAT, MADE, digest, how_made
from ..targets.c_arithmetic import Value, error_anywhere, evaluate_in_c
from ..targets.read_c import Reading, decoded, read_c, rounded, tokens

Floats = NDArray[np.float64]

TOLERANCES = {"double": 1e-9, FLOAT: 1e-3}
"""The largest error of an output, relative to its largest entry, with which a file passes."""
LARGEST_INPUT = 12.0
"""The states that are tried have entries of at most this size."""
_SIZES = 1.0, LARGEST_INPUT
_STATES = 64
_SPECIAL = 6
"""How many of the states are not at random: at rest, at three corners, and at quarter turns."""
_VALUES_IN_ALL = 300_000
"""About how many values are computed to 60 digits: large models are compared at fewer states."""
_FEWEST_STATES = 4
_LOST = 100.0
"""Where the error of our own code is so many times the tolerance, the model is near-singular and not compared."""
_WORSE = 8.0
"""How many times larger than in our own code the errors of a text may be where the model itself is ill-conditioned."""

MEMORY = 4e9
"""How many bytes a check in another process may take; limited on Linux only."""
SECONDS = 120.0
"""How long a check may take, unless its head asks for nothing but a model in its usual form and one step from it."""
LONGEST_RECIPE = 20_000
"""How many characters of a head may say how the file was made."""
SMALL = 12
"""How many joints a robot may have for derivatives that are made without a limit of time."""
MOST_STEPS = 8
"""How many steps it may have."""
LARGEST_MODEL = 1_000_000
"""How many operations a derivative may have that the head asks for."""
LARGEST_RATIO = 4
"""How many times longer than our own code a file may be, in characters and in operations."""

_STEPS = {name: getattr(Program, name) for name in ("derivative", "jvp", "vjp", "hessian", "bind")} | {
    "split_setup": split_setup,
    "split_rest": split_rest,
}
SEARCH = "optimise"
"""A step that changes only how results are computed, and can take long: it is repeated only where that decides."""


@dataclass(frozen=True)
class Verified:
    """What was found about a file of generated C.

    Attributes
    ----------
    model
        What the file was compared with: the model with its options, and what was made from it.
    unchanged
        Whether its text is the one that was written; None if it has no certificate. Whoever changes a file on purpose
        can write another certificate: only ``proved`` speaks of what it computes.
    proved
        Whether it computes the robot's model: exactly in real arithmetic, and in floating point either as our own code
        does, token by token, or with errors below a bound at every state whose entries are at most 12.
    difference
        The largest difference from the model at the states that were tried, relative to the largest entry of each
        output: the text as C computes it, against the model to 60 digits.
    states
        How many states there were.
    rounding
        A bound on that difference, to which the errors of all the text's constants and operations can add up.
    exact
        Whether it is proved to compute the model in real arithmetic, with constants rounded as they are written.
        Without ``proved``, nothing is known of its rounding errors at other states than those that were tried.
    """

    model: str
    unchanged: bool | None
    proved: bool
    difference: float
    states: int
    rounding: float = 0.0
    exact: bool = False

    def __str__(self) -> str:
        words = {True: "unchanged", False: "changed since it was written", None: "without a certificate"}
        proof = "proved equal to" if self.proved else "equal in exact arithmetic to" if self.exact else "close to"
        proof = proof if self.proved else f"not proved, but {proof}"
        bound = f"where rounding can reach {self.rounding:.1e}" if self.rounding < 1 else "without a bound on rounding"
        return (
            f"{words[self.unchanged]}; {proof} {self.model}: largest difference {self.difference:.1e} at {self.states} "
            f"states, {bound}"
        )


def verify(path: str | Path, robot: Robot, program: Program | None = None) -> Verified:
    """Check a file of generated C against a robot; a TargetError says where they differ.

    The function's header, if the file includes it, is read too.

    Parameters
    ----------
    path
        The file.
    robot
        The robot that it should be about.
    program
        The model that it should compute, if its head does not say how it was made.
    """
    path = as_path(path)
    try:
        text = decoded(read_bytes(path))
        common, searched = _kind(_recipe(text[slice(*_head(text))]), robot)
        if program or common:
            found = _verified(text, path, robot, program)
        else:
            found = _verified_apart(text, path, robot, search=False)
        if program or found.proved or not found.exact or not searched:
            return found
        with suppress(TargetError):  # of a search that takes too long, or finds another Program here
            again = _verified_apart(text, path, robot, search=True)
            return again if again.proved else found
    except TargetError as error:
        raise TargetError(f"{path}: {error}") from None
    return found


def _kind(recipe: str, robot: Robot) -> tuple[bool, bool]:
    """Return whether a recipe is short work, and whether it ends with a search that can be repeated.

    Short work is a model made in the usual way, and one step from it if the robot is small. A search always finds the
    same, unless its effort is a time.
    """
    try:
        (_, options), *steps = json.loads(recipe) if len(recipe) <= LONGEST_RECIPE else [("", {})]
        others = [name for name, _ in steps if name != SEARCH]
        efforts = [more.get("effort", "default") for name, more in steps if name == SEARCH]
        short = len(others) <= (len(robot.joints) <= SMALL) and "formulation" not in options
        return short, efforts in (["quick"], ["default"])
    except (ValueError, TypeError, AttributeError, RecursionError):
        return True, False  # it is refused soon


def _verified_apart(text: str, path: Path, robot: Robot, search: bool) -> Verified:
    """Do the same in another process, which is ended if it takes longer than is stated; search for a cheaper Program
    as the head says.
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", "from tauforge.projects.verify import child; child()"],
            input=pickle.dumps((text, path, robot, search)),
            stdout=subprocess.PIPE,
            env=environment,
            timeout=SECONDS,
            check=False,
        )
        found = pickle.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise TargetError(
            f"checking it takes longer than {SECONDS:.0f} s, since its head asks for much; if you trust it, give the "
            "model to tf.verify(file, robot, program)"
        ) from None
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        raise TargetError(f"it could not be checked in another process ({error})") from None
    if isinstance(found, Verified):
        return found
    raise TargetError(found)


def child() -> None:
    """Check what comes from standard input, and write what was found, or the message why it is refused."""
    text, path, robot, search = pickle.loads(sys.stdin.buffer.read())
    limit_memory(MEMORY)
    try:
        found: Verified | str = _verified(text, path, robot, search=search)
    except TauforgeError as error:
        found = str(error)
    except MemoryError:
        found = f"checking it needs more than {MEMORY:,.0f} bytes of memory, since its head asks for much"
    sys.stdout.buffer.write(pickle.dumps(found))


def _verified(text: str, path: Path, robot: Robot, program: Program | None = None, search: bool = False) -> Verified:
    start, end = _head(text)
    certificate = re.compile(rf"^ \* {CERTIFICATE}(\w+)\n", re.MULTILINE).search(text, start, end)
    model = program or _model(_recipe(text[start:end]), robot, search)
    if model.repeat:
        raise TargetError("a function that is repeated cannot be read back")
    ours = generate(model, "c")
    longest = LARGEST_RATIO * len(ours) + 10_000
    if len(text) > longest:
        raise TargetError(f"it has {len(text):,} characters, and our own code for this model only {len(ours):,}")
    reading = _read(text, model)
    unchanged = None
    if certificate:
        own = [f'#include "{header}"\n' for header in reading.headers]  # which projects put above
        same = digest(text[start : certificate.start()] + text[certificate.end() :]) == certificate[1]
        unchanged = same and text[:start] in ("", *own)
    for header in reading.headers:
        _check_header(header, path, reading, model)
    return _compared(reading, model, unchanged, robot)


def _head(text: str) -> tuple[int, int]:
    """Return where the comment starts and ends that introduces the function; nowhere if there is none."""
    start = 0 if text.startswith("/*\n") else text.find("\n/*\n") + 1
    end = text.find("*/", start) if text.startswith("/*\n", start) else -1
    return (start, end) if end >= 0 else (0, 0)


def _recipe(head: str) -> str:
    """Return what the head says about how the file was made; of more than is read, only so much that it is refused."""
    start = head.find(f"\n * {MADE}") + 1
    lines = head[start : start + 2 * LONGEST_RECIPE].split("\n") if start else []
    end = next((i for i, line in enumerate(lines) if line.startswith(f" * {CERTIFICATE}")), len(lines))
    return "".join(line.removeprefix(" *").strip() for line in lines[:end]).removeprefix(MADE)


def _model(recipe: str, robot: Robot, search: bool) -> Program:
    """Return the model of a robot, made as the head says, with or without the search for a cheaper one."""
    if not recipe:
        raise TargetError("its head does not say how it was made; give the model to tf.verify(file, robot, program)")
    if len(recipe) > LONGEST_RECIPE:
        raise TargetError(f"its head does not say how it was made in at most {LONGEST_RECIPE:,} characters")
    try:
        (first, options), *steps = json.loads(recipe)
        if len(steps) > MOST_STEPS:
            raise TargetError(f"it has more than {MOST_STEPS} steps")
        program = MODELS[first.replace("_", "-")].function(robot, **options)
        for name, more in steps:
            if name != SEARCH:
                _check_size(program, name, more)
                program = _STEPS[name](program, **more)
            elif search:
                program = program.optimise(**more)
    except TauforgeError as error:
        raise TargetError(f"its head says how it was made, but that cannot be repeated: {error}") from None
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, RecursionError):
        raise TargetError(
            "its head does not say how it was made in our words; give the model to tf.verify(file, robot, program)"
        ) from None
    return program


def _check_size(program: Program, name: str, options: Mapping[str, Any]) -> None:
    """Refuse a step that could make far more operations than a generated file has."""
    given = options.get("input", ())
    inputs = [given] if isinstance(given, str) else [*given]
    entries = sum(len(program.arguments[key].nodes) if key in program.arguments else 1 for key in inputs)
    times = {"derivative": entries, "hessian": entries**2, "jvp": 4, "vjp": 4}.get(name, 1)
    if times * len(program.order) > LARGEST_MODEL:
        raise TargetError(
            f"a {name} could have more than {LARGEST_MODEL:,} operations; if you trust the file, give the model to "
            "tf.verify(file, robot, program)"
        )


def _read(text: str, model: Program) -> Reading:
    """Return the function in a text; one with many more operations than the model is refused."""
    most = LARGEST_RATIO * sum(2 + 2 * len(node.args) for node in model.order) + 1000
    return read_c(text, model, most)


def _check_header(header: str, path: Path, reading: Reading, model: Program) -> None:
    """Refuse a header that is not the one that we write for this function, or is not there."""
    places = [path.parent / header, path.parent.parent / "include" / header]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise TargetError(
            f"it includes {header}, which is neither beside it nor in ../include, so it cannot be checked"
        )
    kind = "header:float" if reading.scalar == FLOAT else "header"
    text, ours = decoded(read_bytes(found)), generate(model, kind, reading.name)
    if len(text) > LARGEST_RATIO * len(ours) + 10_000 or _marks(text) != _marks(ours):
        raise TargetError(f"its header {found} is not the one that Tauforge writes for this function")


def _marks(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


def _compared(reading: Reading, model: Program, unchanged: bool | None, robot: Robot) -> Verified:
    """Return how a text compares with a model; a TargetError says where they differ."""
    tolerance = TOLERANCES[reading.scalar]
    printed = generate(model, "c:float" if reading.scalar == FLOAT else "c", reading.name)
    same = _marks(printed) == [*reading.tokens]
    ours = reading if same else read_c(printed, model)
    errors = {} if same else error_anywhere(reading, LARGEST_INPUT)
    difference, rounding, bounded, faults = 0.0, 0.0, True, []
    counts = {name: 0 for name, array in model.results.items() if array.nodes}
    for size in _SIZES:
        state = _states(model, size, reading.scalar)
        exact = _exact(model, state)
        found = evaluate_in_c(reading, state)
        reference = found if same else evaluate_in_c(ours, state)
        for name in counts:
            here = _deviation(name, exact[name], found[name], reference[name], tolerance)
            difference, rounding = max(difference, here.difference), max(rounding, here.rounding)
            faults += [here] if here.fault else []
            bounded &= same or errors[name] <= tolerance * here.scale
            counts[name] += here.states
    if faults:
        raise TargetError(f"it is not this model of {robot.name}: {max(faults, key=lambda x: x.difference).fault}")
    equal = _equal(reading, model)
    if not equal and 0 in counts.values():
        raise TargetError(
            f"it is not proved to be this model of {robot.name}, which is near-singular at all states that were tried, "
            "so that they could not be compared either"
        )
    count = max(counts.values(), default=0)
    return Verified(_words(model, robot), unchanged, equal and bounded, difference, count, rounding, equal)


@dataclass(frozen=True)
class _Deviation:
    """How an output of a text deviates from the model's at some states.

    Attributes
    ----------
    scale
        The median over the states of the largest entry.
    difference
        The largest difference, relative to the largest entry there, or to that median if it is smaller.
    rounding
        The largest bound on errors, relative to the same.
    states
        At how many states they could be compared.
    fault
        A place where they deviate by more than our own code does, in words; empty if there is none.
    """

    scale: float
    difference: float
    rounding: float
    states: int
    fault: str


def _deviation(name: str, exact: list[list[Any]], found: Value, reference: Value, tolerance: float) -> _Deviation:
    values, errors = found
    wanted, rest = (
        np.array([[np.nan if x is None else x[part] for x in row] for row in exact]).reshape(values.shape)
        for part in (0, 1)
    )
    largest = np.max(np.abs(wanted), axis=1, initial=0.0)
    with np.errstate(invalid="ignore"):
        off, ours = (np.where(np.isfinite(x), np.abs(x - wanted - rest), np.inf) for x in (values, reference[0]))
        regular = np.max(ours, axis=1, initial=0.0) <= _LOST * tolerance * np.where(largest, largest, 1.0)
    regular &= np.isfinite(largest)
    if not regular.any() or not values.size:
        return _Deviation(1.0, 0.0, 0.0, 0, "")
    values, errors, wanted, off, ours, bound = (x[regular] for x in (values, errors, wanted, off, ours, reference[1]))
    typical = float(np.median(largest[regular])) or 1.0
    scale = np.maximum(largest[regular], typical)[:, None]
    errors, bound = (np.where(np.isnan(x), np.inf, x) for x in (errors, bound))
    fault = ""
    for wrong, usual in ((off, ours), (errors, bound)):
        over = wrong > np.maximum(tolerance * scale, _WORSE * usual)
        if fault or not over.any():
            continue
        place = np.unravel_index(int(np.argmax(np.where(over, wrong / scale, 0.0))), off.shape)
        fault = f"{name}[{place[1]}] is {float(values[place])!r} there, and {float(wanted[place])!r} here"
        if wrong is errors:
            fault += f"; the errors of its constants and operations can reach {float(errors[place]):.1e}"
    return _Deviation(typical, float((off / scale).max()), float((errors / scale).max()), int(regular.sum()), fault)


def _states(model: Program, size: float, scalar: str) -> dict[str, Floats]:
    """Return each input at states that try a text: at random, at corners, at rest and at quarter turns."""
    rng = np.random.default_rng(0)
    count = int(np.clip(_VALUES_IN_ALL / len(_SIZES) / (len(model.order) + 1), _FEWEST_STATES, _STATES - _SPECIAL))
    state: dict[str, Floats] = {}
    for name, array in model.arguments.items():
        entries = len(array.nodes)
        if name == PARAMETERS:
            values = rng.uniform(0.2, 1.2, (count + _SPECIAL, entries))
        else:
            values = rng.uniform(0.2, 1.0, (count, entries)) * rng.choice([-size, size], (count, entries))
            alternating = np.where(np.arange(entries) % 2, -1.0, 1.0)
            quarters = np.round(size * rng.uniform(-1, 1, (2, entries)) * 2 / np.pi) * np.pi / 2
            corners = size * np.stack([np.zeros(entries), np.ones(entries), -np.ones(entries), alternating])
            values = np.concatenate([values, corners, quarters])
        state[name] = values.astype(np.float32).astype(float) if scalar == FLOAT else values
    return state or {"": np.zeros((1, 0))}


def _exact(model: Program, state: Mapping[str, Floats]) -> dict[str, list[list[Any]]]:
    """Return the model's outputs to 60 digits, one row for each state."""
    nodes = [node for array in model.results.values() for node in array.nodes]
    names = {key: [str(node.value) for node in array.nodes] for key, array in model.arguments.items()}
    count = len(next(iter(state.values())))
    rows = evaluate_precisely(
        nodes,
        [
            {name: float(x) for key in names for name, x in zip(names[key], state[key][i], strict=True)}
            for i in range(count)
        ],
    )
    found, start = {}, 0
    for name, array in model.results.items():
        found[name] = [row[start : start + len(array.nodes)] for row in rows]
        start += len(array.nodes)
    return found


def _words(model: Program, robot: Robot) -> str:
    """Return what made a model from a robot, in words."""
    steps = json.loads(how_made(model) or "[]")
    made = [f"{name}({', '.join(f'{key}={value!r}' for key, value in options.items())})" for name, options in steps]
    return f"{'.'.join(made) or model.name} of {robot.name}"


def _equal(reading: Reading, model: Program) -> bool:
    try:
        return bool(reading.program(model).certify(rounded(model)))
    except (CertificationError, Undecided, ProgramError, ExpressionError):
        return False
