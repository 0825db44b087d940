"""Reachable poses near singular ones have a solution, whoever computed and rounded them."""

import numpy as np
import pytest

import tauforge as tf

LENGTHS = {  # height of the shoulder, its offset, upper arm, offset, forearm, wrist: of the URDF files of UR5 and UR10
    "ur5": (0.089159, 0.13585, 0.425, -0.1197, 0.39225, 0.093, 0.09465, 0.0823),
    "ur10": (0.1273, 0.220941, 0.612, -0.1719, 0.5723, 0.1149, 0.1157, 0.0922),
}
QUARTER = 1.57079632679
"""As URDF files have it: five digits short."""
WRIST, ELBOW = 4, 2


def urdf(name):
    """Return a URDF of the arm with angles that are rounded as in the makers' files."""
    a, b, c, d, e, f, g, h = LENGTHS[name]
    origins = [
        ((0, 0, a), 0.0, "0 0 1"),
        ((0, b, 0), QUARTER, "0 1 0"),
        ((0, d, c), 0.0, "0 1 0"),
        ((0, 0, e), QUARTER, "0 1 0"),
        ((0, f, 0), 0.0, "0 0 1"),
        ((0, 0, g), 0.0, "0 1 0"),
    ]
    parts = [f'<robot name="{name}"><link name="base"/>']
    for k, ((x, y, z), pitch, axis) in enumerate(origins):
        before = f"link{k}" if k else "base"
        parts.append(
            f'<link name="link{k + 1}"><inertial><mass value="1"/>'
            '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="joint{k + 1}" type="continuous"><parent link="{before}"/>'
            f'<child link="link{k + 1}"/><origin xyz="{x} {y} {z}" rpy="0 {pitch} 0"/><axis xyz="{axis}"/></joint>'
        )
    parts.append(
        '<link name="tool"/><joint name="tool_joint" type="fixed"><parent link="link6"/><child link="tool"/>'
        f'<origin xyz="0 {h} 0" rpy="-{QUARTER} 0 0"/></joint></robot>'
    )
    return "\n".join(parts)


def near_singular(joint, size, count):
    random = np.random.default_rng(abs(int(np.log10(abs(size)))))
    q = random.uniform(-np.pi, np.pi, (count, 6))
    q[:, joint] = size
    return q


def by_pinocchio(text, q):
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(text)
    data, frame = model.createData(), model.getFrameId("tool")
    T = np.empty((len(q), 4, 4))
    for k, row in enumerate(q):
        angles = np.concatenate([[np.cos(x), np.sin(x)] for x in row])  # joints without limits
        pin.framesForwardKinematics(model, data, angles)
        T[k] = data.oMf[frame].homogeneous
    return T


def in_fifty_digits(name, q, quarter=None):
    """Return poses computed in 50 digits and rounded once."""
    mp = pytest.importorskip("mpmath").mp
    a, b, c, d, e, f, g, h = LENGTHS[name]
    with mp.workdps(50):
        quarter = mp.pi / 2 if quarter is None else mp.mpf(quarter)

        def moved(axis, angle, x=0, y=0, z=0):
            C, S = mp.cos(angle), mp.sin(angle)
            R = {
                "x": [[1, 0, 0], [0, C, -S], [0, S, C]],
                "y": [[C, 0, S], [0, 1, 0], [-S, 0, C]],
                "z": [[C, -S, 0], [S, C, 0], [0, 0, 1]],
            }[axis]
            return mp.matrix([[*row, mp.mpf(p)] for row, p in zip(R, (x, y, z), strict=True)] + [[0, 0, 0, 1]])

        fixed = [
            moved("y", 0, 0, 0, a),
            moved("y", quarter, 0, b, 0),
            moved("y", 0, 0, d, c),
            moved("y", quarter, 0, 0, e),
            moved("y", 0, 0, f, 0),
            moved("y", 0, 0, 0, g),
        ]
        end, found = moved("x", -quarter, 0, h, 0), []
        for row in q:
            T = mp.eye(4)
            for step, axis, angle in zip(fixed, "zyyyzy", row, strict=True):
                T = T * step * moved(axis, mp.mpf(float(angle)))
            T = T * end
            found.append([[float(T[i, j]) for j in range(4)] for i in range(4)])
    return np.array(found)


def check(robot, T, within=2e-11):
    found = tf.inverse_geometry(robot, frame="tool")(T, limits=False)
    assert (found.count > 0).all(), found.reason[found.count == 0][0]
    assert found.exact.all()
    there = np.isfinite(found.q).all(axis=2)
    reached = tf.transforms(robot, frames="tool").compile()(np.nan_to_num(found.q).reshape(-1, 6))[:, 0]
    assert np.abs(reached.reshape(*there.shape, 4, 4) - T[:, None])[there].max() < within


def shaken(T, seed):
    """Return poses with each entry moved by an ulp."""
    found = T.copy()
    found[:, :3] = np.nextafter(T[:, :3], np.random.default_rng(seed).choice([-9.0, 9.0], T[:, :3].shape))
    return found


@pytest.mark.parametrize("joint", [WRIST, ELBOW])
@pytest.mark.parametrize("size", [1e-5, -1e-7, 1e-9, -1e-10, 1e-12])
def test_near_singular_poses(joint, size):
    robot = tf.load(urdf("ur5"))
    q = near_singular(joint, size, 30)
    T = tf.transforms(robot, frames="tool").compile()(q)[:, 0]
    check(robot, T)
    check(robot, shaken(T, 1))
    check(robot, in_fifty_digits("ur5", q[:5]))


def test_poses_of_an_arm_whose_angles_are_rounded():
    """The robot that is read has right angles; Pinocchio's has those of the file, and poses that differ by 1e-11."""
    robot = tf.load(urdf("ur5"))
    for size in (1e-9, -1e-10):
        check(robot, by_pinocchio(urdf("ur5"), near_singular(WRIST, size, 400)))


@pytest.mark.slow
@pytest.mark.parametrize("name", LENGTHS)
@pytest.mark.parametrize("joint", [WRIST, ELBOW])
@pytest.mark.parametrize("digits", range(5, 13))
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_many_near_singular_poses(name, joint, digits, sign):
    robot, q = tf.load(urdf(name)), near_singular(joint, sign * 10.0**-digits, 2000)
    T = tf.transforms(robot, frames="tool").compile()(q)[:, 0]
    for poses in (T, shaken(T, 1), by_pinocchio(urdf(name), q), in_fifty_digits(name, q[:200])):
        check(robot, poses)


@pytest.mark.parametrize("wrist", [1e-5, 1e-6, 1e-7])
def test_elbows_and_wrists_that_are_both_almost_singular(wrist):
    """A pose may then be beyond reach by its rounding, and what determines one joint weakly takes others far away."""
    robot = tf.load(urdf("ur5"))
    q = near_singular(WRIST, wrist, 60)
    q[:, ELBOW] = 1e-6
    check(robot, by_pinocchio(urdf("ur5"), q))
