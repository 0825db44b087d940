"""Models in all coordinates: equal to those of the independent joints, and right where these are singular."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.loops import side_by_side

import tauforge as tf
from tauforge.graph.node import as_node
from tauforge.graph.rewrite import substitute
from tauforge.models.loops.closure import rows
from tauforge.models.loops.constraints import dependencies, labels
from tauforge.models.loops.domain import ClosedStates
from tauforge.models.loops.search import mechanism_of
from tauforge.models.prepare import prepare
from tauforge.models.results import program
from tauforge.papers.iftomm.bricard import bricard
from tauforge.program.array import outputs
from tests.interpret import interpret
from tests.planar_loops import planar_loop
from tests.random_loops import random_mechanism
from tests.random_parallel import neutral, random_parallel
from tests.random_robots import seeds

from .test_freedom import BENNETT, RIGHT, SOLID, chain, sarrus
from .test_loop_map import locomotive

ALL = {"coordinates": "all"}


class Dense:
    """Closed loops at a state in NumPy, by the null space of all their equations."""

    def __init__(self, robot, q, seed=0):
        self.rng, self.q = np.random.default_rng(seed), q
        self.J = mechanism_of(robot.expanded()).equations(q)
        s, Vt = np.linalg.svd(self.J)[1:]
        self.rank = int((s > 1e-8 * s[0]).sum())
        self.condition, self.Z = s[0] / s[self.rank - 1], Vt[self.rank :].T
        self.qd = self.Z @ self.rng.normal(size=self.Z.shape[1])
        self.M = interpret(tf.inertia_matrix(robot, **ALL, parameters="standard"), q)
        self.h = interpret(tf.bias(robot, **ALL, parameters="standard"), q, self.qd)
        self.drift = interpret(drift(robot), q, self.qd)
        self.bias = -np.linalg.pinv(self.J, rcond=1e-8) @ self.drift

    def accelerations(self, tau):
        """Return the accelerations of all axes, and the multipliers with the least norm."""
        Z, rest = self.Z, tau - self.h - self.M @ self.bias
        qdd = self.bias + Z @ np.linalg.solve(Z.T @ self.M @ Z, Z.T @ rest)
        return qdd, np.linalg.pinv(self.J.T, rcond=1e-8) @ (self.M @ qdd + self.h - tau)

    def motion(self):
        """Return accelerations of all axes that the loops allow."""
        return self.bias + self.Z @ self.rng.normal(size=self.Z.shape[1])

    def torques(self, qdd, axes):
        """Return the torques of some axes with the least norm that cause accelerations of all."""
        return np.linalg.pinv(self.Z[axes].T, rcond=1e-8) @ (self.Z.T @ (self.M @ qdd + self.h))


def drift(robot):
    """Return the Program of J̇ q̇ for all equations."""
    robot, arrays, state = prepare(robot, ("q", "qd"), **ALL)
    qd = [x for own in state.qd for x in own]
    found = [
        sum((x * qd[axis] for axis, x in row.items()), start=0.0) for row in rows(robot, state.q, state.qd, True)[1]
    ]
    return program("drift", robot, arrays, {"drift": outputs(found, [len(found)], [labels(robot)], "")})


def check(robot, q, seed=0, loose=1.0):
    """Compare with dense linear algebra; errors may grow with the condition numbers."""
    dense = Dense(robot, q, seed)
    direct = tf.direct_dynamics(robot, **ALL, multipliers=True)
    inverse = tf.inverse_dynamics(robot, **ALL)
    axes = [direct.outputs["qdd"].labels[0].index(name) for name in direct.inputs["tau"].labels[0]]
    tau = np.zeros(len(dense.qd))
    tau[axes] = dense.rng.normal(size=len(axes))
    qdd, multipliers = interpret(direct, q, dense.qd, tau[axes])
    expected, forces = dense.accelerations(tau)
    scale = loose * dense.condition**2 * np.linalg.cond(dense.M)
    np.testing.assert_allclose(qdd, expected, rtol=0, atol=1e-13 * scale * np.abs(expected).max())
    pull = dense.J.T @ forces
    size = max(np.abs(pull).max(), np.abs(dense.h).max())
    np.testing.assert_allclose(dense.J.T @ multipliers, pull, rtol=0, atol=1e-13 * scale * size)
    settled = all(dependencies(robot.expanded().map(as_node)).settled)
    least = (1e-13 * scale if settled else 1e-3) * max(size, np.abs(forces).max())
    np.testing.assert_allclose(multipliers, forces, rtol=0, atol=least)
    qdd = dense.motion()
    torques, unbalanced = interpret(inverse, q, dense.qd, qdd)
    whole = dense.M @ qdd + dense.h
    size = np.abs(whole).max()
    lever = np.linalg.svd(dense.Z[axes])[1].min()
    suffices = len(axes) >= dense.Z.shape[1]
    np.testing.assert_allclose(torques, dense.torques(qdd, axes), rtol=0, atol=1e-9 * loose * size / lever**2)
    whole[axes] -= torques
    np.testing.assert_allclose(dense.Z.T @ (whole - unbalanced), 0.0, atol=1e-12 * loose * dense.condition * size)
    if suffices:
        np.testing.assert_allclose(unbalanced, 0.0, atol=1e-10 * loose * size / lever**2)


@seeds(quick=3, all=200)
@pytest.mark.parametrize("planar", [False, True])
def test_random_loops(seed, planar):
    check(*random_mechanism(seed, planar), seed)


@seeds(quick=2, all=100)
def test_tilted_planar_loops(seed):
    check(*planar_loop(seed), seed, loose=1e3)


@seeds(quick=1, all=30)
@pytest.mark.parametrize(
    ("mobility", "more"),
    [
        ("translation", 1),
        ("planar", 0),
        ("planar", 1),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [("translation", 0), ("floating", 0), ("floating", 1)]
        ),
    ],
)
def test_random_parallel_robots(seed, mobility, more):
    """With more motors than degrees of freedom too."""
    robot = random_parallel(seed, mobility, more)
    check(robot, neutral(robot), seed)


@seeds(quick=1, all=30)
def test_floating_bases(seed):
    robot, q = random_mechanism(seed)
    body = tf.Body(name="hull", inertia=SOLID._replace(M=9.0))
    turned = [0.1, -0.2, 0.3, 0.1, 0.5, -0.1, np.sqrt(0.73)]
    check(robot.with_base("floating", body), np.array([*turned, *q]), seed)


def solid(robot):
    return replace(robot, bodies=tuple(replace(body, inertia=SOLID._replace(M=2.0)) for body in robot.bodies))


OVERCONSTRAINED = {
    "sarrus": solid(sarrus()),
    "bricard": bricard(),
    "threefold bricard": solid(chain(*[(RIGHT, 1.0), (-RIGHT, 1.0)] * 3)),
    "bennett": solid(chain((0.7, 0.8), (BENNETT, 0.5), (0.7, 0.8), (BENNETT, 0.5))),
    "locomotive": locomotive(),
}


@pytest.mark.parametrize("name", OVERCONSTRAINED)
def test_equations_that_depend_on_others_in_a_way_that_changes(name):
    robot = OVERCONSTRAINED[name]
    assert not any(dependencies(robot.map(as_node)).settled)
    for q in ClosedStates(robot).coordinates[1:4]:
        check(robot, q, loose=10.0)


def test_no_choice_of_equations_is_made_that_is_singular_somewhere():
    """Flat, two of three cranks do not hold the bar."""
    for angle in (0.0, 1e-9, 1e-6, 1e-3, np.pi):
        check(locomotive(), np.array([angle, -angle, angle, angle]))


@pytest.mark.parametrize("name", ["fourbar", "slider_crank", "fivebar", "planar_3rrr", "delta", "orthoglide", "sr400"])
def test_equations_that_depend_on_others_in_a_constant_way_are_left_out(name):
    robot = tf.robots.bundled(name)
    found = dependencies(robot.expanded().map(as_node))
    axes = tf.loop_closure(robot).outputs["J"][1]
    assert all(found.settled)
    assert len(found.kept) == axes - robot.dof


@pytest.mark.parametrize("name", ["fourbar", "slider_crank", "fivebar", "sr400", "planar_3rrr", "delta", "orthoglide"])
def test_accelerations_are_certified(name):
    """With velocities that the loops allow, they are those of the independent joints and of what follows."""
    robot = tf.robots.bundled(name)
    motion = tf.joint_motion(robot)
    labels = motion.outputs["velocities"].labels[0]
    everywhere, independent = tf.direct_dynamics(robot, **ALL), tf.direct_dynamics(robot)
    names = everywhere.outputs["qdd"].labels[0]
    velocities = dict(zip(labels, motion.results["velocities"].nodes, strict=True))
    allowed = {f"qd[{k}]": velocities[label] for k, label in enumerate(names)}
    qdd = dict(zip(names, substitute(everywhere.results["qdd"].nodes, allowed), strict=True))
    result = independent.results["qdd"]
    nodes = tuple(qdd[label] for label in robot.velocity_names)
    found = replace(independent, results={"qdd": replace(result, nodes=nodes)})
    assert found.certify(independent).probability < 1e-30
    wrong = replace(found, results={"qdd": replace(result, nodes=(nodes[0] * 1.001, *nodes[1:]))})
    with pytest.raises(tf.CertificationError):
        wrong.certify(independent)


@pytest.mark.parametrize("name", ["fivebar", pytest.param("gough_stewart", marks=pytest.mark.slow)])
def test_nothing_is_singular_where_only_the_motors_are(name):
    """Closer and closer to a state in which the motors hold nothing in one direction, accelerations stay exact."""
    robot = tf.robots.bundled(name)
    mechanism, direct = mechanism_of(robot), tf.direct_dynamics(robot, **ALL)
    names = direct.outputs["qdd"].labels[0]
    rest = [k for k, label in enumerate(names) if label not in robot.velocity_names]
    q = ClosedStates(robot).coordinates[3]
    for distance in (1e-2, 1e-5, 1e-9, 0.0):
        q = singular(mechanism, rest, q, distance)
        assert np.linalg.svd(mechanism.equations(q)[:, rest])[1][len(rest) - 1] < 2 * distance + 1e-8
        dense = Dense(robot, q)
        tau = np.zeros(len(names))
        tau[[names.index(label) for label in robot.actuated]] = dense.rng.normal(size=len(robot.actuated))
        expected = dense.accelerations(tau)[0]
        qdd = interpret(direct, q, dense.qd, tau[[names.index(label) for label in robot.actuated]])
        np.testing.assert_allclose(qdd, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    torques, unbalanced = interpret(tf.inverse_dynamics(robot, **ALL), q, dense.qd, dense.motion())
    assert np.isfinite(torques).all()
    assert np.abs(unbalanced).max() > 1e-3  # nothing holds that direction


def singular(mechanism, rest, q, distance):
    """Return a closed state in which the smallest singular value of dependent joints' columns is a given one."""
    from scipy.optimize import least_squares

    def left(q):
        J = mechanism.equations(q)
        own = J[np.abs(J).max(axis=1) > 1e-9][:, rest]
        return np.r_[10.0 * mechanism.error(q), np.linalg.det(own) / np.linalg.norm(own, ord=2) - distance]

    found = least_squares(left, q, xtol=1e-15, ftol=1e-15, gtol=1e-15).x
    return mechanism.closed_from(found)


