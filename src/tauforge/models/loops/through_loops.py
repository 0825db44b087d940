"""Inverse dynamics through closed loops without the map G: motion outward, forces inward, each loop solved three times.

Khalil 2010, section 5, for any mechanism. The motion of the independent joints, a platform's for example, gives the
velocity at which each cut would open (64), and the dependent joints close it: J_i q̇_i = v_i (63). Accelerations
follow in the same way. The tree's inverse dynamics then gives torques Γ_i of joints that have no motor. The forces
J_i⁻ᵀ Γ_i at the cuts take their place and act on the other side: the sum in the brackets of (66).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial, reduce
from itertools import islice
from typing import NamedTuple

from ...graph.node import Scalar, is_zero
from ...robot.robot import Robot
from ...spatial.least_squares import Equations
from ...spatial.pose import Pose
from ...spatial.rotation import Rotation
from ...spatial.screw import Twist, Wrench
from ...spatial.vector import ZERO, Vector, column, cross, dot, times
from ..coordinates import Coordinates
from ..inverse_dynamics import newton_euler
from ..labels import Labels
from ..outward import Motion, forward, moving
from ..routes import Route, orientations, path, poses_of
from ..state import State, Values
from .closure import POINT, Sides, Way, rows, with_sides
from .loop_map import check_loops
from .platforms import Platform, platforms


class Cut(NamedTuple):
    """A cut: its sides, the axes of B seen from A, and where B is if it is not at A."""

    side: Sides
    R: Rotation
    d: Vector | None

    def parts(self, motion: Twist, x: Scalar) -> list[Scalar]:
        """Return the components of a relative motion that are held; ``x`` is that of a universal joint's own."""
        six = (*motion.v, *motion.w)
        more = [x] if self.side.crossed else []
        return [*(six[k] for k in self.side.held), *more]

    @property
    def across(self) -> Vector:
        """The direction in which a universal joint cannot turn."""
        x = column(self.R.rows, 0)
        return Vector(x[1], -x[0], 0.0)

    def velocity(self, a: Twist, b: Twist) -> Twist:
        """Return the velocity of B seen from A, given both in their own axes."""
        v, w = self.R.forth(b.v) - a.v, self.R.forth(b.w) - a.w
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
        return Wrench(-f, -lever), Wrench(self.R.back(f), self.R.back(m))


