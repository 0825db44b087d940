"""Andrews' squeezing mechanism (Schiehlen 1990; Hairer and Wanner, Solving ODEs II, VII.7): published accelerations."""

import numpy as np

import tauforge as tf

MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498)
MOMENT = (2.194e-06, 4.41e-07, 5.255e-06, 5.667e-07, 1.169e-05, 5.667e-07, 1.912e-05)
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
D, DA, E, EA, RR, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
SS, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
STIFFNESS, LENGTH, TORQUE = 4530.0, 0.07785, 0.033

# joint, parent, where it is on the parent, number of the body, centre of mass, where it meets the others
BODIES = (
    ("beta", 0, (0.0, 0.0), 1, (RA, 0.0), None),
    ("theta", 1, (RR, 0.0), 2, (-DA, 0.0), (-D, 0.0)),
    ("gamma", 0, B, 3, (SB, -SA), (0.0, -SS)),
    ("delta", 0, A, 5, (TB, -TA), None),
    ("phi", 4, (ZT, 0.0), 4, (0.0, EA - E), (0.0, -E)),
    ("epsilon", 0, A, 7, (-UB, -UA), None),
    ("Omega", 6, (0.0, -U), 6, (ZF - FA, 0.0), (ZF, 0.0)),
)
ORDER = ("beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon")


def mechanism():
    """Return seven bodies in a plane whose ends meet in one point."""
    joints, bodies, frames = [], [], []
    for number, (name, parent, (x, y), body, (cx, cy), end) in enumerate(BODIES, 1):
        m = MASS[body - 1]
        place = {"d": x, "e": y}
        joints.append(tf.Joint(name=name, antecedent=parent, mu=int(name == "beta"), **place))
        inertia = tf.Inertia(ZZ=MOMENT[body - 1] + m * (cx * cx + cy * cy), MX=m * cx, MY=m * cy, M=m)
        bodies.append(tf.Body(name=f"K{body}", inertia=inertia))
        if end:
            frames.append(tf.Joint(name=f"end{body}", antecedent=number, sigma=2, d=end[0], e=end[1]))
    robot = tf.Robot(
        name="andrews", joints=tuple(joints), bodies=tuple(bodies), frames=tuple(frames), gravity=(0.0, 0.0, 0.0)
    )
    for other in ("end3", "end4", "end6"):
        robot = robot.with_loop("end2", other, kind="revolute", name=f"loop{other[-1]}")
    return robot


def spring(gamma):
    """Return the wrenches that the links exert: K3 pulls a spring."""
    c, s = np.cos(gamma), np.sin(gamma)
    R = np.array([[c, -s], [s, c]])
    arm = np.array([SD, -SC])
    way = np.array(C) - (np.array(B) + R @ arm)
    length = np.linalg.norm(way)
    fx, fy = R.T @ (way * STIFFNESS * (length - LENGTH) / length)  # on K3, in its own axes
    wrenches = np.zeros((7, 6))
    wrenches[2] = (-fx, -fy, 0.0, 0.0, 0.0, -(arm[0] * fy - arm[1] * fx))
    return wrenches


def acceleration(q, speed):
    robot = mechanism()
    assert robot.independent == ("beta",)
    q = np.array([dict(zip(ORDER, q, strict=True))[name] for name, *_ in BODIES])
    closed = tf.close_loops(robot, [q[0]], guess=q)
    np.testing.assert_allclose(closed, q, atol=1e-8)
    direct = tf.direct_dynamics(robot, external_wrenches=True).compile()
    return direct(q, [speed], [TORQUE], spring(q[2]))


def test_at_the_start():
    q = [-0.06171389001427645, 0.0, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256,
         -0.22266839016588588, 1.2305474445498212]  # fmt: skip
    np.testing.assert_allclose(acceleration(q, 0.0), 14222.443919954114, rtol=1e-9)


def test_in_motion():
    q = [15.810771195154167, -15.756371058412443, 0.04082224011964045, -0.5347301163420822, 0.5244099658799554,
         0.5347301163420807, 1.0480807410419326]  # fmt: skip
    np.testing.assert_allclose(acceleration(q, 1139.920302259102), -24631.763123350287, rtol=1e-6)
