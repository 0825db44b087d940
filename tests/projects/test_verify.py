"""Generated C is checked again: as it is, changed, for another robot, and not ours."""

from dataclasses import replace

import pytest

import tauforge as tf

SIGN = "(q[0] > 0.0 ? 1.0 : q[0] < 0.0 ? -1.0 : 0.0)"


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("rrp", "c"),
        ("planar2r", "c:float"),
        *(pytest.param(x, "c", marks=pytest.mark.slow) for x in ("puma560", "fivebar")),
        pytest.param("puma560", "c:float", marks=pytest.mark.slow),
    ],
)
def test_what_was_written_is_proved(name, target, tmp_path):
    robot = tf.robots.bundled(name, symbolic=name == "rrp")
    torques = tf.inverse_dynamics(robot)
    for program in (torques, torques.derivative("tau", "q"), tf.regressor(robot), tf.direct_dynamics(robot)):
        found = tf.verify(program.write(tmp_path / "arm.c", target=target), robot)
        assert found.unchanged
        assert found.proved
        assert found.difference <= found.rounding
        assert found.difference < (1e-4 if target == "c:float" else 1e-12)


@pytest.mark.parametrize("parameters", ["standard", "base", "least"])
def test_options_of_the_model_are_in_the_head(tmp_path, parameters):
    robot = tf.robots.puma560(symbolic=True)
    file = tf.inverse_dynamics(robot, parameters=parameters, external_wrenches=True).write(tmp_path / "arm.c")
    assert tf.verify(file, robot).proved


def test_names_of_joints_in_the_head(tmp_path):
    names = "left-" * 40, "*/ a  b /*/ ??/ \\ é"
    robot = tf.robots.planar2r()
    robot = replace(robot, joints=tuple(replace(x, name=name) for x, name in zip(robot.joints, names, strict=True)))
    for known in (names[:1], names[1:], names):
        file = tf.hybrid_dynamics(robot, accelerated=known).write(tmp_path / "arm.c")
        assert tf.verify(file, robot).proved


@pytest.mark.parametrize("change", [("planar2r", "panda"), ("9.81", "1.62"), ("void", "\nvoid")])
def test_a_changed_file_is_told(tmp_path, change):
    robot = tf.robots.planar2r()
    file = tf.gravity(robot).write(tmp_path / "arm.c")
    head, code = file.read_text().split("*/", 1)
    file.write_text(head.replace(*change) + "*/" + code.replace(*(change if "void" in change else ("", ""))))
    found = tf.verify(file, robot)
    assert (found.unchanged, found.proved) == (False, True)
    assert str(found).startswith("changed since it was written; proved equal to gravity() of planar2r: ")


def test_what_is_not_proved_is_said(tmp_path):
    robot = tf.robots.planar2r()
    file = tf.inverse_dynamics(robot).write(tmp_path / "arm.c")
    file.write_text(file.read_text().replace("9.81*", "9.8100000001*"))
    found = tf.verify(file, robot)
    assert not found.proved
    assert "not proved, but close to inverse_dynamics() of planar2r" in str(found)


def test_friction_has_signs_and_products_are_verified_too(tmp_path):
    robot = tf.robots.planar2r()
    joints = tuple(replace(joint, FS=0.3, FV=0.1) for joint in robot.joints)
    robot = replace(robot, joints=joints)
    torques = tf.inverse_dynamics(robot)
    for program in (torques, torques.jvp("tau", "q"), torques.vjp("tau", "qd")):
        for target in ("c", "c:float"):
            assert tf.verify(program.write(tmp_path / "arm.c", target=target), robot).unchanged
    setup, rest = tf.inertia_matrix(symbolic := robot.symbolic()).split()
    for program in (setup, rest):
        assert tf.verify(program.write(tmp_path / "arm.c"), symbolic).proved