class Walk:
    """The tree with the frames of all cuts as links, and the walks over the links that lead to cuts."""

    def __init__(self, robot: Robot, q: Sequence[Values], free: Set[str]) -> None:
        self.whole, sides = with_sides(robot)
        self.robot, self.q = robot, self._wide(q)
        state = State.zero(self.whole, Coordinates.of_tree(self.whole), q=self.q)
        self.poses = poses_of(self.whole, state)
        self.links = sorted({j for side in sides for end in (side.a, side.b) for j in path(self.whole, end)})
        self.platforms: dict[int, Platform] = {}
        for j, seen in platforms(self.whole, sides, self.poses, free).items():
            self.platforms[j], self.poses[j - 1] = seen, Pose(Rotation(), seen.place)
            for end, leg in seen.legs.items():
                self.poses[end - 1] = Pose(Rotation(), Route(leg, ()).point(ZERO))
        self.cuts = [self._cut(state, side) for side in sides]

    def _cut(self, state: State, side: Sides) -> Cut:
        if seen := self.platforms.get(self.whole.joints[side.b - 1].antecedent):
            return Cut(side, reduce(Rotation.then, (pose.R.inverse() for pose in seen.legs[side.b])), None)
        way = Way.of(self.whole, state, side)
        poses = [self.poses[j - 1] for j in way.numbers]
        x, y, z = orientations(way.robot, poses, way.side.a)[way.side.b]
        d = None
        if not set(POINT) <= set(side.held):
            d = Route.between(way.robot, poses, way.side.b, way.side.a).point(ZERO)
        return Cut(side, Rotation.of((x, y, z)), d)

    def _wide(self, values: Sequence[Values]) -> list[Values]:
        return [*values, *([()] * (len(self.whole.joints) + 1 - len(values)))]

    def _velocities(self, qd: Sequence[Values]) -> dict[int, Twist]:
        """Return the velocity of each link that leads to a cut, in its own axes."""
        at, values = {0: Twist(ZERO, ZERO)}, self._wide(qd)
        for j in self.links:
            joint, seen = self.whole.joints[j - 1], self.platforms.get(j)
            own = at[joint.antecedent].outward(seen.pose if seen else self.poses[j - 1])
            own = own + joint.screw(self.q[j], values[j])
            at[j] = seen.velocity(own) if seen else own
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
            joint, seen = self.whole.joints[j - 1], self.platforms.get(j)
            pose = seen.pose if seen else self.poses[j - 1]
            own = forward(at[joint.antecedent], joint, pose, self.q[j], v[j], a[j])
            at[j] = seen.motion(own) if seen else own
        V = self._velocities(qd) if any(cut.d is not None for cut in self.cuts) else {}
        found = []
        for cut in self.cuts:
            A, B, R = at[cut.side.a], at[cut.side.b], cut.R
            w = R.forth(B.W) - A.W
            linear, angular = R.forth(B.VP) - A.VP, R.forth(B.WP) - A.WP - cross(A.W, w)
            if cut.d is not None:
                sliding = cut.velocity(V[cut.side.a], V[cut.side.b]).v
                linear = linear - times(A.U, cut.d) - cross(A.W, sliding * 2.0)
            x = column(R.rows, 0)
            turned = cross(w, x)
            turning = dot(cut.across, angular) + turned[1] * w[0] - turned[0] * w[1]
            found += cut.parts(Twist(linear, angular), turning)
        return found

    def pulled(self, forces: Sequence[Scalar], own_axes: bool = True) -> list[Scalar]:
        """Return the torques along all axes that forces at the cuts add; platforms' as they are seen if so asked."""
        E: dict[int, Wrench] = {}
        ends, rest = {cut.side.b: cut.side.a for cut in self.cuts}, list(forces)
        for cut in self.cuts:
            own, rest = rest[: len(cut.side.labels)], rest[len(cut.side.labels) :]
            E[cut.side.a], E[cut.side.b] = cut.wrenches(own)
        along: dict[int, Sequence[Scalar]] = {}
        for j in reversed(self.links):
            joint = self.whole.joints[j - 1]
            is_own = own_axes and j in self.platforms
            along[j] = joint.along(self.q[j], self.platforms[j].own(E[j]) if is_own else E[j])
            if i := joint.antecedent:
                inward = E[j].inward(self.poses[j - 1])
                if i in self.platforms:
                    inward = self.platforms[i].along_leg(j, E[ends[j]]) or inward
                E[i] = E[i] + inward if i in E else inward
        joints = enumerate(self.robot.joints, 1)
        return [x for j, joint in joints for x in along.get(j, [0.0] * len(joint.axes))]

    def seen(self, torques: Sequence[Scalar]) -> list[Scalar]:
        """Return torques along all axes with those of platforms as they are seen."""
        rest, found = iter(torques), list[Scalar]()
        for j, joint in enumerate(self.robot.joints, 1):
            own = list(islice(rest, len(joint.axes)))
            if j in self.platforms:
                own = [x for part in self.platforms[j].wrench(Wrench.of(own)) for x in part]
            found += own
        return found


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
    tree, walk = Coordinates.of_tree(robot), Walk(robot, state.q, set(state.coordinates.names))
    check = partial(check_loops, robot)
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
    driven = {name: k for k, name in enumerate(tree.names) if name in motors and k in set(dependent)}
    own_axes = not driven or len(driven) < len(motors)
    gamma = newton_euler(robot, replace(state, qd=v, qdd=a), labels)
    gamma = tree.gathered(gamma if own_axes else walk.seen(gamma))
    turned = [{n: J[i][k] for n, i in enumerate(kept) if k in J[i]} for k in dependent]
    holding = Equations(turned, range(len(kept)), check)

    def passed(efforts: Mapping[int, Scalar]) -> list[Scalar]:
        """Return what torques of dependent axes are along the degrees of freedom: J_viᵀ J_i⁻ᵀ Γ_i."""
        forces: list[Scalar] = [0.0] * len(J)
        for n, x in holding.solved({n: -efforts[k] for n, k in enumerate(dependent) if k in efforts}).items():
            forces[kept[n]] = x
        along = tree.gathered(walk.pulled(forces, own_axes))
        return [along[k] for k in free]

    left = set(dependent) - (set(driven.values()) if spared else set())
    tau = [gamma[k] + x for k, x in zip(free, passed({k: gamma[k] for k in left}), strict=True)]  # brackets of (66)
    own = {name: gamma[k] for name, k in driven.items()} if spared else {}
    return Through(tau, own, {name: _filled(passed({k: 1.0})) for name, k in driven.items()})


def _filled(row: Sequence[Scalar]) -> dict[int, Scalar]:
    return {k: x for k, x in enumerate(row) if not is_zero(x)}
