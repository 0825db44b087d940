"""The benchmarks still run; what they measure is no matter of tests."""

import numpy as np
import pinocchio as pin
import pytest
from benchmarks import closed_loops, coordinates, loops, mechanisms, parallel, peers, rollout, sweep
from benchmarks.robots import chain, humanoid, panda, quadruped
from benchmarks.speed import agree
from benchmarks.startup import best, sympy_cse
from benchmarks.table import Table

import tauforge as tf
from tauforge.bench.prepare import states
from tauforge.bench.with_pinocchio import Pinocchio, to_pinocchio


def test_sympy_takes_the_same_recursion():
    robot = tf.robots.planar2r(symbolic=True)
    milliseconds, operations = sympy_cse(robot)
    assert milliseconds > 0
    assert operations > 20
    assert best(lambda: tf.inverse_dynamics(robot), rounds=1) > 0


def test_the_robots_of_the_benchmarks_are_those_of_pinocchio():
    for robot, dof in ((panda(), 7), (humanoid(), 38), (quadruped(), 18), (chain(5), 5)):
        assert robot.dof == dof
        model = to_pinocchio(robot)
        q, qd, qdd = (x[0] for x in states(robot, 1))
        damping = [float(joint.FV) for joint in robot.joints] if robot.name == "chain" else 0.0
        efforts = pin.rnea(model, model.createData(), q, qd, qdd) + damping * qd
        agree(tf.inverse_dynamics(robot).compile()(q, qd, qdd), efforts)


def test_results_that_differ_stop_a_benchmark():
    with pytest.raises(SystemExit, match="differ"):
        agree(np.ones(3), np.array([1.0, 1.0, 1.1]))


def test_a_table_prints_and_keeps(capsys):
    table = Table()
    table.row("b", 1.5, "s", "> 0")
    assert table.rows[0]["label"] == "b"
    assert "> 0" in capsys.readouterr().out


def test_the_robots_beside_other_libraries(capsys):
    peers.main(["--robots", "panda", "--models", "inertia-matrix", "--batch", "8", "--seconds", "0"], [Pinocchio])
    out = capsys.readouterr().out
    assert "Models of panda" in out
    assert "pin.crba" in out


def test_closed_loops_beside_pinocchio(capsys):
    closed_loops.main(["--robots", "fivebar", "--batch", "8", "--seconds", "0"])
    assert "fivebar, direct : constraintDynamics" in capsys.readouterr().out


def test_a_platform_beside_pinocchio(capsys):
    parallel.main(["--batch", "8", "--seconds", "0"])
    assert capsys.readouterr().out.count("gough_stewart") == 4


def test_all_coordinates_beside_other_libraries(capsys):
    given = ["--robots", "delta", "--batch", "4", "--seconds", "0", "--platforms", "2", "--steps", "2"]
    coordinates.main(given)
    out = capsys.readouterr().out
    assert out.count("MuJoCo : all") == 3
    assert out.count("Pinocchio : all") == 2
    assert out.count("all : independent") == 3


def test_loops_that_grow(capsys):
    loops.main([1, 2], rounds=1)
    out = capsys.readouterr().out
    assert "side by side: milliseconds per loop for 1, 2 loops" in out
    assert out.count("trace direct") == 2


@pytest.mark.parametrize("threads", ["1", "2"])
def test_rollouts_beside_mujoco(capsys, threads):
    rollout.main(["--robots", "panda", "--batch", "9", "--steps", "5", "--threads", threads])
    assert capsys.readouterr().out.count("panda, ") == 4


def test_mechanisms_beside_published_values(capsys):
    mechanisms.main(["--problems", "bricard"])
    out = capsys.readouterr().out
    assert "Bricard's mechanism" in out
    assert "energy drift" in out
    with pytest.raises(SystemExit):
        mechanisms.main(["--problems", "perpetuum"])


@pytest.mark.slow
def test_what_sweeps_cost(capsys):
    sweep.main(["--count", "20", "--runs", "4"])
    out = capsys.readouterr().out
    assert "nothing, 2 Dask, on disk" in out
    assert "simulations of a Puma 560, other loads" in out