def light(robot, names):
    """Return the robot with some links without any mass."""
    bodies = (tf.Body(name=body.name) if body.name in names else body for body in robot.bodies)
    joints = (
        replace(joint, IA=0.0) if body.name in names else joint
        for joint, body in zip(robot.joints, robot.bodies, strict=True)
    )
    return replace(robot, bodies=tuple(bodies), joints=tuple(joints))


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("fourbar", "coupler_link"),
        ("fourbar", "rocker_link"),
        ("fourbar", "coupler_link rocker_link"),
        ("delta", "leg1_Pa_link leg1_Pa_bar_link leg1_Pa_side_link leg2_R2_link leg2_Pa_link leg2_Pa_bar_link"),
    ],
)
def test_links_without_mass_that_only_the_loops_hold(name, bare):
    robot = light(tf.robots.bundled(name), bare.split())
    everywhere, independent = tf.direct_dynamics(robot, **ALL), tf.direct_dynamics(robot)
    names, rng = everywhere.outputs["qdd"].labels[0], np.random.default_rng(0)
    places = [names.index(label) for label in robot.velocity_names]
    motion = tf.joint_motion(robot)
    joints = motion.outputs["velocities"].labels[0]
    for q in ClosedStates(robot).coordinates[:3]:
        qd, tau = rng.normal(size=(2, robot.dof))
        v = interpret(motion, q, qd, 0 * qd)[0][[joints.index(label) for label in names]]
        expected = interpret(independent, q, qd, tau)
        found = interpret(everywhere, q, v, tau)
        np.testing.assert_allclose(found[places], expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())


