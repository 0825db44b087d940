"""What functions may return, and what becomes of it."""

from functools import partial

import numpy as np
import pytest
import xarray

import tauforge as tf

ROBOT = tf.robots.planar2r()
T = np.linspace(0.0, 0.1, 5)


def swept(function, values=(1.0, 2.0, 3.0), **options):
    return tf.sweep(function, {"x": list(values)}, jobs=1, **options)


def test_numbers_arrays_and_dictionaries():
    assert swept(lambda x: x).data.value.values.tolist() == [1.0, 2.0, 3.0]
    assert swept(lambda x: x > 1).data.value.values.tolist() == [0.0, 1.0, 1.0]
    assert swept(lambda x: x * 1j).data.value.values.tolist() == [1j, 2j, 3j]
    assert swept(lambda x: np.float32(x)).data.value.dtype == np.float32
    assert swept(lambda x: [[x, 2], [3, 4]]).data.value.dims == ("x", "value_0", "value_1")
    found = swept(lambda x: {"a": x, "b": np.arange(4.0) * x}).data
    assert found.b.dims == ("x", "b_0")
    assert found.b.sel(x=2.0).values.tolist() == [0.0, 2.0, 4.0, 6.0]
    assert [*found.data_vars] == ["a", "b", "status", "error", "traceback"]


