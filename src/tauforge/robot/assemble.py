"""Robots from robots: fixed links merged, joints locked, tools and loads attached."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import ExpressionError, RobotError
from ..graph.node import Scalar
from ..spatial.pose import HERE, Pose
from ..spatial.screw import Wrench
from ..spatial.vector import Vector
from .choice import choice_of_both, choice_without
from .frames import frame
from .home import home_of_both
from .joint import Joint, Mimic, constant_frame, given
from .placement import placement

if TYPE_CHECKING:
    from .body import Body, Visual
    from .robot import Robot
    from .tendon import Tendon

PLACE = ("gamma", "b", "alpha", "d", "e", "theta", "r")
"""The fields that give the position of a joint."""


def merged(robot: Robot) -> Robot:
    """Return the robot without fixed joints.

    A fixed link's inertia, wrench and visuals become part of its parent, and its frame becomes a constant frame of the
    same name there. Everything fixed to the base becomes part of the base's body.
    """
    if all(joint.axes for joint in robot.joints):
        return robot
    owner, pose = [0], [HERE]  # for each link: the link that it becomes part of, its pose there
    bodies: list[Body | None] = [robot.base.body]
    kept: list[Joint] = []
    frames: list[Joint] = []
    number: dict[int, int] = {0: 0}
    for j, (joint, body) in enumerate(zip(robot.joints, robot.bodies, strict=True), 1):
        i = owner[joint.antecedent]
        if not joint.axes:
            at = pose[joint.antecedent].then(joint.pose())
            owner.append(i)
            pose.append(at)
            bodies[i] = _together(bodies[i], inward(body, at))
            frames.append(standing(constant_frame(body.name, i, alias=joint.name), at))
        else:
            owner.append(len(kept) + 1)
            pose.append(HERE)
            kept.append(_moved(joint, i, pose[joint.antecedent]))
            bodies.append(body)
            number[j] = len(kept)

    def elsewhere(joint: Joint) -> Joint:
        return _moved(joint, owner[joint.antecedent], pose[joint.antecedent])

    named = {frame.name for frame in robot.frames}
    carrier = {frame.name: frame.alias for frame in frames}
    frames = [frame for frame in frames if frame.name not in named]
    links = [body for body in bodies[1:] if body]
    loops = tuple(replace(x, joint=elsewhere(x.joint), frame=elsewhere(x.frame)) for x in robot.loops)
    followed = (_following(joint, number) for joint in kept)
    return replace(
        robot,
        joints=tuple(followed),
        bodies=tuple(links),
        base=replace(robot.base, body=bodies[0]),
        frames=(*(replace(elsewhere(x), alias=x.alias or carrier.get(x.name, "")) for x in robot.frames), *frames),
        loops=loops,
        tendons=tuple(
            replace(tendon, joints=tuple((number[j], x) for j, x in tendon.joints)) for tendon in robot.tendons
        ),
    )


def locked(robot: Robot, positions: Mapping[str, float]) -> Robot:
    """Return the robot with some joints, each with one degree of freedom, held at a position."""
    places = {joint.name: j for j, joint in enumerate(robot.joints, 1)}
    if not isinstance(positions, Mapping):
        raise RobotError(
            f"{robot.name}: lock was given {positions!r}; give positions too, as in lock({{'joint1': 0.5}})"
        )
    for name in positions:
        if name not in places:
            raise RobotError(f"{robot.name}: no joint {name!r} to lock; its joints are {', '.join(places)}")
        joint = robot.joints[places[name] - 1]
        if joint.mimic:
            leaders = ", ".join(repr(robot.joints[j - 1].name) for j, _ in joint.mimic.of)
            raise RobotError(f"{robot.name}: joint {name!r} follows another; lock {leaders}")
        if len(joint.axes) != 1:
            raise RobotError(f"{robot.name}: joint {name!r} has {len(joint.axes)} degrees of freedom; lock needs one")
    held = {name: given(x, f"position of joint {name!r}") for name, x in positions.items()}
    led = (_led_by_fewer(robot, joint, held) for joint in robot.joints)
    joints = [_held(joint, held[joint.name]) if joint.name in held else joint for joint in led]
    tendons = (_shortened(robot, tendon, held) for tendon in robot.tendons)
    return merged(
        replace(
            robot,
            joints=tuple(joints),
            tendons=tuple(tendon for tendon in tendons if tendon.joints),
            chosen=choice_without(robot, held),
        )
    )


def attached(robot: Robot, other: Robot, at: str, prefix: str | None) -> Robot:
    """Return the robot with the base of another fixed to one of its frames."""
    place = frame(robot, at)
    bodies, joints = list(robot.bodies), list(robot.joints)
    links = {robot.base.body.name} if robot.base.body else set()
    links |= {body.name for body in bodies} | {frame.name for frame in robot.frames}
    taken = {joint.name for joint in (*joints, *(joint for loop in robot.loops for joint in (loop.joint, loop.frame)))}
    taken |= {frame.alias for frame in robot.frames if frame.alias}

    def renamed(name: str, among: Container[str]) -> str:
        if name not in among:
            return name
        if prefix is None or f"{prefix}_{name}" in among:
            raise RobotError(f"{robot.name} has a {name!r} already; give attach a name= to tell them apart")
        return f"{prefix}_{name}"

    first = len(joints)
    pulling = {tendon.name for tendon in robot.tendons}

    def shifted(joint: Joint, among: Container[str] = taken) -> Joint:
        mimic = joint.mimic and joint.mimic.renumbered(lambda j: j + first)
        alias = renamed(joint.alias, taken)
        new = replace(joint, name=renamed(joint.name, among), alias=alias, mimic=mimic, variable="")
        if joint.antecedent:
            return replace(new, antecedent=joint.antecedent + first)
        return _moved(new, place.antecedent, place.pose())

    root = other.base.body
    loops = tuple(replace(x, joint=shifted(x.joint), frame=shifted(x.frame)) for x in other.loops)
    whole = replace(
        robot,
        joints=(*joints, *map(shifted, other.joints)),
        bodies=(*bodies, *(replace(body, name=renamed(body.name, links)) for body in other.bodies)),
        frames=(*robot.frames, *(shifted(x, links) for x in other.frames)),
        loops=(*robot.loops, *loops),
        tendons=(*robot.tendons, *(replace(x.shifted(first), name=renamed(x.name, pulling)) for x in other.tendons)),
        chosen=choice_of_both(robot, other, partial(renamed, among=taken)),
        home=home_of_both(robot, other, partial(renamed, among=taken)),
    )
    if root is None:
        return whole
    root_frame = replace(place, name=renamed(root.name, links), alias="")
    return replace(with_load(whole, place, root), frames=(*whole.frames, root_frame))


def loaded(robot: Robot, mass: Any, com: Sequence[Any], inertia: Sequence[Sequence[Any]] | None, at: Joint) -> Robot:
    """Return the robot with a rigid load at a frame."""
    from .body import Body

    return with_load(robot, at, Body.solid("payload", mass, com, inertia))


def with_load(robot: Robot, place: Joint, load: Body) -> Robot:
    """Return the robot with a body, given in one of its frames, merged into the link there."""
    body = inward(load, place.pose())
    if not place.antecedent:
        return replace(robot, base=replace(robot.base, body=_together(robot.base.body, body)))
    bodies = list(robot.bodies)
    bodies[place.antecedent - 1] = _together(bodies[place.antecedent - 1], body)
    return replace(robot, bodies=tuple(bodies))


def standing(joint: Joint, at: Pose) -> Joint:
    """Return a joint with the parameters for which it has a given pose at coordinate zero."""
    try:
        parameters: dict[str, Any] = {**dict.fromkeys(PLACE, 0.0), **placement(at.in_numbers())}
    except ExpressionError:
        raise RobotError(
            f"the frame of {joint.name!r} has a pose with symbols, which must be numbers here; bind them"
        ) from None
    return replace(joint, **parameters)


def _moved(joint: Joint, antecedent: int, at: Pose) -> Joint:
    """Return a joint attached to another link, given the pose of its parent there."""
    if at.is_identity:
        return replace(joint, antecedent=antecedent)
    return standing(replace(joint, antecedent=antecedent), at.then(joint.pose()))


def inward(body: Body, at: Pose) -> Body:
    """Return a body in another frame, given the pose of its own frame there."""
    force, moment = Wrench.of(body.wrench).inward(at)
    *lifted, mass = body.lift
    return replace(
        body,
        lift=(*(at.R.forth(Vector(*lifted)) + at.P * mass), mass),
        inertia=body.inertia.inward(at),
        wrench=(*force, *moment),
        visuals=tuple(seen(at, visual) for visual in body.visuals),
    )


def seen(at: Pose, visual: Visual) -> Visual:
    """Return a shape at its pose in another frame."""
    return replace(visual, pose=tuple(map(float, at.then(Pose.of(visual.pose)).homogeneous)))


def _together(first: Body | None, second: Body) -> Body:
    """Return two bodies merged into one with the name of the first, or of the base if there is none."""
    from .base import BASE_LINK

    if first is None:
        return replace(second, name=BASE_LINK)
    return replace(
        first,
        inertia=first.inertia.plus(second.inertia),
        wrench=tuple(a + b for a, b in zip(first.wrench, second.wrench, strict=True)),
        lift=tuple(a + b for a, b in zip(first.lift, second.lift, strict=True)),
        visuals=(*first.visuals, *second.visuals),
    )


def _held(joint: Joint, q: Scalar) -> Joint:
    """Return a joint fixed at a position."""
    turn, slide = joint.kind.offsets([q])
    place = {key: getattr(joint, key) for key in PLACE}
    place.update(theta=joint.theta + turn, r=joint.r + slide)
    return constant_frame(joint.name, joint.antecedent, **place)


def _shortened(robot: Robot, tendon: Tendon, held: Mapping[str, Scalar]) -> Tendon:
    """Return a tendon without the joints that are held: their part of its length is constant."""
    named = [(robot.joints[j - 1].name, j, x) for j, x in tendon.joints]
    rest = tendon.rest
    for name, _, x in named:
        rest = rest - x * held[name] if name in held else rest
    return replace(tendon, joints=tuple((j, x) for name, j, x in named if name not in held), rest=rest)


def _led_by_fewer(robot: Robot, joint: Joint, held: dict[str, Scalar]) -> Joint:
    """Return a joint that follows only joints that still move; note its position if none of them does."""
    if not joint.mimic:
        return joint
    names = {j: robot.joints[j - 1].name for j, _ in joint.mimic.of}
    moving = tuple((j, ratio) for j, ratio in joint.mimic.of if names[j] not in held)
    if len(moving) == len(names):
        return joint
    still = tuple((j, ratio) for j, ratio in joint.mimic.of if names[j] in held)
    position = Mimic(still, joint.mimic.offset).value(lambda j: held[names[j]])
    if moving:
        offset = _number(position, f"joint {joint.name!r} follows joints of which some move and some are locked")
        return replace(joint, mimic=Mimic(moving, offset))
    held[joint.name] = position
    return joint


def _number(x: Scalar, why: str) -> float:
    try:
        return float(x)
    except ExpressionError:
        raise RobotError(f"{why}, at a position with symbols; give these numbers") from None


def _following(joint: Joint, number: Mapping[int, int]) -> Joint:
    """Return a joint with the new numbers of the joints it follows."""
    return replace(joint, mimic=joint.mimic.renumbered(number.__getitem__)) if joint.mimic else joint