def test_a_joint_that_nothing_gives_inertia_is_named():
    robot = tf.robots.fourbar()
    with pytest.raises(tf.ProgramError, match="no inertia acts on joint"):
        tf.direct_dynamics(light(robot, [body.name for body in robot.bodies]), **ALL)


def test_hybrid_dynamics_gives_back_what_direct_dynamics_takes():
    for name, accelerated in (("fivebar", 1), ("fivebar", 2), ("delta", 2)):
        robot = tf.robots.bundled(name)
        hybrid = tf.hybrid_dynamics(robot, accelerated=robot.actuated[:accelerated], **ALL)
        direct = tf.direct_dynamics(robot, **ALL, efforts="all")
        names = direct.outputs["qdd"].labels[0]
        known, others = ([names.index(label) for label in hybrid.inputs[x].labels[0]] for x in ("qdd", "tau"))
        q = ClosedStates(robot).coordinates[2]
        dense = Dense(robot, q)
        tau = dense.rng.normal(size=len(names))
        qdd = interpret(direct, q, dense.qd, tau)
        efforts, accelerations = interpret(hybrid, q, dense.qd, qdd[known], tau[others])
        np.testing.assert_allclose(efforts, tau[known], rtol=1e-10)
        np.testing.assert_allclose(accelerations, qdd[others], rtol=1e-10, atol=1e-12 * np.abs(qdd).max())
    with pytest.raises(tf.ProgramError, match="cannot all be given: with the loops closed, some follow"):
        tf.hybrid_dynamics(robot, accelerated=robot.joint_names, **ALL)


