"""Derivations of inverse geometry: the printed text is taken at its word, as equations and as an algorithm."""

import re
import shutil
import subprocess
from functools import cache
from math import pi

import numpy as np
import pytest
from typer.testing import CliRunner

import tauforge as tf
from tauforge.cli.main import app

from .arms import TIP, poses, random_arm, states

QUARTER = pi / 2
BELOW = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def lettered(kinds, alphas, name, thetas=(0.0,) * 6):
    """Return an arm with letters for its lengths."""
    joints = [
        tf.Joint(
            name=f"joint{k + 1}",
            antecedent=k,
            sigma=int(letter == "P"),
            alpha=alphas[k],
            theta=thetas[k],
            d=tf.symbol(f"D{k + 1}") if k else 0.0,
            r=0.0 if letter == "P" else tf.symbol(f"RL{k + 1}"),
        )
        for k, letter in enumerate(kinds)
    ]
    bodies = [tf.Body(name=f"link{k + 1}") for k in range(len(kinds))]
    return tf.Robot(name=name, joints=tuple(joints), bodies=tuple(bodies))


ARMS = {
    "puma560": (tf.robots.puma560, "link6", {}),
    "puma560 in letters": (lambda: tf.robots.puma560(symbolic=True), "link6", {}),
    "rx90": (tf.robots.rx90, "link6", {}),
    "rx90 in letters": (lambda: tf.robots.rx90(symbolic=True), "link6", {}),
    "stanford": (tf.robots.stanford, "link6", {}),
    "ur5": (tf.robots.ur5, "link6", {}),
    "ur5 in letters": (lambda: tf.robots.ur5(symbolic=True), "link6", {}),
    "scara": (lambda: tf.robots.scara(symbolic=True), "link4", {}),
    "2R": (lambda: tf.robots.planar2r(symbolic=True), "link2", {}),
    "2R to a point": (lambda: lettered("RRP", [0.0, 0.0, 0.0], "RRP"), "link3", {"aim": "position"}),
    "3R": (lambda: lettered("RRR", [0.0, 0.0, 0.0], "planar3r"), "link3", {}),
    "five joints": (lambda: lettered("RRRRR", [0.0, QUARTER, 0.0, 0.0, -QUARTER], "five"), "link5", {}),
    "rrp": (tf.robots.rrp, "link3", {}),
    "Cartesian": (
        lambda: lettered("PPP", [0.0, QUARTER, QUARTER], "cartesian", [0.0, QUARTER, 0.0]),
        "link3",
        {"aim": "position"},
    ),
    "Cartesian with a wrist": (
        lambda: random_arm("PPPRRR", 3, [0.0, 1.1, QUARTER, 0.3, QUARTER, QUARTER], [0.1, 0.2, 0.3, 0.0, 0.0, 0.0]),
        TIP,
        {},
    ),
    "lwr": (tf.robots.kuka_lwr, "link7", {"fixed": {"joint3": 0.3}}),
}
LONG = (
    "puma560",
    "ur5",
    "ur5 in letters",
    "rx90 in letters",
    "five joints",
    "Cartesian with a wrist",
    "lwr",
    "rx90",
    "rrp",
)


def arms():
    return [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in ARMS]


@cache
def solver(name):
    make, frame, options = ARMS[name]
    return tf.inverse_geometry(make(), frame=frame, **options)


@cache
def printed(ik):
    return ik.equations().text()


class Names(dict):
    """Values of letters; sines and cosines follow from q."""

    def __missing__(self, name):
        found = re.fullmatch(r"([CS])(\d+)", name)
        if not found:
            raise KeyError(name)
        return {"C": np.cos, "S": np.sin}[found[1]](sum(self[f"q{k}"] for k in found[2]))

    def value(self, text):
        text = text.translate(BELOW).replace("ε", "epsilon").replace("√", "sqrt")
        text = text.replace("²", "**2")
        text = re.sub(r"(?<=[\w)]) (?=[\w(])", "*", text)
        return eval(text, {"cos": np.cos, "sin": np.sin, "sqrt": np.sqrt, "atan2": np.arctan2, "abs": abs}, self)


def formulas(text):
    """Return the equations of each step, as two sides: what is indented, lines that continue joined."""
    found = []
    for part in re.split(r"\nStep \d+: .*\n", text.partition("\nThe solutions\n")[0])[1:]:
        lines = []
        for line in part.splitlines():
            if line.startswith("     ") and lines:
                lines[-1] += " " + line.strip()
            elif line.startswith("    "):
                lines.append(line.strip())
        found.append([tuple(line.split(" = ", 1)) for line in lines])
    return found


