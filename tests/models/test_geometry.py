"""Geometry and velocity: identities proved exactly, what is not computed, and clear refusals."""

from dataclasses import replace

import pytest

import tauforge as tf
from tauforge.graph.evaluate import evaluate
from tauforge.graph.node import as_node, is_zero
from tauforge.models.centre_of_mass import centre_of_mass, centre_of_mass_jacobian, centre_of_mass_velocity
from tauforge.models.jacobian import jacobian, jacobian_bias, jacobian_rate
from tauforge.models.link_motion import VELOCITY, link_accelerations, link_velocities
from tauforge.models.manipulability import jacobian_determinant, manipulability, square
from tauforge.models.transforms import transforms
from tauforge.program.array import inputs, outputs
from tauforge.robot.joint import Mimic
from tauforge.spatial.determinant import determinant, maximal_minors
from tauforge.spatial.vector import Vector

from ..interpret import interpret
from ..random_robots import random_robot, seeds

POINT = ("PX", 0.3, "2*PZ")
ROWS = {"rows": ("vx", "vz")}


def tree(seed):
    """Return a robot and the name of one of its links."""
    robot = random_robot(seed, smallest=2, symbolic=seed % 2 == 0, several=seed % 3 == 0)
    return robot, robot.bodies[seed % len(robot.bodies)].name


def qd_of(robot):
    return inputs("qd", robot.velocity_names, "")


def rows_of(array):
    rows, columns = array.shape
    return [array.nodes[columns * i : columns * (i + 1)] for i in range(rows)]


def product(rows, vector):
    return [sum((a * b for a, b in zip(row, vector, strict=True)), start=as_node(0.0)) for row in rows]


def made(robot, program, entries):
    """Return a Program of q and qd with one output."""
    arguments = {"q": program.arguments["q"], "qd": qd_of(robot)}
    return tf.Program("x", arguments, {"x": outputs(entries, [len(entries)], [], "")})


@seeds(quick=4, all=60)
def test_jacobian_times_qd_is_the_velocity(seed):
    robot, frame = tree(seed)
    J = jacobian(robot, frame=frame, axes="frame")
    V = link_velocities(robot)
    row = rows_of(V.results["V"])[[body.name for body in robot.bodies].index(frame)]
    made(robot, J, product(rows_of(J.results["J"]), qd_of(robot).nodes)).certify(made(robot, V, row))


@seeds(quick=4, all=60)
@pytest.mark.parametrize("axes", ["base", "frame", "link1"])
def test_rate_is_the_derivative_along_qd(axes, seed):
    robot, frame = tree(seed)
    J = jacobian(robot, frame=frame, point=POINT, axes=axes)
    Jd = jacobian_rate(robot, frame=frame, point=POINT, axes=axes)
    slopes, n = J.derivative("J", "q").results["dJ_dq"].nodes, robot.dof
    along = product([slopes[n * k : n * (k + 1)] for k in range(6 * n)], qd_of(robot).nodes)
    made(robot, J, along).certify(made(robot, Jd, Jd.results["Jd"].nodes))


@seeds(quick=4, all=60)
@pytest.mark.parametrize("axes", ["base", "frame", "link1"])
def test_bias_is_the_rate_times_qd(axes, seed):
    robot, frame = tree(seed)
    Jd = jacobian_rate(robot, frame=frame, point=POINT, axes=axes)
    bias = jacobian_bias(robot, frame=frame, point=POINT, axes=axes)
    by_matrix = made(robot, Jd, product(rows_of(Jd.results["Jd"]), qd_of(robot).nodes))
    by_matrix.certify(made(robot, bias, bias.results["Jdqd"].nodes))


@seeds(quick=4, all=60)
def test_jacobian_at_a_point_is_the_derivative_of_the_transform(seed):
    robot, frame = tree(seed)
    J, T = jacobian(robot, frame=frame, point=POINT), transforms(robot, frames=[frame])
    matrix, p = T.results["T"].nodes, [tf.symbol("PX"), as_node(0.3), tf.symbol("PZ") * 2.0, as_node(1.0)]
    place = made(robot, T, product([matrix[0:4], matrix[4:8], matrix[8:12]], p))
    slope = place.derivative("x", "q")
    linear = [x for row in rows_of(J.results["J"])[:3] for x in row]
    made(robot, slope, slope.results["dx_dq"].nodes).certify(made(robot, J, linear))


