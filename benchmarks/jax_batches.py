"""Inverse dynamics of batches in JAX: our compiled function under jit and vmap, beside frax and MJX, on one processor.

Results and gradients are compared first. Times are taken in turn, each the shortest of several runs. Libraries that are
missing, or that cannot load the robot, are named. Run it with ``python -m benchmarks.jax_batches``.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

import tauforge as tf
from tauforge.bench.peer import INVERSE
from tauforge.bench.urdf import in_urdf
from tauforge.bench.with_frax import Frax

jax.config.update("jax_enable_x64", True)
WANTED = 5.0

Dynamics = Callable[[Any, Any, Any], Any]


def with_mjx(robot: tf.Robot) -> Dynamics:
    """Return MJX's inverse dynamics of the same robot."""
    import mujoco
    from mujoco import mjx

    model = mujoco.MjModel.from_xml_string(in_urdf(robot))
    model.opt.gravity = [float(x) for x in robot.gravity]
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    ours = mjx.put_model(model)
    empty = mjx.make_data(ours)

    def inverse(q: Any, qd: Any, qdd: Any) -> Any:
        return mjx.inverse(ours, empty.replace(qpos=q, qvel=qd, qacc=qdd)).qfrc_inverse

    return inverse


def loss(dynamics: Dynamics) -> Dynamics:
    return lambda q, qd, qdd: jnp.sum(dynamics(q, qd, qdd) ** 2)


def timed(works: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the shortest time of each, taken in turn."""
    best = dict.fromkeys(works, np.inf)
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            jax.block_until_ready(work())
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def compare_gradients(name: str, dynamics: Dynamics, states: list[Any], expected: list[Any]) -> None:
    """Compare gradients with ours; compiled without optimisation, which takes XLA minutes for some of them."""
    quick = {"xla_backend_optimization_level": "0", "xla_llvm_disable_expensive_passes": "True"}
    start = time.perf_counter()
    gradient = jax.jit(jax.vmap(jax.grad(loss(dynamics), (0, 1, 2))), compiler_options=quick)
    for a, b in zip(gradient(*states), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-7, err_msg=name)
    print(f"the gradients of {name} equal ours ({time.perf_counter() - start:.0f} s to compile)", flush=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--peers", default="frax,MJX", help="the libraries to compare with")
    options = parser.parse_args(arguments)
    robot = tf.robots.panda()
    program = tf.inverse_dynamics(robot)
    forms: dict[str, Dynamics] = {"Tauforge": program.to_jax()}
    makers = {"frax": lambda: Frax(robot).function(INVERSE), "MJX": lambda: with_mjx(robot)}
    for name in options.peers.split(","):
        try:
            forms[name] = makers[name]()
        except Exception as error:
            print(f"{name} is left out: {type(error).__name__}: {str(error).splitlines()[0]}")
    random = np.random.default_rng(0)
    states = [jnp.asarray(random.uniform(-1, 1, (options.batch, robot.dof))) for _ in range(3)]
    few = [x[:8] for x in states]
    expected = program.compile()(*few)
    slopes = jax.vmap(jax.grad(loss(forms["Tauforge"]), (0, 1, 2)))(*few)
    works: dict[str, Callable[[], Any]] = {}
    for name, dynamics in list(forms.items()):
        batch = jax.jit(jax.vmap(dynamics))
        np.testing.assert_allclose(batch(*few), expected, rtol=1e-9, atol=1e-9, err_msg=name)
        batch(*states)  # compiled now
        works[name] = lambda batch=batch: batch(*states)
    times = timed(works, options.rounds)
    print(f"inverse dynamics of {robot.name}, {options.batch} states, float64, jit of vmap")
    for name, seconds in times.items():
        ratio = seconds / times["Tauforge"]
        print(f"  {name:16} {1e6 * seconds / options.batch:8.3f} µs per state, {ratio:6.1f} times ours", flush=True)
    peers = [seconds for name, seconds in times.items() if name != "Tauforge"]
    reached = bool(peers) and min(peers) / times["Tauforge"] >= WANTED
    print("reached" if reached else f"wanted {WANTED}", flush=True)
    for name, dynamics in forms.items():
        if name != "Tauforge":
            compare_gradients(name, dynamics, [x[:2] for x in few], [x[:2] for x in slopes])


if __name__ == "__main__":
    main()