@pytest.mark.parametrize("efforts", ["motors", "independent", "all"])
def test_torques_of_any_axes(efforts):
    robot = tf.robots.fivebar().with_independent("arm1", "forearm1")
    direct, inverse = (model(robot, **ALL, efforts=efforts) for model in (tf.direct_dynamics, tf.inverse_dynamics))
    names = {"motors": robot.actuated, "independent": ("arm1", "forearm1"), "all": robot.coordinate_names}[efforts]
    assert direct.inputs["tau"].labels[0] == inverse.outputs["tau"].labels[0] == names
    dense = Dense(robot, ClosedStates(robot).coordinates[1])
    axes = [robot.coordinate_names.index(name) for name in names]
    qdd = dense.motion()
    tau, unbalanced = interpret(inverse, dense.q, dense.qd, qdd)
    np.testing.assert_allclose(tau, dense.torques(qdd, axes), rtol=1e-9)
    np.testing.assert_allclose(unbalanced, 0.0, atol=1e-12)
    np.testing.assert_allclose(interpret(direct, dense.q, dense.qd, tau), qdd, rtol=1e-9)


SHARED = {
    "coupling": (lambda: tf.robots.fivebar(), np.array([[40.0, 0, 15.0, 0], [-8.0, 0, 30.0, 0]]), False),
    "thin tendons": (lambda: tf.robots.sr400(), None, False),
    "more than needed": (lambda: tf.robots.fivebar(), np.array([[0.3, 0.2, 0, 0], [0, 0.5, 0.1, 0]]), True),
    "redundant loops": (lambda: sarrus(), np.array([[2.0, 0.5, 0, 0.3, 0]]), False),
    "too few": (lambda: tf.robots.fivebar(), np.array([[0.3, 0.2, 0, 0.1]]), False),
}


