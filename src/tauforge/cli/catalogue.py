"""A model by its name, with the options of the command line."""

from __future__ import annotations

from inspect import signature

import tauforge as tf

from ..errors import suggestion
from ..models.classical import DEFAULT
from ..models.coordinates import INDEPENDENT
from ..models.loops.motors import AUTO as AUTO_EFFORTS
from ..models.registry import MODELS
from ..program.ways import AUTO

INVERSE_GEOMETRY = "inverse-geometry"
"""The name of a Program that only some robots have, so that it is not in the list of models."""

POSE = "pose"
"""What a pose prescribes, unless --aim says otherwise."""


def model(
    name: str,
    robot: tf.Robot,
    *,
    parameters: str,
    external_wrenches: bool | str = False,
    frame: str = "",
    rows: str = "",
    accelerated: str = "",
    coordinates: str = INDEPENDENT,
    efforts: str = AUTO_EFFORTS,
    formulation: str = DEFAULT,
    fixed: str = "",
    aim: str = POSE,
) -> tf.Program:
    """Return a model of a robot by the model's name, with - or _ between the words."""
    key = name.replace("_", "-")
    if is_inverse_geometry(name):
        program: tf.Program = solver(robot, frame, fixed, aim).program
        return program
    if fixed or aim != POSE:
        option = "--fixed" if fixed else "--aim"
        raise tf.ProgramError(f"{key} takes no {option}: only {INVERSE_GEOMETRY} solves for joints")
    if key not in MODELS:
        raise tf.ProgramError(f"unknown model {name!r}; {suggestion(key, [*MODELS, INVERSE_GEOMETRY])}")
    function = MODELS[key].function
    taken = signature(function).parameters
    if external_wrenches and "external_wrenches" not in taken:
        raise tf.ProgramError(f"external wrenches have no effect on {key}")
    if rows and "rows" not in taken:
        raise tf.ProgramError(f"{key} takes no --rows: it has no Jacobian, or all rows of it")
    if efforts != AUTO_EFFORTS and "efforts" not in taken:
        why = (
            "its torques are those of joints with a known torque" if "accelerated" in taken else "it has none of motors"
        )
        raise tf.ProgramError(f"{key} takes no --efforts: {why}")
    if coordinates != INDEPENDENT and "coordinates" not in taken:
        raise tf.ProgramError(f"{key} takes no --coordinates: it is in those of the independent joints")
    for option, value, what in (("frame", frame, "LINK"), ("accelerated", accelerated, "JOINT,JOINT,...")):
        if value and option not in taken:
            raise tf.ProgramError(f"{key} takes no --{option} {what}")
    if "accelerated" in taken and not accelerated:
        raise tf.ProgramError(f"{key} needs --accelerated JOINT,JOINT,...")
    if parameters != AUTO and "parameters" not in taken:
        raise tf.ProgramError(f"{key} takes no --parameters: grouping inertial parameters is not for it")
    if formulation != DEFAULT and "formulation" not in taken:
        raise tf.ProgramError(f"{key} has only one formulation")
    options = {
        **({} if parameters == AUTO else {"parameters": parameters}),
        "external_wrenches": external_wrenches,
        **({"rows": rows.split(",")} if rows else {}),
        "frame": frame,
        "accelerated": accelerated if accelerated == "rigid" else accelerated.split(","),
        "coordinates": coordinates,
        "efforts": efforts,
        "formulation": formulation,
    }
    return function(robot, **{key: value for key, value in options.items() if key in taken})


def is_inverse_geometry(name: str) -> bool:
    """Tell whether a name is that of inverse geometry."""
    return name.replace("_", "-") == INVERSE_GEOMETRY


def solver(robot: tf.Robot, frame: str, fixed: str, aim: str) -> tf.InverseGeometry | tf.ParallelGeometry:
    """Return the inverse geometry of a robot, with joints held whose positions the caller of its code gives."""
    held = dict.fromkeys(filter(None, fixed.split(",")), 0.0)
    return tf.inverse_geometry(robot, frame=frame, fixed=held, aim=aim)


def differentiated(program: tf.Program, wrt: str, of: str) -> tf.Program:
    """Return the derivative that --wrt asks for; the Program itself if it asks for none."""
    if not wrt:
        if of:
            raise tf.ProgramError(f"--of {of} says what to differentiate; say with respect to what with --wrt")
        return program
    if not of and len(program.outputs) > 1:
        raise tf.ProgramError(f"{program.name} has the outputs {', '.join(program.outputs)}; choose one with --of")
    return program.derivative(of or next(iter(program.outputs)), wrt.split(","))


def groups_by_itself(name: str) -> bool:
    """Tell whether a model groups the inertial parameters of a numeric robot by default."""
    key = name.replace("_", "-")
    return key in MODELS and MODELS[key].groups == AUTO
