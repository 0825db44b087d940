"""Programs that every target must get right: bundled and random robots, and what is most likely to break a printer."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from random import Random

from tauforge import (
    Body,
    Inertia,
    Joint,
    Program,
    ProgramError,
    Robot,
    close_loops,
    direct_dynamics,
    inverse_dynamics,
    regressor,
    robots,
    symbol,
)
from tauforge.graph import functions
from tauforge.graph import node as graph
from tauforge.graph.evaluate import evaluate
from tauforge.graph.operations import LIBRARY
from tauforge.program.array import inputs, outputs
from tauforge.program.program import PARAMETERS

from ..random_parallel import neutral
from ..random_robots import random_robot

AWKWARD = """
    L12 A1111 S1 end function E1 lambda D3 d3 q tau t1 WI12 C1 K1 K2 q1 tau1 parameters np math SIN Sin double real64
    RESULT a_1 a1 a_b ab _x __init__ WI1111 merge zeros leading def HUGE_VAL linux main i e gamma x_ x x_2
    unused_input float
"""
"""Symbols that are keywords, functions, arguments or our own names in some language, or differ in case alone."""
LONG = [f"{'a_very_long_name_of_a_length' * 3}_{k}" for k in range(3)]

Maker = Callable[[], Program]
Values = dict[str, list[float]]
"""The scalars of each input or output, row by row."""


def _bundled() -> dict[str, Maker]:
    found: dict[str, Maker] = {}
    for name in robots.names():
        symbolic = partial(robots.bundled, name, symbolic=True)
        found[name] = lambda name=name: inverse_dynamics(robots.bundled(name))
        found[f"{name}_symbolic"] = lambda symbolic=symbolic: inverse_dynamics(symbolic())
        if not robots.bundled(name).loops:
            found[f"{name}_base"] = lambda symbolic=symbolic: inverse_dynamics(symbolic(), parameters="base")
    return found


def _random() -> dict[str, Maker]:
    found: dict[str, Maker] = {}
    for seed in range(12):
        robot = random_robot(seed, symbolic=seed % 2 == 0, rotors=True)
        joints = [_with_friction(joint, seed) for joint in robot.joints]
        robot = Robot(name=robot.name, joints=tuple(joints), bodies=robot.bodies, gravity=robot.gravity)
        found[robot.name] = partial(inverse_dynamics, robot, external_wrenches=seed % 3 == 0)
    return found


def _with_friction(joint: Joint, seed: int) -> Joint:
    return replace(joint, FV=0.3, FS=symbol(f"FS_{joint.name}") if seed % 2 else 1.25)


def awkward_robot(count: int = 30) -> Robot:
    """Return a long chain that is full of awkward symbols."""
    names = [*AWKWARD.split(), *LONG, *(f"X{k}" for k in range(100))]
    joints, bodies = [], []
    for j in range(1, count + 1):
        d, r, mass, moment = (symbol(name) for name in names[4 * j - 4 : 4 * j])
        inertia = Inertia(ZZ=0.1 + 0.01 * j, XX=0.1, YY=0.2, MX=moment, MY=0.01 * j, M=mass)
        joints.append(
            Joint(name=f"joint {j}", antecedent=j - 1, alpha=(0.3, 0.0, 1.1)[j % 3], d=d, r=r, variable=f"var{j}")
        )
        bodies.append(Body(name=f"link {j}", inertia=inertia))
    return Robot(name="30 links: awkward", joints=tuple(joints), bodies=tuple(bodies))


def hostile() -> Program:
    """Return a Program whose names try to leave their comment, more than a Robot allows."""
    links = ["*/ #error", "/*", "\\", "%{", "'''", '"""', "θ₁ x", "x" * 300]
    joints = tuple(Joint(name=link, antecedent=j, variable=f"v{j}") for j, link in enumerate(links))
    bodies = tuple(Body(name=link, inertia=Inertia(ZZ=1.0, MX=0.5)) for link in links)
    name = "*/ evil(); /* ???/ %{ ! & # coding: utf-7 \\end{verbatim} \\ θ" + " long" * 60
    program = inverse_dynamics(Robot(name=name, joints=joints, bodies=bodies))
    worse = "*/\n%}\n#error\r\nend\u2028x\0 coding=utf-7"
    return replace(program, name=worse, heading=lambda: (worse, *program.heading(), "{", "&"))


