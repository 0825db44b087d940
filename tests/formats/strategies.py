"""Random robots that use everything that a Robot can hold, or all of it that a .par file can: hypothesis strategies."""

import math
from dataclasses import replace
from functools import reduce

from hypothesis import strategies as st

from tauforge import Base, Body, Inertia, Joint, Loop, Robot, symbol
from tauforge.graph.functions import absolute, atan2, cos, sin, sqrt
from tauforge.graph.node import Node, as_node
from tauforge.robot.body import IDENTITY, NO_LIFT, SHAPES, Visual
from tauforge.robot.joint import NO_LIMITS, Limits, Mimic
from tauforge.robot.kinds import FIXED, KINDS, PRISMATIC, REVOLUTE, SPHERICAL
from tauforge.robot.tendon import LAW, Tendon
from tauforge.spatial.vector import Vector

GEOMETRY = ("gamma", "b", "alpha", "d", "theta", "r")
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
SYMBOLS = ("L1", "m", "a_2", "th1", "q2", "r3", "QP1", "GAM2", "QDP1_", "D")
"""Some are names that a reader could take for a joint variable or for a free velocity."""
SPECIAL = (1.0, -1.0, 0.5, 1e-7, -3e20, 1.5708, math.pi, -math.pi / 2, 2 * math.pi / 3)
PAIRS = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / symbol("C") - b,
    lambda a, b: atan2(a, b),
    lambda a, b: sqrt(absolute(a)) + sin(a) * cos(b),
)
NAMES = (
    "base",
    "it's",
    "a*)b",
    "(*",
    "\\u0027",
    "\\",
    'say "no"',
    "bras été",
    "link1",
    "joint2",
    "frame3",
    "','",
    "[[link]]",
)


@st.composite
def expressions(draw: st.DrawFn) -> Node:
    """Expressions of a number and of symbols that stand there once each: no terms that could be gathered or cancel."""
    parts = draw(st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=4, unique=True))
    nodes = [symbol(name) for name in parts]
    nodes.insert(draw(st.integers(0, len(nodes))), as_node(draw(numbers)))
    return reduce(lambda a, b: as_node(draw(st.sampled_from(PAIRS))(a, b)), nodes)


numbers = st.one_of(st.sampled_from(SPECIAL), st.floats(-1e6, 1e6))
scalars = st.one_of(numbers, st.sampled_from(SYMBOLS).map(symbol), expressions())
vectors = st.one_of(st.just(Vector(0.0, 0.0, 0.0)), st.builds(Vector, scalars, scalars, scalars))
names = st.sampled_from(NAMES)
limits = st.builds(
    Limits,
    lower=st.one_of(st.just(-math.inf), numbers),
    upper=st.one_of(st.just(math.inf), numbers),
    velocity=st.one_of(st.just(math.inf), numbers),
    effort=st.one_of(st.just(math.inf), numbers),
)


@st.composite
def visuals(draw: st.DrawFn) -> Visual:
    shape = draw(st.sampled_from(sorted(SHAPES)))
    size = draw(st.one_of(st.just(()), st.tuples(*[numbers] * SHAPES[shape])))
    file = draw(st.sampled_from(["", "package://arm/meshes/hand.stl", "C:\\été\\a b.dae", 'tab\there\n"\x7f\x01']))
    changed = draw(st.dictionaries(st.integers(0, 15), numbers, max_size=3))
    pose = tuple(changed.get(i, x) for i, x in enumerate(IDENTITY))
    color = draw(st.one_of(st.just(()), st.tuples(*[st.floats(0, 1)] * 4)))
    return Visual(shape=shape, size=size, file=file, pose=pose, color=color)


def _some(keys: tuple[str, ...]) -> st.SearchStrategy[dict[str, object]]:
    return st.dictionaries(st.sampled_from(keys), scalars, max_size=3)


def bodies(name: str, plain: bool) -> st.SearchStrategy[Body]:
    masses = st.one_of(st.floats(0, 100), st.just(symbol("m")))
    inertias = st.builds(lambda fields, mass: Inertia(**fields, M=mass), _some(Inertia._fields[:9]), masses)
    wrenches = _some(WRENCH).map(lambda fields: tuple(fields.get(key, 0.0) for key in WRENCH))
    lifts = st.just(NO_LIFT) if plain else st.one_of(st.just(NO_LIFT), st.tuples(*[scalars] * 4))
    looks = st.lists(visuals(), max_size=0 if plain else 2).map(tuple)
    return st.builds(Body, name=st.just(name), inertia=inertias, wrench=wrenches, lift=lifts, visuals=looks)


def _free(key: str, number: int) -> st.SearchStrategy[object]:
    """Velocity, say: free, free with its own symbol, or given."""
    own = [None, symbol(f"{key.lower()}_{number}"), symbol(f"{key}{number}__"), 0.0, symbol("m") * 2.0]
    return st.sampled_from(own)


