"""The command that runs the tests on every Python, and the hosted workflow, mean the same Pythons."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMAND = ROOT / "scripts" / "test-matrix"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--python", "3.10"], "no Python '3.10' among 3.11 3.12"),
        (["--python"], "no Python ''"),
        (["--versions", "middle"], "'lowest' or 'highest', not 'middle'"),
    ],
)
def test_what_is_not_in_the_matrix_is_refused(arguments, message):
    done = subprocess.run(["bash", str(COMMAND), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr


def test_help_is_shown_and_nothing_run():
    done = subprocess.run(["bash", str(COMMAND), "--help"], capture_output=True, text=True, check=False, timeout=10)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Run the tests on every Python")
    assert done.stdout.endswith("where it has no wheels.\n")


def test_git_gives_scripts_the_line_ends_that_a_shell_needs(tmp_path):
    """On Windows Git writes others unless told, and bash refuses them."""
    shutil.copy(ROOT / ".gitattributes", tmp_path)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    asked = subprocess.run(["git", "check-attr", "eol", "a"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert asked.stdout == "a: eol: lf\n"


def test_the_workflow_runs_the_whole_matrix():
    supported = re.search(r'supported="(.*?)"', COMMAND.read_text())[1].split()
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    assert re.findall(r'"(3\.\d+)"', re.search(r"python: (\[.*\])", workflow)[1]) == supported
    assert "versions: [lowest, highest]" in workflow
    assert f'requires-python = ">={supported[0]}"' in (ROOT / "pyproject.toml").read_text()
