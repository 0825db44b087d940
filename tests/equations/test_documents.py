"""Equations as text, Markdown and LaTeX: read back, and set by LaTeX where it is installed."""

import re
import shutil
import subprocess
import unicodedata
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.equations.unicode import LANGUAGE
from tauforge.targets import latex
from tauforge.targets.expression import Number, Product, Variable

from ..targets.latex_reader import _Reader
from ..targets.programs import programs
from ..targets.test_repeat import root
from .test_closed import ROBOTS


def values_of(program, seed=0):
    random = np.random.default_rng(seed)
    return {name: random.uniform(-2, 2, array.shape) for name, array in program.arguments.items()}


def computed_from_text(program, given):
    """Compute a closed form from its text, by a translation that knows nothing of the printer."""
    text = str(program.equations("closed"))
    below = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
    names = {}
    for key, array in program.arguments.items():
        flat = given[key].ravel()
        labels = program.parameters if key == "parameters" else [f"{key}{k + 1}" for k in range(array.shape.size)]
        names |= dict(zip(labels, flat, strict=True))

    def value(part):
        part = unicodedata.normalize("NFD", part).translate(below)
        part = part.replace("q\u0307", "qd").replace("q\u0308", "qdd")
        part = re.sub(r"(?<=[\w)²]) (?=[\w(])", "*", part.replace("² ", "**2 ").replace("²", "**2"))
        part = re.sub(r"(?<=\*\*2) (?=[\w(])", "*", part)
        return eval(part, {"cos": np.cos, "sin": np.sin, **names})

    where = re.sub(r"\s+", " ", text.partition("where ")[2])
    names |= {
        left.translate(below): value(right) for left, right in re.findall(r"([cs][₀-₉]+) = (\w+\([^()]*\))", where)
    }
    rows = [re.split(r"\s{2,}", x) for x in re.findall(r"[\[⎡⎢⎣] (.*?) *[\]⎤⎥⎦]", text.partition("where")[0])]
    return np.array([[value(x) for x in row] for row in rows])


@pytest.mark.parametrize("model", [tf.inertia_matrix, tf.coriolis_matrix, tf.gravity], ids=lambda m: m.__name__)
@pytest.mark.parametrize(
    "robot", [tf.robots.planar2r(), ROBOTS["planar2r"], tf.robots.scara()], ids=["2r", "2rs", "scara"]
)
def test_the_text_says_what_the_program_computes(robot, model):
    program = model(robot)
    given = values_of(program)
    expected = np.asarray(program.compile()(*given.values()))
    found = computed_from_text(program, given)
    np.testing.assert_allclose(found.reshape(expected.shape), expected, atol=1e-5)


@pytest.mark.parametrize("name", ["rrp", "scara", "elbow3r"])
def test_the_latex_says_what_the_program_computes(name):
    program = tf.coriolis_matrix(ROBOTS[name])
    text, given = program.equations("closed").latex(), values_of(program)
    known = {}
    for key in program.arguments:
        letters = {"qd": r"\dot{q}"}.get(key, key)
        for k, x in enumerate(given[key]):
            label = program.parameters[k] if key == "parameters" else ""
            match = re.fullmatch(r"([A-Z]+)(\d+)", label)
            spelled = match and (match[1] if len(match[1]) == 1 else rf"\mathit{{{match[1]}}}") + f"_{{{match[2]}}}"
            known[spelled or f"{letters}_{{{k + 1}}}"] = float(x)
    for wave, meaning in re.findall(r"\$([cs]_\{\d+\})\$ & \$(.*?)\$", text):
        known[wave] = _Reader(meaning, known).whole_sum()
    expected = program.compile()(*given.values())
    body = text.partition(r"\section*{Equations}")[2].replace(" \\\\\n&\\quad {}", "")
    found = np.zeros(expected.shape)
    for names, right in re.findall(r"^(.*?) &= (.*?)(?: \\\\)?$", body, re.MULTILINE):
        for i, j in re.findall(r"C_\{(\d),(\d)\}", names):
            found[int(i) - 1, int(j) - 1] = _Reader(right, known).whole_sum()
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_the_document_explains_itself():
    text = tf.gravity(tf.robots.rrp(symbolic=True)).equations().latex()
    body = text[text.index(r"\begin{document}") :]
    assert r"2 & $1$ & $0$" in body or r"$2$ & $1$ & $0$" in body
    assert r"$\frac{\pi}{2}$" in body
    assert r"gravity torques" in body
    assert r"prismatic where it is 1" in body
    assert r"prismatic where it is 1" in tf.gravity(tf.robots.rrp()).equations().markdown()
    assert r"$M_{3}$ & mass of link j (kg) \\" in body
    assert r"$c_{1}$ & $\cos(q_{1})$ \\" in body


def test_tables_say_where_loops_close():
    robot = tf.robots.fourbar(symbolic=True)
    made = tf.inverse_dynamics(robot).equations()
    for text in (made.latex(), made.markdown(), robot._repr_html_(), robot._repr_latex_()):
        assert "Closed loops" in text
    assert "$4$ & $2$ & $0$ & $0$ & $0$ & $0$ & $D_{4}$" in made.latex()
    assert "$5$ & $3$ & $2$ & $0$ & $0$ & $0$ & $D_{5}$" in made.latex()  # frame 5 is what joint 4 meets
    assert r"revolute where $\sigma$ is 0 and fixed where it is 2" in made.latex()


