"""Motions that diverge end with an error that says so; any number of steady steps is legal."""

import signal
import time
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.simulation import compiled, integrator
from tauforge.simulation.clock import Clock
from tauforge.simulation.divergence import Growth
from tauforge.simulation.options import METHODS, SUNDIALS

ARM = tf.robots.planar2r()
CART = tf.Robot(
    name="cart",
    joints=(tf.Joint(name="slide", antecedent=0, sigma=1),),
    bodies=(tf.Body(name="block", inertia=tf.Inertia(M=1.0)),),
    gravity=(0.0, 0.0, 0.0),
)
MOVING = {"q0": [0.3, 0.2], "qd0": [0.1, 0.0]}


def pd(robot, kp, kd, **more):
    return tf.pd_control(robot, kp, kd, np.zeros(robot.dof), **more)


def ends(said, robot, t, **given):
    """Return the error of a simulation that must fail, with its trajectory."""
    with pytest.raises(tf.SimulationError, match=said) as error:
        tf.simulate(robot, t, **given)
    kept = error.value.trajectory
    assert kept.status == "failed"
    assert 0.0 < kept.t[-1] < np.max(t)
    assert np.isfinite(kept.q).all()
    assert np.isfinite(kept.qd).all()
    return str(error.value), kept


@pytest.mark.parametrize("method", METHODS)
def test_an_overcompensated_friction(method):
    """Without friction, its compensation is a negative damping: the arm turns ever faster, and the steps shrink."""
    if method in SUNDIALS:
        pytest.importorskip("sksundae")
    said, kept = ends(
        r"the motion diverges: since t = .*, the velocity of joint2 doubles every 0\.\d+ s, up to .* at t = .* s; "
        r"at this pace, the end is 1e\d+ steps away; look for what drives it",
        ARM, np.linspace(0.0, 20.0, 2001), controller=pd(ARM, 0.0, -1.0), method=method, rtol=1e-5, atol=1e-6, **MOVING,
    )  # fmt: skip
    assert f"gave up at t = {kept.t[-1]:g} s" in said
    assert len(kept) > 50
    exact = tf.simulate(ARM, kept.t[:20], controller=pd(ARM, 0.0, -1.0), **MOVING)
    np.testing.assert_allclose(kept.q[:20], exact.q, atol=1e-2)


DRIVES = {
    "positive feedback": (ARM, {"controller": pd(ARM, -50.0, 0.0)}, 100.0),
    "an unstable integral": (ARM, {"controller": tf.pid_control(ARM, 1.0, 500.0, 1.0, [0.5, 0.5])}, 100.0),
    "stiff": (ARM, {"controller": pd(ARM, 1e4, -1e3)}, 10.0),
    "a rate that is too low": (ARM, {"controller": pd(ARM, 1e3, 100.0), "rate": 100.0}, 10.0),
    "slow": (ARM, {"controller": pd(ARM, 0.0, -0.1)}, 1e5),
}


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("method", ["DOP8", "Rodas4", "DOP853", "LSODA"])
def test_what_diverges(drive, method):
    robot, given, duration = DRIVES[drive]
    ends(
        "the motion diverges: since t = .*, the velocity of ",
        robot,
        duration,
        method=method,
        rtol=1e-5,
        **given,
        **MOVING,
    )


def test_floating_bases_and_loops_that_diverge():
    """An arm that flies, and a four-bar that turns ever faster."""
    arm, bars = tf.robots.puma560().with_base("floating"), tf.robots.fourbar()
    rest = np.array([0.0] * 6 + [1.0, 0.0, 0.7, -0.5, 0.1, 0.2, 0.3])
    flying = {"controller": tf.pd_control(arm, 0.0, -1.0, rest), "q0": rest, "qd0": [0.0] * 6 + [0.1] * 6}
    ends("the motion diverges: since t = ", arm, 1e3, method="DOP8", rtol=1e-5, **flying)
    turning = {"controller": tf.pd_control(bars, 0.0, -1.0, [0.0]), "qd0": [0.1]}
    for method in ("DOP8", "DOP853"):
        given = {"method": method, "rtol": 1e-4, "coordinates": "independent"}
        ends("the motion diverges: since t = ", bars, 1e3, **given, **turning)


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered:RuntimeWarning")  # in SciPy, at the very end
@pytest.mark.parametrize("method", ["DOP8", "Tsit5", "DOP853", "LSODA", "BDF"])
def test_growth_beyond_all_numbers(method):
    """A linear system grows without that its steps shrink: legal, until the numbers end."""
    given = {"controller": pd(CART, 0.0, -5.0), "qd0": [0.1], "method": method, "rtol": 1e-4}
    legal = tf.simulate(CART, 100.0, **given)
    assert legal.status == "done"
    assert legal.qd[-1, 0] == pytest.approx(0.1 * np.exp(500.0), rel=0.3)
    said, _ = ends("the motion diverges: the velocity of slide has grown from", CART, 1e3, **given)
    assert "gave up at t = 14" in said


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_infinity_in_finite_time(method):
    ends(
        r"at t = 0\.0\d+.*; the motion diverges: the velocity of joint\d has grown from",
        ARM, 9.0, controller=lambda t, q, qd: 50.0 * qd**3 + 1.0, method=method, rtol=1e-5,
    )  # fmt: skip


