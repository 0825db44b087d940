"""Generated C is checked again: as it is, changed, for another robot, and not ours."""

import pytest

import tauforge as tf


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
    robot = tf.robots.bundled(name)
    torques = tf.inverse_dynamics(robot)
    for program in (torques, torques.derivative("tau", "q"), tf.regressor(robot), tf.direct_dynamics(robot)):
        found = tf.verify(program.write(tmp_path / "arm.c", target=target), robot)
        assert found.unchanged
        assert found.proved
        assert found.difference < 1e-9


@pytest.mark.parametrize("parameters", ["standard", "base", "least"])
def test_options_of_the_model_are_in_the_head(tmp_path, parameters):
    robot = tf.robots.puma560(symbolic=True)
    file = tf.inverse_dynamics(robot, parameters=parameters, external_wrenches=True).write(tmp_path / "arm.c")
    assert tf.verify(file, robot).proved


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
        (lambda text: text.replace("    tau[1] = ", "    tau[0] = "), r"tau\[1\] is never written"),
        (lambda text: text.replace("qd[1]", "qd[7]"), "it uses qd_7, which this model does not have"),
        (lambda text: text.replace("sin(q[0])", "system(q[0])"), "system"),
        (lambda text: "int main(void) { return 0; }\n", "its head does not say how it was made"),
        (lambda text: text.replace("inverse_dynamics", "__import__"), "does not say how it was made in our words"),
        (lambda text: text.replace("{}]]", '{"nonsense": 1}]]'), "does not say how it was made in our words"),
        (lambda text: text[: text.index("void ")], "no function of generated C"),
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
