"""The same robot in Drake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..robot.robot import Robot
from .peer import DERIVATIVES, DIRECT, INERTIA, INVERSE, Call, Peer, Unfit, lacks
from .urdf import in_urdf


class Drake(Peer):
    """A robot on a fixed base in a MultibodyPlant."""

    name, module, install = "Drake", "pydrake", "drake"

    def __init__(self, robot: Robot) -> None:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant

        self.plant: Any = MultibodyPlant(0.0)
        try:
            (found,) = Parser(self.plant).AddModelsFromString(in_urdf(robot), "urdf")
        except (RuntimeError, ValueError) as error:
            raise Unfit(str(error).splitlines()[0]) from None
        self.plant.WeldFrames(
            self.plant.world_frame(), self.plant.get_body(self.plant.GetBodyIndices(found)[0]).body_frame()
        )
        self.plant.mutable_gravity_field().set_gravity_vector([float(x) for x in robot.gravity])
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()
        port = self.plant.get_applied_generalized_force_input_port()
        self.force = port.FixValue(self.context, np.zeros(self.plant.num_velocities()))
        joints = [self.plant.GetJointByName(name, found) for name in robot.joint_names]
        self.theirs = np.argsort([joint.velocity_start() for joint in joints])  # their order of our degrees of freedom
        self.back = np.argsort(self.theirs)

    def own(self, model: str, arrays: Sequence[Any]) -> list[Any]:
        q, *more = (np.ascontiguousarray(x[:, self.theirs]) for x in arrays)
        return [np.hstack([q, more[0]]), *more[1:]] if more else [q]

    def ours(self, model: str, arrays: Sequence[Any], result: Any) -> Any:
        result = np.asarray(result)[..., self.back]
        return result[:, self.back] if model == INERTIA else result

    def call(self, model: str) -> tuple[str, Call]:
        from pydrake.multibody.tree import MultibodyForces

        plant, context = self.plant, self.context
        n, gravity, force = plant.num_velocities(), MultibodyForces(plant), self.force.GetMutableData()

        def efforts(x: Any, qdd: Any) -> Any:
            plant.SetPositionsAndVelocities(context, x)
            plant.CalcForceElementsContribution(context, gravity)
            return plant.CalcInverseDynamics(context, qdd, gravity)

        def accelerations(x: Any, tau: Any) -> Any:
            plant.SetPositionsAndVelocities(context, x)
            force.set_value(tau)
            return plant.EvalTimeDerivatives(context).CopyToVector()[n:]

        def inertia(q: Any) -> Any:
            plant.SetPositions(context, q)
            return plant.CalcMassMatrix(context)

        if model == DERIVATIVES:
            raise lacks(self, model, " but by its slow AutoDiff scalars")
        calls: dict[str, tuple[str, Call]] = {
            INVERSE: ("CalcForceElementsContribution, CalcInverseDynamics", efforts),
            DIRECT: ("EvalTimeDerivatives", accelerations),
            INERTIA: ("CalcMassMatrix", inertia),
        }
        return calls[model]
