"""The public names, the import contract, the sizes of files and functions, and what importing costs."""

import ast
import subprocess
import sys
from pathlib import Path

import tauforge
from tauforge.models.registry import MODELS

ROOT = Path(__file__).parents[1]
LONGEST_FILE, LONGEST_FUNCTION = 400, 55
"""Lines."""
MOST_THAT_KNOW_SIGMA = 8


def test_public_names():
    """Those of the models come from their list; see ``models/test_registry.py``."""
    models = {name.replace("-", "_") for name in MODELS}
    assert sorted({*tauforge.__all__} - models, key=lambda name: (name.lower(), name)) == [
        "animate",
        "Animation",
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
        "load",
        "Loop",
        "loop_closure",
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


def parsed():
    """Yield each file of the package by its place in it, with its text and syntax tree."""
    package = ROOT / "src/tauforge"
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield path.relative_to(package).as_posix(), text, ast.parse(text)


def test_no_file_and_no_function_is_long():
    """Of a function, what follows its signature and docstring counts."""
    files, functions = {}, {}
    for name, text, tree in parsed():
        files[name] = len(text.splitlines())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                code = node.body[1:] if ast.get_docstring(node) else node.body
                functions[f"{name}: {node.name}"] = node.end_lineno - code[0].lineno + 1 if code else 0
    assert {name: lines for name, lines in files.items() if lines > LONGEST_FILE} == {}
    assert {name: lines for name, lines in functions.items() if lines > LONGEST_FUNCTION} == {}


def test_few_files_know_the_numbers_of_kinds():
    """Everything else asks ``Joint.kind``; formats and other libraries must translate."""
    files = [name for name, text, _ in parsed() if "sigma" in text and not name.startswith(("formats/", "bench/"))]
    assert len(files) <= MOST_THAT_KNOW_SIGMA, files