def test_a_changed_file(tmp_path):
    robot = tf.robots.puma560()
    file = tf.inverse_dynamics(robot).write(tmp_path / "arm.c")
    text = file.read_text()
    file.write_text(text.replace("/* Results */", "/* results */"))
    found = tf.verify(file, robot)
    assert found.unchanged is False
    assert found.proved
    file.write_text(text.replace("tau[2] = ", "tau[2] = 1.0000001*"))
    with pytest.raises(tf.TargetError, match=r"it is not this model of puma560: tau\[2\] is "):
        tf.verify(file, robot)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("    tau[1] = ", "    while (1) tau[1] = "), "not a statement of generated C"),
        (lambda text: text.replace("    tau[1] = ", "    tau[0] = "), r"tau\[0\] is written twice"),
        (lambda text: text.replace("    tau[1] = N32;", ""), r"tau\[1\] is never written"),
        (lambda text: text.replace("qd[1]", "qd[7]"), r"it uses qd\[7\], which this model does not have"),
        (lambda text: text.replace("sin(q[0])", "system(q[0])"), "it calls system"),
        (lambda text: text.replace("sin(q[0])", "sinf(q[0])"), "it calls sinf"),
        (lambda text: text.replace("= N31", "= N31 + abs(qd[0]) - fabs(qd[0])"), "it calls abs"),
        (lambda text: text.replace("0.5*", "1/2*"), "1 is not a number of type double"),
        (lambda text: text.replace("0.5*", "0.5f*"), "0.5f is not a number of type double"),
        (lambda text: text.replace("const double S1", "const float S1"), "not a statement of generated C"),
        (lambda text: text.replace("q[2], const double qd[2]", "qd[2], const double q[2]"), "its arguments are"),
        (lambda text: text.replace("double", "real_t"), "its numbers are of type real_t"),
        (lambda text: text.replace("/* Results */", "const double S1 = 0.0;"), "S1 has a value already"),
        (lambda text: text.replace("    tau[1] = ", "    tau[2] = "), r"tau\[2\] is not a result"),
        (lambda text: text.replace("    tau[1] = ", "    q[0] = 1.0;\n    tau[1] = "), r"q\[0\] is not a result"),
        (lambda text: text.replace("/* Results */", "(void)remove(0);"), "not a statement of generated C"),
        (lambda text: text.replace("/* Results */", "memset(tau, 0, sizeof(double[9]));"), "not a statement"),
        (lambda text: text[:-2] + "    memset(tau, 0, sizeof(double[2]));\n}\n", "not a statement"),
        (lambda text: text.replace("= N32", "= N32 + (q[0] > 4.0 ? 1.0 : 0.0)"), "not an expression of generated C"),
        (lambda text: text.replace("= N32", f"= N32 + 1.0 + {SIGN}"), "it is not this model of planar2r"),
        (lambda text: text.replace("= N31", "= N31 //* 2.0 */ + 1.0\n"), "a comment after //"),
        (lambda text: text.replace("/* Results */", "/* *\\\n/ tau[0] = 1; /* */"), "a backslash before white space"),
        (lambda text: text.replace("#include", "#define sin cos\n#include"), "not a line of generated C: #define"),
        (lambda text: "#define sin cos\n" + text, "not a line of generated C: #define"),
        (
            lambda text: text + text.replace("void arm", "void other"),
            "one function of generated C, and nothing after it",
        ),
        (lambda text: "int main(void) { return 0; }\n", "its head does not say how it was made"),
        (lambda text: text.replace("inverse_dynamics", "__import__"), "does not say how it was made in our words"),
        (lambda text: text.replace("{}]]", '{"nonsense": 1}]]'), "does not say how it was made in our words"),
        (lambda text: text.replace('[["inv', "[" * 10_000), "does not say how it was made in our words"),
        (lambda text: text.replace('[["inv', "[" * 100_000), "does not say how it was made in at most 20,000"),
        (lambda text: text[: text.index("void ")], "one function of generated C"),
        (lambda text: text[:-2], "not a statement of generated C: the end"),
    ],
)
def test_what_is_not_ours_is_refused(change, message, tmp_path):
    robot = tf.robots.planar2r()
    file = tf.inverse_dynamics(robot).write(tmp_path / "arm.c")
    text = change(file.read_text())
    assert text != file.read_text()
    file.write_text(text)
    with pytest.raises(tf.TauforgeError, match=message):
        tf.verify(file, robot)


def test_another_robot(tmp_path):
    file = tf.inverse_dynamics(tf.robots.puma560()).write(tmp_path / "arm.c")
    with pytest.raises(tf.TargetError, match="it is not this model of rx90"):
        tf.verify(file, tf.robots.rx90())
    with pytest.raises(tf.TargetError, match="is this another model, or another robot"):
        tf.verify(file, tf.robots.rx90(symbolic=True))
