"""The same robot in MuJoCo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from ..robot.joint import Joint
from ..robot.kinds import FLOATING, PRISMATIC, REVOLUTE, SPHERICAL
from ..robot.robot import Robot
from .matrices import about_centre, pose
from .peer import DERIVATIVES, DIRECT, INERTIA, INVERSE, Call, Peer, Unfit, Work, lacks

KINDS = {REVOLUTE: "hinge", PRISMATIC: "slide", SPHERICAL: "ball", FLOATING: "free"}


def mjcf(robot: Robot) -> str:
    """Return a numeric tree as MJCF: bodies with joints and inertias, without contacts."""
    inner = "\n".join(line for child in robot.children(0) for line in _body(robot, child))
    return f"""<mujoco model={quoteattr(robot.name)}>
<compiler angle="radian" autolimits="false" fusestatic="false"/>
<option gravity="{_list(robot.gravity)}" timestep="1" integrator="Euler">
<flag contact="disable" constraint="disable" eulerdamp="disable"/></option>
<worldbody>
{inner}
</worldbody></mujoco>"""


def _body(robot: Robot, number: int) -> Iterator[str]:
    joint, body = robot.joints[number - 1], robot.bodies[number - 1]
    if joint.sigma not in KINDS:
        raise Unfit(f"MuJoCo has no {joint.kind.word} joint")
    R, P = pose(joint)
    if joint.sigma == FLOATING and not (np.allclose(R, np.eye(3)) and np.allclose(P, 0) and not joint.antecedent):
        raise Unfit("MuJoCo's free joints move from the world's frame only")
    M, centre, about = about_centre(body.inertia)
    six = _list(about[i][k] for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    yield f'<body pos="{_list(P)}" xyaxes="{_list([*R[:, 0], *R[:, 1]])}">'
    yield f'<inertial pos="{_list(centre)}" mass="{M!r}" fullinertia="{six}"/>'
    axis = ' axis="0 0 1"' if joint.sigma in (REVOLUTE, PRISMATIC) else ""
    yield f'<joint type="{KINDS[joint.sigma]}"{axis} armature="{float(joint.IA)!r}"/>'
    for child in robot.children(number):
        yield from _body(robot, child)
    yield "</body>"


def _list(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


class MuJoCo(Peer):
    """A robot in MuJoCo, where a free body's linear velocity is in the world's axes and a quaternion starts with w."""

    name, module, install = "MuJoCo", "mujoco", "mujoco"

    def __init__(self, robot: Robot) -> None:
        import mujoco

        self.mj: Any = mujoco
        try:
            self.model = mujoco.MjModel.from_xml_string(mjcf(robot))
        except ValueError as error:
            raise Unfit(str(error).splitlines()[0].removeprefix("Error: ")) from None
        self.data = mujoco.MjData(self.model)
        self.robot = robot

    def call(self, model: str) -> tuple[str, Call]:
        mj, m, d = self.mj, self.model, self.data
        q, qd, qdd, applied, n = d.qpos, d.qvel, d.qacc, d.qfrc_applied, m.nv
        kinematics, com, velocity, rne, crb, forward = (
            getattr(mj, name) for name in ("mj_kinematics", "mj_comPos", "mj_comVel", "mj_rne", "mj_crb", "mj_forward")
        )
        rotors = np.array(m.dof_armature) if m.dof_armature.any() else None

        def efforts(*row: Any) -> Any:
            q[:], qd[:], qdd[:] = row
            result = np.empty(n)
            kinematics(m, d)
            com(m, d)
            velocity(m, d)
            rne(m, d, 1, result)
            return result if rotors is None else result + rotors * row[2]

        def accelerations(*row: Any) -> Any:
            q[:], qd[:], applied[:] = row
            forward(m, d)
            return qdd

        def inertia(*row: Any) -> Any:
            (q[:],) = row
            result = np.empty((n, n))
            kinematics(m, d)
            com(m, d)
            crb(m, d)
            mj.mj_fullM(m, d, result)
            return result

        if model == DERIVATIVES:
            raise lacks(self, model, " but by finite differences")
        return {
            INVERSE: ("mj_kinematics, mj_comPos, mj_comVel, mj_rne", efforts),
            DIRECT: ("mj_forward", accelerations),
            INERTIA: ("mj_kinematics, mj_comPos, mj_crb, mj_fullM", inertia),
        }[model]

    def batch(self, model: str, arrays: Sequence[Any]) -> Work:
        if model != DIRECT:
            return super().batch(model, arrays)
        from mujoco.rollout import rollout

        q, qd, tau = self.own(model, arrays)
        count = len(q)
        before = np.hstack([np.zeros((count, 1)), q, qd])
        after = np.zeros((count, 1, before.shape[1]))
        given = {
            "control": tau[:, None, :],
            "control_spec": int(self.mj.mjtState.mjSTATE_QFRC_APPLIED),
            "nstep": 1,
            "state": after,
            "sensordata": np.zeros((count, 1, self.model.nsensordata)),
        }
        return Work(
            "mujoco.rollout, one step of Euler, its own loop in C",
            lambda: rollout(self.model, self.data, before, **given),
            lambda: after[:, 0, -self.model.nv :] - qd,  # a step of one second
            count,
        )

    def own(self, model: str, arrays: Sequence[Any]) -> list[Any]:
        converted = [np.array(x) for x in arrays]
        for joint, i, k in self._several():
            q, end = converted[0], i + len(joint.kind.coordinates)
            q[:, end - 4 : end] = np.roll(q[:, end - 4 : end], 1, axis=1)
            if joint.sigma == FLOATING:
                R = self._turned(arrays[0][:, end - 4 : end])
                for place, x in enumerate(converted[1:], 1):
                    linear = x[:, k : k + 3].copy()
                    if place == 2 and model == INVERSE:
                        linear += np.cross(arrays[1][:, k + 3 : k + 6], arrays[1][:, k : k + 3])
                    x[:, k : k + 3] = np.einsum("nij,nj->ni", R, linear)
        return converted

    def ours(self, model: str, arrays: Sequence[Any], result: Any) -> Any:
        result = np.array(result)
        for joint, i, k in self._several():
            if joint.sigma != FLOATING:
                continue
            R = self._turned(arrays[0][:, i + 3 : i + 7])
            if model == INERTIA:
                result[:, k : k + 3] = np.einsum("nji,njk->nik", R, result[:, k : k + 3])
                result[:, :, k : k + 3] = np.einsum("nkj,nji->nki", result[:, :, k : k + 3], R)
            else:
                result[:, k : k + 3] = np.einsum("nji,nj->ni", R, result[:, k : k + 3])
            if model == DIRECT:
                result[:, k : k + 3] -= np.cross(arrays[1][:, k + 3 : k + 6], arrays[1][:, k : k + 3])
        return result

    def _several(self) -> Iterator[tuple[Joint, int, int]]:
        """Yield the joints with a quaternion, and where their coordinates and velocities begin."""
        i = k = 0
        for joint in self.robot.joints:
            if joint.sigma in (SPHERICAL, FLOATING):
                yield joint, i, k
            i, k = i + len(joint.kind.coordinates), k + len(joint.axes)

    @staticmethod
    def _turned(quaternions: Any) -> Any:
        """Return the rotation matrices of quaternions (x, y, z, w)."""
        x, y, z, w = quaternions.T
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        return np.moveaxis(np.array(rows), 2, 0)
