"""Several Programs in one."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge import ProgramError

from ..random_robots import random_robot
from ..runtime.reference import chain


@pytest.mark.parametrize("seed", range(8))
def test_a_fused_program_computes_what_its_parts_do(seed):
    robot = random_robot(seed, symbolic=seed % 2 == 0, rotors=True)
    parts = [tf.inverse_dynamics(robot), tf.inertia_matrix(robot), tf.energy(robot), tf.gravity(robot)]
    fused = tf.fuse(*parts)
    assert fused.count().total <= sum(part.count().total for part in parts)
    rng = np.random.default_rng(seed)
    values = {name: rng.uniform(-1, 1, (5, *shape)) for name, shape in fused.inputs.items() if name != "parameters"}
    named = dict(zip(fused.parameters, rng.uniform(0.1, 1, len(fused.parameters)), strict=True))
    whole = fused.compile()(**values, **({"parameters": named} if named else {}))
    for part in parts:
        own = {name: named if name == "parameters" else values[name] for name in part.inputs}
        results = part.compile()(**own)
        for name, result in zip(part.outputs, results if len(part.outputs) > 1 else [results], strict=True):
            np.testing.assert_allclose(getattr(whole, name), result, rtol=1e-9, atol=1e-9)


def test_what_is_common_is_computed_once():
    robot = chain(4)
    tau, jacobian = tf.inverse_dynamics(robot), tf.jacobian(robot, frame="link4")
    fused = tf.fuse(tau, jacobian, name="both")
    assert fused.name == "both"
    assert fused.inputs == {"q": (4,), "qd": (4,), "qdd": (4,)}
    assert [*fused.outputs] == [*tau.outputs, *jacobian.outputs]
    assert fused.count().trig < tau.count().trig + jacobian.count().trig
    assert fused.heading()[: len(tau.heading())] == tau.heading()
    assert tf.fuse(tau, tau).count() == tau.count()
    assert tf.fuse(tau, tau).name == tau.name


def test_outputs_of_the_same_name():
    robot = chain(3)
    first, second = (tf.jacobian(robot, frame=frame) for frame in ("link2", "link3"))
    (name,) = first.outputs
    with pytest.raises(ProgramError, match=f"have different outputs {name}"):
        tf.fuse(first, second)
    fused = tf.fuse(replace(first, name="elbow"), replace(second, name="wrist"))
    assert [*fused.outputs] == [f"elbow_{name}", f"wrist_{name}"]


def test_refusals():
    with pytest.raises(ProgramError, match="at least one"):
        tf.fuse()
    with pytest.raises(ProgramError, match=r"its input q\[4\] differs from that .*joint1, joint2, joint3, joint4"):
        tf.fuse(tf.gravity(chain(3)), tf.gravity(chain(4)))
