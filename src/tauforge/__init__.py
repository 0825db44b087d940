"""Tauforge: the dynamic models of any robot, as the program that computes them with the fewest operations."""

from importlib import import_module
from typing import Any

from .errors import (
    CertificationError,
    ExpressionError,
    IdentificationError,
    ProgramError,
    ReachError,
    RecordingWarning,
    RobotError,
    RobotWarning,
    SimulationError,
    SimulationWarning,
    TargetError,
    TauforgeError,
    Undecided,
)
from .formats import load
from .formulations import formulations
from .graph.node import symbol
from .limits import FileLimits
from .models.bias import bias, friction, gravity
from .models.centre_of_mass import centre_of_mass, centre_of_mass_jacobian, centre_of_mass_velocity
from .models.centroidal import centroidal_matrix, centroidal_momentum
from .models.configuration import difference, integrate
from .models.coriolis_matrix import coriolis_matrix
from .models.direct_dynamics import direct_dynamics
from .models.energy import energy
from .models.hybrid_dynamics import hybrid_dynamics
from .models.inertia_matrix import inertia_matrix
from .models.inverse_dynamics import inverse_dynamics
from .models.jacobian import jacobian, jacobian_bias, jacobian_rate
from .models.joint_motion import joint_motion
from .models.joint_wrenches import joint_wrenches
from .models.link_motion import link_accelerations, link_velocities
from .models.loops.closing import closing
from .models.loops.closure import loop_closure
from .models.loops.motors import preload
from .models.manipulability import jacobian_determinant, manipulability
from .models.operational_space import operational_space
from .models.transforms import transforms
from .parameters.base import BaseParameters, base_parameters
from .parameters.regressor import energy_regressor, regressor
from .program.count import Operations
from .program.fuse import fuse
from .program.program import Program
from .robot import bundled as robots
from .robot.base import Base
from .robot.body import Body
from .robot.joint import Joint, Limits, Mimic
from .robot.leg import Leg, leg
from .robot.loop import Loop
from .robot.parallel import parallel_robot
from .robot.robot import Robot
from .robot.tendon import Tendon
from .spatial.inertia import Inertia

LATER = {
    "Animation": "view.animate",
    "AssemblyModes": "geometry.close_loops",
    "Bounds": "identification.bounds",
    "Capsule": "identification.excitation.capsule",
    "Certificate": "program.certify",
    "ConfigurationSpace": "tabulation.configuration_space",
    "Consistent": "identification.consistent",
    "Controller": "simulation.controllers",
    "CrossValidation": "identification.validate",
    "Derivation": "geometry.inverse.derivation",
    "Design": "design.yang_tzeng",
    "Drawing": "view.drawing",
    "Equations": "equations.equations",
    "ExcitingTrajectory": "identification.excitation.result",
    "Finding": "identification.checks",
    "Function": "runtime.function",
    "Gains": "identification.gains",
    "Goal": "geometry.reaching.goal",
    "Identification": "identification.result",
    "InverseGeometry": "geometry.inverse.arm",
    "ParallelGeometry": "geometry.inverse.parallel",
    "Motion": "simulation.motion.motion",
    "Payload": "identification.payload",
    "Picture": "view.picture",
    "Reached": "geometry.reach",
    "Recording": "identification.recording",
    "RequiredTorques": "simulation.torques.result",
    "Rollout": "simulation.rollout",
    "Section": "geometry.workspace",
    "Singularity": "geometry.singularity",
    "Singularities": "geometry.singularities",
    "Solutions": "geometry.inverse.result",
    "Stiction": "simulation.friction",
    "Stops": "simulation.stops",
    "Sweep": "sweeps.result",
    "Task": "simulation.tasks.task",
    "Trajectory": "simulation.trajectory",
    "Validation": "identification.validation",
    "Verified": "projects.verify",
    "View": "view.live",
    "Workspace": "geometry.workspace",
    "animate": "view.animate",
    "cartesian_motion": "simulation.motion.cartesian",
    "close_loops": "geometry.close_loops",
    "computed_torque": "simulation.controllers",
    "configuration_space": "tabulation.configuration_space",
    "cross_validate": "identification.validate",
    "direct_geometry": "geometry.direct",
    "draw": "view.drawing",
    "exciting_trajectory": "identification.excitation.excite",
    "fourier_motion": "simulation.motion.make",
    "gravity_compensation": "simulation.controllers",
    "identify": "identification.identify",
    "identify_gains": "identification.gains",
    "identify_payload": "identification.payload",
    "impedance_control": "simulation.impedance",
    "inverse_geometry": "geometry.inverse.arm",
    "motion": "simulation.motion.make",
    "pd_control": "simulation.controllers",
    "pid_control": "simulation.controllers",
    "reach": "geometry.reach",
    "required_torques": "simulation.torques.required",
    "rollout": "simulation.rollout",
    "simulate": "simulation.simulate",
    "singularities": "geometry.singularities",
    "singularity": "geometry.singularity",
    "spring_drive": "simulation.controllers",
    "sweep": "sweeps.sweep",
    "validate": "identification.validate",
    "verify": "projects.verify",
    "workspace": "geometry.workspace",
    "write_project": "projects",
    "yang_tzeng": "design.yang_tzeng",
}
"""Names whose modules are heavy, or need heavy ones: they are imported when they are used."""