def test_named_tuples():
    def rolled(x):
        return tf.rollout(ROBOT, [x, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01, steps=4)

    found = swept(rolled).data
    assert {name: found[name].shape for name in ("t", "q", "qd")} == {"t": (3, 4), "q": (3, 4, 2), "qd": (3, 4, 2)}


def test_labelled_arrays_keep_their_labels():
    def made(x):
        return xarray.DataArray([x, 2 * x], {"axis": ["a", "b"]}, "axis", name="force")

    found = swept(made).data
    assert found.force.dims == ("x", "axis")
    assert found.force.sel(x=3.0, axis="b") == 6.0

    def changing(x):
        return xarray.Dataset({"force": ("axis", [x, x])}, {"axis": ["a", "b" if x < 3 else "c"]})

    found = swept(changing)
    assert (found.done, found.failed) == (2, 1)
    assert "the labels along axis differ from those of other cases: ('a', 'c')" in found.errors[0].error


def test_trajectories_have_joints_and_times():
    found = tf.sweep(partial(tf.simulate, ROBOT, T), {"q0": [[0.1, 0.2], [0.3, 0.4]]}).data
    run = tf.simulate(ROBOT, T, q0=[0.3, 0.4])
    np.testing.assert_array_equal(found.q.sel(q0=1), run.q)
    np.testing.assert_array_equal(found.tau.sel(q0=1, joint="joint2"), run.tau[:, 1])
    np.testing.assert_array_equal(found.time, T)
    assert found.kinetic.dims == ("q0", "time")
    assert found.steps.sel(q0=1) == run.steps
    assert "t" not in found


def test_trajectories_of_many_states():
    starts = [[0.1, 0.2], [0.3, 0.4]]
    found = tf.sweep(ROBOT, {"rtol": [1e-3, 1e-6]}, fixed={"t": T, "q0": starts, "method": "Tsit5"}).data
    assert found.q.dims == ("rtol", "state", "time", "joint")
    np.testing.assert_array_equal(found.q.sel(rtol=1e-6), tf.simulate(ROBOT, T, q0=starts, method="Tsit5", rtol=1e-6).q)
    np.testing.assert_array_equal(found.time, T)


def test_loops_and_motors_have_dimensions_of_their_own():
    robot, times = tf.robots.fivebar(), np.linspace(0.0, 0.02, 3)
    swept = tf.sweep(robot, cases={"q0": [[0.9, 1.0], [1.0, 1.0]]}, fixed={"t": times})
    assert swept.data["q"].dims == ("case", "time", "coordinate")
    assert swept.data["qd_all"].dims == ("case", "time", "coordinate")
    assert tuple(swept.data["coordinate"].values) == robot.coordinate_names
    assert swept.data["qd"].dims == swept.data["tau"].dims == ("case", "time", "joint")
    assert tuple(swept.data["joint"].values) == robot.velocity_names
    coupled = tf.robots.planar2r().with_coupling([[2.0, 1.0], [1.0, -1.0], [0.0, 1.0]])
    swept = tf.sweep(coupled, cases={"torque": [[1.0, 0.0, 0.0]]}, fixed={"t": times, "efforts": "motors"})
    assert swept.data["tau"].dims == ("case", "time", "motor")
    assert tuple(swept.data["motor"].values) == coupled.motors
    assert swept.data["qd_all"].dims == swept.data["q"].dims == ("case", "time", "joint")
    np.testing.assert_array_equal(swept.data["tau"][0, 0], [1.0, 0.0, 0.0])


def test_coordinates_that_are_not_joints():
    base = tf.Body(name="base", inertia=tf.Inertia(1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 5.0))
    robot = ROBOT.with_base("floating", base)
    found = tf.sweep(robot, cases={"qd0": np.eye(8)[:2]}, fixed={"t": T}).data
    assert found.q.sizes == {"case": 2, "time": 5, "coordinate": 9}
    assert found.coordinate.values.tolist() == [*robot.coordinate_names]
    assert found.joint.values.tolist() == [*robot.velocity_names]


@pytest.mark.parametrize("order", [1, -1])
def test_shorter_results_are_padded_whatever_comes_first(order):
    def stopped(q0):
        def event(t, q, qd):
            return q[0] - 1.0

        event.terminal = True
        return tf.simulate(ROBOT, T, q0=q0, qd0=[4.0, 0.0], events=event)

    starts = np.array([[0.0, 0.0], [0.9, 0.0]])[::order]
    found = tf.sweep(stopped, {"q0": starts}, jobs=1).data
    short = stopped([0.9, 0.0])
    assert len(short) < len(T)
    assert found.q.sizes["time"] == len(T)
    row = found.isel(q0=1 if order == 1 else 0)
    np.testing.assert_array_equal(row.q[: len(short)], short.q)
    np.testing.assert_array_equal(row.t[: len(short)], short.t)
    assert np.isnan(row.q[len(short) :]).all()
    assert "time" not in found.coords
    assert not np.isnan(found.isel(q0=0 if order == 1 else 1).q).any()


def test_robots_get_values_for_their_symbols():
    robot = ROBOT.payload("load", at=ROBOT.bodies[-1].name)
    found = tf.sweep(robot, {"load": [0.5, 2.0], "q0": [[0.1, 0.0], [0.2, 0.0]]}, fixed={"t": T})
    run = tf.simulate(robot.bind(load=2.0), T, q0=[0.1, 0.0])
    np.testing.assert_array_equal(found.data.q.sel(load=2.0, q0=0), run.q)
    with pytest.raises(tf.ProgramError, match="planar2r has symbols without values: load; bind or sweep them"):
        tf.sweep(robot, {"q0": [[0.1, 0.0]]}, fixed={"t": T})
    with pytest.raises(tf.ProgramError, match="unexpected keyword argument 'lode'"):
        tf.sweep(ROBOT, {"lode": [1.0]}, fixed={"t": T})
    with pytest.raises(tf.ProgramError, match="missing a required argument: 't'"):
        tf.sweep(ROBOT, {"q0": [[0.1, 0.0]]})


def test_failures_are_kept_with_their_errors():
    def picky(x):
        if x == 2.0:
            raise ValueError("two is too many")
        return x

    found = swept(picky)
    assert (found.done, found.failed, found.remaining) == (2, 1, 0)
    (failure,) = found.errors
    assert failure.parameters == {"x": 2.0}
    assert failure.error == "ValueError: two is too many"
    assert "in picky" in failure.traceback
    assert "batch.py" not in failure.traceback
    assert found.data.status.values.tolist() == [1, 2, 1]
    assert found.data.value.values[[0, 2]].tolist() == [1.0, 3.0]
    assert np.isnan(found.data.value.values[1])


def test_when_all_fail_there_are_no_results():
    found = swept(lambda x: 1 / 0)
    assert repr(found) == "Sweep(x 3: 0 done, 3 failed, 0 remaining; no results)"
    assert {failure.error for failure in found.errors} == {"ZeroDivisionError: division by zero"}


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: None, "the output value is NoneType; return numbers"),
        (lambda x: "text", "the output value is <U4; return numbers"),
        (lambda x: {}, "the case returned nothing"),
        (lambda x: {"a": [[1], [1, 2]]}, "the output a is not an array of numbers"),
        (lambda x: {"a/b": 1}, "an output called 'a/b'"),
        (lambda x: xarray.Dataset(), "a Dataset without variables"),
        (lambda x: {"a": 1} if x < 3 else {"b": 1}, r"the case returned b\[\], others returned a\[\]"),
        (lambda x: 1.0 if x < 3 else 1j, "value is complex128, in other cases it is float64"),
        (lambda x: 1.0 if x < 3 else [1.0], r"returned value\[value_0\], others returned value\[\]"),
    ],
)
def test_results_that_cannot_be_kept(function, message):
    found = swept(function)
    assert found.failed
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(found.errors[-1].error)


@pytest.mark.parametrize(
    ("name", "whose"), [("x", "a parameter's name"), ("error", "a name of its own in the results")]
)
def test_names_that_are_taken(name, whose):
    with pytest.raises(tf.ProgramError, match=f"the function returns '{name}', which is also {whose}; rename it"):
        swept(lambda x: {name: x})