def every_function() -> Program:
    """Return a Program with every operation, outputs of every rank, an input that nothing uses, and an empty one."""
    q = inputs("q", ["a", "b", "c"], "three numbers")
    unused = inputs("qd", ["a", "b"], "nothing needs these")
    empty = inputs("empty", [], "no numbers")
    x, y, z = q.nodes
    k = symbol("k")
    small = x / functions.sqrt(1.0 + x * x)
    ratio = (x - y) / (2.0 + z * z)
    values = [
        functions.asin(small) + functions.acos(-small) * k,
        functions.atan2(y, x) - functions.atan2(-1.0 - y, 2.5),
        functions.absolute(x - y) * functions.absolute(z),
        functions.sign(x - y) + 2.0 * functions.sign(z) - functions.sign(-x * y),
        ratio * (z / (3.0 + y * y)) * 0.1,
        -ratio,
    ]
    arguments = (graph.as_node(small), graph.as_node(0.5 * small))
    library = [functions.rebuild(op, arguments[:count]) for op, count in LIBRARY.items()]
    matrix = [x * x * x, -(x - y), y - x, x - y, 0.0, -3.5]
    cube = [
        functions.sin(x + y),
        functions.cos(x + y),
        functions.sin(k),
        functions.sin(x + 0.25),
        1e-7,
        -1.5e300 * x * 1e-290,
        k,
        -k,
    ]
    names = {graph.as_node(-(x * x)): "VP11", graph.as_node(-ratio): "WI12"}
    return Program(
        "every function",
        {"q": q, "qd": unused, "empty": empty},
        {
            "v": outputs(values, [6], [list("abcdef")], "a vector"),
            "M": outputs(matrix, [2, 3], [["r1", "r2"], ["c1", "c2", "c3"]], "a matrix"),
            "library": outputs(library, [len(library)], [], "each function of the library"),
            "T": outputs(cube, [2, 2, 2], [], "three axes"),
            "energy": outputs([x * x - y * z], [], [], "a number"),
        },
        names,
    )


def endless() -> Program:
    """Return a Program whose expressions are far too long and too deep to be written as one."""
    q = inputs("q", [f"x{i}" for i in range(400)], "many numbers")
    total, power, nested = 0.0, 1.0, q.nodes[0]
    for i, x in enumerate(q.nodes):
        total = total + x * symbol(f"P{i}") - 0.5 * i
        power = power * (1.0 + 0.001 * x) if i % 2 else power * 1.001 * (x * x + 0.9) / (1.0 + x * x)
        nested = functions.sqrt(nested * nested + 1.0 / (i + 1.0)) - x
    return Program("endless", {"q": q}, {"y": outputs([total, power, nested], [3], [["a", "b", "c"]], "results")})


def sparse() -> Program:
    """Return a Program of outputs that are mostly zeros: a matrix, a long vector, and one with nothing else."""
    x = inputs("x", ["a", "b"], "numbers")
    table = [0.0] * 240
    table[3], table[50], table[-1] = x.nodes[0] * x.nodes[1], 2.5, symbol("L") * symbol("L")
    return Program(
        "mostly_zero",
        {"x": x},
        {
            "M": outputs(table, [12, 20], [], "a matrix"),
            "y": outputs([x.nodes[1], *[0.0] * 200], [201], [], "a vector"),
            "none": outputs([0.0] * 101, [101], [], "zeros"),
            "few": outputs([0.0, x.nodes[0]], [2], [], "a short one"),
        },
    )


