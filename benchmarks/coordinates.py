"""All coordinates beside the independent ones, Pinocchio and MuJoCo: accelerations compared first, times in one run.

Pinocchio: ``pin.constraintDynamics``, called from Python state by state, its only mode; each cut holds a point.
MuJoCo: ``mj_forward``, for batches its ``rollout`` by one step, whose loop is in C; each cut is an equality "connect",
as stiff as it can be. These give way and leave out J̇q̇, so accelerations are compared at rest; the times are those of
states that move. One state is computed again and again, which MuJoCo's warm start favours.

Neither takes links without mass, nor joints that follow others: the bundled robots have a little more mass on each
link, for all, and the Delta's parallelograms are closed by a point each, for the peers.

    python -m benchmarks.coordinates [--json FILE] [--robots NAME ...]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tauforge as tf
from tauforge.bench.matrices import pose
from tauforge.bench.peer import DIRECT
from tauforge.bench.timing import best_times
from tauforge.bench.with_mujoco import MuJoCo, mjcf
from tauforge.geometry.close_loops import close_loops
from tauforge.robot.kinds import FLOATING
from tauforge.robot.solids import solid

from . import closed_loops, parallel
from .constrained import Constrained, each
from .speed import agree
from .table import Table

WAYS = ("independent", "all", "Pinocchio", "MuJoCo")
FEW = 64
"""States that are called one by one."""
PLATFORMS = 1000
"""Gough-Stewart platforms of the rollout."""
DT = 1e-4
STIFF = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""MuJoCo's impedance of a constraint: the most that it takes."""
GIVES = 1e-3
"""How far MuJoCo's accelerations may be off, relative to the largest."""
LIGHT = solid(0.01, (0.0, 0.0, 0.0), (1e-4, 1e-4, 1e-4))
"""What each link of the bundled robots has more."""


def thick(robot: tf.Robot) -> tf.Robot:
    """Return the robot with a little more mass on each link, so that none is without mass or infinitely thin."""
    return replace(robot, bodies=tuple(replace(body, inertia=body.inertia.plus(LIGHT)) for body in robot.bodies))


def walker() -> tf.Robot:
    """Return a walking robot in the air: four legs, each a five-bar on a hip, on a floating base."""
    joints = [tf.Joint(name="base", antecedent=0, sigma="floating")]
    bodies = [tf.Body(name="trunk", inertia=solid(8.0, (0.0, 0.0, 0.02), (0.05, 0.1, 0.12)))]
    feet = []
    for k, (x, y) in enumerate(((0.25, 0.12), (0.25, -0.12), (-0.25, 0.12), (-0.25, -0.12)), 1):
        placed = partial(tf.Joint.at, relative_to="world")
        joints.append(placed(f"hip{k}", on="base", xyz=(x, y, 0.0), axis="x"))
        bodies.append(tf.Body(name=f"hip{k}_link", inertia=solid(0.6, (0.0, 0.01, 0.0), (4e-4, 5e-4, 4e-4))))
        for side, way in (("a", 1), ("b", -1)):
            joints.append(placed(f"crank{k}{side}", on=f"hip{k}", xyz=(x + 0.05 * way, y, 0.0), axis="y"))
            joints.append(
                placed(f"shank{k}{side}", on=f"crank{k}{side}", xyz=(x + 0.12 * way, y, -0.1), axis="y", mu=0)
            )
            bodies.append(
                tf.Body(name=f"crank{k}{side}_link", inertia=solid(0.3, (0.03, 0.03, 0.0), (3e-4, 3e-4, 3e-4)))
            )
            bodies.append(
                tf.Body(name=f"shank{k}{side}_link", inertia=solid(0.2, (0.02, 0.08, 0.0), (8e-4, 8e-4, 8e-4)))
            )
        feet.append((f"shank{k}a", f"shank{k}b", (x, y, -0.3)))
    robot = tf.Robot(name="walker", joints=tuple(joints), bodies=tuple(bodies))
    for first, second, xyz in feet:
        robot = robot.with_loop(first, second, kind="revolute", xyz=xyz, axis="y", relative_to="world")
    return robot


