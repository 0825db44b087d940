"""``Program.optimise``: its efforts, objectives and seeds, what it keeps, and that all it returns is proved."""

import io
import json
import subprocess
import sys
from dataclasses import replace
from inspect import signature
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge import progress, store
from tauforge.graph.functions import cos, sin
from tauforge.graph.node import as_node
from tauforge.program import saved, search
from tauforge.program.accuracy import Accuracy
from tauforge.program.network.change import Changes
from tauforge.program.network.cost import OBJECTIVES, Prices, instructions, latency, throughput, work
from tauforge.program.network.network import SUM, Network
from tests.planar_loops import planar_loop
from tests.random_loops import random_mechanism
from tests.random_robots import random_robot

SHORT = search.Effort(rounds=2, patience=2, steps=3, least=300, most=6, pairs=400, heat=0.15)
TEXTBOOK = tf.robots.planar2r(symbolic=True).bind(MY1=0.0, MY2=0.0)


@pytest.mark.parametrize(
    ("model", "most"),
    [
        (tf.coriolis_matrix, 5),  # h = D2 MX2 sin q2; h qd1, h qd2, and the sum of both
        (tf.inertia_matrix, 5),
        (tf.gravity, 6),  # cos(q1 + q2) among them
        (tf.inverse_dynamics, 25),
    ],
)
def test_textbook_counts_of_two_links(model, most):
    program = model(TEXTBOOK, parameters="base")
    best = program.optimise()
    assert best.count().total <= most
    assert program.certify(best)


def by_hand(program):
    """Return the formulas of ``docs/records.md`` for a model of two links."""
    nodes = {name: array.nodes for name, array in program.arguments.items()}
    (q1, q2), (a1, a2), (b1, b2) = (nodes.get(name, (0.0, 0.0)) for name in ("q", "qd", "qdd"))
    D2, MX1, MX2, ZZ1, ZZ2 = map(tf.symbol, ("D2", "MX1R", "MX2", "ZZ1R", "ZZ2"))
    K = D2 * MX2
    h, s = K * cos(q2), K * sin(q2)
    M12 = ZZ2 + h
    M11 = ZZ1 + M12 + h
    g2 = 9.81 * MX2 * cos(q1 + q2)
    g1 = 9.81 * MX1 * cos(q1) + g2
    speeds = s * a2 * (2.0 * a1 + a2)
    made = {
        "M": [M11, M12, M12, ZZ2],
        "C": [-(s * a2), -(s * a1 + s * a2), s * a1, 0.0],
        "g": [g1, g2],
        "tau": [M11 * b1 + M12 * b2 - speeds + g1, M12 * b1 + ZZ2 * b2 + s * (a1 * a1) + g2],
    }
    (name, array), *_ = program.results.items()
    return replace(program, results={name: replace(array, nodes=tuple(map(as_node, made[name])))})


@pytest.mark.parametrize(
    ("model", "count"),
    [(tf.inertia_matrix, 5), (tf.coriolis_matrix, 5), (tf.gravity, 6), (tf.inverse_dynamics, 28)],
)
def test_counts_by_hand_are_those_of_right_formulas(model, count):
    program = model(TEXTBOOK, parameters="base")
    hand = by_hand(program)
    assert program.certify(hand)
    assert hand.count().total == count


COUNTS = {("rx90", "inertia_matrix"): 238, ("stanford", "inertia_matrix"): 199, ("scara", "inertia_matrix"): 34}


@pytest.mark.parametrize(("name", "model"), COUNTS)
def test_counts_after_the_quick_effort(name, model):
    program = getattr(tf, model)(tf.robots.bundled(name, symbolic=True), parameters="base")
    assert program.optimise("quick").count().total <= COUNTS[name, model]


@pytest.mark.slow
def test_regressor_below_that_of_sympybotics():
    program = tf.regressor(tf.robots.rx90(symbolic=True), parameters="base")
    assert program.optimise().count().total <= 710


def programs(robot, random):
    """Return some Programs of a robot, and a derivative."""
    models = [tf.inverse_dynamics, tf.direct_dynamics, tf.gravity, tf.bias, tf.inertia_matrix, tf.energy]
    if not robot.loops:
        models += [tf.coriolis_matrix, tf.regressor]
    made = [model(robot) for model in models]
    return [*made, made[0].derivative("tau", random.choice(["q", "qd"]))]


