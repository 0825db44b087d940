"""Task files: what they describe equals the same calls in Python, and errors name the file, the line and the fix."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tauforge as tf
from tauforge.robot.joint import Limits


@pytest.fixture(scope="module")
def arm():
    return tf.robots.planar2r()


def from_text(text, tmp_path):
    path = tmp_path / "task.toml"
    path.write_text(text)
    return tf.Task.load(path)


def test_torques_along_points_with_a_load(arm, tmp_path):
    task = from_text(
        """
        payload = 1.5
        motion = { points = [[0, 0], [1, "pi/4"]], times = [0, 2], kind = "cubic" }
        wrenches = { link2 = [0, "5*t", 0, 0, 0, 1] }
        simulation = { dt = 0.1 }
        """,
        tmp_path,
    )
    motion = tf.motion([[0, 0], [1, np.pi / 4]], [0, 2], kind="cubic")
    wrench = {"link2": lambda t: [0, 5 * t, 0, 0, 0, 1]}
    expected = tf.required_torques(arm, motion, payload=1.5, wrench=wrench, dt=0.1)
    np.testing.assert_allclose(task.torques(arm).tau, expected.tau, rtol=1e-12)


def test_torques_that_are_expressions(arm, tmp_path):
    task = from_text(
        """
        start = { q = { joint1 = "pi/2" }, qd = [0, 1] }
        torque = ["5*sin(t) - q2", "-2*qd2 + cos(q1)"]
        simulation = { duration = 1, samples = 11, rtol = 1e-10, atol = 1e-12 }
        """,
        tmp_path,
    )

    def torque(t, q, qd):
        return [5 * np.sin(t) - q[1], -2 * qd[1] + np.cos(q[0])]

    t = np.linspace(0, 1, 11)
    expected = tf.simulate(arm, t, torque, q0=[np.pi / 2, 0], qd0=[0, 1], rtol=1e-10, atol=1e-12)
    found = task.simulate(arm)
    np.testing.assert_allclose(found.q, expected.q, atol=1e-12)
    np.testing.assert_allclose(found.tau, expected.tau, atol=1e-9)


def test_torques_by_the_names_of_joints(arm):
    task = tf.Task.of(torque={"joint2": "t"}, simulation={"duration": 1})
    np.testing.assert_allclose(task.simulate(arm).tau, np.linspace(0, 1, 501)[:, None] * [0, 1], atol=1e-15)


def test_wrenches_of_the_state_and_a_load(arm):
    task = tf.Task.of(
        payload={"mass": 2.0, "at": "link2", "com": [1, 0, 0]},
        wrenches={"link2": ["3*qd1", 0, 0, 0, 0, "q2"]},
        simulation={"times": [0, 0.5, 1.0], "rtol": 1e-10},
    )

    def wrenches(t, q, qd):
        return [[0.0] * 6, [3 * qd[0], 0, 0, 0, 0, q[1]]]

    loaded = arm.payload(2.0, [1, 0, 0], at="link2")
    expected = tf.simulate(loaded, [0, 0.5, 1.0], wrenches=wrenches, rtol=1e-10)
    np.testing.assert_allclose(task.simulate(arm).q, expected.q, atol=1e-12)


@pytest.mark.parametrize(
    ("law", "maker", "gains"),
    [
        ("pd", "pd_control", {"kp": 50.0, "kd": [9.0, 4.0]}),
        ("pid", "pid_control", {"kp": 50.0, "ki": 10.0, "kd": 9.0}),
        ("gravity-compensation", "gravity_compensation", {"kp": 20.0, "kd": 5.0}),
        ("computed-torque", "computed_torque", {"kp": 30.0, "kd": 10.0, "saturation": 60.0}),
    ],
)
def test_a_controller_follows_the_motion_or_a_point(arm, law, maker, gains):
    path = {"expressions": ["sin(t)", "t**2/4"], "duration": 2}
    motion = tf.motion(path["expressions"], 2.0)
    t = np.linspace(0, 2, 21)
    for task, reference, start in (
        (tf.Task.of(motion=path), motion, {"qd0": [1, 0]}),
        (tf.Task.of(), [0.3, -0.2], {}),
    ):
        own = {} if reference is motion else {"reference": reference}
        changed = task.changed(
            controller={"law": law, **gains, **own}, simulation={"dt": 0.1, "duration": 2, "rtol": 1e-6}
        )
        made = getattr(tf, maker)(arm, **gains, reference=reference)
        expected = tf.simulate(arm, t, controller=made, rtol=1e-6, **start)
        np.testing.assert_allclose(changed.simulate(arm).q, expected.q, atol=1e-8)


def test_a_sampled_controller_and_events(arm):
    task = tf.Task.of(
        controller={"law": "gravity-compensation", "kd": {"joint1": 2.0}, "rate": 100},
        start={"qd": [1, 0]},
        event=[{"name": "high", "value": "q1 - 0.2", "direction": "rising"}, {"value": "t - 0.7", "stop": True}],
        simulation={"duration": 1},
    )
    found = task.simulate(arm)
    assert [event.name for event in found.events] == ["high", "t - 0.7"]
    assert found.t[-1] == pytest.approx(0.7)
    assert len(np.unique(found.tau[:, 0])) < 80


def test_a_frame_goes_from_pose_to_pose(arm):
    """Positions alone, as a planar arm has it, and poses with rotation vectors."""
    tip = arm.derived(frames=(tf.Joint(name="tip", antecedent=2, sigma=2, d=0.8),))
    path = {"frame": "tip", "near": [0, 0.5], "duration": 2, "radius": 0.1, "kind": "cubic"}
    rows = [[1.2, 0.3, 0], [0.6, 0.9, 0], [0.2, 1.2, 0]]
    found = tf.Task.of(motion={"poses": rows, **path}).motion(tip)
    given = {"frame": "tip", "q0": [0, 0.5], "aim": "position", "radius": 0.1, "kind": "cubic"}
    exact = tf.cartesian_motion(tip, rows, 2.0, **given)
    np.testing.assert_array_equal(found(1.0).q, exact(1.0).q)
    run = tf.Task.of(motion={"poses": rows, **path}, controller={"law": "computed-torque", "kp": 100, "kd": 20})
    np.testing.assert_allclose(run.simulate(tip).q[-1], exact(2.0).q, atol=1e-3)
    puma, q0 = tf.robots.puma560(), np.array([0.3, -0.6, 0.5, 0.2, 0.8, -0.1])
    T = np.array(tf.transforms(puma, frames="link6").compile()(q0)[0])
    turn = Rotation.from_matrix(T[:3, :3]).as_rotvec()
    poses = [[*T[:3, 3], *turn], [*(T[:3, 3] + [0.0, 0.1, 0.0]), *turn]]
    found = tf.Task.of(motion={"poses": poses, "frame": "link6", "near": list(q0), "velocity": 1}).motion(puma)
    np.testing.assert_allclose(found(0.0).q, q0, atol=1e-9)
    assert np.abs(found(np.linspace(0, found.end, 500)).qd).max() == pytest.approx(1.0, rel=1e-3)
    with pytest.raises(tf.RobotError, match="poses is a list of"):
        tf.Task.of(motion={"poses": [[1, 2], [3, 4]], "frame": "tip"}).motion(arm)


def test_delay_friction_and_stops(arm):
    bounds = Limits(lower=-0.5, upper=0.5)
    rubbing = replace(arm, joints=tuple(replace(joint, limits=bounds, FS=0.5) for joint in arm.joints))
    task = tf.Task.of(
        controller={"law": "pd", "kp": 50, "kd": 5, "reference": [0.2, 0.1], "rate": 50, "delay": 2},
        simulation={"times": [0, 0.2, 0.4], "stops": True, "stiction": 1.2, "max_steps": 100000, "method": "BDF"},
    )
    law = tf.pd_control(rubbing, 50, 5, [0.2, 0.1])
    exact = tf.simulate(
        rubbing, [0, 0.2, 0.4], controller=law, rate=50, delay=2, stops=True, stiction=1.2, method="BDF"
    )
    np.testing.assert_array_equal(task.simulate(rubbing).q, exact.q)


def test_joint_limits_stop_a_task(arm):
    bounds = Limits(lower=-0.5, upper=0.5)
    limited = replace(arm, joints=tuple(replace(joint, limits=bounds) for joint in arm.joints))
    found = tf.Task.of(simulation={"duration": 3, "limits": True}).simulate(limited)
    assert found.status == "event"
    assert np.abs(found.q[-1]).max() == pytest.approx(0.5)


def test_the_independent_joints_of_closed_loops():
    found = tf.Task.of(start={"q": [1.0]}, torque=["-0.1*qd1"], simulation={"duration": 1}).simulate(
        tf.robots.fourbar()
    )
    assert found.residual.max() < 1e-12
    assert found.total[-1] < found.total[0]


def test_a_fourier_series(arm):
    a, b = [[0.3, 0.1], [0.2, 0.0]], [[0.0, 0.2], [0.1, 0.3]]
    task = tf.Task.of(motion={"a": a, "b": b, "period": 2, "centre": 0.1}, simulation={"samples": 41})
    expected = tf.required_torques(arm, tf.fourier_motion(a, b, 2, centre=0.1), t=np.linspace(0, 2, 41))
    np.testing.assert_allclose(task.torques(arm).tau, expected.tau)


def test_changes_replace_values(tmp_path):
    task = from_text('[simulation]\nduration = 1\nrtol = 1e-3\n[output]\nsave = "a.csv"\n', tmp_path)
    changed = task.changed(simulation={"duration": 2}, output={"plot": "b.svg"})
    assert changed.output == ("a.csv", "b.svg", "")
    assert task.output == ("a.csv", "", "")
    assert changed.simulate(tf.robots.planar2r()).t[-1] == 2.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[simulaton]\nduration = 1\n", r"task.toml:1: unknown field 'simulaton'; did you mean simulation\?"),
        ("[simulation]\nduraton = 1\n", r"task.toml:2: unknown field 'duraton' in simulation; did you mean duration"),
        ("[simulation]\nduration = -1\n", r"task.toml:2: duration is -1; it must be positive"),
        ("[simulation]\nduration = true\n", r"task.toml:2: duration is True; it must be a number"),
        ("[simulation]\nrtol = 1e-6\n", r"task.toml:1: how long\?"),
        ("simulation = 3", r"task.toml:1: simulation must be a table"),
        ("[simulation]\nduration = 1\nsamples = 1\n", r"task.toml:3: samples is 1; at least"),
        ("[simulation]\nduration = 1\ndt = 0\n", r"task.toml:3: dt is 0; it must be positive"),
        ("[simulation]\ntimes = [0, 1]\ndt = 0.1\n", r"task.toml:3: dt has no meaning beside times"),
        ("[simulation]\nduration = 1\ndt = 0.1\nsamples = 9\n", r"task.toml:4: samples has no meaning beside dt"),
        ("[simulation]\nduration = 1\nmethod = 'Euler'\n", r"task.toml:1: unknown method 'Euler'"),
        ("torque = [1]\n[simulation]\nduration = 1\n", r"toml:1: torque has 1 entries; it needs 2: joint1"),
        ("torque = [1, 'q7']\n[simulation]\nduration = 1\n", r"task.toml:1: torque, 'q7': q7 has no value here; "),
        ("torque = [1, '2*']\n[simulation]\nduration = 1\n", r"task.toml:1: torque, '2\*': "),
        ("torque = [1, [2]]\n[simulation]\nduration = 1\n", r"task.toml:1: torque has the entry \[2\]"),
        ("torque = {elbow = 1}\n[simulation]\nduration = 1\n", r"task.toml:1: unknown field 'elbow' in torque"),
        ("torque = [1, 2]\n[controller]\nlaw = 'pd'\n[simulation]\nduration = 1\n", r"a torque or a controller"),
        ("[controller]\nlaw = 'pdd'\n[simulation]\nduration = 1\n", r"task.toml:2: law is 'pdd'; did you mean pd"),
        ("[controller]\nkp = 1\n[simulation]\nduration = 1\n", r"task.toml:1: law is missing in controller"),
        ("[controller]\nlaw = 'pd'\nkp = 1\n[simulation]\nduration = 1\n", r"task.toml:1: kd is missing in controller"),
        ("[controller]\nlaw = 'pd'\nkp = 1\nkd = 1\n[simulation]\nduration = 1\n", r"toml:2: .* follows nothing"),
        ("[controller]\nlaw = 'pd'\nkp = 1\nkd = 1\nki = 1\n[simulation]\nduration = 1\n", r"toml:5: unknown .* 'ki'"),
        ("[start]\nq = [1, 'a']\n[simulation]\nduration = 1\n", r"task.toml:2: q: .*symbols are not allowed here"),
        ("[start]\nq = 3\n[simulation]\nduration = 1\n", r"task.toml:2: q must be a list of numbers"),
        ("[payload]\nmass = 1\nat = 'tool'\n[simulation]\nduration = 1\n", r"task.toml:\d: .*'tool'"),
        ("[wrenches]\nhand = [1]\n[simulation]\nduration = 1\n", r"task.toml:2: unknown field 'hand' in wrenches"),
        ("[[event]]\nvalue = 'q1'\ndirection = 'up'\n[simulation]\nduration = 1\n", r"toml:3: direction is 'up'; "),
        ("[motion]\nduration = 1\n", r"toml:1: the motion has no path; give points, expressions, a and b, or poses"),
        ("[motion]\npoints = [[0, 0]]\nexpressions = 't'\n", r"toml:3: the motion has both points and expressions"),
        ("[motion]\nexpressions = ['t', 'x']\nduration = 1\n", r"task.toml:2: expressions, 'x': x has no value here"),
        ("[motion]\npoints = [[0, 0], [1, 1]]\ntimes = [0, 0]\n", r"task.toml:2: times must increase"),
        ("[motion]\npoints = [[0, 0], [1, 1]]\ntimes = [0, 1]\nduration = 1\n", r"no meaning beside times"),
        ("x = [", r"task.toml.*: this is not TOML"),
        ("", r"task.toml: the file is empty"),
    ],
)  # fmt: skip
def test_errors_name_the_file_the_line_and_the_fix(arm, tmp_path, text, message):
    with pytest.raises(tf.TauforgeError, match=message):
        from_text(text, tmp_path).simulate(arm)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[simulation]\nduration = 1\n", "there is no motion"),
        ("torque = [1, 2]\n[motion]\nexpressions = 't'\nduration = 1\n", r"toml:1: torque is for a simulation"),
        ("[wrenches]\nlink1 = [1, 2, 3, 4, 5, 'q1']\n[motion]\nexpressions = 't'\nduration = 1\n", "can use t"),
    ],
)  # fmt: skip
def test_errors_of_required_torques(arm, tmp_path, text, message):
    with pytest.raises(tf.TauforgeError, match=message):
        from_text(text, tmp_path).torques(arm)


def test_a_folder_is_not_a_task(tmp_path):
    with pytest.raises(tf.TauforgeError, match="this is a directory; give a task's file"):
        tf.Task.load(tmp_path)


def test_expressions_are_not_code(arm, tmp_path):
    task = from_text("torque = ['__import__(1)', 0]\n[simulation]\nduration = 1\n", tmp_path)
    with pytest.raises(tf.TauforgeError, match="torque"):
        task.simulate(arm)


def test_what_fails_on_the_way_keeps_its_part(arm):
    task = tf.Task.of(torque=["1/(t - 0.5)**2", 0], simulation={"duration": 1, "rtol": 1e-3, "atol": 1e-3})
    with pytest.raises(tf.SimulationError) as raised:
        task.simulate(arm)
    assert 0.3 < raised.value.trajectory.t[-1] <= 0.5