ROBOTS = {
    "fivebar": lambda: thick(tf.robots.fivebar()),
    "delta": lambda: thick(tf.robots.delta()),
    "gough_stewart": lambda: thick(tf.robots.gough_stewart()),
    "walker": walker,
}


def cut(robot: tf.Robot) -> tf.Robot:
    """Return the robot with parallelograms closed by a point each, instead of joints that follow others, and with
    joints in the order of depth, as both peers have them.
    """
    joints = robot.joints
    for k, joint in enumerate(joints):
        if joint.mimic and joint.name.endswith("_side"):  # on the first bar, beside the other one
            bar = joints[k - 1].name
            robot = robot.with_loop(bar, joint.name, kind="spherical", xyz=tuple(map(float, pose(joint)[1])))
    order = [*depth_first(robot)]
    number = {0: 0} | {old: new for new, old in enumerate(order, 1)}

    def moved(joint: tf.Joint) -> tf.Joint:
        return replace(joint, antecedent=number[int(joint.antecedent)], mimic=None)

    return replace(
        robot,
        joints=tuple(moved(robot.joints[old - 1]) for old in order),
        bodies=tuple(robot.bodies[old - 1] for old in order),
        loops=tuple(replace(loop, joint=moved(loop.joint), frame=moved(loop.frame)) for loop in robot.loops),
        frames=(),
    )


def spread(robot: tf.Robot, x: Any, names: tuple[str, ...]) -> Any:
    """Return values of all coordinates with those of the joints that follow others, in the order of the cut robot."""
    found: list[Any] = []
    columns = dict(zip(names, x.T, strict=True))
    for joint in (robot.joints[number - 1] for number in depth_first(robot)):
        if joint.mimic:
            found.append(sum(factor * columns[robot.joints[k - 1].name] for k, factor in joint.mimic.of))
        else:
            found += [columns[name] for name in names if name == joint.name or name.startswith(f"{joint.name}.")]
    return np.stack(found, axis=1)


class Welded(MuJoCo):
    """A mechanism in MuJoCo, its joints in the order of depth; its cuts are equalities between two points."""

    def __init__(self, robot: tf.Robot) -> None:
        import mujoco

        free = [k for k, joint in enumerate(robot.joints) if joint.sigma == FLOATING]
        self.start = np.zeros(len(robot.tree().coordinate_names))  # a free body's place is in the world there
        joints = list(robot.joints)
        for k in free:
            first = robot.tree().coordinate_names.index(f"{joints[k].name}.px")
            self.start[first : first + 3] = pose(joints[k])[1]
            joints[k] = replace(joints[k], b=0.0, d=0.0, r=0.0)
        robot = replace(robot, joints=tuple(joints))
        self.mj, self.robot = mujoco, robot
        spec = mujoco.MjSpec.from_string(mjcf(robot))
        spec.option.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        bodies = spec.bodies  # the world first
        for n, loop in enumerate(robot.loops):
            for side, joint in (("a", loop.joint), ("b", loop.frame)):
                bodies[joint.antecedent].add_site(name=f"{n}{side}", pos=pose(joint)[1])
            spec.add_equality(
                type=mujoco.mjtEq.mjEQ_CONNECT,
                objtype=mujoco.mjtObj.mjOBJ_SITE,
                name1=f"{n}a",
                name2=f"{n}b",
                solimp=STIFF,
            )
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def own(self, model: str, arrays: Sequence[Any]) -> list[Any]:
        return super().own(model, [arrays[0] + self.start, *arrays[1:]])


def depth_first(robot: tf.Robot, number: int = 0) -> Iterator[int]:
    """Return the numbers of the bodies branch by branch."""
    for child in robot.children(number):
        yield child
        yield from depth_first(robot, child)


