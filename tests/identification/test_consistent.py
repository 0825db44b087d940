"""Consistent parameters of robots whose own are known: recovered, possible, and as good on another motion."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.errors import IdentificationError
from tauforge.identification.bounds import Bounds
from tauforge.identification.consistent import HARM, consistent
from tauforge.identification.prior import Prior, prior_of
from tauforge.identification.problem import Inequality
from tauforge.identification.pseudo_inertia import divergence, parameters_of, pseudo_inertia
from tests.identification.measurements import heavy, measured

pytest.importorskip("clarabel")

ROBOTS = {
    "puma": tf.robots.puma560,
    "kuka": tf.robots.kuka_lwr,
    "loop": tf.robots.fivebar,
    "tree": lambda: heavy(9),
    "slides": lambda: heavy(7),
    "floats": lambda: heavy(3, floating=True),
    "several": lambda: heavy(5, several=True),
}
QUICK = ("kuka", "loop", "slides")
ALL = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in ROBOTS]


def wrong(robot, seed=0, size=0.3):
    """Return a prior that is off: every link squeezed, sheared and shifted."""
    rng = np.random.default_rng(seed)
    changes = [np.eye(4) + size * rng.normal(size=(4, 4)) for _ in prior_of(robot).matrices]
    return Prior(
        tuple(None if P is None else A @ P @ A.T for A, P in zip(changes, prior_of(robot).matrices, strict=True))
    )


def solve(m, prior, **more):
    return consistent(m.reduced, m.forms, prior, first=m.first, **more)


def least_ratio(found):
    """Return the smallest eigenvalue of all links, relative to the link's own size."""
    links = [P for P in found.pseudo_inertias() if np.any(P)]
    return min(np.linalg.eigvalsh(P)[0] / np.trace(P) for P in links)


@pytest.mark.parametrize(
    "name", [*QUICK, "puma", "floats", *(pytest.param(x, marks=pytest.mark.slow) for x in ("tree", "several"))]
)
def test_without_noise_the_robot_is_recovered_whatever_the_prior(name):
    robot = ROBOTS[name]()
    m = measured(robot, 0.0)
    found = solve(m, wrong(robot))
    assert np.linalg.norm(m.reduced.R @ (found.base - m.truth)) < 2e-6 * np.linalg.norm(m.reduced.z)
    assert least_ratio(found) > 0.0


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("noise", [0.02, 0.5])
def test_with_noise_it_is_possible_and_as_good_on_another_motion(name, noise):
    robot = ROBOTS[name]()
    m = measured(robot, noise, seed=4)
    found = solve(m, wrong(robot))
    free = np.linalg.lstsq(m.reduced.R, m.reduced.z)[0]
    assert least_ratio(found) > 0.0
    assert all(x >= 0.0 for name, x in zip(found.names, found.values, strict=True) if name.startswith("IA"))
    assert m.error(found.base) <= 1.02 * m.error(free)
    assert (1.0 + found.harm) <= (1.0 + found.least_harm) * (1.0 + HARM) * (1.0 + 1e-6)


def test_it_is_the_best_compromise_between_measurements_and_prior():
    robot = tf.robots.kuka_lwr()
    m, prior = measured(robot, 0.05), wrong(robot)
    found = solve(m, prior)

    def objective(values):
        links = zip(values[: 10 * len(prior.matrices)].reshape(-1, 10), prior.matrices, strict=True)
        fit = np.sum((m.reduced.R @ found.forms @ values - m.reduced.z) ** 2) / found.noise**2 / 2
        return fit + found.weight * sum(divergence(pseudo_inertia(x), P) for x, P in links)

    own = objective(found.values)
    steps = found.problem.scale @ np.random.default_rng(0).normal(size=(found.problem.size, 60))
    unseen = np.eye(len(found.names)) - np.linalg.pinv(found.forms) @ found.forms
    for step in (*steps.T, *(unseen @ steps).T):
        for size in (1e-2, -1e-2, 1e-4):
            assert objective(found.values + size * step) >= own * (1 - 1e-8)
    truth = np.array([float(x) for body in robot.bodies for x in body.inertia])
    assert own < objective(truth)


def test_what_the_measurements_do_not_determine_is_said():
    robot = tf.robots.puma560()
    m = measured(robot, 0.05)
    found = solve(m, prior_of(robot))
    rank = np.linalg.matrix_rank(found.forms)
    for k, name in enumerate(found.names):
        seen = np.linalg.matrix_rank(np.vstack([found.forms, np.eye(len(found.names))[k]])) == rank
        assert seen == (name not in found.undetermined), name
    covariance = np.linalg.inv(m.reduced.R.T @ m.reduced.R) * found.noise**2
    own = m.reduced.names.index("MY2")
    assert found.errors[found.names.index("MY2")] == pytest.approx(np.sqrt(covariance[own, own]), rel=1e-6)


def test_an_interval_is_what_possible_robots_can_have():
    robot = tf.robots.puma560()
    m = measured(robot, 0.05)
    found = solve(m, prior_of(robot))
    assert found.interval("M1")[1] == np.inf, "nothing says how heavy the first link is"
    low, high = found.interval("M6")
    assert 0.0 <= low < 0.09 < high < np.inf
    determined = found.interval("IA5")
    error = found.errors[found.names.index("IA5")]
    assert determined[1] - determined[0] == pytest.approx(2 * 1.96 * error, rel=0.1)
    bounded = solve(m, prior_of(robot), bounds=[Inequality({"M6": 1.0}, -0.05), Inequality({"M6": -1.0}, 0.2)])
    assert bounded.interval("M6") == pytest.approx((0.05, 0.2), abs=1e-5)
    with pytest.raises(IdentificationError, match="no parameter 'M9'"):
        found.interval("M9")


