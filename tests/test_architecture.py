"""The public names, the import contract, and what importing costs."""

import subprocess
import sys
from pathlib import Path

import tauforge
from tauforge.models.registry import MODELS

ROOT = Path(__file__).parents[1]
MOST_THAT_KNOW_SIGMA = 8


def test_public_names():
    """Those of the models come from their list; see ``models/test_registry.py``."""
    models = {name.replace("-", "_") for name in MODELS}
    assert sorted({*tauforge.__all__} - models, key=lambda name: (name.lower(), name)) == [
        "animate",
        "Animation",
        "AssemblyModes",
        "Base",
        "base_parameters",
        "BaseParameters",
        "Body",
        "Bounds",
        "Capsule",
        "cartesian_motion",
        "Certificate",
        "CertificationError",
        "close_loops",
        "computed_torque",
        "configuration_space",
        "ConfigurationSpace",
        "Consistent",
        "Controller",
        "cross_validate",
        "CrossValidation",
        "Derivation",
        "Design",
        "direct_geometry",
        "draw",
        "Drawing",
        "Equations",
        "exciting_trajectory",
        "ExcitingTrajectory",
        "ExpressionError",
        "FileLimits",
        "Finding",
        "formulations",
        "fourier_motion",
        "Function",
        "fuse",
        "Gains",
        "Goal",
        "gravity_compensation",
        "Identification",
        "IdentificationError",
        "identify",
        "identify_gains",
        "identify_payload",
        "impedance_control",
        "Inertia",
        "inverse_geometry",
        "InverseGeometry",
        "Joint",
        "Leg",
        "leg",
        "Limits",
        "load",
        "Loop",
        "loop_closure",
        "Mimic",
        "Motion",
        "motion",
        "Operations",
        "parallel_robot",
        "ParallelGeometry",
        "Payload",
        "pd_control",
        "Picture",
        "pid_control",
        "Program",
        "ProgramError",
        "reach",
        "Reached",
        "ReachError",
        "Recording",
        "RecordingWarning",
        "required_torques",
        "RequiredTorques",
        "Robot",
        "RobotError",
        "robots",
        "RobotWarning",
        "Rollout",
        "rollout",
        "Section",
        "simulate",
        "SimulationError",
        "SimulationWarning",
        "Singularities",
        "singularities",
        "Singularity",
        "singularity",
        "Solutions",
        "spring_drive",
        "Stiction",
        "Stops",
        "Sweep",
        "sweep",
        "symbol",
        "TargetError",
        "Task",
        "TauforgeError",
        "Tendon",
        "Trajectory",
        "Undecided",
        "validate",
        "Validation",
        "Verified",
        "verify",
        "View",
        "Workspace",
        "workspace",
        "write_project",
        "yang_tzeng",
    ]
    assert all(hasattr(tauforge, name) for name in tauforge.__all__)


def test_imports_point_one_way():
    command = [
        str(Path(sys.executable).parent / "lint-imports"),
        "--config",
        str(ROOT / "pyproject.toml"),
        "--no-cache",
    ]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_importing_leaves_heavy_parts_alone():
    heavy = ("numpy", "llvmlite", "rich", "typer", "scipy", "sympy", "mujoco", "xarray", "zarr", "distributed")
    script = f"import sys, tauforge; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_most_commands_do_without_numpy():
    script = "import sys, tauforge.cli.main; print('numpy' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "False\n"
    )


def test_what_joints_follow_is_known_to_robots_alone():
    """Models have a map from degrees of freedom to joints instead."""
    files = [path for room in ("models", "parameters") for path in (ROOT / "src/tauforge" / room).rglob("*.py")]
    assert [path.name for path in files if "mimic" in path.read_text(encoding="utf-8")] == []


def test_few_files_know_the_numbers_of_kinds():
    """Everything else asks ``Joint.kind``; formats and other libraries must translate."""
    package = ROOT / "src/tauforge"
    texts = {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    files = [name for name, text in texts.items() if "sigma" in text and not name.startswith(("formats/", "bench/"))]
    assert len(files) <= MOST_THAT_KNOW_SIGMA, files