def test_steps_and_grouped_parameters_are_explained():
    made = tf.inverse_dynamics(ROBOTS["elbow3r"], parameters="base").equations("steps")
    latex, markdown, text = made.latex(), made.markdown(), made.text()
    assert r"$\mathit{WI}_{i,j}$ & component i of the angular velocity of the parent" in latex
    assert r"$\mathit{No}_{i,j}$ & " in latex
    assert r"\mathit{No}_{3,1}" in latex
    assert r"$\displaystyle \mathit{ZZ}_{3R} =" not in latex  # the last link's stay as they are
    assert r"$\displaystyle \mathit{XX}_{3R} = \mathit{XX}_{3} - \mathit{YY}_{3}$\par" in latex
    assert r"Acceleration of gravity: $0$, $0$, $-9.81$\par" in latex
    assert "- $U_{i,k,j}$: entry i, k of the matrix U of link j" in markdown
    assert r"$\mathit{XX}_{3R} = \mathit{XX}_{3} - \mathit{YY}_{3}$" in markdown
    assert "WIᵢⱼ: component i of the angular velocity" in text
    names = re.findall(r"^((?:\\mathit\{)?[A-Za-z]+\}?)_\{", latex.partition(r"{Equations}")[2], re.MULTILINE)
    symbols = latex.partition("{Symbols}")[2].partition("{Equations}")[0]
    assert [name for name in names if f"${name}_{{" not in symbols and name != r"\tau"] == []


def test_entries_left_out_are_said_to_be_zero():
    made = tf.coriolis_matrix(ROBOTS["scara"]).equations()
    for text in (made.latex(), made.markdown(), made._repr_latex_(), made.text()):
        assert re.search(r"Entries of \$?C\$? that are not listed are zero", text)


def test_lines_cannot_be_misread():
    steps = tf.direct_dynamics(tf.robots.planar2r(symbolic=True)).equations("steps").text()
    assert re.search(r" = \(.+\)/\(.+\)$", steps, re.MULTILINE)
    assert not re.search(r"/\([^()]*\) \(", steps)
    assert LANGUAGE.text(Product((Number(0.09), Number(0.1), Variable("S2")))) == "0.09 · 0.1 S₂"
    assert latex.LANGUAGE.text(Product((Number(0.09), Number(0.1)))) == r"0.09 \times 0.1"
    waves = tf.inertia_matrix(tf.robots.ur5()).equations().text(60).split("where ")[1].split("\n\n")[0]
    assert all(line.endswith((",", ")")) for line in waves.splitlines())
    assert len(waves.splitlines()) > 3


def test_a_minus_leaves_the_denominator():
    text = tf.inertia_matrix(tf.robots.slider_crank()).equations().text()
    assert "/c₁₂²" in text
    assert "/c₁₂\n" in text
    assert "(-c" not in text


def test_long_terms_break_in_the_outer_brackets():
    made = tf.coriolis_matrix(ROBOTS["scara"]).equations().text(80)
    assert "(MX₃\n" not in made
    assert max(map(len, made.splitlines())) <= 80


def test_a_constant_matrix_has_no_arguments():
    arm = tf.robots.planar2r()
    made = tf.inertia_matrix(replace(arm, joints=arm.joints[:1], bodies=arm.bodies[:1])).equations()
    assert made.text() == "M = [ 1/3 ]"


def test_a_symbol_g_stays_g():
    arm = tf.robots.planar2r()
    robot = tf.Robot(name="arm", joints=arm.joints, bodies=arm.bodies, gravity=(0.0, -1.0 * tf.symbol("g"), 0.0))
    program = tf.gravity(robot)
    for style in ("closed", "steps"):
        latex = program.equations(style).latex()
        assert r"g\_" not in latex
        assert r"$g$ & parameters of the robot" in latex
    assert "0.5 (3 c₁ + c₁₂) g" in str(program.equations()) or "0.5 g (3 c₁ + c₁₂)" in str(program.equations())


def test_files(tmp_path):
    made = tf.inertia_matrix(tf.robots.planar2r()).equations()
    assert made.save(tmp_path / "a.tex").read_text().startswith("% Generated by Tauforge.")
    assert "| $2$ | $1$ | $0$ | $0$ | $0$ | $0$ | $1$ | $q_{2}$ | $0$ |" in made.save(tmp_path / "a.md").read_text()
    assert made.save(tmp_path / "a.txt").read_text().splitlines()[0].startswith("M(q) = ⎡ 5/3 + c₂")
    with pytest.raises(tf.TargetError, match=r"end in \.tex, \.md, \.txt"):
        made.save(tmp_path / "a.pdf")
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.md", "a.tex", "a.txt"]


def test_steps_say_how_they_are_repeated():
    program = root()
    text = program.equations().text()
    assert program.equations().style == "steps"
    assert text.startswith("Repeated until done is 1")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex sets the pages (Debian: texlive-latex-base)")
@pytest.mark.parametrize("name", ["rrp", "scara_symbolic", "puma560", "hostile", "every_function"])
def test_latex_sets_the_pages(name, tmp_path):
    (tmp_path / "page.tex").write_text(programs()[name].equations().latex())
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
