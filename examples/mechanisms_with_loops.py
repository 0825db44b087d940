"""Five mechanisms with closed loops as they are built: from the points of their pins, in one drawing."""

import numpy as np

import tauforge as tf


def built(name, joints, masses, **more):
    """Return a robot whose masses (kg, centre in the world at zero, inertia matrix about it) belong to its links."""
    bodies = tuple(tf.Body(name=f"{joint.name}_link") for joint in joints)
    robot = tf.Robot(name=name, joints=joints, bodies=bodies, **more)
    for joint, mass in zip(joints, masses, strict=True):
        robot = robot.payload(*mass, at=joint.name, relative_to="world")
    return robot


def bar(mass, one, other):
    """Return the mass of a bar between two points, its centre and its inertia, that of a thin bar in all directions."""
    square = np.sum(np.subtract(one, other) ** 2)
    return mass, tuple(0.5 * np.add(one, other)), (mass * square / 12.0 * np.eye(3)).tolist()


def pin(name, on, xyz, axis="-y", **fields):
    """Return a joint that turns about a pin, without a motor unless ``mu=1``."""
    return tf.Joint.at(name, on=on, xyz=xyz, axis=axis, relative_to="world", **{"mu": 0} | fields)


def rod(name, low, high, **fields):
    """Return the sliding joint of a cylinder between two points."""
    along = np.subtract(high, low)
    where = {"xyz": low, "axis": along, "relative_to": "world"}
    return tf.Joint.at(f"{name}_rod", on=f"{name}_barrel", sigma="prismatic", **where, **fields)


def pinned(robot, first, second, xyz, axis="-y"):
    """Return the robot with a loop closed by a pin."""
    where = {"xyz": xyz, "axis": axis, "relative_to": "world"}
    return robot.with_loop(first, second, kind="revolute", name=f"{first}_on_{second}", **where)


# 1. An excavator. Three cylinders move boom, stick and bucket, the last one through a rocker and a link.
E = {
    "foot": (0.0, 0, 0.0), "elbow": (4.5, 0, 2.0), "wrist": (6.5, 0, 0.2), "ear": (6.8, 0, 0.5),
    "boom_low": (0.5, 0, -0.4), "boom_high": (2.2, 0, 1.6), "stick_low": (2.4, 0, 2.2), "stick_high": (4.3, 0, 2.7),
    "bucket_low": (4.7, 0, 2.4), "rocker_low": (6.1, 0, 0.6), "rocker_high": (6.5, 0, 0.9),
}  # fmt: skip
excavator = built(
    "excavator",
    (
        pin("boom", "base", E["foot"]),
        pin("stick", "boom", E["elbow"]),
        pin("bucket", "stick", E["wrist"]),
        pin("boom_barrel", "base", E["boom_low"]),
        rod("boom", E["boom_low"], E["boom_high"], FV=4e4),
        pin("stick_barrel", "boom", E["stick_low"]),
        rod("stick", E["stick_low"], E["stick_high"], FV=4e4),
        pin("bucket_barrel", "stick", E["bucket_low"]),
        rod("bucket", E["bucket_low"], E["rocker_high"], FV=4e4),
        pin("rocker", "stick", E["rocker_low"]),
        pin("link", "rocker", E["rocker_high"]),
    ),
    [
        *(bar(1500.0, E["foot"], E["elbow"]), bar(700.0, E["elbow"], E["wrist"]), bar(500.0, E["wrist"], E["ear"])),
        *(bar(80.0, E["boom_low"], E["boom_high"]), bar(60.0, E["boom_low"], E["boom_high"])),
        *(bar(80.0, E["stick_low"], E["stick_high"]), bar(60.0, E["stick_low"], E["stick_high"])),
        *(bar(80.0, E["bucket_low"], E["rocker_high"]), bar(60.0, E["bucket_low"], E["rocker_high"])),
        *(bar(40.0, E["rocker_low"], E["rocker_high"]), bar(50.0, E["rocker_high"], E["ear"])),
    ],
)
excavator = pinned(excavator, "boom_rod", "boom", E["boom_high"])
excavator = pinned(excavator, "stick_rod", "stick", E["stick_high"])
excavator = pinned(excavator, "bucket_rod", "rocker", E["rocker_high"])
excavator = pinned(excavator, "link", "bucket", E["ear"])

