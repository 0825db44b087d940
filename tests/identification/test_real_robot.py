"""A real arm: what was not used is predicted, joint by joint."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

import tauforge as tf

EXAMPLE = Path(__file__).parents[2] / "examples" / "identification" / "tx40.py"


@pytest.fixture(scope="module")
def tx40():
    found = runpy.run_path(str(EXAMPLE))
    return found["robot"], found["recording"], found["result"], found["other"]


def test_both_splits_are_predicted(tx40):
    _, recording, first, last = tx40
    count = len(recording)
    late, early = first.validate(recording[count * 62 // 100 :]), last.validate(recording[: count * 38 // 100])
    assert late.overall < 0.09
    assert early.overall < 0.075
    assert np.all(late.relative < [0.1, 0.06, 0.2, 0.2, 0.6, 0.4])
    assert np.all(early.relative < [0.08, 0.08, 0.18, 0.2, 0.2, 0.14])


def test_states_of_other_filters_are_predicted(tx40):
    """Joints rest for almost half of the last part, where the sign of a measured velocity is noise."""
    _, recording, result, _ = tx40
    sections, step = butter(4, 40.0, fs=1.0 / recording.step, output="sos"), recording.step
    q, tau = (sosfiltfilt(sections, x, axis=0) for x in (recording.q, recording.tau))
    qd = np.gradient(q, step, axis=0)
    late = slice(len(q) * 62 // 100, -100)
    state = q[late], qd[late], np.gradient(qd, step, axis=0)[late]
    error = np.linalg.norm(result.predict(*state, step=step) - tau[late]) / np.linalg.norm(tau[late])
    assert error < 0.1
    assert error < 0.6 * np.linalg.norm(result.predict(*state) - tau[late]) / np.linalg.norm(tau[late])
    with pytest.raises(tf.IdentificationError, match="step is for a motion"):
        result.predict(*(x[0] for x in state), step=step)


def test_published_friction_is_near(tx40):
    robot, recording, *_ = tx40
    result = tf.identify(robot, recording, friction=("FV", "FS", "FO"))
    published = {
        "FV1": 8.05,
        "FV2": 5.53,
        "FV3": 1.97,
        "FV4": 1.11,
        "FV_motor6": 0.616,
        "FS1": 7.14,
        "FS2": 8.26,
        "FS3": 6.34,
    }
    for name, value in published.items():
        assert result[name] == pytest.approx(value, rel=0.25)


def test_the_identified_arm_saves_and_predicts_alike(tx40, tmp_path):
    _, recording, result, _ = tx40
    result.robot.save(tmp_path / "tx40.toml")
    again = tf.load(tmp_path / "tx40.toml")
    part = recording[6000:]
    assert tf.validate(again, part).relative == pytest.approx(result.validate(part).relative, rel=1e-6)