@pytest.mark.parametrize("method", ["DOP8", "Tsit5", "DOP853", "Rodas4", "Radau"])
def test_motions_that_are_legal(method):
    fast = {"method": method, "rtol": 1e-4, "atol": 1e-6}
    for robot, t, given in (
        (CART, 1e12, {"torque": [9.81]}),  # it falls for ever
        (ARM, 40.0, {"torque": [5.0, 0.1]}),  # it gathers speed
        (ARM, 3.0, {"controller": pd(ARM, 0.0, -1.0, saturation=20.0), **MOVING}),  # grows until it saturates
        (ARM, 30.0, {"q0": [np.pi / 2, 1e-9]}),  # falls over
        (CART, 1e5, {"controller": pd(CART, 0.0, -1e-3), "qd0": [1e-3]}),
    ):
        assert tf.simulate(robot, t, **given, **fast).status == "done"


def growth(duration, times, speeds, steps):
    """Return the first verdict on a motion, or None."""
    found = Growth(("a", "b"), Clock(0.0, duration, None), np.array([0.0, speeds(0.0)]))
    count = 1
    while (t := times(count)) < duration:
        if count >= found.due:
            found.note(count, t, np.array([0.1, speeds(t)]))
            if why := found.endless():
                return count, why
        count = max(count + 1, found.due)
        if count > steps:
            return None
    return None


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, 5.0])
def test_any_number_of_steps_that_lead_somewhere_is_legal(power):
    """Steps up to the time t that grow as a power of it: 1e13 of them, and 1e15 to the end: only their pace counts."""
    assert growth(1e15 ** (1.0 / power), lambda n: n ** (1.0 / power), lambda t: 1.0 + t, 1e13) is None


@pytest.mark.parametrize("before", [1, 20, 1000, 10**6])
def test_a_motion_that_gets_harder_once(before):
    """Steps that are a million times shorter from some moment on."""
    times = lambda n: 1e-3 * min(n, before) + 1e-9 * max(n - before, 0)  # noqa: E731
    assert growth(1e3 + 1e-3 * before, times, lambda t: 1.0 + 1e3 * (t > 1e-3 * before), 1e11) is None


def test_exponential_growth_is_found():
    count, why = growth(100.0, lambda n: 0.5 * np.log(n), lambda t: np.exp(2.0 * t), 1e9)
    assert count < 10_000
    assert "since t = 0 s, the velocity of b doubles every 0.3" in why
    assert "1e87 steps away" in why
    assert growth(10.0, lambda n: 0.5 * np.log(n), lambda t: np.exp(2.0 * t), 1e12) is None  # 2e8 steps: they are taken
    _, late = growth(
        100.0,
        lambda n: min(n, 3000) * 0.01 + 0.5 * np.log(max(n / 3000.0, 1.0)),
        lambda t: np.exp(2.0 * max(t - 30.0, 0.0)),
        1e9,
    )
    assert "since t = 30" in late


def test_steps_that_shrink_while_nothing_grows():
    _, why = growth(100.0, lambda n: 0.5 * np.log(n), lambda t: 1.0, 1e9)
    assert "its steps shrink without bound" in why
    _, why = growth(1.0, lambda n: 1e-20 * n, lambda t: 1e12, 1e9)
    assert "its steps are about 1e-20 s short, and the end is 1 s away" in why