def letters(T, parameters):
    columns = {f"{c}{row}": T[i, j] for j, c in enumerate("snaP") for i, row in enumerate("xyz")}
    return Names(columns | parameters)


def rows(text):
    return [
        {f"epsilon{k}": float(x) for k, x in re.findall(r"ε(\d) = (-?1)", line.translate(BELOW))}
        for line in re.findall(r"^(?:- row \d+: .*(?:\n  .*)*)", text, flags=re.M)
    ] or [{}]


def given(robot, seed=0):
    random = np.random.default_rng(seed)
    return {name: float(random.uniform(0.2, 0.6)) for name in robot.symbols}


def at(ik, q, parameters):
    """Return the pose in a state."""
    robot = ik.robot.bind(**parameters) if parameters else ik.robot
    return poses(robot, q[None], ik.frame)[0]


def is_name(text):
    return re.fullmatch(r"[^\W\d]\w*", text.translate(BELOW)) is not None


@pytest.mark.parametrize("name", arms())
def test_every_printed_equation_holds_in_a_state(name):
    ik = solver(name)
    text, parameters = printed(ik), given(ik.robot)
    for q in states(ik.robot, 3, seed=5, fixed=ik.fixed):
        names = letters(at(ik, q, parameters), parameters)
        names |= {f"q{k + 1}": x for k, x in enumerate(q)}
        checked = 0
        for step in formulas(text):
            for left, right in step:
                if "ε" in right or "atan2" in right or re.fullmatch("q.", left):
                    continue
                value = names.value(right)
                if re.fullmatch(r"[XYZ].?|[Pd][₀-₉]+[xyz]", left):
                    names[left.translate(BELOW)] = value
                else:
                    assert names.value(left) == pytest.approx(value, abs=3e-5 if "rounded" in text else 1e-9)
                    checked += 1
        assert checked >= (name != "Cartesian")


@pytest.mark.parametrize("name", arms())
def test_the_text_is_an_algorithm(name):
    """Each row of signs, put through the printed solutions, gives the row of the Program."""
    ik = solver(name)
    text, parameters = printed(ik), given(ik.robot)
    program = ik.program
    signs, steps = rows(text), formulas(text)
    assert len(signs) == program.outputs["q"][0]
    used = [parameters[x] for x in program.parameters]
    solve = program.compile()
    for q in states(ik.robot, 4, seed=9, fixed=ik.fixed):
        T = at(ik, q, parameters)
        found = solve(T, q, 1e-40, used) if used else solve(T, q, 1e-40)
        assert found.valid.any()
        for k in np.flatnonzero(found.valid):
            names = letters(T, parameters | signs[k])
            names |= {f"q{ik.robot.coordinate_names.index(x) + 1}": float(v) for x, v in ik.fixed.items()}
            for step in steps:
                for left, right in step:
                    if is_name(left):
                        names[left.translate(BELOW)] = names.value(right)
            own = np.array([names.get(f"q{j + 1}", x) for j, x in enumerate(q)])
            turns = np.array([joint.sigma == 0 for joint in ik.robot.joints if joint.axes])
            off = own - found.q[k]
            off = np.where(turns, (off + pi) % (2 * pi) - pi, off)
            assert np.abs(off).max() < (2e-3 if "rounded" in text else 1e-7)


def step_values(ik, number, T, q):
    """Return the letters of a step, at a pose and with the joints before it in a state."""
    names = letters(T, {f"q{k + 1}": x for k, x in enumerate(q)})
    for step in formulas(printed(ik))[:number]:
        for left, right in step:
            if is_name(left) and "ε" not in right and not re.fullmatch("[qCS].", left):
                names[left.translate(BELOW)] = names.value(right)
    return names


def near_none(ik, T):
    return ik.program.compile()(T, np.zeros(len(ik.robot.coordinate_names)), 1e-40)


def test_the_shoulder_over_its_axis_is_undetermined():
    """An arm whose wrist can be on the first axis: RX-90."""
    ik = solver("rx90")
    T = np.eye(4)
    T[:3, 3] = 0.0, 0.0, 0.6
    names = step_values(ik, 1, T, np.zeros(6))
    assert names["X"] == names["Y"] == 0.0
    assert "lies on the axis of joint1" in printed(ik)
    assert (near_none(ik, T).free.astype(int) & 1).all()


@pytest.mark.parametrize(("name", "step", "joint"), [("puma560", 4, 6), ("ur5", 2, 6), ("stanford", 4, 6)])
def test_the_wrist_with_parallel_axes_is_undetermined(name, step, joint):
    ik = solver(name)
    q = np.array([0.3, -0.5, 0.4, 0.2, 0.0, 0.7])
    T = at(ik, q, {})
    names = step_values(ik, step, T, q)
    assert abs(names["X"]) + abs(names["Y"]) < 1e-9
    found = near_none(ik, T)
    assert (found.free.astype(int) >> (joint - 1) & 1).any()