@pytest.mark.parametrize("case", SHARED)
def test_motors_that_act_on_several_axes(case):
    """Tendons over joints of loops, beside joints with motors or instead of these: torques with the least norm."""
    make, R, keep = SHARED[case]
    robot = make()
    axes = [robot.coordinate_names.index(name) for name in robot.actuated] if keep else []
    if R is None:  # pulleys of a few millimetres
        R = np.zeros((robot.dof, len(robot.coordinate_names)))
        for k, name in enumerate(robot.actuated):
            R[k, robot.coordinate_names.index(name)] = 0.004 + 0.001 * k
        R[1, :3] += 0.003
    moving = dict(zip(robot.coordinate_names, robot.moving, strict=True))
    tendons = [
        tf.Tendon(
            name=f"t{i}", driven=True, joints=tuple((moving[n], x) for n, x in zip(moving, row, strict=True) if x)
        )
        for i, row in enumerate(R)
    ]
    joints = robot.joints if keep else [replace(joint, mu=0) for joint in robot.joints]
    robot = replace(robot, joints=tuple(joints), tendons=tuple(tendons))
    B = np.vstack([np.eye(len(robot.coordinate_names))[axes], R])
    left = check_shared(robot, ClosedStates(robot).coordinates[1], B, 1e-6 if keep else 1e-9)
    assert (left < 1e-9) == (case != "too few")


def check_shared(robot, q, B, tolerance):
    """Compare torques of motors that move as B q̇ with dense linear algebra; return what is left, relative."""
    dense = Dense(robot, q)
    qdd = dense.motion()
    tau, unbalanced = interpret(tf.inverse_dynamics(robot, **ALL), dense.q, dense.qd, qdd)
    push, lever = dense.Z.T @ (dense.M @ qdd + dense.h), (B @ dense.Z).T
    needed, size = np.linalg.pinv(lever, rcond=1e-10) @ push, np.abs(push).max()
    np.testing.assert_allclose(tau, needed, rtol=0, atol=tolerance * np.abs(needed).max())
    left = push - lever @ needed
    np.testing.assert_allclose(dense.Z.T @ unbalanced, left, rtol=0, atol=tolerance * size)
    if np.abs(left).max() < 1e-9 * size:
        found = interpret(tf.direct_dynamics(robot, **ALL), dense.q, dense.qd, tau)
        np.testing.assert_allclose(found, qdd, rtol=0, atol=100 * tolerance * np.abs(qdd).max())
    return np.abs(left).max() / size


@seeds(quick=6, all=200)
def test_random_tendons(seed):
    """Fewer and more of them than degrees of freedom, with radii from centimetres to gear ratios."""
    robot, q = random_mechanism(seed)
    rng = np.random.default_rng(seed)
    count = len(robot.joints)
    B = np.zeros((max(1, robot.dof + seed % 3 - 1), count))
    for row in B:
        row[rng.choice(count, min(3, count), replace=False)] = 10.0 ** rng.uniform(-2, 2) * rng.uniform(0.3, 2, 3)
    tendons = tuple(
        tf.Tendon(name=f"t{i}", driven=True, joints=tuple((j, x) for j, x in enumerate(row, 1) if x))
        for i, row in enumerate(B)
    )
    joints = tuple(replace(joint, mu=0) for joint in robot.joints)
    check_shared(replace(robot, joints=joints, tendons=tendons), q, B, 1e-5)


def test_radii_that_are_symbols():
    robot = tf.robots.fivebar()
    pulleys = {"arm1": "r1", "forearm1": "r2"}, {"arm2": "r3"}
    tendons = tuple(tf.Tendon(name=f"t{i}", driven=True, joints=own) for i, own in enumerate(pulleys))
    robot = replace(robot, joints=tuple(replace(joint, mu=0) for joint in robot.joints), tendons=tendons)
    radii = {"r1": 0.02, "r2": 0.03, "r3": 0.05}
    dense = Dense(robot.bind(radii), ClosedStates(tf.robots.fivebar()).coordinates[1])
    qdd = dense.motion()
    found = interpret(tf.inverse_dynamics(robot, **ALL), dense.q, dense.qd, qdd, **radii)
    expected = interpret(tf.inverse_dynamics(robot.bind(radii), **ALL), dense.q, dense.qd, qdd)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-9)