def test_bounds_hold():
    robot = tf.robots.kuka_lwr()
    m = measured(robot, 0.05)
    total = sum(float(body.inertia.M) for body in robot.bodies)
    names = [body.name for body in robot.bodies]
    corners = ((-0.02, -0.02, 0.01), (0.02, 0.02, 0.05))
    bounds = Bounds(mass={names[6]: (0.5, 0.6)}, centre={names[6]: corners}, total=(1.2 * total, 1.3 * total))
    found = solve(m, prior_of(robot), bounds=bounds.rows(robot))
    values = dict(zip(found.names, found.values, strict=True))
    masses = [values[f"M{j}"] for j in range(1, 8)]
    assert 0.5 - 1e-6 <= masses[6] <= 0.6 + 1e-6
    assert 1.2 * total - 1e-5 <= sum(masses) <= 1.3 * total + 1e-5
    centre = np.array([values[f"{key}7"] for key in ("MX", "MY", "MZ")]) / masses[6]
    assert np.all(centre >= np.array(corners[0]) - 1e-6)
    assert np.all(centre <= np.array(corners[1]) + 1e-6)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        (Bounds(mass={"nothing": (0.0, 1.0)}), "no link 'nothing'"),
        (Bounds(mass={"link1": (2.0, 1.0)}), "between 2.0 and 1.0"),
        (Bounds(mass={"link1": 3.0}), "give the least and the greatest value"),
        (Bounds(mass={"link1": (np.nan, 1.0)}), "which no value is"),
        (Bounds(centre={"link1": ((0.0, 0.0), (1.0, 1.0))}), "its lowest and its highest corner"),
        (Bounds(centre={"link1": None}), "its lowest and its highest corner"),
        (Bounds(total="heavy"), "the total mass has 'heavy'"),
    ],
)
def test_bounds_that_mean_nothing_are_refused(bounds, message):
    robot = heavy(9)
    with pytest.raises(IdentificationError, match=message):
        bounds.rows(robot)


def test_bounds_that_nothing_meets_are_refused():
    robot = tf.robots.kuka_lwr()
    m = measured(robot, 0.05)
    bounds = Bounds(mass={robot.bodies[0].name: (5.0, 9.0)}, total=(0.1, 0.2))
    with pytest.raises(IdentificationError, match="no possible robot is within the bounds"):
        solve(m, prior_of(robot), bounds=bounds.rows(robot))


def test_boxes_of_shapes_are_in_the_frames_that_carry_the_links_names(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(
        """<robot name="arm"><link name="base"/><link name="arm">
        <inertial><origin xyz="0 0 0.2"/><mass value="2"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
        <visual><origin xyz="0 0 0.25" rpy="0 0 0.5"/><geometry><box size="0.2 0.1 0.5"/></geometry></visual></link>
        <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/>
        <axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="9"/></joint></robot>"""
    )
    robot = tf.load(path)
    bounds = Bounds.of(robot, mass=0.25)
    assert bounds.mass == {"arm": (1.5, 2.5)}
    low, high = bounds.centre["arm"]
    assert low[2] == pytest.approx(0.0)
    assert high[2] == pytest.approx(0.5)
    inside = np.array([float(x) for x in robot.bodies[0].inertia])
    named = dict(zip([f"{key}1" for key in tf.Inertia._fields], inside, strict=True))
    slack = [sum(x * named[name] for name, x in item.row.items()) + item.offset for item in bounds.rows(robot)]
    assert min(slack) > 0.0
    assert sorted(slack[2:])[0] == pytest.approx(2.0 * (0.5 * (0.2 * np.sin(0.5) + 0.1 * np.cos(0.5))))


def test_a_robot_without_values_has_its_shape_as_prior_at_the_density_of_the_data():
    robot = tf.robots.kuka_lwr()
    m = measured(robot, 0.01)
    blank = replace(robot, bodies=tuple(replace(body, inertia=tf.Inertia()) for body in robot.bodies))
    prior = prior_of(blank)
    assert prior.scaled
    found = [solve(m, prior.times(factor)) for factor in (0.01, 1.0, 30.0)]
    total = sum(float(body.inertia.M) for body in robot.bodies)
    for each in found:
        mass = sum(
            x for name, x in zip(each.names, each.values, strict=True) if name[:2] in {f"M{j}" for j in range(9)}
        )
        assert mass == pytest.approx(total, rel=0.5), "the first guess of the density does not matter"
        assert least_ratio(each) > 0.0


def test_links_without_mass_among_others_stay_so():
    robot = tf.robots.delta()
    prior = prior_of(robot)
    massless = [k for k, body in enumerate(robot.bodies) if not any(map(float, body.inertia))]
    assert [k for k, P in enumerate(prior.matrices) if P is None] == massless
    needed = prior_of(robot, [robot.bodies[massless[0]].name])
    assert needed.matrices[massless[0]] is not None


def test_a_prior_that_no_body_has_is_completed():
    puma = prior_of(tf.robots.puma560())
    assert all(np.linalg.eigvalsh(P)[0] > 0.0 for P in puma.matrices)
    arm = tf.robots.planar2r()
    point = replace(
        arm, bodies=tuple(replace(body, inertia=tf.Inertia(M=2.0, MX=0.4, YY=0.08, ZZ=0.08)) for body in arm.bodies)
    )
    for P in prior_of(point).matrices:
        assert np.linalg.eigvalsh(P)[0] > 0.0
        assert parameters_of(P)[9] == pytest.approx(2.0, rel=0.6)
