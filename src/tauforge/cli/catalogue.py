"""The models by name, for the command line: one line each."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

import tauforge as tf

from ..models.formulations import DEFAULT

MODELS: dict[str, tuple[Callable[..., tf.Program], str]] = {
    "inverse-dynamics": (tf.inverse_dynamics, "q, qd, qdd -> tau: efforts of a motion"),
    "direct-dynamics": (tf.direct_dynamics, "q, qd, tau -> qdd: accelerations that efforts cause"),
    "hybrid-dynamics": (
        tf.hybrid_dynamics,
        "q, qd, qdd, tau -> efforts, accelerations: of some joints the one is known (--accelerated), of the others the "
        "other",
    ),
    "inertia-matrix": (tf.inertia_matrix, "q -> M"),
    "coriolis-matrix": (tf.coriolis_matrix, "q, qd -> C, with Mdot - 2C skew-symmetric"),
    "bias": (tf.bias, "q, qd -> h: Coriolis, centrifugal, gravity and friction efforts"),
    "gravity": (tf.gravity, "q -> g: efforts that hold the robot at rest"),
    "friction": (tf.friction, "qd -> f: Coulomb and viscous friction"),
    "energy": (tf.energy, "q, qd -> kinetic, potential"),
    "integrate": (tf.integrate, "q, v -> q_next: where a velocity leads in a unit of time, quaternions too"),
    "difference": (tf.difference, "q, q_next -> v: the velocity that leads there"),
    "transforms": (tf.transforms, "q -> T: homogeneous matrices of all links"),
    "jacobian": (tf.jacobian, "q -> J: Jacobian of a link (--frame)"),
    "jacobian-rate": (tf.jacobian_rate, "q, qd -> Jd: its time derivative"),
    "jacobian-bias": (tf.jacobian_bias, "q, qd -> Jdqd: its time derivative times qd"),
    "jacobian-determinant": (tf.jacobian_determinant, "q -> det, of six joints"),
    "manipulability": (tf.manipulability, "q -> w = sqrt(det(J J')): distance from singularities"),
    "link-velocities": (tf.link_velocities, "q, qd -> V, each in its link's frame"),
    "link-accelerations": (tf.link_accelerations, "q, qd, qdd -> Vd, each in its link's frame"),
    "centre-of-mass": (tf.centre_of_mass, "q -> com"),
    "centre-of-mass-velocity": (tf.centre_of_mass_velocity, "q, qd -> v"),
    "centre-of-mass-jacobian": (tf.centre_of_mass_jacobian, "q -> J"),
    "centroidal-momentum": (tf.centroidal_momentum, "q, qd -> h: momentum about the centre of mass"),
    "centroidal-matrix": (tf.centroidal_matrix, "q -> A, with h = A qd"),
    "operational-space": (tf.operational_space, "q, qd -> Lambda, mu, p: inertia, bias and gravity at a link"),
    "regressor": (tf.regressor, "q, qd, qdd -> Y: efforts are Y times the inertial parameters"),
    "energy-regressor": (tf.energy_regressor, "q, qd -> kinetic, potential, as rows by the inertial parameters"),
}


def model(
    name: str,
    robot: tf.Robot,
    *,
    parameters: str,
    external_wrenches: bool | str = False,
    frame: str = "",
    accelerated: str = "",
    formulation: str = DEFAULT,
) -> tf.Program:
    """Return a model of a robot by the model's name, with - or _ between the words."""
    key = name.replace("_", "-")
    if key not in MODELS:
        raise tf.ProgramError(f"unknown model {name!r}; there are {', '.join(MODELS)}")
    function = MODELS[key][0]
    taken = signature(function).parameters
    if external_wrenches and "external_wrenches" not in taken:
        raise tf.ProgramError(f"external wrenches have no effect on {key}")
    for option, value, what in (("frame", frame, "LINK"), ("accelerated", accelerated, "JOINT,JOINT,...")):
        if bool(value) != (option in taken):
            raise tf.ProgramError(f"{key} {'takes no' if value else 'needs'} --{option} {what}")
    if formulation != DEFAULT and "formulation" not in taken:
        raise tf.ProgramError(f"{key} has one formulation only")
    if key.startswith("centre"):
        parameters = "standard"  # base parameters have lost the links' masses
    options = {
        "parameters": parameters,
        "external_wrenches": external_wrenches,
        "frame": frame,
        "accelerated": accelerated if accelerated == "rigid" else accelerated.split(","),
        "formulation": formulation,
    }
    return function(robot, **{key: value for key, value in options.items() if key in taken})