def test_most_steps_of_a_motion_that_diverges():
    """The error names the divergence, whichever comes first."""
    given = {"controller": pd(ARM, 0.0, -1.0), "rtol": 1e-5, **MOVING}
    ends("s: the motion diverges: since", ARM, 20.0, max_steps=100_000, method="DOP8", **given)
    ends("max_steps steps; the motion diverges: since", ARM, 3.5, max_steps=5_000, method="DOP853", **given)


def test_many_states():
    """One state that diverges leaves the others alone."""
    qd0 = np.array([[0.1, 0.0], [0.0, 0.0], [0.2, 0.1]])
    calm = replace(ARM, gravity=(0.0, 0.0, 0.0))
    found = tf.simulate(
        calm, np.linspace(0.0, 20.0, 201), controller=pd(calm, 0.0, -1.0), qd0=qd0, method="DOP8", rtol=1e-5
    )
    assert list(found.states.status) == ["diverges", "done", "diverges"]
    assert found.status == "failed"
    assert found[1].t[-1] == 20.0
    assert 0.0 < found[0].t[-1] < 20.0
    assert found[0].status == "failed"


@pytest.mark.parametrize(
    "given", [{}, {"rate": 1e3}, {"events": lambda t, q, qd: 1.0}], ids=["whole", "rate", "events"]
)
@pytest.mark.parametrize("method", ["DOP8", "DOP853"])
def test_an_interrupt_gets_through(method, given):
    """Within a second, and what was computed is kept."""

    def interrupt(*_):
        raise KeyboardInterrupt

    tf.simulate(ARM, 0.1, controller=pd(ARM, 1.0, 1.0), method=method, **given)  # compiled before
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt) as caught:
            tf.simulate(ARM, [0.0, 1e5], controller=pd(ARM, 1.0, 0.0), q0=[0.3, 0.2], method=method, **given)
        assert time.monotonic() - began < 5.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    kept = caught.value.trajectory
    assert kept.status == "interrupted"
    assert kept.t[-1] > 0.0
    assert np.isfinite(kept.q).all()


@pytest.mark.parametrize(
    ("speed", "said"), [(1e20, "gave up"), (1e40, "gave up"), (1e160, "are not finite: the inertia")]
)
@pytest.mark.parametrize("method", ["DOP8", "DOP853", "Tsit5"])
def test_absurd_speeds(method, speed, said):
    with pytest.raises(tf.SimulationError, match=said) as error:
        tf.simulate(ARM, [0.0, 1.0], qd0=[speed, 0.0], method=method)
    assert ("accelerations" in str(error.value)) == (speed > 1e100)


def test_too_many_samples():
    with pytest.raises(tf.ProgramError, match=r"rate is 1e\+12: in 2 s, that are 2e\+12 samples.*at most 5e\+07"):
        tf.simulate(ARM, 2.0, controller=pd(ARM, 1.0, 1.0), rate=1e12)


@pytest.mark.parametrize("method", ["DOP8", "DOP853"])
def test_too_many_steps_to_keep(monkeypatch, method):
    """A duration asks for the integrator's own steps; they never fill the whole memory."""
    monkeypatch.setattr(compiled, "MOST_BYTES", 2**15)
    monkeypatch.setattr(integrator, "MOST_BYTES", 2**15)
    given = {"qd0": [1e3, 0.0], "method": method, "rtol": 1e-4}
    _, kept = ends("its own steps fill .* MB, the most that is kept; give the times of the results", ARM, 10.0, **given)
    assert 2**15 <= 8 * (kept.q.size + kept.qd.size) <= 2**17
    assert tf.simulate(ARM, [0.0, 10.0], **given).status == "done"


@pytest.mark.parametrize("method", ["Rodas4", "DOP8", "DOP853"])
def test_a_mechanism_that_fails_beside_its_closed_states(method):
    """The last state may be one that no Newton steps close: the error is that of the integrator, and keeps the way."""
    bars = tf.robots.fivebar()
    given = {
        "controller": tf.pd_control(bars, 0.0, -1.0, np.zeros(2)),
        "q0": [2.0, -1.2159, 1.1, 1.2382],
        "rtol": 1e-4,
        "coordinates": "independent",
    }
    ends("gave up at t = |no longer describe the mechanism", bars, 20.0, method=method, **given)
