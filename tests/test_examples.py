"""The examples run, and print what the documentation shows; so do the command lines and costs on the models' pages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.catalogue import MODELS
from tauforge.cli.main import app

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGES = {path.stem: path.read_text() for path in sorted((ROOT / "docs" / "models").glob("*.md"))}


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.py")), ids=lambda path: path.stem)
def test_example(path):
    result = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout == path.with_suffix(".txt").read_text()


def test_every_example_is_shown():
    pages = "".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))
    for path in EXAMPLES.rglob("*.*"):
        if path.suffix in (".py", ".txt"):
            assert f'--8<-- "{path.relative_to(EXAMPLES)}"' in pages


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_a_page_with_its_command_and_its_example(model):
    found = [page for page, text in PAGES.items() if f"tauforge generate {model} " in text]
    assert len(found) == 1
    assert f'--8<-- "models/{model.replace("-", "_")}.py"' in PAGES[found[0]]


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_on_a_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tf.robots.puma560().save("arm.toml")
    for command in re.findall(r"```sh\ntauforge (.*)\n```", PAGES[page]):
        result = CliRunner().invoke(app, command.split())
        assert result.exit_code == 0, result.output
        assert Path(command.split()[-1]).exists()


@pytest.mark.parametrize("page", PAGES)
def test_the_costs_on_a_page(page):
    for table in re.findall(r"^\| operations .*\n\|[-|]+\n(?:\|.*\n)+", PAGES[page], re.MULTILINE):
        head, _, *rows = ([cell.strip(" `") for cell in line.strip("|").split("|")] for line in table.splitlines())
        robots = [tf.robots.bundled(name, symbolic=True) for name in head[1:]]
        for model, *costs in rows:
            names = [{"tf": tf, "robot": robot, "last": robot.bodies[-1].name} for robot in robots]
            assert [str(eval(model, known).count().total) for known in names] == costs, model


def test_the_readme_prints_what_it_says(tmp_path):
    text = (ROOT / "README.md").read_text()
    program, output = (re.search(rf"```{kind}\n(.*?)```", text, re.DOTALL)[1] for kind in ("python", "text"))
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == output.split()
    assert (tmp_path / "puma.c").exists()