# 2. A palletiser. Rods along the upper arm and the forearm make two parallelograms, which share a plate at the elbow:
# plate and hand only shift, so that the tool stays level.
P = {
    "shoulder": (0.3, 0, 0.8), "elbow": (0.3, 0, 1.9), "wrist": (1.4, 0, 1.9), "tool": (1.5, 0, 1.75),
    "low": (0.05, 0, 0.9), "back": (0.05, 0, 2.0), "top": (0.4, 0, 2.15), "front": (1.5, 0, 2.15),
}  # fmt: skip
palletiser = built(
    "palletiser",
    (
        tf.Joint.at("turn", on="base", axis="z", FV=5.0),
        pin("shoulder", "turn", P["shoulder"], mu=1, FV=20.0),
        pin("elbow", "shoulder", P["elbow"], mu=1, FV=20.0),
        pin("plate", "shoulder", P["elbow"]),
        pin("back_rod", "turn", P["low"]),
        pin("hand", "elbow", P["wrist"]),
        pin("top_rod", "plate", P["top"]),
        tf.Joint.at("tool", on="hand", xyz=P["tool"], axis="-z", relative_to="world", FV=0.5),
    ),
    [
        *(bar(200.0, (0, 0, 0), P["shoulder"]), bar(60.0, P["shoulder"], P["elbow"])),
        *(bar(50.0, P["elbow"], P["wrist"]), bar(8.0, P["back"], P["top"]), bar(6.0, P["low"], P["back"])),
        *(bar(10.0, P["wrist"], P["front"]), bar(5.0, P["top"], P["front"]), bar(30.0, P["tool"], (1.6, 0.1, 1.4))),
    ],
)
palletiser = pinned(palletiser, "back_rod", "plate", P["back"])
palletiser = pinned(palletiser, "top_rod", "hand", P["front"])

# 3. A six-bar, Stephenson's third: the coupler of a four-bar, whose crank turns all the way round, swings an arm.
S = {
    "crank": (0, 0, 0), "coupler": (0, 0, 0.08), "rocker": (0.25, 0, -0.05), "joint": (0.22, 0, 0.15),
    "point": (0.12, 0, 0.22), "arm": (0.45, 0, 0.1), "end": (0.40, 0, 0.28),
}  # fmt: skip
sixbar = built(
    "sixbar",
    (
        pin("crank", "base", S["crank"], mu=1, FV=0.05),
        pin("coupler", "crank", S["coupler"]),
        pin("rocker", "base", S["rocker"]),
        pin("link", "coupler", S["point"]),
        pin("arm", "base", S["arm"]),
    ),
    [
        *(bar(0.4, S["crank"], S["coupler"]), bar(0.8, S["coupler"], S["point"]), bar(0.5, S["rocker"], S["joint"])),
        *(bar(0.4, S["point"], S["end"]), bar(0.6, S["arm"], S["end"])),
    ],
)
sixbar = pinned(sixbar, "coupler", "rocker", S["joint"])
sixbar = pinned(sixbar, "link", "arm", S["end"])

# 4. A double wishbone and its rack. The knuckle hangs between two ball joints, and a tie rod with a universal joint and
# a ball joint steers it. A torsion bar with a damper holds the lower arm, and a motor in the hub turns the wheel.
W = {
    "lower": (0, 0.30, 0.0), "upper": (0, 0.35, 0.25), "low_ball": (0, 0.68, -0.03), "high_ball": (-0.02, 0.64, 0.24),
    "rack": (-0.12, 0.32, 0.05), "tie": (-0.12, 0.66, 0.06), "hub": (0, 0.75, 0.1),
}  # fmt: skip
wishbone = built(
    "double_wishbone",
    (
        pin("lower", "base", W["lower"], axis="x", eta=1, k=8000.0, FV=300.0),
        tf.Joint.at("knuckle", on="lower", xyz=W["low_ball"], sigma="spherical", mu=0, relative_to="world"),
        pin("upper", "base", W["upper"], axis=(1, 0, 0.05)),
        tf.Joint.at("rack", on="base", xyz=W["rack"], axis="y", sigma="prismatic", FV=50.0),
        tf.Joint.at("tie", on="rack", xyz=W["rack"], sigma="universal", mu=0, relative_to="world"),
        tf.Joint.at("wheel", on="knuckle", xyz=W["hub"], axis="y", relative_to="world", FV=0.1),
    ),
    [
        *(bar(6.0, W["lower"], W["low_ball"]), bar(8.0, W["low_ball"], W["high_ball"])),
        *(bar(4.0, W["upper"], W["high_ball"]), bar(3.0, W["rack"], (-0.12, 0, 0.05)), bar(1.0, W["rack"], W["tie"])),
        (18.0, W["hub"], np.diag([0.5, 0.9, 0.5]).tolist()),
    ],
)
wishbone = wishbone.with_loop("knuckle", "upper", kind="spherical", xyz=W["high_ball"], relative_to="world")
wishbone = wishbone.with_loop("knuckle", "tie", kind="spherical", xyz=W["tie"], relative_to="world")
wishbone = wishbone.with_independent("rack", "wheel", "lower")