@pytest.mark.parametrize("parameters", ["base", "least"])
def test_base_parameters_are_those_of_the_tree(parameters):
    robot = tf.robots.delta()
    q = ClosedStates(robot).coordinates[2]
    M = interpret(tf.inertia_matrix(robot, **ALL, parameters="standard"), q)
    found = tf.inertia_matrix(robot, **ALL, parameters=parameters)
    np.testing.assert_allclose(interpret(found, q), M, rtol=0, atol=1e-14)
    assert found.recipe.program().count() == found.count()
    with pytest.raises(tf.ProgramError, match="with its loops closed; in all coordinates"):
        tf.inertia_matrix(robot, **ALL, parameters=tf.base_parameters(robot))


def test_symbols_have_any_value():
    """The choice of equations and of divisors does not depend on numbers that were drawn for symbols."""
    robot = tf.robots.fivebar(symbolic=True)
    made = tf.direct_dynamics(robot, **ALL)
    values = {name: 0.3 + 0.1 * k for k, name in enumerate(made.parameters)}
    bound = robot.bind({name: values.get(name, 0.5) for name in robot.symbols})
    q, qd, tau = np.array([0.4, 1.1, 1.9, -0.9]), np.array([0.1, -0.3, 0.2, 0.5]), np.array([1.0, -2.0])
    expected = interpret(tf.direct_dynamics(bound, **ALL), q, qd, tau)
    np.testing.assert_allclose(interpret(made, q, qd, tau, **values), expected, rtol=1e-9)


def test_derivatives():
    """Along every axis, as differences have them; loops need not stay closed for that."""
    robot = tf.robots.fivebar()
    model = tf.direct_dynamics(robot, **ALL)
    dense = Dense(robot, ClosedStates(robot).coordinates[2])
    tau, step = np.array([0.3, -0.7]), 1e-6
    for variable, own in (("q", dense.q), ("qd", dense.qd), ("tau", tau)):
        slopes = interpret(model.derivative("qdd", variable), dense.q, dense.qd, tau)
        for k in range(len(own)):
            moved = [{variable: own + sign * step * np.eye(len(own))[k]} for sign in (1, -1)]
            ends = [interpret(model, *({"q": dense.q, "qd": dense.qd, "tau": tau} | x).values()) for x in moved]
            np.testing.assert_allclose(slopes[:, k], (ends[0] - ends[1]) / (2 * step), rtol=1e-5, atol=1e-5)


def test_in_a_tree_they_are_those_there_are():
    arm = tf.robots.puma560()
    for model in (tf.inverse_dynamics, tf.direct_dynamics, tf.inertia_matrix, tf.bias):
        assert model(arm, **ALL).code("c") == model(arm).code("c")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coordinates": "some"}, "coordinates is 'some'; it must be 'independent' or 'all'"),
        ({"efforts": "all"}, "efforts='all' needs coordinates='all'"),
        ({"multipliers": True}, "multipliers are those of closed loops, with coordinates='all'"),
        ({"coordinates": "all", "method": "articulated"}, "take method='composite' with coordinates='all'"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(tf.ProgramError, match=message):
        tf.direct_dynamics(tf.robots.fivebar(), **options)


def test_the_cost_in_all_coordinates():
    """At most 2.5 times that in the independent ones; where equations depend on others in a way that changes, too."""
    for name in ("fivebar", "delta", "gough_stewart"):
        robot = tf.robots.bundled(name)
        for model, options in ((tf.direct_dynamics, {}), (tf.inverse_dynamics, {"efforts": "motors"})):
            most = 2.5 * model(robot, **options).count().total
            assert model(robot, **ALL).count().total <= most
    for robot in (OVERCONSTRAINED["sarrus"], OVERCONSTRAINED["locomotive"]):
        assert tf.direct_dynamics(robot, **ALL).count().total <= 2.5 * tf.direct_dynamics(robot).count().total


def test_loops_on_branches_of_their_own_cost_the_same_each():
    for model in (tf.inverse_dynamics, tf.direct_dynamics):
        counts = [model(side_by_side(count), **ALL).count().total for count in (2, 4, 6)]
        assert counts[2] - counts[1] <= counts[1] - counts[0] + 2
