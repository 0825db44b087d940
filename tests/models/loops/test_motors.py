"""Motors that are not the independent joints: their torques, redundant ones, internal preload, and what is refused."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.coordinates import Coordinates
from tauforge.models.loops.search import mechanism_of
from tests.interpret import interpret
from tests.random_parallel import neutral, platform_of, random_parallel, states
from tests.random_robots import seeds

STEWART = tf.robots.gough_stewart()
PLATFORM = STEWART.with_independent("platform")


def rows_of_motors(robot, q):
    """Return G_m in NumPy."""
    names = Coordinates.of_tree(robot).names
    J = mechanism_of(robot).equations(q)
    free = [names.index(name) for name in robot.velocity_names]
    rest = [k for k in range(len(names)) if k not in free]
    G = np.zeros((len(names), len(free)))
    G[free], G[rest] = np.eye(len(free)), -np.linalg.lstsq(J[:, rest], J[:, free], rcond=None)[0]
    return G[[names.index(name) for name in robot.actuated]]


def test_both_routes_of_the_gough_stewart_platform_agree():
    """Platform in, motors out: the same as with the motors as independent joints."""
    q = states(PLATFORM, 20, 0, reach=0.3)
    rng = np.random.default_rng(0)
    qd, qdd = rng.normal(size=(2, 20, 6))
    tau = tf.inverse_dynamics(PLATFORM, efforts="motors").compile()(q, qd, qdd)
    names = Coordinates.of_tree(STEWART).names
    driven = [names.index(name) for name in STEWART.actuated]
    v, a = (x[..., driven] for x in tf.joint_motion(PLATFORM).compile()(q, qd, qdd))
    np.testing.assert_allclose(tf.inverse_dynamics(STEWART).compile()(q, v, a), tau, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(tf.direct_dynamics(STEWART).compile()(q, v, tau), a, rtol=1e-9, atol=1e-9)


def test_section_5_costs_less():
    structured = tf.inverse_dynamics(PLATFORM, efforts="motors").count().total
    assert structured <= 1730
    assert structured <= 0.6 * tf.inverse_dynamics(STEWART).count().total


def nearly_singular(turn):
    """Return a platform, some angle away from where its legs cannot hold it."""
    rng, thirds, sides = np.random.default_rng(0), np.repeat(np.arange(3) * 2 * np.pi / 3, 2), np.tile([1, -1], 3)
    angles = thirds + np.outer([0.3, 0.8], sides)
    feet, plate = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1) + rng.uniform(-0.1, 0.1, (2, 6, 3))

    def tops(angle):
        c, s = np.cos(angle), np.sin(angle)
        return 0.5 * plate @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + [0.1, -0.2, 1.0]

    def determinant(angle):
        return np.linalg.det(np.hstack([tops(angle) - feet, np.cross(feet, tops(angle))]))

    low, high = 0.0, np.pi
    assert determinant(low) * determinant(high) < 0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if determinant(middle) * determinant(low) > 0 else (low, middle)
    legs = [tf.leg("UPS", [tuple(a), tuple(b)]) for a, b in zip(feet, tops(low + turn), strict=True)]
    body = tf.Body(name="platform", inertia=tf.Inertia(XX=0.4, YY=0.4, ZZ=0.7, M=5.0))
    return tf.parallel_robot(body, legs, home=(0.1, -0.2, 1.0)).with_independent("platform")


@pytest.mark.parametrize("turn", [1e-3, 1e-6])
def test_errors_grow_with_the_condition_number_only(turn):
    robot = nearly_singular(turn)
    q, (qd, qdd) = neutral(robot), np.random.default_rng(0).normal(size=(2, 6))
    Gm = rows_of_motors(robot, q)
    condition, act = np.linalg.cond(Gm), interpret(tf.inverse_dynamics(robot), q, qd, qdd)
    exact = np.linalg.solve(Gm.T, act)
    tau = interpret(tf.inverse_dynamics(robot, efforts="motors"), q, qd, qdd)
    assert condition > 1.0 / turn
    assert np.abs(tau - exact).max() < 1e2 * np.finfo(float).eps * condition * np.abs(exact).max()
    assert np.abs(Gm.T @ tau - act).max() < 1e2 * np.finfo(float).eps * np.abs(exact).max()


@seeds(quick=1, all=40)
def test_redundant_motors(seed):
    robot = random_parallel(seed, "planar", more=1)
    robot = robot.with_independent(*platform_of(robot))
    q = neutral(robot)
    Gm = rows_of_motors(robot, q)
    assert Gm.shape == (4, 3)
    qd, qdd, z = np.split(np.random.default_rng(seed).normal(size=10), [3, 6])
    tau = tf.inverse_dynamics(robot, efforts="motors").compile()(q, qd, qdd)
    N = tf.preload(robot).compile()(q)
    scale = max(1.0, np.abs(tau).max()) * np.linalg.cond(Gm) ** 2
    np.testing.assert_allclose(N, np.eye(4) - Gm @ np.linalg.pinv(Gm), atol=1e-13 * scale)
    np.testing.assert_allclose(Gm.T @ N, 0.0, atol=1e-13 * scale)
    np.testing.assert_allclose(N @ tau, 0.0, atol=1e-12 * scale)
    np.testing.assert_allclose(Gm.T @ tau, tf.inverse_dynamics(robot).compile()(q, qd, qdd), atol=1e-11 * scale)
    direct = tf.direct_dynamics(robot, efforts="motors").compile()
    for loaded in (tau, tau + N @ z):
        np.testing.assert_allclose(direct(q, qd, loaded), qdd, atol=1e-9 * scale)


def test_legs_that_cannot_hold_their_platform_anywhere():
    """Two similar hexagons: the legs' lines depend on each other in every state (Ma and Angeles 1991)."""
    around = [(np.cos(angle), np.sin(angle)) for angle in np.arange(6) * np.pi / 3]
    legs = [tf.leg("UPS", [(x, y, 0.0), (0.5 * x, 0.5 * y, 1.0)]) for x, y in around]
    body = tf.Body(name="platform", inertia=tf.Inertia(XX=0.4, YY=0.4, ZZ=0.7, M=5.0))
    robot = tf.parallel_robot(body, legs, home=(0.0, 0.0, 1.0)).with_independent("platform")
    assert tf.direct_dynamics(robot, efforts="motors").inputs["tau"] == (6,)
    for refused in (lambda: tf.inverse_dynamics(robot, efforts="motors"), lambda: tf.preload(robot)):
        with pytest.raises(tf.ProgramError, match=r"the motors leg1_P, .*leg6_P cannot hold it anywhere"):
            refused()


