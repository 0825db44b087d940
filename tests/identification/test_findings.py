"""Wrong data is named, with what to type; sound data raises nothing."""

import warnings

import numpy as np
import pytest

import tauforge as tf
from tauforge.errors import IdentificationError

from . import motions
from .known import filled, planar, puma, recorded

ROBOTS = {"planar2r": planar, "puma560": puma}


def codes(result):
    return {x.code for x in result.findings}


def exchanged(recording, *keys):
    order = [1, 0, *range(2, recording.tau.shape[1])]
    return recording.changed(**{key: getattr(recording, key)[:, order] for key in keys})


def turned(recording, joint, factor=-1.0):
    factors = np.ones(recording.tau.shape[1])
    factors[joint] = factor
    return recording.changed(tau=recording.tau * factors)


@pytest.fixture(params=ROBOTS)
def known(request):
    return ROBOTS[request.param]()


def test_sound_recordings_raise_nothing(known):
    robot, recording = known
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tf.identify(robot, recording).findings == ()
        assert tf.identify(tf.robots.bundled(robot.name), recording).findings == ()  # values that are only near


def test_torques_that_count_the_other_way(known):
    robot, recording = known
    with pytest.warns(tf.RecordingWarning, match=r"rec.changed\(tau=-rec.tau\)"):
        assert {"sign", "scale"} >= codes(tf.identify(robot, recording.changed(tau=-recording.tau)))
    for joint in (0, robot.dof - 1):
        name = robot.velocity_names[joint]
        with pytest.warns(
            tf.RecordingWarning, match=f"{name}.*counts the other way|torque of {name} is about -1 times"
        ):
            result = tf.identify(robot, turned(recording, joint))
        assert {x.joint for x in result.findings if x.code in ("sign", "scale")} == {name}


def test_columns_in_another_order(known):
    robot, recording = known
    order = [1, 0, *range(2, robot.dof)]
    for key in ("tau", "q"):
        with pytest.warns(tf.RecordingWarning) as heard:
            result = tf.identify(robot, exchanged(recording, key))
        assert "order" in codes(result)
        assert any(f"rec.changed({key}=rec.{key}[:, {order}])" in str(x.message) for x in heard)


def test_the_order_that_is_said_is_the_right_one():
    robot, recording = puma()
    cyclic = recording.changed(tau=recording.tau[:, [1, 2, 3, 4, 5, 0]])
    with pytest.warns(tf.RecordingWarning):
        result = tf.identify(robot, cyclic)
    (finding,) = (x for x in result.findings if x.code == "order")
    assert "rec.tau[:, [5, 0, 1, 2, 3, 4]]" in finding.fix
    with pytest.warns(tf.RecordingWarning, match=r"rec.q\[:, \[0, 2, 1, 3, 4, 5\]\]"):
        tf.identify(robot, recording.changed(q=recording.q[:, [0, 2, 1, 3, 4, 5]]))


def test_torques_in_other_units(known):
    robot, recording = known
    with pytest.warns(tf.RecordingWarning, match="all torques are about 0.001 times"):
        tf.identify(robot, recording.changed(tau=0.001 * recording.tau))
    with pytest.warns(tf.RecordingWarning, match="joint1 is about 50 times .* gear ratio, gain, unit or sign"):
        tf.identify(robot, turned(recording, 0, 50.0))


def test_negative_friction_of_a_coupled_motor():
    robot = filled(tf.robots.planar2r())
    tendon = tf.Tendon(name="motor2", joints=((1, 1.0), (2, 1.0)), FV=-0.5, FS=-0.7)
    recording = recorded(robot.derived(tendons=(tendon,)), 6.0)
    with pytest.warns(tf.RecordingWarning, match="moves motor2.*turn its row of the coupling"):
        tf.identify(robot, recording, coupling=[[1.0, 0.0], [1.0, 1.0]], friction=("FV", "FS", "FO"))


def test_findings_are_accepted_by_their_codes():
    robot, recording = planar()
    late = recording.shifted(-0.02)
    with pytest.warns(tf.RecordingWarning, match=r"rec.shifted\(0.0.*\[delay\]"):
        (found,) = tf.identify(robot, late).findings
    assert (found.code, found.joint, found.recording) == ("delay", "", "recording")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert codes(tf.identify(robot, late, accept=["delay"])) == {"delay"}
    still = recording.changed(q=recording.q * [1.0, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.identify(robot, still, accept=["still:joint2", "unexplained"])
    with pytest.raises(IdentificationError, match="accept has 'lateness'; give codes of findings: still, degrees"):
        tf.identify(robot, late, accept="lateness")


LOAD = {"mass": 2.5, "com": (0.05, -0.02, 0.1), "at": "flange"}
GAINS = np.array([20.0, -35.0, 15.0, 4.0])


@pytest.fixture(scope="module")
def loaded():
    pytest.importorskip("clarabel")
    robot = motions.rubbing(motions.arm())
    carrying = robot.payload(LOAD["mass"], LOAD["com"], at="flange")
    return robot, motions.recorded(robot, size=2.0), motions.recorded(carrying, seed=1, size=2.0)


def of_payload(robot, *pair, **options):
    return tf.identify_payload(robot, *pair, at="flange", cutoff=None, **options)


def of_gains(robot, *pair, **options):
    signals = [x.changed(tau=x.tau / GAINS) for x in pair]
    return tf.identify_gains(robot, *signals, **LOAD, cutoff=None, **options)


@pytest.mark.parametrize("identified", [of_payload, of_gains])
def test_loads_and_gains_are_checked_likewise(loaded, identified):
    robot, *pair = loaded
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert identified(robot, *pair).findings == ()
    with pytest.warns(tf.RecordingWarning, match=r"exchanged\? identify_(payload|gains)\(robot, loaded, unloaded"):
        assert "load" in codes(identified(robot, *pair[::-1]))
    with pytest.warns(tf.RecordingWarning, match=r"rec.shifted\(0.0[12]"):
        late = identified(robot, *(x.shifted(-0.02) for x in pair), accept="sign")
    assert [x.recording for x in late.findings if x.code == "delay"] == ["motion 0", "motion 1"]
    degrees = [x.changed(**{key: np.rad2deg(getattr(x, key)) for key in ("q", "qd", "qdd")}) for x in pair]
    with pytest.warns(tf.RecordingWarning, match="are the angles in degrees"):
        assert {"degrees", "load"} <= codes(identified(robot, *degrees))
    with pytest.warns(tf.RecordingWarning, match="(not told from none|do not determine the gains).*attached"):
        identified(robot, pair[0], motions.recorded(robot, seed=1, size=2.0))
    with pytest.raises(IdentificationError, match="accept has"):
        identified(robot, *pair, accept=["anything"])


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford"])
def test_arbitrary_inertias_are_no_findings(name):
    robot = filled(tf.robots.bundled(name), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.identify(tf.robots.bundled(name), recorded(robot, 8.0, seed=2), friction=("FV", "FS", "FO"))