def states(robot: tf.Robot, count: int) -> tuple[Any, Any]:
    """Return closed states near a robot's home, and velocities of the independent joints."""
    if robot.name == "gough_stewart":
        return parallel.states(robot, count)[:2]
    if robot.name in closed_loops.GUESSES:
        return closed_loops.states(robot, count)[:2]
    rng = np.random.default_rng(0)
    active = rng.uniform(-0.2, 0.2, (count, robot.dof + (robot.name == "walker")))
    if robot.name == "walker":  # its base comes first
        active[:, 6] = 1.0
        active[:, 3:7] /= np.linalg.norm(active[:, 3:7], axis=1)[:, None]
    return close_loops(robot, active), rng.normal(size=(count, len(robot.velocity_names)))


def compare(table: Table, name: str, count: int, seconds: float) -> None:
    """Compare the direct dynamics of a robot: one state, and a batch."""
    robot = ROBOTS[name]()
    chosen = robot.with_independent("platform") if name == "gough_stewart" else robot
    efforts = "motors" if name == "gough_stewart" else "independent"
    own = tf.direct_dynamics(chosen, efforts=efforts)
    independent, whole = own.compile(), tf.direct_dynamics(robot, coordinates="all", efforts=efforts).compile()
    q, qd = states(chosen, count)
    axes = tf.inertia_matrix(robot, coordinates="all").outputs["M"].labels[0]
    v = picked(tf.joint_motion(chosen).compile()(q, qd, np.zeros_like(qd))[0], robot.tree().velocity_names, axes)
    tree_q, tree_v = spread(robot, q, robot.coordinate_names), spread(robot, v, axes)
    motors = own.inputs["tau"].labels[0]
    tau = np.random.default_rng(1).normal(size=(count, len(motors)))
    open_robot = cut(robot)
    peer, theirs = Constrained(open_robot, 1e-10), Welded(open_robot)
    pull = np.zeros_like(tree_v)
    pull[:, [open_robot.tree().velocity_names.index(motor) for motor in motors]] = tau
    few = range(min(FEW, count))
    agree(spread(robot, whole(q, v, tau), axes)[few], [peer.direct(tree_q[i], tree_v[i], pull[i]) for i in few])
    agree(independent(q, qd, tau), picked(whole(q, v, tau), axes, chosen.velocity_names))
    forward = theirs.call(DIRECT)[1]
    still = theirs.own(DIRECT, [tree_q, 0.0 * tree_v, pull])
    rest = spread(robot, whole(q, 0.0 * v, tau), axes)
    found = np.array([np.array(forward(*(x[i] for x in still))) for i in few])
    error = np.abs(theirs.ours(DIRECT, [tree_q[few], 0.0 * tree_v[few]], found) - rest[few]).max() / np.abs(rest).max()
    if error > GIVES:
        raise SystemExit(f"{name}: accelerations differ from MuJoCo's by {error:.1g} of the largest")
    moving = theirs.own(DIRECT, [tree_q, tree_v, pull])
    one = [np.ascontiguousarray(x[0]) for x in (q, qd, v, tau)]
    each_of = [[tree_q[i], tree_v[i], pull[i]] for i in few]
    best = best_times(
        {
            "one, independent": partial(independent, one[0], one[1], one[3]),
            "one, all": partial(whole, one[0], one[2], one[3]),
            "one, Pinocchio": partial(peer.direct, *each_of[0]),
            "one, MuJoCo": partial(forward, *(x[0] for x in moving)),
            "batch, independent": partial(independent, q, qd, tau, out=qd.copy(), threads=1),
            "batch, all": partial(whole, q, v, tau, out=v.copy(), threads=1),
            "batch, Pinocchio": partial(each, peer.direct, each_of),
            "batch, MuJoCo": theirs.batch(DIRECT, [tree_q, tree_v, pull]).run,
        },
        seconds,
    )
    off = f", which is off by {error:.1g} of the largest"
    for way, unit, counts in (("one", "us", (1, 1, 1, 1)), ("batch", "ns", (count, count, len(few), count))):
        spent = {x: best[f"{way}, {x}"] / n for x, n in zip(WAYS, counts, strict=True)}
        rows(table, f"{name}, {'one state' if way == 'one' else f'batch of {count}'}", spent, unit, off)