# 5. A Sarrus lift. Two pairs of links fold in perpendicular planes, so that the platform rises straight. Their hinges
# hold it more than they need to. A cylinder pushes one of the links.
L = {
    "low_a": (0.4, 0, 0), "knee_a": (0.7, 0, 0.4), "high_a": (0.4, 0, 0.8),
    "low_b": (0, 0.4, 0), "knee_b": (0, 0.7, 0.4), "high_b": (0, 0.4, 0.8), "foot": (0.15, 0, 0), "eye": (0.6, 0, 0.27),
}  # fmt: skip
lift = built(
    "sarrus_lift",
    (
        pin("lower_a", "base", L["low_a"]),
        pin("upper_a", "lower_a", L["knee_a"]),
        pin("platform", "upper_a", L["high_a"]),
        pin("lower_b", "base", L["low_b"], axis="x"),
        pin("upper_b", "lower_b", L["knee_b"], axis="x"),
        pin("lift_barrel", "base", L["foot"]),
        rod("lift", L["foot"], L["eye"], FV=2e4),
    ),
    [
        *(bar(5.0, L["low_a"], L["knee_a"]), bar(5.0, L["knee_a"], L["high_a"])),
        (40.0, (0.1, 0.1, 0.85), np.diag([2.0, 2.0, 3.5]).tolist()),
        *(bar(5.0, L["low_b"], L["knee_b"]), bar(5.0, L["knee_b"], L["high_b"])),
        *(bar(2.0, L["foot"], L["eye"]), bar(1.0, L["foot"], L["eye"])),
    ],
)
lift = pinned(lift, "upper_b", "platform", L["high_b"], axis="x")
lift = pinned(lift, "lift_rod", "lower_a", L["eye"])


def held(robot):
    """Return what keeps a robot at rest in the drawing."""
    still = np.zeros(robot.dof)
    return tf.inverse_dynamics(robot).compile()(tf.close_loops(robot), still, still)


runs = {
    "excavator": (excavator, held(excavator) * [1.05, 1.0, 0.9]),
    "palletiser": (palletiser, held(palletiser) + np.array([100.0, 60.0, -40.0, 5.0])),
    "sixbar": (sixbar, [0.9]),
    "wishbone": (wishbone, lambda t: [30.0 * np.cos(2.0 * np.pi * t), 5.0, 0.0]),
    "lift": (lift, held(lift) * 1.1),
}
drawings = {name: tf.draw(robot) for name, (robot, _) in runs.items()}  # drawings["lift"].save("lift.svg")
for name, (robot, torque) in runs.items():
    inverse = tf.inverse_dynamics(robot)
    run = tf.simulate(robot, np.linspace(0.0, 1.0, 101), torque=torque)
    lines = inverse.code("c").count("\n")
    print(f"{name}: independent {', '.join(robot.independent)}; {inverse.count().total} operations, {lines} lines of C")
    print("  after 1 s:", (run.q[-1].round(3) + 0.0).tolist())

# Is the tool level everywhere? Arm and forearm turn by more than a quarter turn up and down.
rng = np.random.default_rng(0)
turn, arm, forearm, tool = rng.uniform([-3.1, -1.8, -1.8, -3.1], [3.1, 1.0, 1.0, 3.1], (10_000, 4)).T
q = tf.close_loops(palletiser, np.stack([turn, arm, forearm - arm, tool], axis=1))
axis = tf.transforms(palletiser, frames="tool").compile()(q)[:, 0, :3, 2]
print(f"the tool in 10,000 poses: tilted by less than 1e-12 rad: {np.abs(axis - [0, 0, -1]).max() < 1e-12}")
