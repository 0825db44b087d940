"""The documentation's build refuses what is broken, and its pages agree with each other."""

import html
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tauforge as tf
from tauforge import errors

ROOT = Path(__file__).parents[1]
LAYOUT = (ROOT / "docs" / "layout.md").read_text(encoding="utf-8")
BROKEN = {
    "tutorial.md": {
        "[a page](nowhere.md)": "link 'nowhere.md', but the target is not found",
        "[a place](layout.md#nowhere)": "does not contain an anchor '#nowhere'",
        "[a name][tauforge.nothing]": "Could not find cross-reference target 'tauforge.nothing'",
        '<script src="https://example.org/a.js"></script>': "tutorial.html loads https://example.org/a.js",
        '<link rel="stylesheet" href="//example.org/a.css">': "tutorial.html loads //example.org/a.css",
        "<style>@font-face { src: url(https://example.org/a.woff2) }</style>": "loads https://example.org/a.woff2",
        '<svg><image href="https://example.org/a.png"/></svg>': "tutorial.html loads https://example.org/a.png",
        '<img src="nowhere.png">': "tutorial.html names nowhere.png, which is not in the site",
        '<a href="models/nowhere.html">a page</a>': "tutorial.html names models/nowhere.html",
    },
    "lost.md": {"A page that the navigation lacks.": 'not included in the "nav" configuration:\n  - lost.md'},
}


@pytest.fixture
def copy(tmp_path):
    """Copy what the build reads; the links that leave the copy lead back."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    for name in ("Makefile", "mkdocs.yml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("src", "examples", "scripts"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def build(folder):
    """Run the Makefile's own target, with this Python's MkDocs instead of an environment of its own."""
    command = ["make", "--old-file=.venv/.installed-docs", f"BIN={Path(sys.executable).parent}", "docs"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_the_build_refuses_what_is_broken(copy):
    for page, lines in BROKEN.items():
        with (copy / "docs" / page).open("a", encoding="utf-8") as file:
            file.writelines(f"\n\n{line}\n" for line in lines)
    navigation = (copy / "mkdocs.yml").read_text(encoding="utf-8") + "  - Gone: gone.md\n"
    (copy / "mkdocs.yml").write_text(navigation, encoding="utf-8")
    code, output = build(copy)
    assert code != 0
    assert "warnings in strict mode" in output
    expected = [message for lines in BROKEN.values() for message in lines.values()]
    assert [message for message in (*expected, "'gone.md' is included in the") if message not in output] == [], output


@pytest.mark.slow
def test_one_warning_is_enough(copy):
    with (copy / "docs" / "tutorial.md").open("a", encoding="utf-8") as file:
        file.write("\n[a place](layout.md#nowhere)\n")
    code, output = build(copy)
    assert code != 0
    assert "Aborted with 1 warnings in strict mode" in output


DRAW = """
const katex = require(process.argv[1]);
for (const formula of JSON.parse(require("fs").readFileSync(0)))
  try { katex.renderToString(formula, { displayMode: true, strict: "error" }) }
  catch (error) { console.log(error.message) }
"""


def undrawable(formulas):
    """Return what the vendored KaTeX says of formulas that it cannot draw."""
    command = ["node", "-e", DRAW, str(ROOT / "docs" / "vendor" / "katex" / "katex.min.js")]
    done = subprocess.run(command, input=json.dumps(formulas), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_build_passes_and_its_formulas_can_be_drawn(copy):
    code, output = build(copy)
    assert code == 0, output
    if not shutil.which("node"):
        pytest.skip("node would draw the formulas")
    pages = "".join(path.read_text(encoding="utf-8") for path in (copy / "site").rglob("*.html"))
    formulas = re.findall(r'class="arithmatex">\\[(\[](.*?)\\[)\]]</', pages, re.DOTALL)
    assert len(formulas) == pages.count('class="arithmatex"') > 500
    assert undrawable([html.unescape(formula) for formula in formulas]) == []
    assert len(undrawable([r"\frac{1", r"\nothing", "x^2"])) == 2


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")), ids=lambda path: path.stem)
def test_links_of_the_pages_outside_the_site(page):
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (ROOT / link).exists(), link


def test_every_public_name_is_on_the_page_of_the_api():
    listed = set(re.findall(r"^::: tauforge\.(?:.*\.)?(\w+)$", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE))
    modules = {*vars(errors), "robots"} if {"errors", "bundled"} <= listed else set()
    assert sorted({*tf.__all__} - listed - modules) == []


def test_the_picture_of_the_readme_shows_what_the_pages_say():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import draw_readme
    finally:
        sys.path.pop(0)
    picture = (ROOT / "docs" / "readme.svg").read_text(encoding="utf-8")
    assert picture == draw_readme.picture(), "run python scripts/draw_readme.py"


def test_the_pictures_of_robots_show_them_as_they_are():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import draw_robots
    finally:
        sys.path.pop(0)
    for path, text in draw_robots.pictures().items():
        assert path.read_text(encoding="utf-8") == text, "run python scripts/draw_robots.py"


def test_the_page_of_the_targets_shows_generated_code():
    shown = re.search(r"```c\n(.*?)```", (ROOT / "docs" / "targets.md").read_text(encoding="utf-8"), re.DOTALL)
    assert shown[1] in tf.inverse_dynamics(tf.robots.planar2r()).code("c", name="arm")


def test_the_page_of_the_layout_names_files_that_exist():
    """A name is a path in the repository or the package, or in the room of its row, which a blank one takes over."""
    package, rooms, missing = ROOT / "src" / "tauforge", [], []
    for line in LAYOUT.splitlines():
        first = line.split("|")[1] if line.startswith("|") else line
        rooms = re.findall(r"`([\w/]+)/`", first) or rooms
        for name in re.findall(r"`([\w./-]+(?:/|\.py|\.md|\.toml|\.yml))`", line):
            places = [ROOT, package, *(package / room for room in rooms if line.startswith("|"))]
            missing += [name] * (not any((place / name).exists() for place in places))
    assert missing == []


def test_the_page_of_the_layout_has_every_room_in_the_order_of_the_imports():
    table = LAYOUT.split("\n\n")[2]
    shown = [re.findall(r"`(\w+)(?:/|\.py)`", row.split("|")[1]) for row in table.splitlines()[2:]]
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    layers = [name for layer in reversed(contract["layers"]) for name in layer.split(" | ")]
    assert [name for row in shown for name in row] == layers