def rows(table: Table, label: str, spent: dict[str, float], unit: str, off: str = "") -> None:
    """Add a row for the independent form and for each peer."""
    scale = {"us": 1e6, "ns": 1e9}[unit]
    for way in [way for way in WAYS if way in spent and way != "all"]:
        ratio, wanted = spent[way] / spent["all"], "> 1"
        title = f"{label}, {way} : all"
        if way == "independent":
            ratio, wanted, title = 1 / ratio, "<= 2.5", f"{label}, all : {way}"
        note = f"{scale * spent['all']:.3g} {unit}, theirs {scale * spent[way]:.3g}{off if way == 'MuJoCo' else ''}"
        table.row(title, ratio, "x", wanted, note)


def picked(x: Any, names: Sequence[str], wanted: Sequence[str]) -> Any:
    """Return some columns."""
    return np.ascontiguousarray(x[:, [list(names).index(name) for name in wanted]])


def platforms(table: Table, count: int, steps: int) -> None:
    """Compare rollouts of many platforms, from rest under forces of the legs that change at each step."""
    from mujoco.rollout import rollout

    robot = ROBOTS["gough_stewart"]()
    q, _ = states(robot.with_independent("platform"), count)
    legs = [robot.tree().velocity_names.index(name) for name in robot.velocity_names]
    tau = np.random.default_rng(1).uniform(-10.0, 10.0, (count, steps, len(legs)))
    rest = np.zeros((count, len(legs)))
    theirs = Welded(robot)
    theirs.model.opt.timestep = DT
    own_q, own_v, _ = theirs.own(DIRECT, [q, np.zeros((count, theirs.model.nv)), np.zeros((count, theirs.model.nv))])
    before = np.hstack([np.zeros((count, 1)), own_q, own_v])
    pull = np.zeros((count, steps, theirs.model.nv))
    pull[..., legs] = tau
    after = np.zeros((count, steps, before.shape[1]))
    given: dict[str, Any] = {"control": pull, "control_spec": int(theirs.mj.mjtState.mjSTATE_QFRC_APPLIED)}
    given |= {"nstep": steps, "state": after, "sensordata": np.zeros((count, steps, 0))}
    roll = partial(tf.rollout, robot, q, rest, tau, DT, threads=1)
    works = {
        "independent": partial(roll, coordinates="independent"),
        "all": partial(roll, coordinates="all"),
        "MuJoCo": partial(rollout, theirs.model, theirs.data, before, **given),
    }
    best = best_times(works, seconds=0.0, rounds=1)
    first = theirs.model.nq + 1
    speeds, moved = after[:, 0, first:][:, legs], works["all"]().qd[:, 0]
    if (error := float(np.abs(moved - speeds).max() / np.abs(speeds).max())) > GIVES:
        raise SystemExit(f"rollouts differ from MuJoCo's by {error:.1g} of the largest velocity after one step")
    spent = {name: x / (count * steps) for name, x in best.items()}
    rows(table, f"{count} gough_stewart, {steps} steps", spent, "ns")


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file too")
    parser.add_argument("--robots", nargs="*", choices=ROBOTS, default=[*ROBOTS])
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--platforms", type=int, default=PLATFORMS, help="platforms of the rollout, 0 for none")
    parser.add_argument("--steps", type=int, default=100)
    given = parser.parse_args(arguments)
    table = Table()
    table.title("direct dynamics with closed loops in all coordinates, one thread")
    for name in given.robots:
        compare(table, name, given.batch, given.seconds)
    if given.platforms:
        table.title("rollouts, one thread, steps of the first order")
        platforms(table, given.platforms, given.steps)
    if given.json:
        Path(given.json).write_text(json.dumps(table.rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
