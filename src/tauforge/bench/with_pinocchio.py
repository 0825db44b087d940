"""The same robot in Pinocchio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..robot.kinds import FLOATING, HELICAL, PRISMATIC, REVOLUTE, SPHERICAL
from ..robot.robot import Robot
from .matrices import about_centre, pose
from .peer import DERIVATIVES, DIRECT, INERTIA, INVERSE, Call, Peer, Unfit, Work


def to_pinocchio(robot: Robot) -> Any:
    """Return the model of a numeric tree without fixed joints, built joint by joint."""
    import pinocchio as pin

    kinds = {
        REVOLUTE: lambda joint: pin.JointModelRZ(),
        PRISMATIC: lambda joint: pin.JointModelPZ(),
        SPHERICAL: lambda joint: pin.JointModelSpherical(),
        FLOATING: lambda joint: pin.JointModelFreeFlyer(),
        HELICAL: lambda joint: pin.JointModelHZ(float(joint.pitch)),
    }
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity, dtype=float)
    numbers = [0]
    for joint, body in zip(robot.joints, robot.bodies, strict=True):
        if joint.sigma not in kinds:
            raise Unfit(f"{joint.kind.word} joints have different coordinates or derivatives there")
        number = model.addJoint(numbers[joint.antecedent], kinds[joint.sigma](joint), pin.SE3(*pose(joint)), joint.name)
        numbers.append(number)
        first = model.joints[number].idx_v
        model.armature[first : first + len(joint.axes)] = float(joint.IA)
        model.appendBodyToJoint(number, pin.Inertia(*about_centre(body.inertia)), pin.SE3.Identity())
    return model


class Pinocchio(Peer):
    """A robot in Pinocchio."""

    name, module, install = "Pinocchio", "pinocchio", "pin"

    def __init__(self, robot: Robot) -> None:
        import pinocchio

        self.pin: Any = pinocchio
        self.model = to_pinocchio(robot)
        self.data = self.model.createData()
        self.pool = pinocchio.ModelPool(self.model, 1)

    def call(self, model: str) -> tuple[str, Call]:
        name = {INVERSE: "rnea", DIRECT: "aba", INERTIA: "crba", DERIVATIVES: "computeRNEADerivatives"}[model]
        function, own, data = getattr(self.pin, name), self.model, self.data
        return f"pin.{name}", lambda *row: function(own, data, *row)

    def ours(self, model: str, arrays: Sequence[Any], result: Any) -> Any:
        if model == INERTIA:  # only one half is filled
            return np.triu(result) + np.triu(result, 1).swapaxes(-1, -2)
        return result[:, :2] if model == DERIVATIVES else result  # without the derivatives by qdd

    def batch(self, model: str, arrays: Sequence[Any]) -> Work:
        if model not in (INVERSE, DIRECT) or 1 in arrays[1].shape:  # a single row or column makes its loop crash
            return super().batch(model, arrays)
        name = "rneaInParallel" if model == INVERSE else "abaInParallel"
        function, pool = getattr(self.pin, name), self.pool
        columns = [np.asfortranarray(x.T) for x in arrays]
        out = np.zeros_like(columns[1])
        return Work(
            f"pin.{name}, its own loop in C++", lambda: function(1, pool, *columns, out), lambda: out.T, len(arrays[0])
        )
