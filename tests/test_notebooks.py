"""What notebooks show: equations that can be drawn, and tables that no name can break out of."""

import shutil
from dataclasses import replace
from xml.etree import ElementTree

import pytest

import tauforge as tf
from tauforge.targets.notebook import FEW

from .test_docs import undrawable


def cells(html):
    """Return the rows of all tables of a piece of HTML, which must be well-formed."""
    return [["".join(cell.itertext()) for cell in row] for row in ElementTree.fromstring(f"<p>{html}</p>").iter("tr")]


def test_a_short_program_shows_its_equations():
    program = tf.gravity(tf.robots.planar2r(symbolic=True))
    latex = program._repr_latex_()
    assert latex.startswith("$$\n\\begin{gathered}\ng(q) = \\begin{bmatrix}\n")
    assert r"9.81\,(\mathit{MX}_{2}\,c_{12} - \mathit{MY}_{2}\,s_{12})" in latex
    assert r"c_{12} = \cos(q_{1} + q_{2})" in latex
    assert program._repr_html_() is None


@pytest.mark.skipif(not shutil.which("node"), reason="node draws the equations")
def test_the_equations_can_be_drawn():
    programs = (
        tf.gravity(tf.robots.planar2r()),
        tf.inverse_dynamics(tf.robots.scara(symbolic=True)),
        tf.coriolis_matrix(tf.robots.rrp(symbolic=True)),
        tf.robots.puma560(),
        tf.base_parameters(tf.robots.rrp(symbolic=True)),
        tf.inertia_matrix(tf.robots.planar2r()).count(),
        tf.Program.of(y=["atan2(a_1, sqrt(abs(b)))", "sign(a_1)/b", "1e-30*b", 0], z="3"),
    )
    latex = [program._repr_latex_() for program in programs]
    assert undrawable([part for text in latex for part in text.split("$") if part.strip()]) == []


def test_a_long_program_shows_its_arguments_and_operations():
    program = tf.inverse_dynamics(tf.robots.kuka_lwr())
    assert program._repr_latex_() is None
    head, *rows, last = cells(program._repr_html_())
    assert head == ["", "name", "shape", "meaning"]
    assert [row[:3] for row in rows] == [
        ["input", "q", "7"],
        ["input", "qd", "7"],
        ["input", "qdd", "7"],
        ["output", "tau", "7"],
    ]
    assert last == ["operations", "", "", str(program.count())]


@pytest.mark.parametrize(("equations", "short"), [(FEW, True), (FEW + 1, False)])
def test_how_many_equations_are_shown(equations, short):
    program = tf.Program.of(y=["a"] * equations)
    assert (program._repr_latex_() is not None) == short == (program._repr_html_() is None)


def test_base_parameters_show_their_tables():
    rows = cells(tf.base_parameters(tf.robots.rrp(symbolic=True))._repr_html_())
    assert ["XX2R", "XX2 + XX3 - YY2 - ZZ3"] in rows
    assert ["3", "0", "0", "0", "0", "0", "0", "MX3", "MY3", "MZ3", "M3"] in rows


def test_a_robot_without_relations_shows_its_parameters_alone():
    arm = tf.robots.planar2r()
    one = replace(arm, joints=arm.joints[:1], bodies=arm.bodies[:1])
    assert cells(tf.base_parameters(one)._repr_html_())[0] == ["j", *tf.Inertia._fields]


def test_a_robot_shows_its_tables():
    rows = cells(tf.robots.rrp(symbolic=True)._repr_html_())
    assert ["2", "1", "0", "0", "0", "pi/2", "0", "q2", "0"] in rows
    assert ["1", *(f"{name}1" for name in tf.Inertia._fields)] in rows


def test_names_are_escaped():
    name = "<script>alert('&')</script>"
    robot = replace(tf.robots.kuka_lwr(), name=name)
    for shown in (tf.base_parameters(robot), replace(tf.inverse_dynamics(robot), name=name)):
        html = shown._repr_html_()
        assert "<script" not in html
        assert name in "".join(ElementTree.fromstring(f"<p>{html}</p>").itertext())


def test_counts_show_as_a_table():
    counted = tf.inertia_matrix(tf.robots.planar2r()).count()
    head, row = cells(counted._repr_html_())
    assert head == ["mul", "add", "div", "sqrt", "trig", "set-up mul", "set-up add", "total"]
    assert row[-1] == str(counted.total)
