"""The C++ header: every kind of argument gives the same numbers, warnings are errors, and nothing is allocated."""

import numpy as np
import pytest

import tauforge as tf

from .drivers import EIGEN, WARNINGS
from .runners import require, tool

MAIN = """
#include <cstdio>
#include <cstdlib>
#include <new>
#include <Eigen/Core>
#include "arm.hpp"
#include "other.hpp"

static int allocated = 0;
void* operator new(std::size_t size) { allocated++; return std::malloc(size); }
void operator delete(void* x) noexcept { std::free(x); }
void operator delete(void* x, std::size_t) noexcept { std::free(x); }
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t size) { allocated++; return __libc_malloc(size); }

static_assert(arm::q_size == 3 && arm::M_size == 9 && arm::tau_size == 3);

int main() {
    const std::array<double, arm::q_size> q{0.1, -0.2, 0.3}, qd{0.5, 0.6, -0.7}, qdd{1.0, -2.0, 3.0};
    const int before = allocated;
    const arm::Results both = arm::evaluate(q, qd, qdd);
    const Eigen::Map<const Eigen::Vector3d> eq(q.data()), eqd(qd.data());
    const Eigen::Vector3d eqdd(1.0, -2.0, 3.0);
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> M;
    Eigen::Vector3d tau;
    arm::evaluate(eq, eqd, eqdd, M, tau);
    std::array<double, 9> flat{};
    std::array<double, 3> third{};
#if defined(__cpp_lib_span)
    arm::evaluate(std::span(q), std::span(qd), std::span(qdd), std::span(flat), std::span(third));
#else
    arm::evaluate(q.data(), qd.data(), qdd.data(), flat.data(), third.data());
#endif
    const std::array<float, 3> g = other::evaluate({0.1f, -0.2f, 0.3f});
    const int after = allocated;
    int same = after == before;
    for (int i = 0; i < 9; i++) same = same && both.M[std::size_t(i)] == M(i/3, i%3) && both.M == flat;
    for (int i = 0; i < 3; i++) same = same && both.tau[std::size_t(i)] == tau(i) && both.tau == third;
    for (int i = 0; i < 3; i++) std::printf("%.17g %.17g ", tau(i), double(g[std::size_t(i)]));
    return same ? 0 : 1;
}
"""


@pytest.mark.parametrize(
    ("compiler", "standard"), [("g++", 17), *(pytest.param(x, 20, marks=pytest.mark.slow) for x in ("g++", "clang++"))]
)
def test_every_kind_of_argument(compiler, standard, tmp_path):
    require(compiler, EIGEN)
    values = {name: 0.3 + 0.01 * k for k, name in enumerate(tf.robots.rrp(symbolic=True).symbols)}
    robot = tf.robots.rrp(symbolic=True).bind(**values)
    torques, held = tf.inverse_dynamics(robot), tf.gravity(robot)
    tf.fuse(tf.inertia_matrix(robot), torques, name="both").write(tmp_path / "arm.hpp")
    held.write(tmp_path / "other.hpp", target="cpp:float")
    (tmp_path / "main.cpp").write_text(MAIN)
    flags = [x for x in WARNINGS if x != "-pedantic"]
    tool([compiler, f"-std=c++{standard}", *flags, "-isystem", EIGEN, "main.cpp", "-o", "run"], tmp_path)
    found = np.array(tool([str(tmp_path / "run")], tmp_path).split(), dtype=float).reshape(3, 2)
    state = [0.1, -0.2, 0.3], [0.5, 0.6, -0.7], [1.0, -2.0, 3.0]
    np.testing.assert_allclose(found[:, 0], torques.compile()(*state), rtol=1e-13)
    np.testing.assert_allclose(found[:, 1], held.compile()(state[0]), rtol=1e-5, atol=1e-5)


def test_types_that_there_are_not():
    with pytest.raises(tf.TargetError, match="give double or float"):
        tf.gravity(tf.robots.planar2r()).code("cpp:real_t")
    with pytest.raises(tf.TargetError, match="give f64 or f32"):
        tf.gravity(tf.robots.planar2r()).code("rust:f16")
    with pytest.raises(tf.TargetError, match="does not fit a float"):
        tf.Program.of(y="1e300*x").code("c:float")
    with pytest.raises(tf.TargetError, match="has one type of numbers"):
        tf.gravity(tf.robots.planar2r()).code("go:float32")
