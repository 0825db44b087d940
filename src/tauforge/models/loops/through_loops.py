"""Inverse dynamics through closed loops without the map G: motion outward, forces inward, each loop solved three times.

Khalil 2010, section 5, for any mechanism. The motion of the independent joints, a platform's for example, gives the
velocity at which each cut would open (64), and the dependent joints close it: J_i q̇_i = v_i (63). Accelerations
follow in the same way. The tree's inverse dynamics then gives torques Γ_i of joints that have no motor. The forces
J_i⁻ᵀ Γ_i at the cuts take their place and act on the other side: the sum in the brackets of (66).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from ...graph.node import Scalar, is_zero
from ...robot.robot import Robot
from ...spatial.least_squares import Equations
from ...spatial.pose import Pose
from ...spatial.screw import Twist, Wrench
from ...spatial.vector import ZERO, Matrix, Vector, column, cross, dot, times
from ..coordinates import Coordinates
from ..inverse_dynamics import Motion, forward, moving, newton_euler
from ..labels import Labels
from ..routes import Route, orientations, path, poses_of
from ..state import State, Values
from .closure import POINT, Sides, Way, rows, with_sides
from .loop_map import check_loops


class Cut(NamedTuple):
    """A cut: its sides, the axes of B seen from A, and where B is if it is not at A."""

    side: Sides
    R: Matrix
    d: Vector | None

    def parts(self, motion: Twist, x: Scalar) -> list[Scalar]:
        """Return the components of a relative motion that are held; ``x`` is that of a universal joint's own."""
        six = (*motion.v, *motion.w)
        more = [x] if self.side.loop.joint.kind.word == "universal" else []
        return [*(six[k] for k in self.side.held), *more]

    @property
    def across(self) -> Vector:
        """The direction in which a universal joint cannot turn."""
        x = column(self.R, 0)
        return Vector(x[1], -x[0], 0.0)

    def velocity(self, a: Twist, b: Twist) -> Twist:
        """Return the velocity of B seen from A, given both in their own axes."""
        v, w = times(self.R, b.v) - a.v, times(self.R, b.w) - a.w
        return Twist(v if self.d is None else v - cross(a.w, self.d), w)

    def wrenches(self, forces: Sequence[Scalar]) -> tuple[Wrench, Wrench]:
        """Return what acts on A and on B for forces along the held components, in their own axes."""
        six: list[Scalar] = [0.0] * 6
        for k, x in zip(self.side.held, forces, strict=False):
            six[k] = x
        f, m = Vector(*six[:3]), Vector(*six[3:])
        if len(forces) > len(self.side.held):
            m = m + self.across * forces[-1]
        lever = m if self.d is None else m + cross(self.d, f)
        back = [column(self.R, k) for k in range(3)]
        return Wrench(-f, -lever), Wrench(times(back, f), times(back, m))