class Programs(Mapping[str, Program]):
    """Programs by name, each made when it is first asked for: collecting the tests needs names alone."""

    def __init__(self, makers: dict[str, Maker]) -> None:
        self.makers, self.made = makers, dict[str, Program]()

    def __getitem__(self, name: str) -> Program:
        if name not in self.made:
            self.made[name] = self.makers[name]()
        return self.made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.makers)

    def __len__(self) -> int:
        return len(self.makers)


@cache
def programs() -> Programs:
    """Return every Program by a name that is legal in each language."""
    return Programs(
        {
            **_bundled(),
            **_random(),
            "awkward": lambda: inverse_dynamics(awkward_robot()),
            "hostile": hostile,
            "every_function": every_function,
            "endless": endless,
            "mostly_zero": sparse,
        }
    )


QUICK = ("puma560", "rrp_base", "random3", "hostile", "every_function", "mostly_zero")
"""What a language is run on by the quick tests, if it is not among those that are run on everything."""
LONG_ONES = ("random0", "awkward", "endless")
"""What the slow tests add."""


@cache
def models() -> Programs:
    """Return the models of every bundled robot that each language must get right."""
    found: dict[str, Maker] = {}
    for name in robots.names():
        robot = partial(robots.bundled, name)
        found[f"{name}_torques"] = lambda robot=robot: inverse_dynamics(robot())
        found[f"{name}_accelerations"] = lambda robot=robot: direct_dynamics(robot())
        found[f"{name}_slopes"] = lambda robot=robot: inverse_dynamics(robot()).derivative("tau", "qd")
        found[f"{name}_columns"] = lambda robot=robot: regressor(robot())
    return Programs(found)


FIXED: dict[str, list[Values]] = {}
"""States of Programs that are not to be random."""


def states(name: str, program: Program, count: int = 3) -> list[Values]:
    """Return random inputs; in the last state every other velocity is zero, where friction has no sign.

    Those of the models are states that a robot can have: loops are closed, and inertias are possible.
    """
    if name in FIXED:
        return FIXED[name]
    random = Random(name)
    sizes = {key: len(array.nodes) for key, array in program.arguments.items()}
    found = [
        {key: [random.uniform(0.2, 1.2) * random.choice((-1, 1)) for _ in range(size)] for key, size in sizes.items()}
        for _ in range(count)
    ]
    if name in models():
        for state in found:
            _make_possible(state, name.rpartition("_")[0], program, random)
    if "qd" in found[-1]:
        found[-1]["qd"][::2] = [0.0] * len(found[-1]["qd"][::2])
    return found


@cache
def _closed(name: str) -> tuple[float, ...]:
    """Return a closed state of a bundled robot, not one at which joints are at zero."""
    robot, random = robots.bundled(name), Random(name)
    start = neutral(robot)
    for _ in range(100):
        with suppress(ProgramError):
            return tuple(map(float, close_loops(robot, None, guess=[x + random.uniform(-0.7, 0.7) for x in start])))
    raise AssertionError(f"no closed state of {name}")


def _make_possible(state: Values, name: str, program: Program, random: Random) -> None:
    """Close the loops of a state, and give it inertias of bodies."""
    if robots.bundled(name).loops:
        state["q"] = [*_closed(name)]
    ranges = {"M": (1.0, 4.0), "IA": (0.1, 0.2), **dict.fromkeys(("XX", "YY", "ZZ"), (0.3, 0.6))}
    for place, node in enumerate(program.arguments[PARAMETERS].nodes if PARAMETERS in program.arguments else ()):
        kind = str(node.value).rstrip("0123456789R")
        state[PARAMETERS][place] = random.uniform(*ranges.get(kind, (-0.05, 0.05)))


def expected(name: str, program: Program) -> list[Values]:
    """Return the outputs at each state, by walking the graph."""
    found = []
    for state in states(name, program):
        inputs = [pair for key, a in program.arguments.items() for pair in zip(a.nodes, state[key], strict=True)]
        values = {str(node.value): x for node, x in inputs}
        found.append({key: evaluate(array.nodes, values) for key, array in program.results.items()})
    return found
