"""The public names, the import contract, and what importing costs."""

import subprocess
import sys
from pathlib import Path

import tauforge

ROOT = Path(__file__).parents[1]


def test_public_names():
    assert sorted(tauforge.__all__, key=str.lower) == [
        "Base",
        "base_parameters",
        "BaseParameters",
        "bias",
        "Body",
        "centre_of_mass",
        "centre_of_mass_jacobian",
        "centre_of_mass_velocity",
        "centroidal_matrix",
        "centroidal_momentum",
        "Certificate",
        "CertificationError",
        "configuration_space",
        "ConfigurationSpace",
        "coriolis_matrix",
        "Design",
        "difference",
        "direct_dynamics",
        "energy",
        "energy_regressor",
        "ExpressionError",
        "FileLimits",
        "formulations",
        "friction",
        "Function",
        "fuse",
        "gravity",
        "hybrid_dynamics",
        "Inertia",
        "inertia_matrix",
        "integrate",
        "inverse_dynamics",
        "jacobian",
        "jacobian_bias",
        "jacobian_determinant",
        "jacobian_rate",
        "Joint",
        "link_accelerations",
        "link_velocities",
        "load",
        "Loop",
        "manipulability",
        "operational_space",
        "Operations",
        "Program",
        "ProgramError",
        "regressor",
        "Robot",
        "RobotError",
        "robots",
        "RobotWarning",
        "symbol",
        "TargetError",
        "TauforgeError",
        "Tendon",
        "transforms",
        "Undecided",
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
    heavy = ("llvmlite", "rich", "typer", "scipy", "sympy", "mujoco")
    script = f"import sys, tauforge; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_what_joints_follow_is_known_to_robots_alone():
    """Models have a map from degrees of freedom to joints instead."""
    files = [path for room in ("models", "parameters") for path in (ROOT / "src/tauforge" / room).rglob("*.py")]
    assert [path.name for path in files if "mimic" in path.read_text(encoding="utf-8")] == []