@seeds(quick=4, all=60)
def test_relative_transforms_chain(seed):
    robot, frame = tree(seed)
    links = [body.name for body in robot.bodies]
    whole, back = (transforms(robot, frames=a, relative_to=b) for a, b in ((frame, links[0]), (links[0], frame)))
    A, B = ([p.results["T"].nodes[4 * i : 4 * i + 4] for i in range(4)] for p in (whole, back))
    chain = [x for row in A for x in product(list(zip(*B, strict=True)), row)]
    made(robot, whole, chain).certify(made(robot, whole, [float(i % 5 == 0) for i in range(16)]))


def test_relative_transforms_use_only_the_joints_between():
    robot = tf.robots.panda()
    links = [body.name for body in robot.bodies]
    used = {str(node.value) for node in transforms(robot, frames=links[5], relative_to=links[2]).order if not node.args}
    assert {name for name in used if name.startswith("q")} == {"q[3]", "q[4]", "q[5]"}


@seeds(quick=4, all=60)
def test_centre_of_mass_moves_as_its_jacobian_says(seed):
    robot, _ = tree(seed)
    com, J, v = centre_of_mass(robot), centre_of_mass_jacobian(robot), centre_of_mass_velocity(robot)
    slope = com.derivative("com", "q")
    made(robot, slope, slope.results["dcom_dq"].nodes).certify(made(robot, J, J.results["J"].nodes))
    made(robot, J, product(rows_of(J.results["J"]), qd_of(robot).nodes)).certify(made(robot, v, v.results["v"].nodes))


def test_determinant_squared_is_that_of_the_square():
    for name in ("rx90", "puma560", "stanford", "ur5"):
        robot = tf.robots.bundled(name, symbolic=True)
        frame = robot.bodies[-1].name
        J, det = jacobian(robot, frame=frame, point=POINT), jacobian_determinant(robot, frame=frame, point=POINT)
        (d,) = det.results["det"].nodes
        made(robot, det, [d * d]).certify(made(robot, J, [determinant(square(rows_of(J.results["J"])))]))


def test_columns_of_the_determinant_are_in_the_order_of_qd():
    """Even if the first joint follows the last one."""
    joints = [tf.Joint(name=f"j{k}", antecedent=k, alpha=0.3 * k, d=0.5, theta=0.2) for k in range(3)]
    joints[0] = replace(joints[0], mimic=Mimic(joint=3, ratio=2.0))
    robot = tf.Robot(name="arm", joints=tuple(joints), bodies=tuple(tf.Body(name=f"l{k}") for k in range(3)))
    q = [0.4, -0.7]
    J, det = (interpret(x(robot, frame="l2", **more), q) for x, more in ((jacobian, {}), (jacobian_determinant, ROWS)))
    assert det == pytest.approx(J[0, 0] * J[2, 1] - J[0, 1] * J[2, 0])


@seeds(quick=4, all=60)
def test_manipulability_squared_is_the_determinant_of_the_square(seed):
    robot, frame = tree(seed)
    J = jacobian(robot, frame=frame)
    columns = [c for c in zip(*rows_of(J.results["J"]), strict=True) if not all(map(is_zero, c))]
    (w,) = manipulability(robot, frame=frame).results["w"].nodes if columns else (as_node(0.0),)
    if 1 < len(columns) < 6 and w.args:  # the root of a constant is rounded
        gram = determinant(square([list(row) for row in zip(*columns, strict=True)]))
        made(robot, J, [w * w]).certify(made(robot, J, [gram]))