def robot_of(seed, spatial):
    """Return a random tree or mechanism of two to five joints, on a floating base or with friction and springs now and
    then; spatial loops, if asked for, have more.
    """
    if seed % 5 == 4:
        return (random_mechanism if spatial and seed % 20 == 9 else planar_loop)(seed)[0]
    return random_robot(
        seed,
        smallest=2,
        largest=5,
        symbolic=seed % 2 == 0,
        several=seed % 3 == 0,
        floating=seed % 7 == 3,
        equipped=seed % 3 == 1,
    )


MOST = {"quick": 1000, "default": 250, "high": 90}
"""Operations of the Programs of random robots, so that no search takes much longer than others; loops have more."""


def check_robot(seed, effort):
    """Optimise a Program of a random robot, prove the result anew and measure its accuracy."""
    random = Random(seed)
    made = programs(robot_of(seed, effort == "quick"), random)
    fitting = [x for x in made if 3 < x.count().total <= MOST[effort]]
    program = random.choice(fitting) if fitting else min(made, key=lambda x: abs(x.count().total - MOST[effort]))
    accuracy = Accuracy(program)
    objective = [*OBJECTIVES][seed % len(OBJECTIVES)]
    best = program.optimise(effort, objective=objective, seed=seed)
    best.check()
    assert program.certify(best)
    measure = OBJECTIVES[objective].measure
    assert measure(best) < measure(program) or best is program
    assert accuracy.allows(best)
    return program, best


@pytest.mark.parametrize("seed", range(6))
def test_random_robots(seed):
    check_robot(seed, "quick")


SEEDS = {"quick": 300, "default": 150, "high": 50}
"""How many robots the long runs try. With each effort, 300 held once: in 4, 13 and 29 minutes of a busy core."""


@pytest.mark.slow
@pytest.mark.parametrize(("effort", "seed"), [(effort, seed) for effort, n in SEEDS.items() for seed in range(n)])
def test_many_random_robots(effort, seed):
    check_robot(seed, effort)


def test_a_program_that_cannot_be_improved_comes_back():
    for program in (tf.Program.of(y="a*b + c"), tf.Program.of(y="a"), tf.Program.of(y=1.0), tf.Program.of(y="sin(a)")):
        for effort in ("quick", "default"):
            assert program.optimise(effort) is program


def test_the_same_seed_gives_the_same_program(monkeypatch):
    monkeypatch.setenv("TAUFORGE_CACHE", "off")
    monkeypatch.setitem(search.EFFORTS, "default", SHORT)
    text = (
        "import tauforge as tf; from tests.program.test_search import SHORT; from tauforge.program import search;"
        "search.EFFORTS['default'] = SHORT;"
        "p = tf.inertia_matrix(tf.robots.stanford(symbolic=True), parameters='base');"
        "print(p.optimise(seed=3).code('c'))"
    )
    told = [
        subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout for _ in "ab"
    ]
    program = tf.inertia_matrix(tf.robots.stanford(symbolic=True), parameters="base")
    assert told[0] == told[1] == program.optimise(seed=3).code("c") + "\n"
    assert program.optimise(seed=4).code("c") + "\n" != told[0]


def test_the_certificate_is_in_the_code():
    program = tf.Program.of(y="a*b + a*c")
    best = program.optimise("quick")
    assert "3 operations became 2" in best.code("c")
    assert "equal at 2 exact random points" in best.heading()[0]


def test_what_is_found_is_proved_once(monkeypatch):
    """A proof with many roots takes longer than the search: 40 seconds for the inverse geometry of a SCARA."""
    proofs, certify = [], tf.Program.certify
    monkeypatch.setattr(
        tf.Program, "certify", lambda *given, **more: proofs.append(certify(*given, **more)) or proofs[-1]
    )
    best = tf.Program.of(y="a*b + a*c").optimise("quick")
    assert best.count().total == 2
    assert len(proofs) == 1


def test_results_are_kept_and_found_again(monkeypatch, tmp_path):
    tmp_path.chmod(0o700)
    monkeypatch.setenv("TAUFORGE_CACHE", str(tmp_path))
    program = tf.inertia_matrix(tf.robots.scara(symbolic=True), parameters="base")
    first = program.optimise()
    monkeypatch.setattr(search, "found", lambda *_: pytest.fail("searched again"))
    again = program.optimise()
    assert again.code("c") == first.code("c")
    assert [*again.names.values()] == [*first.names.values()]
    (path,) = tmp_path.glob("*.code")
    key = path.stem
    monkeypatch.setattr(search, "found", lambda *_: iter(()))
    damaged = b'{"rows": [["add", [5, 6], null]], "outputs": [0], "names": [], "start": 0}'
    small = b'{"rows": [["const", [], 1.0]], "outputs": [0], "names": [], "start": 0}'
    for data in (damaged, small, b"[" * 100_000):
        store.write(tmp_path, key, data)
        assert program.optimise() is program  # what is kept is no graph, or too small: searched again, in vain