def test_no_preload_without_redundancy():
    assert not np.any(tf.preload(tf.robots.planar_3rrr()).compile()(np.zeros(9)))


def test_motors_of_a_tree_are_its_joints():
    arm = tf.robots.puma560()
    tf.inverse_dynamics(arm, efforts="motors").certify(tf.inverse_dynamics(arm))


def test_refusals():
    with pytest.raises(tf.ProgramError, match="efforts='all' needs coordinates='all'"):
        tf.inverse_dynamics(STEWART, efforts="all")
    joints = tuple(tf.Joint(name=f"j{k}", antecedent=k, mu=int(k == 0)) for k in range(2))
    bodies = tuple(tf.Body(name=f"l{k}", inertia=tf.Inertia(ZZ=1.0, M=1.0, MX=0.5)) for k in range(2))
    arm = tf.Robot(name="acrobot", joints=joints, bodies=bodies)
    assert arm.actuated == ("j0",)
    with pytest.raises(tf.ProgramError, match="2 degrees of freedom and 1 motor, which cannot cause every motion"):
        tf.inverse_dynamics(arm, efforts="motors")
    qdd = tf.direct_dynamics(arm, efforts="motors").compile()([0.1, 0.2], [0.3, 0.4], [2.0])
    np.testing.assert_allclose(qdd, tf.direct_dynamics(arm).compile()([0.1, 0.2], [0.3, 0.4], [2.0, 0.0]))
    with pytest.raises(tf.ProgramError, match="is for formulation='newton-euler'"):
        tf.inverse_dynamics(arm, efforts="motors", formulation="lagrange")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["leg1_P"], "mobility 6; you chose leg1_P, with a total of 1: too few"),
        (["platform", "leg1_P"], "with a total of 7: too many"),
        (["nothing"], "'nothing' cannot be an independent joint"),
        (
            ["leg1_U1", "leg1_U2", "leg1_P", "leg2_U1", "leg2_U2", "leg2_P"],
            "cannot be independent: the loops allow motions in which they stand still",
        ),
    ],
)
def test_choices_that_do_not_determine_the_motion(names, message):
    with pytest.raises(tf.TauforgeError, match=message):
        STEWART.with_independent(*names)


def test_a_choice_is_kept(tmp_path):
    mixed = STEWART.with_independent("leg2_P", "leg1_P", "leg3_P", "platform.wx", "platform.wy", "platform.wz")
    assert mixed.velocity_names[:3] == ("leg2_P", "leg1_P", "leg3_P")
    mixed.save(tmp_path / "mixed.toml")
    assert tf.load(tmp_path / "mixed.toml") == mixed
    assert tf.load(tmp_path / "mixed.toml").velocity_names == mixed.velocity_names
    assert mixed.with_independent().independent == STEWART.independent
    assert mixed.tree().chosen == ()
    with pytest.raises(tf.ProgramError, match="no closed loops: all its joints are independent"):
        tf.robots.puma560().with_independent("joint1")


def test_locking_a_joint_that_was_chosen():
    assert STEWART.with_independent(*STEWART.actuated).lock({"leg1_P": 0.0}).independent == STEWART.actuated[1:]
    assert PLATFORM.lock({"leg1_P": 0.0}).chosen == ()
