"""Five mechanisms as they are built: their drives couple joints, and points in the world place what belongs to them."""

import numpy as np

import tauforge as tf


def turning(mass, radius, length, axis):
    """Return the inertia matrix of a cylinder about its centre, along one of the world's axes."""
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return np.diag([0.5 * mass * radius**2 if k == "xyz".index(axis) else across for k in range(3)]).tolist()


def built(name, joints, masses, **more):
    """Return a robot whose masses (kg, centre in the world at zero, inertia matrix about it) belong to its links."""
    bodies = tuple(tf.Body(name=f"{joint.name}_link") for joint in joints)
    robot = tf.Robot(name=name, joints=joints, bodies=bodies, **more)
    for joint, mass in zip(joints, masses, strict=True):
        robot = robot.payload(*mass, at=joint.name, relative_to="world")
    return robot


# 1. A differential wrist. Two bevel gears about y mesh with one about x: together they pitch, against each other they
# roll the tool. All four bodies are there, and two of them follow sums of the other two.
wrist = built(
    "differential_wrist",
    (
        tf.Joint.at("left", on="base", xyz=(0, 0.04, 0), axis="y", FV=0.01),
        tf.Joint.at("right", on="base", xyz=(0, -0.04, 0), axis="y", FV=0.01),
        tf.Joint.at("pitch", on="base", axis="y", mimic={"left": 0.5, "right": 0.5}),
        tf.Joint.at("roll", on="pitch_link", xyz=(0.05, 0, 0), axis="x", mimic={"left": 0.5, "right": -0.5}),
    ),
    [
        (0.2, (0, 0.04, 0), turning(0.2, 0.03, 0.02, "y")),
        (0.2, (0, -0.04, 0), turning(0.2, 0.03, 0.02, "y")),
        (0.3, (0.02, 0, 0), turning(0.3, 0.02, 0.06, "y")),
        (0.6, (0.15, 0.01, 0.03), turning(0.6, 0.03, 0.2, "x")),
    ],
).with_frame("tool", on="roll", xyz=(0.25, 0, 0), relative_to="world")

# 2. A finger of three phalanges, bent by a flexor that runs over three pulleys and straightened by springs and an
# extensor, which pulls the other way round. Two tensions drive three joints.
finger = built(
    "tendon_finger",
    tuple(
        tf.Joint.at(
            name, on=k, xyz=(x, 0, 0), axis="-y", relative_to="world", mu=0, eta=1, k=0.05, FV=0.002,
            limits=tf.Limits(lower=-0.2, upper=1.6),
        )
        for k, (name, x) in enumerate({"knuckle": 0.0, "middle": 0.045, "tip": 0.07}.items())
    ),
    [
        (0.03, (0.0225, 0, 0), turning(0.03, 0.008, 0.045, "x")),
        (0.02, (0.0575, 0, 0), turning(0.02, 0.007, 0.025, "x")),
        (0.01, (0.08, 0, 0), turning(0.01, 0.006, 0.02, "x")),
    ],
    tendons=(
        tf.Tendon(name="flexor", joints={"knuckle": 0.010, "middle": 0.007, "tip": 0.004}, driven=True, FV=1.0),
        tf.Tendon(name="extensor", joints={"knuckle": -0.008, "middle": -0.005}, driven=True, FV=1.0),
    ),
).with_frame("end", on="tip", xyz=(0.09, 0, 0), relative_to="world")  # fmt: skip

# 3. A ball-screw spline. A shaft in two nuts: the spline nut turns it, and the ball-screw nut slides it by a lead of
# 20 mm per turn of one nut relative to the other.
LEAD = 0.020 / (2.0 * np.pi)
spline = built(
    "ball_screw_spline",
    (
        tf.Joint.at("screw", on="base", axis="z", FV=0.002),
        tf.Joint.at("spline", on="base", xyz=(0, 0, 0.1), axis="z", FV=0.002),
        tf.Joint.at("lift", on="base", axis="z", sigma="prismatic", mimic={"screw": LEAD, "spline": -LEAD}),
        tf.Joint.at("turn", on="lift_link", axis="z", mimic={"spline": 1.0}),
    ),
    [
        (0.4, (0, 0, 0), turning(0.4, 0.03, 0.04, "z")),
        (0.4, (0, 0, 0.1), turning(0.4, 0.03, 0.04, "z")),
        (0.1, (0, 0, 0), turning(0.1, 0.01, 0.05, "z")),
        (1.2, (0.03, 0.01, -0.2), turning(1.2, 0.01, 0.5, "z")),
    ],
).with_frame("tool", on="turn", xyz=(0, 0, -0.45), relative_to="world")

