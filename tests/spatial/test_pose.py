"""Poses: the same product, inverse and matrix whether a rotation is given by angles, by its matrix, or not at all."""

import itertools

import numpy as np
import pytest

from tauforge.errors import ExpressionError
from tauforge.graph.node import symbol
from tauforge.spatial.pose import HERE, Pose
from tauforge.spatial.rotation import Rotation, about, quaternion
from tauforge.spatial.vector import Vector

ANGLES = Pose(Rotation([about(2, 0.3), about(0, -1.1), about(2, 2.0)]), Vector(0.1, -0.2, 0.3), 0.7)
MATRIX = Pose(Rotation([quaternion([0.1, -0.5, 0.3, 0.8])]), Vector(-1.0, 0.5, 0.25))
SHIFT = Pose(arm=Vector(1.0, 2.0, 3.0), r=0.5)
POSES = {"angles": ANGLES, "matrix": MATRIX, "shift": SHIFT, "both": ANGLES.then(MATRIX), "here": HERE}


def matrix(pose):
    return np.array(pose.homogeneous).reshape(4, 4)


@pytest.mark.parametrize(("first", "second"), [*itertools.product(POSES, repeat=2)])
def test_products(first, second):
    a, b = POSES[first], POSES[second]
    assert np.allclose(matrix(a.then(b)), matrix(a) @ matrix(b), atol=1e-15)


@pytest.mark.parametrize("pose", POSES.values(), ids=POSES)
def test_inverses_and_matrices(pose):
    assert np.allclose(matrix(pose.inverse()), np.linalg.inv(matrix(pose)), atol=1e-14)
    assert np.allclose(matrix(Pose.of(pose.homogeneous)), matrix(pose))
    assert np.allclose(matrix(pose.in_numbers()), matrix(pose))
    assert pose.is_identity == (pose is HERE)


def test_matrices_are_multiplied_and_angles_are_kept():
    assert len(MATRIX.then(MATRIX).R) == 1
    assert len(ANGLES.then(ANGLES).R) == 6


def test_symbols_are_no_numbers():
    with pytest.raises(ExpressionError):
        Pose(arm=Vector(symbol("L"), 0.0, 0.0)).in_numbers()