def test_determinants_keep_zeros_and_blocks_apart():
    a, b, c, d, e = map(tf.symbol, "abcde")
    assert determinant([[a, b], [c, d]]) is a * d - b * c
    assert determinant([[0.0, b, 0.0], [c, d, e], [0.0, 0.0, a]]) is -(b * (c * a))
    assert determinant([[a, 0.0, 0.0], [b, 0.0, 0.0], [c, d, e]]) == 0.0
    assert determinant([[2.0, 1.0, 3.0], [0.5, -1.0, 4.0], [1.0, 1.0, 1.0]]) == pytest.approx(-2.0)
    assert maximal_minors([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) == [-3.0, -6.0, -3.0]


def test_a_moving_base_moves_the_links_but_no_jacobian():
    robot = tf.robots.puma560()
    moved = replace(robot, base=tf.Base(W0=Vector(0.1, 0.2, 0.3), V0=Vector(1.0, 0.0, 0.0), VP0=Vector(0.0, 2.0, 0.0)))
    frame, q = robot.bodies[-1].name, {f"q[{i}]": 0.0 for i in range(6)}
    for model in (jacobian, jacobian_rate, jacobian_bias):
        model(robot, frame=frame).certify(model(moved, frame=frame))
    still = q | {f"{name}[{i}]": 0.0 for name in ("qd", "qdd") for i in range(6)}
    first = evaluate(link_velocities(moved).results["V"].nodes[:6], still)
    assert first == pytest.approx([1.0, 0.0, 0.0, 0.1, 0.2, 0.3])
    assert evaluate(link_accelerations(moved).results["Vd"].nodes[:3], still) == pytest.approx([0.0, 2.0, 0.0])


def test_long_chains_take_the_determinant_of_the_square():
    joints = [tf.Joint(name=f"j{j}", antecedent=j - 1, alpha=0.7 * j, d=0.3, r=0.1) for j in range(1, 13)]
    robot = tf.Robot(name="snake", joints=joints, bodies=[tf.Body(name=f"l{j}") for j in range(1, 13)])
    program = manipulability(robot, frame="l12")
    assert program.count().total < 2000
    J, q = jacobian(robot, frame="l12"), {f"q[{i}]": 0.1 * i for i in range(12)}
    gram = determinant(square([evaluate(row, q) for row in rows_of(J.results["J"])]))
    assert evaluate(program.results["w"].nodes, q)[0] ** 2 == pytest.approx(gram)


COUNTS = {  # jacobian and transforms of the last link, transforms of all links. These may only fall.
    "rx90": (62, 66, 81),
    "puma560": (74, 74, 91),
    "panda": (122, 100, 118),
}


@pytest.mark.parametrize("name", COUNTS)
def test_operation_counts(name):
    robot = tf.robots.bundled(name, symbolic=True)
    frame = robot.bodies[-1].name
    programs = jacobian(robot, frame=frame), transforms(robot, frames=[frame]), transforms(robot)
    assert tuple(p.count().total for p in programs) == COUNTS[name]
    for axes in ("base", "frame"):
        bias, rate = (model(robot, frame=frame, axes=axes).count() for model in (jacobian_bias, jacobian_rate))
        assert bias.total < 0.8 * rate.total


def test_labels():
    robot = tf.robots.planar2r()
    frame = robot.bodies[-1].name
    assert transforms(robot).outputs["T"].labels[0] == tuple(body.name for body in robot.bodies)
    assert jacobian(robot, frame=frame).outputs["J"].labels == (VELOCITY, robot.joint_names)


def test_clear_refusals():
    robot = tf.robots.planar2r()
    frame = robot.bodies[-1].name
    frames = ", ".join(["base", *(body.name for body in robot.bodies)])
    for ask in (
        lambda: transforms(robot, frames=["elbow"]),
        lambda: transforms(robot, relative_to="elbow"),
        lambda: jacobian(robot, frame="elbow"),
        lambda: jacobian_rate(robot, frame=frame, axes="elbow"),
        lambda: manipulability(robot, frame="elbow"),
    ):
        with pytest.raises(tf.ProgramError, match=f"no frame 'elbow'; choose among {frames}"):
            ask()
    with pytest.raises(tf.ProgramError, match="it must have three"):
        jacobian(robot, frame=frame, point=(0.0, 1.0))
    with pytest.raises(tf.ProgramError, match="point"):
        jacobian_bias(robot, frame=frame, point=("1+", 0, 0))
    with pytest.raises(tf.ProgramError, match="6 rows and 2 joints move it"):
        jacobian_determinant(robot, frame=frame)
    with pytest.raises(tf.ProgramError, match="each at most once"):
        jacobian_determinant(robot, frame=frame, rows=("vx", "x"))
    with pytest.raises(tf.ProgramError, match="no joint moves base"):
        manipulability(robot, frame="base")
    with pytest.raises(tf.ProgramError, match="needs the standard parameters"):
        centre_of_mass(robot, parameters="base")
    massless = replace(robot, bodies=tuple(tf.Body(name=body.name) for body in robot.bodies))
    with pytest.raises(tf.ProgramError, match="no mass"):
        centre_of_mass(massless)