def __getattr__(name: str) -> Any:
    if name in LATER:
        globals()[name] = found = getattr(import_module(f".{LATER[name]}", __name__), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = "0.1.0"
__all__ = [
    "Animation",
    "AssemblyModes",
    "Base",
    "BaseParameters",
    "Body",
    "Bounds",
    "Capsule",
    "Certificate",
    "CertificationError",
    "ConfigurationSpace",
    "Consistent",
    "Controller",
    "CrossValidation",
    "Derivation",
    "Design",
    "Drawing",
    "Equations",
    "ExcitingTrajectory",
    "ExpressionError",
    "FileLimits",
    "Finding",
    "Function",
    "Gains",
    "Goal",
    "Identification",
    "IdentificationError",
    "Inertia",
    "InverseGeometry",
    "Joint",
    "Leg",
    "Limits",
    "Loop",
    "Mimic",
    "Motion",
    "Operations",
    "ParallelGeometry",
    "Payload",
    "Picture",
    "Program",
    "ProgramError",
    "ReachError",
    "Reached",
    "Recording",
    "RecordingWarning",
    "RequiredTorques",
    "Robot",
    "RobotError",
    "RobotWarning",
    "Rollout",
    "Section",
    "SimulationError",
    "SimulationWarning",
    "Singularities",
    "Singularity",
    "Solutions",
    "Stiction",
    "Stops",
    "Sweep",
    "TargetError",
    "Task",
    "TauforgeError",
    "Tendon",
    "Trajectory",
    "Undecided",
    "Validation",
    "Verified",
    "View",
    "Workspace",
    "animate",
    "base_parameters",
    "bias",
    "cartesian_motion",
    "centre_of_mass",
    "centre_of_mass_jacobian",
    "centre_of_mass_velocity",
    "centroidal_matrix",
    "centroidal_momentum",
    "close_loops",
    "closing",
    "computed_torque",
    "configuration_space",
    "coriolis_matrix",
    "cross_validate",
    "difference",
    "direct_dynamics",
    "direct_geometry",
    "draw",
    "energy",
    "energy_regressor",
    "exciting_trajectory",
    "formulations",
    "fourier_motion",
    "friction",
    "fuse",
    "gravity",
    "gravity_compensation",
    "hybrid_dynamics",
    "identify",
    "identify_gains",
    "identify_payload",
    "impedance_control",
    "inertia_matrix",
    "integrate",
    "inverse_dynamics",
    "inverse_geometry",
    "jacobian",
    "jacobian_bias",
    "jacobian_determinant",
    "jacobian_rate",
    "joint_motion",
    "joint_wrenches",
    "leg",
    "link_accelerations",
    "link_velocities",
    "load",
    "loop_closure",
    "manipulability",
    "motion",
    "operational_space",
    "parallel_robot",
    "pd_control",
    "pid_control",
    "preload",
    "reach",
    "regressor",
    "required_torques",
    "robots",
    "rollout",
    "simulate",
    "singularities",
    "singularity",
    "spring_drive",
    "sweep",
    "symbol",
    "transforms",
    "validate",
    "verify",
    "workspace",
    "write_project",
    "yang_tzeng",
]