def test_out_of_reach_is_what_the_condition_says():
    ik = solver("puma560")
    T = np.eye(4)
    for y, reached in ((0.14, False), (0.2, True)):
        T[:3, 3] = 0.0, y, 0.3
        names = step_values(ik, 1, T, np.zeros(6))
        assert (names["X"] ** 2 + names["Y"] ** 2 >= names["Z"] ** 2) == reached
        assert bool(near_none(ik, T).valid.any()) == reached
    T[:3, 3] = 0.0, 2.0, 0.3
    names = step_values(ik, 2, T, np.zeros(6) + ik(T, nearest=True).q[0])
    assert names["X"] ** 2 + names["Y"] ** 2 < names["Z"] ** 2
    assert (near_none(ik, T).margin < 0).all()


def test_a_straight_elbow_is_where_both_solutions_are_one():
    ik = solver("rx90")
    q = np.array([0.3, 0.5, pi / 2, 0.2, 0.4, 0.7])
    names = step_values(ik, 2, at(ik, q, {}), q)
    assert names["X"] ** 2 + names["Y"] ** 2 == pytest.approx(names["Z"] ** 2, rel=1e-9)
    ik = solver("stanford")
    q = np.array([0.3, 0.5, 0.0, 0.2, 0.4, 0.7])
    assert step_values(ik, 2, at(ik, q, {}), q)["Z"] == pytest.approx(0.0, abs=1e-6)


def test_what_students_know_of_the_puma():
    text = printed(solver("puma560 in letters"))
    assert "-Px S₁ + Py C₁ = RL₃" in text
    assert "Px² + Py² < RL₃²" in text
    assert "a pair of type 7" in text
    assert "(Pieper)" in text
    assert "a pair of type 4" in printed(solver("stanford"))


def test_letters_of_the_robot_are_not_taken():
    """An arm whose lengths have the names of the goal's entries, of sines and of signs."""
    joints = [
        tf.Joint(name="a", antecedent=0, r=tf.symbol("Px")),
        tf.Joint(name="b", antecedent=1, d=tf.symbol("sx"), r=tf.symbol("C1")),
        tf.Joint(name="c", antecedent=2, d=tf.symbol("epsilon1"), r=tf.symbol("S1")),
    ]
    robot = tf.Robot(name="clash", joints=tuple(joints), bodies=tuple(tf.Body(name=x) for x in "xyz"))
    text = tf.inverse_geometry(robot, frame="z").equations().text()
    assert "Px_" in text
    assert "sx_" in text


def test_files_and_the_command_line(tmp_path):
    ik = solver("2R")
    for ending in ("tex", "md", "txt"):
        path = ik.equations().save(tmp_path / f"ik.{ending}")
        assert "type 3" in path.read_text()
    with pytest.raises(tf.TargetError, match=r"end in .tex"):
        ik.equations().save(tmp_path / "ik.pdf")
    assert ik.equations()._repr_latex_().startswith("$$")
    done = CliRunner().invoke(app, ["equations", "planar2r", "-s", "-m", "inverse-geometry"])
    assert done.exit_code == 0, done.output
    assert done.output.strip() == ik.equations().text().strip()
    unclear = CliRunner().invoke(app, ["equations", "gough_stewart", "-m", "inverse-geometry"])
    assert "say with frame= which frame you mean" in str(unclear.exception)


def test_arms_without_a_closed_form_say_so():
    ik = tf.inverse_geometry(random_arm("RRRRRR", 1), frame=TIP)
    with pytest.raises(tf.ProgramError, match="no exact closed form"):
        ik.equations()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="LaTeX is not installed")
@pytest.mark.parametrize("name", ARMS)
def test_latex_sets_it(name, tmp_path):
    solver(name).equations().save(tmp_path / "ik.tex")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "ik.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull \\hbox" not in done.stdout


def test_table_has_the_letters_of_the_text_beside_fixed_joints():
    joints = (
        tf.Joint(name="a", antecedent=0),
        tf.Joint(name="bracket", antecedent=1, sigma=2, d=0.1, alpha=0.2),
        tf.Joint(name="b", antecedent=2, sigma=1, alpha=QUARTER),
    )
    robot = tf.Robot(name="arm", joints=joints, bodies=tuple(tf.Body(name=joint.name) for joint in joints))
    text = str(tf.inverse_geometry(robot, frame="b", aim="position").equations())
    table = [line.split() for line in text.splitlines() if re.match(r"[123]  [012]  ", line)]
    assert [row[7:] for row in table] == [["q1", "0"], ["0", "0"], ["0", "q2"]]