class Walk:
    """The tree with the frames of all cuts as links, and the walks over the links that lead to cuts."""

    def __init__(self, robot: Robot, q: Sequence[Values]) -> None:
        self.whole, sides = with_sides(robot)
        self.robot, self.q = robot, self._wide(q)
        state = State.zero(self.whole, Coordinates.of_tree(self.whole), q=self.q)
        self.poses = poses_of(self.whole, state)
        self.cuts = [_cut(self.whole, state, side) for side in sides]
        self.links = sorted({j for cut in self.cuts for end in (cut.side.a, cut.side.b) for j in path(self.whole, end)})

    def _wide(self, values: Sequence[Values]) -> list[Values]:
        return [*values, *([()] * (len(self.whole.joints) + 1 - len(values)))]

    def _velocities(self, qd: Sequence[Values]) -> dict[int, Twist]:
        """Return the velocity of each link that leads to a cut, in its own axes."""
        at, values = {0: Twist(ZERO, ZERO)}, self._wide(qd)
        for j in self.links:
            joint, pose = self.whole.joints[j - 1], self.poses[j - 1]
            i, own = at[joint.antecedent], joint.screw(self.q[j], values[j])
            w, P = pose.R.back(i.w), Vector(0.0, 0.0, pose.r)
            at[j] = Twist(pose.R.back(i.v + cross(i.w, pose.arm)) + cross(w, P) + own.v, w + own.w)
        return at

    def opening(self, qd: Sequence[Values]) -> list[Scalar]:
        """Return the velocities at which all cuts open."""
        at, found = self._velocities(qd), list[Scalar]()
        for cut in self.cuts:
            motion = cut.velocity(at[cut.side.a], at[cut.side.b])
            found += cut.parts(motion, dot(cut.across, motion.w))
        return found

    def parting(self, qd: Sequence[Values], qdd: Sequence[Values]) -> list[Scalar]:
        """Return the accelerations at which all cuts open, where velocities close them."""
        at: dict[int, Motion] = {0: moving(ZERO, ZERO, ZERO, ZERO)}
        v, a = self._wide(qd), self._wide(qdd)
        for j in self.links:
            joint = self.whole.joints[j - 1]
            at[j] = forward(at[joint.antecedent], joint, self.poses[j - 1], self.q[j], v[j], a[j])
        V = self._velocities(qd) if any(cut.d is not None for cut in self.cuts) else {}
        found = []
        for cut in self.cuts:
            A, B, R = at[cut.side.a], at[cut.side.b], cut.R
            w = times(R, B.W) - A.W
            linear, angular = times(R, B.VP) - A.VP, times(R, B.WP) - A.WP - cross(A.W, w)
            if cut.d is not None:
                sliding = cut.velocity(V[cut.side.a], V[cut.side.b]).v
                linear = linear - times(A.U, cut.d) - cross(A.W, sliding * 2.0)
            x = column(R, 0)
            turned = cross(w, x)
            turning = dot(cut.across, angular) + turned[1] * w[0] - turned[0] * w[1]
            found += cut.parts(Twist(linear, angular), turning)
        return found

    def pulled(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """Return the torques along all axes that forces at the cuts add."""
        E: dict[int, Wrench] = {}
        rest = list(forces)
        for cut in self.cuts:
            own, rest = rest[: len(cut.side.labels)], rest[len(cut.side.labels) :]
            E |= dict(zip((cut.side.a, cut.side.b), cut.wrenches(own), strict=True))
        along: dict[int, Sequence[Scalar]] = {}
        for j in reversed(self.links):
            joint = self.whole.joints[j - 1]
            along[j] = joint.along(self.q[j], E[j])
            if i := joint.antecedent:
                inward = E[j].inward(self.poses[j - 1])
                E[i] = E[i] + inward if i in E else inward
        joints = enumerate(self.robot.joints, 1)
        return [x for j, joint in joints for x in along.get(j, [0.0] * len(joint.axes))]


class Through(NamedTuple):
    """Torques along the degrees of freedom; then for axes with motors their own torques, and how they move."""

    tau: list[Scalar]
    own: dict[str, Scalar]
    rows: dict[str, dict[int, Scalar]]


def torques_through_loops(
    robot: Robot,
    state: State,
    qd: Values,
    qdd: Values,
    motors: Sequence[str] = (),
    spared: bool = False,
    labels: Labels | None = None,
) -> Through | None:
    """Return the torques of a motion; None where the loops have redundant equations.

    Parameters
    ----------
    motors
        Axes with motors, for which the rows of G are wanted.
    spared
        Whether motors give the torques of their own axes, so that forces at the cuts need not.
    """
    tree, walk, check = Coordinates.of_tree(robot), Walk(robot, state.q), partial(check_loops, robot)
    free = [tree.names.index(name) for name in state.coordinates.names]
    dependent = [k for k in range(len(tree.names)) if k not in set(free)]
    J = [tree.gathered_some(row) for row in rows(robot, state.q, whole=True)[0]]
    kept = [i for i, row in enumerate(J) if any(not is_zero(x) for x in row.values())]
    if len(kept) != len(dependent):
        return None
    closing = Equations([J[i] for i in kept], dependent, check)

    def all_joints(values: Values, opened: Callable[[list[Values]], list[Scalar]]) -> list[Values]:
        """Return the motion of all joints from that of the independent ones: (63), (64)."""
        axes: list[Scalar] = [0.0] * len(tree.names)
        for k, x in zip(free, values, strict=True):
            axes[k] = x
        gap = opened(tree.velocities(axes))
        for k, x in closing.solved({n: -gap[i] for n, i in enumerate(kept)}).items():
            axes[k] = x
        return tree.velocities(axes)

    v = all_joints(qd, walk.opening)
    a = all_joints(qdd, lambda partly: walk.parting(v, partly))
    gamma = tree.gathered(newton_euler(robot, replace(state, qd=v, qdd=a), labels))
    turned = [{n: J[i][k] for n, i in enumerate(kept) if k in J[i]} for k in dependent]
    holding = Equations(turned, range(len(kept)), check)

    def passed(efforts: Mapping[int, Scalar]) -> list[Scalar]:
        """Return what torques of dependent axes are along the degrees of freedom: J_viᵀ J_i⁻ᵀ Γ_i."""
        forces: list[Scalar] = [0.0] * len(J)
        for n, x in holding.solved({n: -efforts[k] for n, k in enumerate(dependent) if k in efforts}).items():
            forces[kept[n]] = x
        along = tree.gathered(walk.pulled(forces))
        return [along[k] for k in free]

    driven = {name: k for k, name in enumerate(tree.names) if name in motors and k in set(dependent)}
    left = set(dependent) - (set(driven.values()) if spared else set())
    tau = [gamma[k] + x for k, x in zip(free, passed({k: gamma[k] for k in left}), strict=True)]  # brackets of (66)
    own = {name: gamma[k] for name, k in driven.items()} if spared else {}
    return Through(tau, own, {name: _filled(passed({k: 1.0})) for name, k in driven.items()})


def _filled(row: Sequence[Scalar]) -> dict[int, Scalar]:
    return {k: x for k, x in enumerate(row) if not is_zero(x)}


def _cut(whole: Robot, state: State, side: Sides) -> Cut:
    way = Way.of(whole, state, side)
    poses: list[Pose] = poses_of(way.robot, way.state)
    R = orientations(way.robot, poses, way.side.a)[way.side.b]
    d = None
    if not set(POINT) <= set(side.held):
        d = Route.between(way.robot, poses, way.side.b, way.side.a).point(ZERO)
    return Cut(side, R, d)