@pytest.mark.parametrize("name", ["scara", "stanford"])
def test_code_of_what_is_found_again_is_the_same(monkeypatch, tmp_path, name):
    """The head's table of inertial parameters is of the set searched from, and negatives keep their names."""
    tmp_path.chmod(0o700)
    monkeypatch.setenv("TAUFORGE_CACHE", str(tmp_path))
    monkeypatch.setitem(search.EFFORTS, "default", replace(search.EFFORTS["quick"], rounds=search.LONG_ENOUGH))
    program = tf.inverse_dynamics(tf.robots.bundled(name))
    first, again = (program.optimise().code("c", name=name).splitlines() for _ in range(2))
    assert [x for x in first if "exact random" not in x] == [x for x in again if "exact random" not in x]


def test_an_interrupted_search_returns_what_it_found_and_keeps_nothing(monkeypatch, tmp_path):
    tmp_path.chmod(0o700)
    monkeypatch.setenv("TAUFORGE_CACHE", str(tmp_path))
    program = tf.inertia_matrix(tf.robots.rx90(symbolic=True), parameters="base")
    rounds = iter([search._round])

    def one_round(*given):
        if work := next(rounds, None):
            return work(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(search, "_round", one_round)
        with pytest.warns(RuntimeWarning, match="the search was interrupted") as told:
            best = program.optimise()
    assert told[0].filename == __file__
    assert best.count().total < program.count().total
    assert program.certify(best)
    assert not [*tmp_path.iterdir()]


def test_a_kept_graph_of_something_else_is_not_returned(monkeypatch, tmp_path):
    tmp_path.chmod(0o700)
    monkeypatch.setenv("TAUFORGE_CACHE", str(tmp_path))
    program = tf.Program.of(y="a*b + a*c + b*c*d + a*d")
    program.optimise()
    (path,) = tmp_path.glob("*.code")
    wrong = replace(program, results=tf.Program.of(y="a + b").results)
    store.write(tmp_path, path.stem, json.dumps(saved._plain(wrong) | {"start": 0}).encode())
    assert program.optimise() is program


@pytest.mark.parametrize("effort", ["slow", 0, -1.0, float("inf"), float("nan"), None, True, 10**400, np.True_, 1j])
def test_unknown_efforts_are_refused(effort):
    with pytest.raises(tf.ProgramError, match="effort is"):
        tf.Program.of(y="a*b").optimise(effort)


@pytest.mark.parametrize("objective", ["beauty", None, ["size"]])
def test_unknown_objectives_are_refused(objective):
    with pytest.raises(tf.ProgramError, match="'operations', 'size', 'latency', 'throughput'"):
        tf.Program.of(y="a*b").optimise(objective=objective)


@pytest.mark.parametrize("seed", [None, "1", 1.5, [1]])
def test_seeds_that_could_not_be_repeated_are_refused(seed):
    with pytest.raises(tf.ProgramError, match=r"seed is .*; it must be a whole number"):
        tf.Program.of(y="a*b + a*c").optimise("quick", seed=seed)


def test_numbers_of_numpy_are_efforts_and_seeds():
    program = tf.Program.of(y="a*b + a*c")
    assert program.optimise("quick", seed=np.int64(3)).code("c") == program.optimise("quick", seed=3).code("c")
    assert program.optimise(np.int64(1)).count().total == 2


def test_constants_whose_product_is_too_large_stay_apart():
    program = tf.Program.of(y="a*1e200*b*1e200 + c*a*1e250*d*1e250")
    best = program.optimise()
    assert best.count().total <= program.count().total
    assert program.certify(best)


def test_an_effort_in_seconds_ends():
    program = tf.gravity(tf.robots.stanford(symbolic=True))
    best = program.optimise(0.3)
    assert best.count().total < program.count().total
    assert program.certify(best)


def test_an_effort_in_seconds_is_never_less_than_quick():
    program = tf.coriolis_matrix(tf.robots.scara(symbolic=True))
    assert program.optimise(1e-9).count().total <= program.optimise("quick").count().total


def test_objectives_measure_different_things():
    chain = tf.Program.of(y="a + (b + (c + (d + (e + (f + (g + h))))))")
    best = chain.optimise("quick", objective="latency")
    assert latency(best) < latency(chain)
    assert best.count() == chain.count()
    assert work(tf.Program.of(y="a*b + c")) == 1
    assert throughput(chain) < latency(chain)
    assert instructions(tf.Program.of(y="sin(a)*b")) == 4


def test_divisors_are_inverted_once_where_that_takes_less_time():
    program = tf.Program.of(x="a/d", y="b/d", z="(c + 1)/d", w="a/(b*b + 1)")
    fast = program.optimise("quick", objective="throughput")
    assert fast.count().div == 2
    assert program.certify(fast)
    assert program.optimise("quick").count().div == 4  # by count, a product is worth no less than a quotient
    assert tf.Program.of(x="a/d").optimise("quick", objective="latency").count().mul == 0


@pytest.mark.parametrize(
    ("expression", "most"), [("a/b + d/b", 2), ("-a/b - d/b", 2), ("a/b - d/b + e/b", 3), ("a/b/c + d/b/c", 3)]
)
def test_sums_of_quotients_are_divided_once(expression, most):
    program = tf.Program.of(y=expression)
    best = program.optimise()
    assert best.count().total == most
    assert program.certify(best)
    shared = tf.Program.of(y=expression, z="a/b")  # a quotient that is needed anyway
    assert shared.optimise().count().total <= shared.count().total


def test_sums_that_lose_digits_are_refused():
    program = tf.Program.of(y="a*b*c + d", z="(a*b*c + d) + 1e9", w="sin(a + 1e9)")
    best = program.optimise("quick")
    accuracy = Accuracy(program)
    assert accuracy.allows(best)
    a, b, c, d = (tf.symbol(x) for x in "abcd")
    lossy = ((a * b * c + 1e9 * a) + d) - 1e9 * a
    worse = replace(program, results={**program.results, "y": replace(program.results["y"], nodes=(lossy,))})
    assert program.certify(worse)
    assert not accuracy.allows(worse)


def test_sums_that_lose_digits_at_high_speed_are_refused():
    program = tf.inverse_dynamics(tf.robots.planar2r())
    speed, first, second = program.arguments["qd"].nodes[0], *program.results["tau"].nodes
    lossy = ((first + speed**4) + second) - speed**4 - second
    worse = replace(program, results={"tau": replace(program.results["tau"], nodes=(lossy, second))})
    assert program.certify(worse)
    assert not Accuracy(program).allows(worse)


def test_accuracy_of_what_has_no_value_everywhere():
    program = tf.Program.of(y="sqrt(a - 100)*b + sqrt(a - 100)*c")
    best = program.optimise("quick")
    assert best.count().total == 4
    assert program.certify(best)


def test_values_have_one_definition_each():
    program = tf.Program.of(y="sin(a)*cos(b) + cos(a)*sin(b)", z="sin(a + b)*c", w="b*c + c*b")
    network = Network(program, Prices())
    made = network.rebuilt()
    assert program.certify(made)
    assert made.count().total == 4
    changes = Changes(network, Random(0))
    number = next(i for i in network.order() if network.kind[i] == SUM)
    assert changes.attempt(number, lambda *_: None) is None
    assert changes.attempt(number, lambda *_: network.definition(number)) is None


def test_progress_is_one_line_at_a_terminal(monkeypatch):
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(progress.sys, "stderr", stream)
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(progress, "SHOWN_EVERY", 0.0)
    tf.Program.of(y="a*b + a*c").optimise("quick")
    assert "optimising program [" in stream.getvalue()
    assert "cost 2" in stream.getvalue()
    assert stream.getvalue().endswith("\r")


def test_repeated_programs_and_derivatives_of_what_is_optimised():
    robot = tf.robots.planar2r()
    best = tf.inverse_dynamics(robot).optimise("quick")
    slope = best.derivative("tau", "q")
    plain = tf.inverse_dynamics(robot).derivative("tau", "q")
    assert plain.certify(slope.optimise("quick"))
    state = np.random.default_rng(0).normal(size=(3, 2))
    np.testing.assert_allclose(best.compile()(*state), tf.inverse_dynamics(robot).compile()(*state), rtol=1e-12)
    assert [*signature(tf.Program.optimise).parameters] == ["self", "effort", "objective", "seed"]
