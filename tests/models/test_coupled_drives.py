"""Joints that follow sums, driven tendons and coupled motors, against derivations by hand, Pinocchio and SymPy."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.identification.excitation.limits import limits_of
from tauforge.models.loops.motors import motor_speeds
from tauforge.simulation.equations import equations

from ..interpret import interpret
from ..random_robots import random_robot, random_state, seeds

WRIST = np.array([[0.5, 0.5], [0.5, -0.5]])
"""Pitch and roll of a bevel-gear differential from its two motors: joints = G motors."""


def wrist(bodies=True):
    """Return the wrist's links, with uneven inertias so that nothing cancels."""
    inertia = [tf.Inertia(0.2, 0.01, 0.02, 0.3, -0.01, 0.25, 0.1, 0.05, 0.2, 1.5)] * 2
    joints = (tf.Joint(name="pitch", antecedent=0, alpha="pi/2"), tf.Joint(name="roll", antecedent=1, alpha="-pi/2"))
    return tf.Robot(
        name="wrist",
        joints=joints,
        bodies=tuple(tf.Body(name=n, inertia=x) for n, x in zip(("cross", "hand"), inertia, strict=True)),
    )


def with_sums(seed):
    """Return a random tree, joints of which follow sums of others and each other, and its map from free coordinates to
    all: q = S x + c.
    """
    random = Random(seed)
    options = {"rotors": True, "equipped": True, "floating": seed % 4 == 1}
    robot = random_robot(seed, smallest=4, largest=7, fixed=False, **options)
    single = [j for j, joint in enumerate(robot.joints, 1) if len(joint.axes) == 1]
    random.shuffle(single)
    followers, leaders = single[: len(single) // 2], single[len(single) // 2 :]
    joints = list(robot.joints)
    for k, j in enumerate(followers):
        of = random.sample([*leaders, *followers[:k]], min(3, len(leaders) + k))
        ratios = {joints[i - 1].name if random.random() < 0.5 else i: random.uniform(-2, 2) for i in of}
        mimic = tf.Mimic(ratios, offset=random.uniform(-1, 1)) if random.random() < 0.7 else ratios
        joints[j - 1] = replace(joints[j - 1], mimic=mimic)
    return robot, replace(robot, joints=tuple(joints)), joints


def mapped(free, joints):
    """Return S and c by substituting followers one by one, from what each joint was given."""
    whole = free.expanded()
    shift = len(whole.joints) - len(joints)
    numbers = {joint.name: j for j, joint in enumerate(whole.joints, 1)}
    first, columns = {}, 0
    for j, joint in enumerate(whole.joints, 1):
        if j <= shift or joints[j - shift - 1].mimic is None:
            first[j], columns = columns, columns + len(joint.axes)
    S, c, known = {}, {}, {}

    def row(j):
        mimic = None if j <= shift else joints[j - shift - 1].mimic
        if j not in S:
            if mimic is None:
                S[j], c[j] = np.eye(columns)[first[j] : first[j] + len(whole.joints[j - 1].axes)], 0.0
            else:
                S[j], c[j] = np.zeros((1, columns)), mimic.offset
                for key, ratio in mimic.of:
                    k = numbers[key] if isinstance(key, str) else key + shift
                    above, offset = row(k)
                    S[j], c[j] = S[j] + ratio * above, c[j] + ratio * offset
        return S[j], c[j]

    rows = [row(j) for j in range(1, len(whole.joints) + 1)]
    return np.vstack([x for x, _ in rows]), [offset for _, offset in rows], known


@seeds(quick=8, all=100)
def test_sums_are_linear_substitutions(seed):
    """Every model is that of the free tree, with S x in place of its velocities: τ = Sᵀ τ_tree, M = Sᵀ M_tree S."""
    free, robot, joints = with_sums(seed)
    S, offsets, _ = mapped(free, joints)
    _, qd, qdd = random_state(robot, seed)
    whole = robot.expanded()
    rng = np.random.default_rng(seed)
    x = {j: rng.uniform(-1, 1, len(w.kind.coordinates)) for j, w in enumerate(whole.joints, 1) if not w.mimic}
    if robot.base.floating:
        x[1][3:] /= np.linalg.norm(x[1][3:])
    rates = np.concatenate([v if len(v) == 1 else np.zeros(6) for v in x.values()])
    at = S @ rates
    q, place = [], 0
    for j, joint in enumerate(whole.joints, 1):
        q += [at[place] + offsets[j - 1]] if joint.mimic else [*x[j]]
        place += len(joint.axes)
    q, own = np.array(q), np.concatenate(list(x.values()))
    tau = interpret(tf.inverse_dynamics(robot), own, qd, qdd)
    np.testing.assert_allclose(
        tau, S.T @ interpret(tf.inverse_dynamics(free), q, S @ qd, S @ qdd), rtol=1e-9, atol=1e-9
    )
    M = interpret(tf.inertia_matrix(robot), own)
    np.testing.assert_allclose(M, S.T @ interpret(tf.inertia_matrix(free), q) @ S, rtol=1e-9, atol=1e-9)
    if np.linalg.cond(M) < 1e8:
        np.testing.assert_allclose(interpret(tf.direct_dynamics(robot), own, qd, tau), qdd, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        interpret(tf.energy(robot), own, qd), interpret(tf.energy(free), q, S @ qd), rtol=1e-9, atol=1e-9
    )


@seeds(quick=3, all=40)
def test_base_parameters_of_sums(seed):
    """Base parameters and regressors keep the torques of robots whose joints follow sums."""
    _, robot, _ = with_sums(4 * seed)
    q, qd, qdd = state(robot, seed)
    tau = interpret(tf.inverse_dynamics(robot), q, qd, qdd)
    for kind in ("base", "least"):
        found = interpret(tf.inverse_dynamics(robot, parameters=kind), q, qd, qdd)
        np.testing.assert_allclose(found, tau, rtol=1e-9, atol=1e-9)


def state(robot, seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, len(robot.coordinate_names)), *rng.uniform(-1, 1, (2, robot.dof))


def test_differential_wrist_both_ways():
    """Virtual work by hand: with joints = G motors, τ_motor = Gᵀ τ; with motors = R joints, τ = Rᵀ τ_motor."""
    free, G = wrist(), WRIST
    R = np.linalg.inv(G)
    J, f = 0.02, 0.3  # inertia and viscous friction of each motor
    coupled = free.with_coupling(R, IA=J, FV=f, names=("left", "right"))
    links = tf.Robot(
        name="follows",
        joints=(
            *(tf.Joint(name=x, antecedent=0, IA=J, FV=f) for x in ("left", "right")),
            tf.Joint(name="pitch", antecedent=0, alpha="pi/2", mimic={"left": 0.5, "right": 0.5}),
            tf.Joint(name="roll", antecedent=3, alpha="-pi/2", mimic={"left": 0.5, "right": -0.5}),
        ),
        bodies=(tf.Body(name="l"), tf.Body(name="r"), *free.bodies),
    )
    x, xd, xdd = np.random.default_rng(0).uniform(-1, 1, (3, 2))
    by_hand = G.T @ interpret(tf.inverse_dynamics(free), G @ x, G @ xd, G @ xdd) + J * xdd + f * xd
    np.testing.assert_allclose(interpret(tf.inverse_dynamics(links), x, xd, xdd), by_hand, rtol=1e-12)
    motors = tf.inverse_dynamics(coupled, efforts="motors")
    assert motors.outputs["tau"].labels == (("left", "right"),)
    assert coupled.motors == ("left", "right")
    np.testing.assert_allclose(interpret(motors, G @ x, G @ xd, G @ xdd), by_hand, rtol=1e-12)
    tau = interpret(tf.inverse_dynamics(coupled), G @ x, G @ xd, G @ xdd)
    np.testing.assert_allclose(tau, R.T @ by_hand, rtol=1e-12)
    direct = tf.direct_dynamics(coupled, efforts="motors")
    np.testing.assert_allclose(interpret(direct, G @ x, G @ xd, by_hand), G @ xdd, rtol=1e-9)
    np.testing.assert_allclose(coupled.coupling, R)


def test_one_convention_with_identification():
    """What identification takes as motors = R joints gives the same torques as the coupling of a robot."""
    R = np.array([[32.0, 0.0], [32.0, 16.0]])
    coupled = wrist().with_coupling(R)
    motor = np.random.default_rng(1).uniform(-1, 1, (20, 2))
    recording = tf.Recording.from_motors(np.arange(20.0), motor @ R.T, motor, coupled.coupling)
    q = motor  # any coordinates
    np.testing.assert_allclose(recording.q, q, atol=1e-12)
    act = tf.direct_dynamics(coupled, efforts="motors"), tf.direct_dynamics(coupled)
    for row, tau in list(zip(motor, recording.tau, strict=True))[:3]:
        np.testing.assert_allclose(
            interpret(act[0], [0.1, 0.2], [0, 0], row), interpret(act[1], [0.1, 0.2], [0, 0], tau), rtol=1e-12
        )


def test_identification_keeps_one_tendon_per_motor():
    from tauforge.identification.motors import with_motors

    R = np.array([[32.0, 0.0], [32.0, 16.0]])
    assert len(with_motors(wrist().with_coupling(R), R).tendons) == 2
    assert len(with_motors(wrist(), R).tendons) == 1


@pytest.mark.parametrize("efforts", ["independent", "motors"])
def test_simulation_of_motors(efforts):
    """A simulation whose motors are driven is that of the joints under Rᵀ times their torques, by every way."""
    R = np.array([[2.0, 1.0], [-1.0, 3.0]])
    robot = wrist().with_coupling(R, IA=0.01, FV=0.2, FS=0.1)
    t, tau = np.linspace(0.0, 0.3, 4), np.array([0.7, -0.4])
    given = tau if efforts == "motors" else R.T @ tau
    expected = tf.simulate(robot, t, torque=R.T @ tau).q
    for options in ({}, {"method": "DOP8"}, {"method": "Rodas5P"}, {"method": "Radau", "rtol": 1e-9}):
        found = tf.simulate(robot, t, torque=given, efforts=efforts, **options)
        np.testing.assert_allclose(found.q, expected, atol=2e-6)
        assert found.torque_names == (robot.motors if efforts == "motors" else robot.joint_names)
        np.testing.assert_allclose(found.tau, np.broadcast_to(given, (4, 2)))
    smooth = wrist().with_coupling(R, IA=0.01, FV=0.2)
    end = tf.rollout(smooth, [0, 0], [0, 0], given, 1e-3, steps=300, method="rk4", every=None, efforts=efforts).q
    np.testing.assert_allclose(end, tf.simulate(smooth, t, torque=R.T @ tau).q[-1], atol=1e-8)


def test_motors_of_different_number_than_degrees(tmp_path):
    """One tendon over three sprung joints, and three motors on two joints: simulated, saved, and held by least norm."""
    joints = tuple(
        tf.Joint(name=x, antecedent=k, d=0.04 * bool(k), mu=0, eta=1, k=0.2, FV=0.01) for k, x in enumerate("abc")
    )
    bodies = tuple(tf.Body.solid(x.upper(), 0.05, (0.02, 0, 0)) for x in "abc")
    flexor = tf.Tendon(name="flexor", joints={"a": 0.01, "b": 0.008, "c": 0.005}, driven=True)
    finger = tf.Robot(name="finger", joints=joints, bodies=bodies, tendons=(flexor,), gravity=(0, 0, 0))
    assert finger.motors == ("flexor",)
    assert finger.tendons[0].joints[1] == (2, 0.008)
    pull = tf.simulate(finger, [0.0, 0.5], torque=lambda t: [5.0 * t], efforts="motors", rtol=1e-7)
    alone = tf.simulate(finger, [0.0, 0.5], torque=lambda t: 5.0 * t * np.array([0.01, 0.008, 0.005]), rtol=1e-7)
    np.testing.assert_allclose(pull.q[-1], alone.q[-1], atol=1e-9)
    pull.save(tmp_path / "pull.csv")
    assert tf.Trajectory.load(tmp_path / "pull.csv").torque_names == ("flexor",)
    finger.save(tmp_path / "finger.toml")
    assert tf.load(tmp_path / "finger.toml") == finger
    with pytest.raises(tf.ProgramError, match="3 degrees of freedom and 1 motor"):
        tf.inverse_dynamics(finger, efforts="motors")
    R = np.array([[1.0, 0.0], [0.5, 1.0], [-0.3, 0.8]])
    spare = wrist().with_coupling(R)
    q, qd, qdd = state(spare, 0)
    tau = interpret(tf.inverse_dynamics(spare), q, qd, qdd)
    np.testing.assert_allclose(
        interpret(tf.inverse_dynamics(spare, efforts="motors"), q, qd, qdd), np.linalg.pinv(R.T) @ tau, rtol=1e-9
    )


def test_required_torques_of_motors(tmp_path):
    """Motors do the same work together, and each does what the coupling says; with loops too."""
    R = np.array([[2.0, 1.0], [-1.0, 3.0]])
    robot, swing = wrist().with_coupling(R), tf.motion([[0.0, 0.2], [1.0, -0.5]], 1.5)
    joints, motors = (tf.required_torques(robot, swing, efforts=x) for x in ("independent", "motors"))
    np.testing.assert_allclose(motors.tau @ R, joints.tau, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(motors.speeds, joints.qd @ R.T, rtol=1e-12)
    np.testing.assert_allclose(motors.power.sum(axis=1), joints.power.sum(axis=1), rtol=1e-9, atol=1e-11)
    assert motors.names == ("motor1", "motor2")
    assert "motor1" in motors.table()
    motors.save(tmp_path / "motors.csv")
    head = (tmp_path / "motors.csv").read_text().splitlines()[0].split(",")
    assert head[-6:] == ["qdd.pitch", "qdd.roll", "tau.motor1", "tau.motor2", "speeds.motor1", "speeds.motor2"]
    platform = tf.robots.gough_stewart().with_independent("platform")
    q0 = tf.close_loops(platform)
    t = np.linspace(0.0, 0.4, 21)
    rng = np.random.default_rng(0)
    qd, qdd = rng.normal(size=(2, 21, 6))
    samples = t, np.tile(q0, (21, 1)), qd, qdd
    legs, whole = (tf.required_torques(platform, samples, efforts=x) for x in ("motors", "independent"))
    np.testing.assert_allclose(legs.power.sum(axis=1), whole.power.sum(axis=1), rtol=1e-9)
    assert legs.names == platform.motors
    flexor = tf.Tendon(name="flexor", joints={"pitch": 0.1, "roll": 0.1}, driven=True)
    passive = tuple(replace(joint, mu=0) for joint in wrist().joints)
    finger = replace(wrist(), tendons=(flexor,), joints=passive)
    with pytest.raises(tf.ProgramError, match="degrees of freedom and 1 motor"):
        tf.required_torques(finger, swing, efforts="motors")


def test_impedance_and_springs_on_motors():
    """Motors hold what the joints would have to, and springs of motors pull along the motors' coordinates."""
    R, k, d = np.array([[2.0, 1.0], [-1.0, 3.0]]), np.array([5.0, 7.0]), np.array([0.5, 0.7])
    robot = wrist().with_coupling(R)
    q, qd, _ = state(robot, 3)
    rest = tf.transforms(robot, frames="hand").compile()(np.array([0.1, 0.2]))[0]
    joints, motors = (
        tf.impedance_control(robot, [100.0] * 6, [9.0] * 6, rest, frame="hand", joint_damping=0.3, efforts=x)
        for x in ("independent", "motors")
    )
    np.testing.assert_allclose(R.T @ motors(0.0, q, qd), joints(0.0, q, qd), rtol=1e-9)
    spring = tf.spring_drive(robot, k, d, [0.1, -0.2], efforts="motors")
    np.testing.assert_allclose(spring(0.0, q, qd), k * (R @ ([0.1, -0.2] - q)) - d * (R @ qd), rtol=1e-12)
    runs = [
        tf.simulate(robot, [0.0, 0.3], controller=control, efforts=x, q0=[0.3, 0.1]).q[-1]
        for control, x in ((joints, "independent"), (motors, "motors"))
    ]
    np.testing.assert_allclose(*runs, atol=1e-7)


def test_gains_of_joints_whose_torques_motors_give():
    """A platform has no motor of its own, but the legs give what its gains ask for."""
    robot = tf.robots.gough_stewart().with_independent("platform")
    q = tf.close_loops(robot)
    still = np.zeros(robot.dof)
    q_ref = tf.integrate(robot).compile()(q, 0.01 * np.arange(6))
    control = tf.computed_torque(robot, 100.0, 20.0, q_ref, efforts="motors")
    found = tf.direct_dynamics(robot, efforts="motors").compile()(q, still, control(0.0, q, still))
    np.testing.assert_allclose(found, 100.0 * interpret(tf.difference(robot), q, q_ref), rtol=1e-6, atol=1e-9)
    damped = tf.impedance_control(robot, [0.0] * 6, [0.0] * 6, np.eye(4), frame="platform", joint_damping=50.0,
                                  efforts="motors")  # fmt: skip
    act = tf.inverse_dynamics(robot, efforts="motors").compile()
    qd = 0.1 * np.ones(robot.dof)
    held = act(q, still, still)
    power = (damped(0.0, q, qd) - held) @ (motor_speeds(robot).compile()(q, qd))
    np.testing.assert_allclose(power, -50.0 * (qd @ qd), rtol=1e-9)


@pytest.mark.parametrize("make", [tf.pd_control, tf.gravity_compensation, tf.computed_torque])
def test_controllers_on_motors(make):
    """Errors and gains are the motors', and what the joints feel is Rᵀ times their torques."""
    R = np.array([[2.0, 1.0], [-1.0, 3.0]])
    robot, kp, kd = wrist().with_coupling(R), np.array([5.0, 7.0]), np.array([0.5, 0.7])
    control = make(robot, kp, kd, [0.3, -0.2], efforts="motors")
    q, qd, _ = state(robot, 3)
    e = np.array([0.3, -0.2]) - q
    g = interpret(tf.gravity(robot), q)
    wanted = kp * (R @ e) - kd * (R @ qd)
    if make is tf.gravity_compensation:
        wanted = wanted + np.linalg.solve(R.T, g)
    if make is tf.computed_torque:
        tau = interpret(tf.inverse_dynamics(robot), q, qd, kp * e - kd * qd)
        wanted = np.linalg.solve(R.T, tau)
    np.testing.assert_allclose(control(0.0, q, qd), wanted, rtol=1e-9)
    assert control.program.outputs["tau"].labels == (("motor1", "motor2"),)
    with pytest.raises(tf.ProgramError, match="with the same efforts"):
        equations(robot, control.program)
    with pytest.raises(tf.ProgramError, match="with the same efforts"):
        tf.simulate(robot, [0, 1], controller=make(robot, kp, kd, [0.3, -0.2]), efforts="motors")


def test_joints_that_motors_couple_come_before_passive_ones():
    """With a coupling, the independent joints are those that had motors before, in a tree that loops close."""
    for robot in (tf.robots.fivebar(), tf.robots.delta(), tf.robots.slider_crank()):
        R = np.eye(len(robot.actuated)) + 0.1
        coupled = robot.with_coupling(R, joints=robot.actuated)
        assert coupled.independent == robot.independent
        follower = tf.Joint(name="follower", antecedent=0, mimic={robot.actuated[0]: 2.0}, mu=0)
        whole = replace(robot, joints=(*robot.joints, follower), bodies=(*robot.bodies, tf.Body(name="gear")))
        numbers = {robot.actuated[0]: "follower"}
        free = replace(whole, joints=tuple(replace(joint, mu=0) for joint in whole.joints))
        tendons = tuple(
            tf.Tendon(name=f"belt{k}", joints={numbers.get(name, name): 0.1}, driven=True)
            for k, name in enumerate(robot.actuated)
        )
        assert replace(free, tendons=tendons).independent == robot.independent


def test_motors_beside_closed_loops():
    """A tendon over joints that loops determine is driven through G: power is the same on both sides."""
    robot = tf.robots.fivebar()
    pulled = replace(
        robot,
        tendons=(tf.Tendon(name="rope", joints={robot.joints[2].name: 0.3, robot.joints[0].name: 1.0}, driven=True),),
    )
    q = tf.close_loops(robot)
    motion = tf.joint_motion(robot).compile()
    tension = np.array([0.0, 0.0, 2.5])
    qdd = [interpret(tf.direct_dynamics(pulled, efforts="motors"), q, [0, 0], x) for x in (tension, 0 * tension)]
    tau = interpret(tf.inertia_matrix(robot), q) @ (qdd[0] - qdd[1])
    for k, unit in enumerate(np.eye(2)):
        v = motion(q, unit, np.zeros(2)).velocities
        assert tau[k] == pytest.approx(2.5 * (0.3 * v[2] + v[0]), rel=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("m1", "mimic must be the joints that it follows with their ratios"),
        ({"m1": "half"}, "ratio to joint 'm1' in a Mimic is 'half'; it must be a number"),
        ({}, "mimic must be joints, by name or number"),
        ({"m9": 1.0}, "follows 'm9', which is not a joint"),
        ({"self": 1.0}, "follows itself"),
        ({"b": 1.0}, "joints follow each other: 'b' follows 'self' follows 'b'|'self' follows 'b' follows 'self'"),
        ({1: 0.5, "m1": 0.5}, "follows 'm1' twice"),
    ],
)
def test_refusals_of_mimics(given, message):
    def build():
        joints = (
            tf.Joint(name="m1", antecedent=0),
            tf.Joint(name="self", antecedent=0, mimic=given),
            tf.Joint(name="b", antecedent=0, mimic={"self": 2.0, "m1": 1.0}),
        )
        return tf.Robot(name="r", joints=joints, bodies=tuple(tf.Body(name=x) for x in "xyz"))

    with pytest.raises(tf.RobotError, match=message):
        build()


@pytest.mark.parametrize("key", ["QP", "QDP", "GAM"])
def test_what_followers_do_is_not_prescribed(key):
    def robot(value):
        follower = tf.Joint(name="b", antecedent=0, mimic={"a": 2.0}, **{key: value})
        joints = (tf.Joint(name="a", antecedent=0), follower)
        return tf.Robot(name="r", joints=joints, bodies=(tf.Body(name="x"), tf.Body(name="y")))

    with pytest.raises(tf.RobotError, match=f"joint 'b' has {key} = 3"):
        robot(3.0)
    assert robot("name").joints[1].mimic  # a plain symbol only names it


def test_refusals_of_types():
    with pytest.raises(tf.RobotError, match="no joint moves that motor"):
        replace(wrist(), tendons=(tf.Tendon(name="t", joints={"pitch": 0.0}, driven=True),))
    with pytest.raises(tf.RobotError, match=r"limits must be a tf\.Limits"):
        tf.Joint(name="j", antecedent=0, limits=(-1, 1))
    with pytest.raises(tf.RobotError, match="lower limit of a joint is 'low'; it must be a number"):
        tf.Limits(lower="low")
    with pytest.raises(tf.RobotError, match="a Mimic needs the joints"):
        tf.Mimic()
    with pytest.raises(tf.RobotError, match="driven is 1; it must be True or False"):
        tf.Tendon(name="t", joints={"a": 1.0}, driven=1)
    with pytest.raises(tf.RobotError, match="joints must be names or numbers with their coefficients"):
        tf.Tendon(name="t", joints=3)
    for R, message in (
        ([[1, 2, 3]], "needs one for each joint: pitch, roll"),
        ("R", "must be numbers"),
        ([[1.0, 2.0], [0.0, 0.0]], "row 2 of the coupling is zero"),
        ([[np.nan, 2.0]], "of finite numbers"),
    ):
        with pytest.raises(tf.RobotError, match=message):
            wrist().with_coupling(R)
    with pytest.raises(tf.RobotError, match="as many names of motors"):
        wrist().with_coupling(np.eye(2), names=["one"])
    with pytest.raises(tf.RobotError, match="is a joint and a driven tendon"):
        wrist().with_coupling(np.eye(2), names=["pitch", "m"])
    with pytest.raises(tf.RobotError, match="IA has 3 entries; give one, or one for each of 2 motors"):
        wrist().with_coupling(np.eye(2), IA=[1, 2, 3])
    with pytest.raises(tf.ProgramError, match="no motors"):
        tf.simulate(replace(wrist(), joints=tuple(replace(x, mu=0) for x in wrist().joints)), 1.0, efforts="motors")


def test_limits_of_sums():
    """Events and stops act at the limits of a sum; exciting trajectories stay within them."""
    robot = tf.Robot(
        name="differential",
        joints=(
            tf.Joint(name="m1", antecedent=0, limits=tf.Limits(velocity=2.0)),
            tf.Joint(name="m2", antecedent=0, limits=tf.Limits(velocity=2.0)),
            tf.Joint(
                name="pitch", antecedent=0, mimic=tf.Mimic({"m1": 0.5, "m2": 0.5}, offset=0.1),
                limits=tf.Limits(lower=-0.4, upper=0.5, velocity=1.0),
            ),
        ),
        bodies=tuple(tf.Body.solid(x, 1.0, (0.1, 0, 0), np.eye(3) * 0.1) for x in "abc"),
        gravity=(0, 0, 0),
    )  # fmt: skip
    run = tf.simulate(robot, [0.0, 5.0], qd0=[1.0, 0.5], events="limits")
    assert run.events[0].name == "upper limit of pitch"
    assert 0.5 * run.q[-1].sum() + 0.1 == pytest.approx(0.5, abs=1e-8)
    held = tf.simulate(robot, [0.0, 3.0], qd0=[1.0, 0.5], stops=True)
    assert 0.5 * held.q.sum(axis=1).max() + 0.1 < 0.52
    limits = limits_of(robot, None)
    corners = np.array(np.meshgrid(*zip(limits.lower, limits.upper, strict=True))).reshape(2, -1)
    pitch = 0.5 * corners.sum(axis=0) + 0.1
    assert pitch.min() == pytest.approx(-0.4)
    assert pitch.max() == pytest.approx(0.5)
    assert 0.5 * limits.velocity.sum() == pytest.approx(1.0)


def test_reach_keeps_limits_of_sums():
    """States within the limits of a sum are found where there are some; elsewhere the sum is named."""
    joints = (
        tf.Joint(name="m1", antecedent=0),
        tf.Joint(name="m2", antecedent=0),
        tf.Joint(name="pitch", antecedent=0, mimic={"m1": 0.5, "m2": 0.5}, limits=tf.Limits(lower=-0.5, upper=0.5)),
        tf.Joint(name="bend", antecedent=3, d=1.0, mimic={"m1": 0.5, "m2": -0.5}),
    )
    robot = tf.Robot(name="arm", joints=joints, bodies=tuple(tf.Body(name=x) for x in "abcd"))
    robot = robot.with_frame("tip", on="d", xyz=(1.0, 0.0, 0.0))

    def point(pitch, bend):
        return np.cos(pitch) + np.cos(pitch + bend), np.sin(pitch) + np.sin(pitch + bend), 0.0

    rng = np.random.default_rng(0)
    for pitch, bend in zip(rng.uniform(-0.5, 0.5, 8), rng.uniform(0.1, 2.0, 8), strict=True):
        found = tf.reach(robot, tf.Goal("tip", point(pitch, bend), "position"))
        assert found.reached
        assert abs(0.5 * found.q.sum()) <= 0.5 + 1e-9
    outside = tf.Goal("tip", point(1.2, 0.2), "position")
    with pytest.raises(tf.ReachError):
        tf.reach(robot, outside)
    assert tf.reach(robot, outside, limits=False).reached
    inside = tf.workspace(robot, frame="tip", samples=2000).q
    assert np.abs(0.5 * inside.sum(axis=1)).max() <= 0.5 + 1e-9


def test_tasks_drive_motors():
    """A task's torques and gains are those of motors where the task says so."""
    robot = wrist().with_coupling(np.array([[2.0, 1.0], [-1.0, 3.0]]), names=("left", "right"))
    times = {"simulation": {"duration": 0.2, "samples": 3, "efforts": "motors"}}
    run = tf.Task.of(torque={"left": 0.5, "right": "0.1*t"}, **times).simulate(robot)
    same = tf.simulate(robot, [0.0, 0.1, 0.2], torque=lambda t: [0.5, 0.1 * t], efforts="motors")
    np.testing.assert_allclose(run.q, same.q, atol=1e-9)
    law = {"law": "pd", "kp": {"left": 5.0, "right": 7.0}, "kd": 0.1, "reference": [0.1, 0.2]}
    run = tf.Task.of(controller=law, **times).simulate(robot)
    control = tf.pd_control(robot, [5.0, 7.0], 0.1, [0.1, 0.2], efforts="motors")
    np.testing.assert_allclose(
        run.q, tf.simulate(robot, [0.0, 0.1, 0.2], controller=control, efforts="motors").q, atol=1e-12
    )
    assert run.torque_names == ("left", "right")


@pytest.mark.parametrize("name", ["fivebar", "delta", "gough_stewart"])
def test_a_coupling_keeps_the_independent_joints_of_loops(name):
    """Coordinates and torques of models stay those of the joints; motors act on them as Rᵀ times theirs."""
    robot = getattr(tf.robots, name)()
    rng = np.random.default_rng(3)
    R = rng.normal(size=(robot.dof, robot.dof)) + 2.0 * np.eye(robot.dof)
    coupled = robot.with_coupling(R, joints=robot.velocity_names)
    assert coupled.velocity_names == robot.velocity_names
    torques, t, q0 = rng.normal(size=robot.dof), np.linspace(0.0, 0.1, 3), tf.close_loops(robot)
    expected = tf.simulate(robot, t, R.T @ torques, q0=q0, coordinates="all").q
    given = {"q0": q0, "coordinates": "all"}
    np.testing.assert_allclose(tf.simulate(coupled, t, R.T @ torques, **given).q, expected, atol=1e-12)
    np.testing.assert_allclose(tf.simulate(coupled, t, torques, efforts="motors", **given).q, expected, atol=1e-12)