# 4. An arm with both motors on the base: a belt leads round the shoulder to the elbow, so motor 2 turns the forearm
# relative to the base, not to the upper arm. Gear ratios are 10 and 8.
belts = (
    built(
        "belt_arm",
        (
            tf.Joint.at("shoulder", on="base", axis="-y"),
            tf.Joint.at("elbow", on="shoulder_link", xyz=(0.3, 0, 0), axis="-y", relative_to="world"),
        ),
        [(1.5, (0.15, 0, 0), turning(1.5, 0.02, 0.3, "x")), (1.0, (0.42, 0, 0), turning(1.0, 0.02, 0.25, "x"))],
    )
    .with_frame("tool", on="elbow", xyz=(0.55, 0, 0), relative_to="world")
    .with_coupling([[10.0, 0.0], [8.0, 8.0]], IA=[2e-4, 1e-4], FV=1e-3)
)

# 5. A quadrotor that carries an arm of two joints. Its thrusts are wrenches on the base, one per rotor.
quadrotor = (
    built(
        "quadrotor_with_arm",
        (
            tf.Joint.at("arm1", on="base", xyz=(0, 0, -0.05), axis="y", FV=0.01),
            tf.Joint.at("arm2", on="arm1_link", xyz=(0, 0, -0.2), axis="y", relative_to="world", FV=0.01),
        ),
        [
            (0.15, (0, 0, -0.125), turning(0.15, 0.01, 0.15, "z")),
            (0.10, (0, 0, -0.275), turning(0.10, 0.01, 0.15, "z")),
        ],
    )
    .payload(1.0, (0, 0, 0), np.diag([0.02, 0.02, 0.035]).tolist(), at="base")
    .with_frame("grip", on="arm2", xyz=(0, 0, -0.4), relative_to="world")
    .with_base("floating")
)
ROTORS = np.array([(0.2, 0, 0), (0, 0.2, 0), (-0.2, 0, 0), (0, -0.2, 0)])
for number, place in enumerate(ROTORS, 1):
    quadrotor = quadrotor.with_frame(f"rotor{number}", on="base", xyz=place)
DRAG = 0.02 * np.array([1, -1, 1, -1])  # torque about z per newton of thrust, as each rotor turns


def thrust(forces):
    """Return what the links exert on their surroundings, (links, 6): the base pushes air down."""
    wrench = np.zeros((3, 6))
    wrench[0, 2] = -forces.sum()
    wrench[0, 3:] = -np.cross(ROTORS, np.outer(forces, (0, 0, 1))).sum(axis=0) - (0, 0, DRAG @ forces)
    return wrench


hover = 1.25 * 9.81 / 4.0 * np.ones(4)
runs = {
    "wrist": (wrist, {"torque": np.array([-0.55, -0.45]), "efforts": "motors"}),
    "finger": (finger, {"torque": np.array([6.0, 0.5]), "efforts": "motors"}),
    "spline": (spline, {"torque": np.array([0.05, 0.01]), "efforts": "motors"}),
    "belts": (belts, {"torque": np.array([0.55, 0.15]), "efforts": "motors"}),
    "quadrotor": (quadrotor, {"torque": lambda t: [0] * 6 + [0.05, 0.02], "wrenches": thrust(hover)}),
}
drawings = {name: tf.draw(robot) for name, (robot, _) in runs.items()}  # drawings["wrist"].save("wrist.svg")
for name, (robot, inputs) in runs.items():
    inverse = tf.inverse_dynamics(robot)
    run = tf.simulate(robot, np.linspace(0.0, 1.0, 101), method="DOP853", **inputs)
    lines = inverse.code("c").count("\n")
    print(f"{name}: motors {', '.join(robot.motors)}; {inverse.count().total} operations, {lines} lines of C")
    print("  after 1 s:", (run.q[-1, :9].round(3) + 0.0).tolist())
print("joints that motors move, belts:", belts.coupling.tolist())
