"""Random robots that use everything that a Robot can hold: hypothesis strategies."""

import math
from functools import reduce

from hypothesis import strategies as st

from tauforge import Base, Body, Inertia, Joint, Loop, Robot, symbol
from tauforge.graph.node import Node, absolute, as_node, atan2, cos, sin, sqrt
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


def _some(keys: tuple[str, ...]) -> st.SearchStrategy[dict[str, object]]:
    return st.dictionaries(st.sampled_from(keys), scalars, max_size=3)


def bodies(name: str) -> st.SearchStrategy[Body]:
    masses = st.one_of(st.floats(0, 100), st.just(symbol("m")))
    inertias = st.builds(lambda fields, mass: Inertia(**fields, M=mass), _some(Inertia._fields[:9]), masses)
    wrenches = _some(WRENCH).map(lambda fields: tuple(fields.get(key, 0.0) for key in WRENCH))
    return st.builds(Body, name=st.just(name), inertia=inertias, wrench=wrenches)


def _free(key: str, number: int) -> st.SearchStrategy[object]:
    """Velocity, say: free, free with its own symbol, or given."""
    own = [None, symbol(f"{key.lower()}_{number}"), symbol(f"{key}{number}__"), 0.0, symbol("m") * 2.0]
    return st.sampled_from(own)


@st.composite
def joints(draw: st.DrawFn, name: str, number: int, links: int, keys: tuple[str, ...]) -> Joint:
    return Joint(
        name=name,
        antecedent=draw(st.integers(0, links)),
        sigma=draw(st.sampled_from([0, 0, 1, 2])),
        mu=draw(st.integers(0, 1)),
        eta=draw(st.integers(0, 1)),
        variable=draw(st.sampled_from(["", f"th{number}__", f"angle{number}"])),
        **draw(_some(keys)),
        **{key: draw(_free(key, number)) for key in ("QP", "QDP", "GAM")},
    )


@st.composite
def loops(draw: st.DrawFn, cut: str, frame: str, number: int, links: int) -> Loop:
    antecedent, mu = draw(st.integers(0, links)), draw(st.integers(0, 1))
    constant = Joint(name=frame, antecedent=antecedent, sigma=2, mu=mu, **draw(_some(GEOMETRY)))
    return Loop(joint=draw(joints(cut, number, links, (*GEOMETRY, "k"))), frame=constant)


@st.composite
def bases(draw: st.DrawFn, name: str) -> Base:
    floating, mobile, heavy = (draw(st.booleans()) for _ in range(3))
    changed = draw(st.dictionaries(st.integers(0, 15), scalars, max_size=2))
    return Base(
        pose=tuple(changed.get(i, x) for i, x in enumerate(Base().pose)),
        **{key: draw(vectors) for key in ("W0", "WP0", "V0", "VP0")},
        floating=floating,
        mobile=mobile,
        body=draw(bodies(name)) if floating or mobile or heavy else None,
    )


@st.composite
def robots(draw: st.DrawFn) -> Robot:
    """Trees of up to three links with up to two loops, any base, and names that are the default ones or awkward."""
    count, closed = draw(st.integers(1, 3)), draw(st.integers(0, 2))
    total = count + closed
    joint_names = [f"joint{j}" for j in range(1, total + 1)] + [f"frame{total + j}" for j in range(1, closed + 1)]
    link_names = [f"link{j}" for j in range(count + 1)]
    if draw(st.booleans()):
        joint_names = draw(st.lists(names, min_size=total + closed, max_size=total + closed, unique=True))
        link_names = draw(st.lists(names, min_size=count + 1, max_size=count + 1, unique=True))
    of_tree = (*GEOMETRY, "IA", "FV", "FS", "k")
    return Robot(
        name=draw(names),
        joints=tuple(draw(joints(joint_names[j], j + 1, j, of_tree)) for j in range(count)),
        bodies=tuple(draw(bodies(name)) for name in link_names[1:]),
        gravity=draw(vectors),
        loops=tuple(
            draw(loops(joint_names[count + i], joint_names[total + i], count + i + 1, count)) for i in range(closed)
        ),
        base=draw(st.one_of(st.just(Base()), bases(link_names[0]))),
    )
