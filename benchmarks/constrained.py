"""Mechanisms with closed loops in Pinocchio: each cut holds a point."""

from __future__ import annotations

from typing import Any

import tauforge as tf
from tauforge.bench.matrices import pose
from tauforge.bench.with_pinocchio import to_pinocchio


class Constrained:
    """A mechanism whose cuts are ball joints, or revolute joints of planar loops."""

    def __init__(self, robot: tf.Robot, accuracy: float) -> None:
        import pinocchio as pin

        self.pin: Any = pin
        self.model = to_pinocchio(robot)
        self.data = self.model.createData()
        self.contacts = pin.StdVec_RigidConstraintModel()
        for loop in robot.loops:
            sides = [x for joint in (loop.joint, loop.frame) for x in (joint.antecedent, pin.SE3(*pose(joint)))]
            self.contacts.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, *sides, pin.LOCAL))
        self.datas = pin.StdVec_RigidConstraintData()
        self.datas.extend([contact.createData() for contact in self.contacts])
        self.settings = pin.ProximalSettings(accuracy, accuracy, 1e-10, 5)
        try:
            pin.initConstraintDynamics(self.model, self.data, self.contacts, self.datas)
        except TypeError:  # before Pinocchio 4
            pin.initConstraintDynamics(self.model, self.data, self.contacts)

    def direct(self, q: Any, v: Any, effort: Any) -> Any:
        """Return the accelerations of all joints."""
        return self.pin.constraintDynamics(
            self.model, self.data, q, v, effort, self.contacts, self.datas, self.settings
        )

    def equations(self, q: Any) -> Any:
        """Return the Jacobian of the constraints."""
        self.pin.computeJointJacobians(self.model, self.data, q)
        for contact, data in zip(self.contacts, self.datas, strict=True):
            contact.calc(self.model, self.data, data)
        return self.pin.getConstraintsJacobian(self.model, self.data, self.contacts, self.datas)


def each(call: Any, rows: list[list[Any]]) -> None:
    """Call a function state by state."""
    for row in rows:
        call(*row)