@st.composite
def joints(draw: st.DrawFn, name: str, number: int, links: int, keys: tuple[str, ...], plain: bool) -> Joint:
    joint = Joint(
        name=name,
        antecedent=draw(st.integers(0, links)),
        sigma=draw(st.sampled_from([REVOLUTE, REVOLUTE, PRISMATIC, FIXED] if plain else range(len(KINDS)))),
        mu=draw(st.integers(0, 1)),
        variable=draw(st.sampled_from(["", f"th{number}__", f"angle{number}"])),
        limits=NO_LIMITS if plain else draw(limits),
        **draw(_some(keys if plain else (*keys, "e"))),
    )
    if joint.kind.parameters:
        joint = replace(joint, **draw(_some(joint.kind.parameters)))
    if joint.sigma == SPHERICAL:
        return replace(joint, eta=draw(st.integers(0, 1)), **draw(_some(("k",))))
    if len(joint.axes) > 1:
        return joint
    stiffness = draw(_some(("k",) if plain else ("k", "rest")))
    free = {key: draw(_free(key, number)) for key in ("QP", "QDP", "GAM")}
    return replace(joint, eta=draw(st.integers(0, 1)), **stiffness, **free)


@st.composite
def following(draw: st.DrawFn, tree: list[Joint]) -> tuple[Joint, ...]:
    """Let some joints follow another one, which may come later."""
    single = [j for j, joint in enumerate(tree, 1) if len(joint.axes) == 1]
    followed = draw(st.sampled_from([0, *single]))
    for j in single if followed else ():
        if j != followed and draw(st.booleans()):
            tree[j - 1] = replace(tree[j - 1], mimic=Mimic(joint=followed, ratio=draw(numbers), offset=draw(numbers)))
    return tuple(tree)


@st.composite
def tendons(draw: st.DrawFn, name: str, tree: tuple[Joint, ...]) -> Tendon:
    single = [j for j, joint in enumerate(tree, 1) if len(joint.axes) == 1]
    numbers_of = draw(st.lists(st.sampled_from(single), min_size=1, unique=True))
    return Tendon(name=name, joints=tuple((j, draw(scalars)) for j in numbers_of), **draw(_some(LAW)))


@st.composite
def frames(draw: st.DrawFn, name: str, links: int, keys: tuple[str, ...]) -> Joint:
    """Return a constant frame."""
    antecedent, mu = draw(st.integers(0, links)), draw(st.integers(0, 1))
    return Joint(name=name, antecedent=antecedent, sigma=FIXED, mu=mu, **draw(_some(keys)))


@st.composite
def loops(draw: st.DrawFn, cut: str, frame: str, number: int, links: int, plain: bool) -> Loop:
    keys = GEOMETRY if plain else (*GEOMETRY, "e")
    of_joint = GEOMETRY if plain else (*GEOMETRY, "IA", "FV", "FS")
    return Loop(
        joint=draw(joints(cut, number, links, of_joint, plain)),
        frame=draw(frames(frame, links, keys)),
    )


@st.composite
def bases(draw: st.DrawFn, name: str, plain: bool) -> Base:
    floating, mobile, heavy = (draw(st.booleans()) for _ in range(3))
    changed = draw(st.dictionaries(st.integers(0, 15), scalars, max_size=2))
    return Base(
        pose=tuple(changed.get(i, x) for i, x in enumerate(Base().pose)),
        **{key: draw(vectors) for key in ("W0", "WP0", "V0", "VP0")},
        floating=floating,
        mobile=mobile,
        body=draw(bodies(name, plain)) if floating or mobile or heavy else None,
    )


@st.composite
def robots(draw: st.DrawFn, plain: bool = False) -> Robot:
    """Trees of up to three links with up to two loops, any base, and names that are the default ones or awkward.

    Plain ones are those that a .par file can hold.
    """
    count, closed = draw(st.integers(1, 3)), draw(st.integers(0, 2))
    total = count + closed
    joint_names = [f"joint{j}" for j in range(1, total + 1)] + [f"frame{total + j}" for j in range(1, closed + 1)]
    link_names = [f"link{j}" for j in range(count + 1)]
    if draw(st.booleans()):
        joint_names = draw(st.lists(names, min_size=total + closed, max_size=total + closed, unique=True))
        link_names = draw(st.lists(names, min_size=count + 1, max_size=count + 1, unique=True))
    of_tree = (*GEOMETRY, "IA", "FV", "FS")
    tree = [draw(joints(joint_names[j], j + 1, j, of_tree, plain)) for j in range(count)]
    joined = tuple(tree) if plain else draw(following(tree))
    pulled = not plain and any(len(joint.axes) == 1 for joint in tree)
    constant = st.lists(st.sampled_from([*link_names, "tool", "été"]), max_size=0 if plain else 2, unique=True)
    return Robot(
        name=draw(names),
        joints=joined,
        tendons=tuple(
            draw(tendons(name, joined)) for name in (draw(st.lists(names, max_size=2, unique=True)) if pulled else ())
        ),
        bodies=tuple(draw(bodies(name, plain)) for name in link_names[1:]),
        gravity=draw(vectors),
        free_frames=not plain and draw(st.booleans()),
        loops=tuple(
            draw(loops(joint_names[count + i], joint_names[total + i], count + i + 1, count, plain))
            for i in range(closed)
        ),
        base=draw(st.one_of(st.just(Base()), bases(link_names[0], plain))),
        frames=tuple(draw(frames(name, count, (*GEOMETRY, "e"))) for name in draw(constant)),
    )
