"""The examples run, and print what the documentation shows; so do the command lines and costs on the models' pages."""

import re
import runpy
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app
from tauforge.models.registry import MODELS

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w.])")
BASE = tf.Body(name="base", inertia=tf.Inertia(*(tf.symbol(f"{name}0") for name in tf.Inertia._fields)))
LONG = (
    "cartesian",
    "consistency",
    "controllers",
    "excitation",
    "inverse_geometry_parallel",
    "many_states",
    "payload",
    "simulate",
    "sweep",
    "tx40",
    "view",
    "workspace",
)
"""Examples for the long runs only: other tests have what they show."""
PAGES = {path.stem: path.read_text() for path in sorted((ROOT / "docs" / "models").glob("*.md"))}


def check_output(printed, shown):
    """Compare texts by words, whatever the spaces between, and decimal fractions within their last digit shown.

    How NumPy fills a line, and how a machine rounds, is not the examples' matter.
    """
    assert "".join(NUMBER.sub("#", printed).split()) == "".join(NUMBER.sub("#", shown).split())
    for found, expected in zip(NUMBER.findall(printed), NUMBER.findall(shown), strict=True):
        digits, _, exponent = expected.partition("e")
        unit = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2])) if "." in digits else 0.0
        assert abs(float(found) - float(expected)) <= 1.01 * unit, f"{found} instead of {expected}"


@pytest.mark.parametrize(
    ("printed", "shown", "same"),
    [
        ("q [ 0.1  2. ]", "q [0.1 2.]", True),
        ("-0.000 J", "0.000 J", True),
        ("1.2346 m/s", "1.2345 m/s", True),
        ("1.2348 m/s", "1.2345 m/s", False),
        ("2.1162e+00", "2.1161e+00", True),
        ("182 mul", "181 mul", False),
        ("[0.43+0.j]", "[0.43]", False),
        ("[np.float64(0.43)]", "[0.43]", False),
        ("link1 0.5", "link2 0.5", False),
        ("0.5 0.5", "0.5", False),
    ],
)
def test_what_is_the_same_output(printed, shown, same):
    with nullcontext() if same else pytest.raises(AssertionError):
        check_output(printed, shown)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in LONG))
        for path in sorted(EXAMPLES.rglob("*.py"))
    ],
)
def test_example(path, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    check_output(capfd.readouterr().out, path.with_suffix(".txt").read_text())


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


def test_the_index_links_every_page_and_says_what_each_model_computes():
    links = set(re.findall(r"\]\(([\w-]+)\.md", PAGES["index"]))
    assert links == PAGES.keys() - {"index"}
    shown = set(re.findall(r"`([^`]* -> [^`]*)`", PAGES["index"]))
    assert {model.arrays for model in MODELS.values()} - shown == set()


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_on_a_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tf.robots.puma560().save("arm.toml")
    commands = re.findall(r"```sh\ntauforge (.*)\n```", PAGES[page])
    assert len(commands) == PAGES[page].count("```sh")
    for command in commands:
        result = CliRunner().invoke(app, command.split())
        assert result.exit_code == 0, result.output
        assert Path(command.split()[-1]).exists()


@pytest.mark.parametrize("page", PAGES)
def test_the_costs_on_a_page(page):
    tables = re.findall(r"^\| operations .*\n\|[-|]+\n(?:\|.*\n)+", PAGES[page], re.MULTILINE)
    assert len(tables) == PAGES[page].count("| operations")
    for table in tables:
        head, _, *rows = ([cell.strip(" `") for cell in line.strip("|").split("|")] for line in table.splitlines())
        robots = [tf.robots.bundled(name, symbolic=True) for name in head[1:]]
        for model, *costs in rows:
            names = [
                {"tf": tf, "robot": x, "last": x.bodies[-1].name, "floating": x.with_base("floating", BASE)}
                for x in robots
            ]
            assert [str(eval(model, known).count().total) for known in names] == costs, model


@pytest.mark.parametrize(("page", "written"), [("README.md", "puma.c"), ("docs/tutorial.md", "arm.c")])
def test_a_first_page_prints_what_it_says(page, written, tmp_path):
    """Typed as they stand in an empty folder, one after another, the blocks print what follows each."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks, outputs = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("python", "text"))
    assert len(re.findall(r"```python\n[^`]*```\n\n```text", text)) == len(blocks)
    program = "print('-' * 9)\n".join(blocks)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert result.returncode == 0, result.stderr
    for printed, shown in zip(result.stdout.split("-" * 9), outputs, strict=True):
        check_output(printed, shown)
    assert (tmp_path / written).exists()
