"""The models by name, for the command line: one line each."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

import tauforge as tf

MODELS: dict[str, tuple[Callable[..., tf.Program], str]] = {
    "inverse-dynamics": (tf.inverse_dynamics, "q, qd, qdd -> tau: efforts of a motion"),
    "direct-dynamics": (tf.direct_dynamics, "q, qd, tau -> qdd: accelerations that efforts cause"),
    "inertia-matrix": (tf.inertia_matrix, "q -> M"),
    "coriolis-matrix": (tf.coriolis_matrix, "q, qd -> C, with Mdot - 2C skew-symmetric"),
    "bias": (tf.bias, "q, qd -> h: Coriolis, centrifugal, gravity and friction efforts"),
    "gravity": (tf.gravity, "q -> g: efforts that hold the robot at rest"),
    "friction": (tf.friction, "qd -> f: Coulomb and viscous friction"),
    "energy": (tf.energy, "q, qd -> kinetic, potential"),
    "regressor": (tf.regressor, "q, qd, qdd -> Y: efforts are Y times the inertial parameters"),
}


def model(name: str, robot: tf.Robot, *, parameters: str, external_wrenches: bool) -> tf.Program:
    """Return a model of a robot by the model's name, with - or _ between the words."""
    key = name.replace("_", "-")
    if key not in MODELS:
        raise tf.ProgramError(f"unknown model {name!r}; there are {', '.join(MODELS)}")
    function = MODELS[key][0]
    taken = signature(function).parameters
    if external_wrenches and "external_wrenches" not in taken:
        raise tf.ProgramError(f"external wrenches have no effect on {key}")
    options = {"parameters": parameters, "external_wrenches": external_wrenches}
    return function(robot, **{key: value for key, value in options.items() if key in taken})
