"""The tree of links, from MuJoCo's compiled bodies and joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...robot.body import NO_LIFT, Body
from ...robot.joint import NO_LIMITS, Joint, Limits
from ...robot.kinds import FIXED, FLOATING, PRISMATIC, REVOLUTE, SPHERICAL
from ...robot.placement import placement
from ...robot.variables import unused
from ...spatial.inertia import Inertia
from ...spatial.pose import HERE, Pose
from ...spatial.vector import Vector
from .place import joint_frame, pose
from .visuals import visuals

KINDS = (FLOATING, SPHERICAL, PRISMATIC, REVOLUTE)
"""The kinds of MuJoCo's joint types free, ball, slide and hinge, in the order of their numbers."""
_ON_JOINT = (0, 1)  # mjTRN_JOINT, mjTRN_JOINTINPARENT
_ROUNDING = 1e-12  # relative error of the inertia's principal axes, which MuJoCo computes


@dataclass
class Tree:
    """The links made so far, and where MuJoCo's bodies and joints are among them."""

    joints: list[Joint] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    frames: list[Joint] = field(default_factory=list)
    link: list[int] = field(default_factory=list)
    """The number of each body's link."""
    own: list[Pose] = field(default_factory=list)
    """The frame of each body on its link."""
    number: dict[int, int] = field(default_factory=dict)
    """The number here of each of MuJoCo's joints."""

    def frame(self, name: str, body: int, place: Pose, kind: int = FIXED) -> Joint:
        """Return a joint attached to one of MuJoCo's bodies."""
        at = self.own[body].then(place)
        return Joint(name=name, antecedent=self.link[body], sigma=kind, mu=0, **placement(at))


def body_name(model: Any, body: int) -> str:
    return str(model.body(body).name) or f"body{body}"


def joint_name(model: Any, joint: int) -> str:
    """Return a joint's name; by default, the name of its body with a number."""
    body = model.jnt_bodyid[joint]
    number = joint - model.body_jntadr[body] + 1
    default = f"{body_name(model, body)}_joint{number if model.body_jntnum[body] > 1 else ''}"
    return str(model.joint(joint).name) or default


def disabled(model: Any, *names: str) -> bool:
    """Tell whether one of MuJoCo's flags that disable part of the physics is set."""
    from mujoco import mjtDisableBit

    bits = (getattr(mjtDisableBit, f"mjDSBL_{name}", 0) for name in names)
    return any(model.opt.disableflags & int(bit) for bit in bits)


def tree_of(model: Any, snap: float) -> Tree:
    """Return the links of all bodies; body 0 is the world, which is link 0."""
    tree = Tree(link=[0], own=[HERE])
    driven = _driven(model)
    links = {body_name(model, body) for body in range(model.nbody)}
    taken = {str(model.joint(joint).name) for joint in range(model.njnt)}
    for body in range(1, model.nbody):
        parent = model.body_parentid[body]
        at = tree.own[parent].then(pose(model.body_quat[body], model.body_pos[body], snap))
        link, name = tree.link[parent], body_name(model, body)
        first, count = model.body_jntadr[body], model.body_jntnum[body]
        for joint in range(first, first + count):
            label = str(model.joint(joint).name) or _fresh(joint_name(model, joint), taken)
            kind = KINDS[model.jnt_type[joint]]
            frame = HERE if kind == FLOATING else joint_frame(kind, model.jnt_axis[joint], model.jnt_pos[joint])
            place = HERE if kind == FLOATING else at.then(frame)  # a free joint moves relative to the world's origin
            tree.joints.append(_joint(model, joint, label, link, place, driven))
            tree.number[joint] = link = len(tree.joints)
            at = frame.inverse()
            if joint < first + count - 1:
                tree.bodies.append(Body(name=_fresh(f"{name}_{label}", links)))
        if not count:
            label = _fresh(f"{name}_fixed", taken)
            tree.joints.append(Joint(name=label, antecedent=link, sigma=FIXED, mu=0, **placement(at)))
            link, at = len(tree.joints), HERE
        tree.link.append(link)
        tree.own.append(at)
        inertia = _inertia(model, body, at)
        lifted = gravity_compensation(model, body)
        lift = tuple(lifted * x for x in inertia[6:]) if lifted else NO_LIFT
        tree.bodies.append(Body(name=name, inertia=inertia, lift=lift, visuals=visuals(model, body, at)))
        if not at.is_identity:
            tree.frames.append(tree.frame(name, body, HERE))
    _sites(model, tree, links, snap)
    return tree


def _fresh(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it."""
    name = unused(name, taken)
    taken.add(name)
    return name


def _sites(model: Any, tree: Tree, taken: set[str], snap: float) -> None:
    """Add a frame for each named site, with ``_site`` appended if a body has that name."""
    for site in range(model.nsite):
        if name := str(model.site(site).name):
            name = _fresh(f"{name}_site" if name in taken else name, taken)
            place = pose(model.site_quat[site], model.site_pos[site], snap)
            tree.frames.append(tree.frame(name, model.site_bodyid[site], place))


def _joint(model: Any, joint: int, name: str, link: int, place: Pose, driven: set[int]) -> Joint:
    """Return a joint on a link at a given pose, with its drive, friction, spring and limits."""
    kind = KINDS[model.jnt_type[joint]]
    address = model.jnt_qposadr[joint]
    fields = placement(place)
    if kind in (REVOLUTE, PRISMATIC):
        offset = "theta" if kind == REVOLUTE else "r"
        fields[offset] -= float(model.qpos0[address])  # the file gives the pose at qpos0
    stiffness = 0.0 if disabled(model, "SPRING", "PASSIVE") else float(model.jnt_stiffness[joint])
    if stiffness and kind != FLOATING:
        rest = 0.0 if kind == SPHERICAL else float(model.qpos_spring[address])  # a ball's spring: when not turned
        fields |= {"eta": 1, "k": stiffness, "rest": rest}
    return Joint(
        name=name,
        antecedent=link,
        sigma=kind,
        mu=int(joint in driven),
        IA=of_drive(model, joint, "armature"),
        FV=0.0 if disabled(model, "DAMPER", "PASSIVE") else of_drive(model, joint, "damping"),
        FS=0.0 if kind == FLOATING else friction_loss(model, "dof", model.jnt_dofadr[joint]),
        limits=_limits(model, joint, kind),
        **fields,
    )


def friction_loss(model: Any, prefix: str, place: int) -> float:
    """Return the Coulomb friction of a degree of freedom or a tendon; in MuJoCo it is a constraint."""
    off = disabled(model, "FRICTIONLOSS", "CONSTRAINT")
    return 0.0 if off else float(getattr(model, f"{prefix}_frictionloss")[place])


def gravity_compensation(model: Any, body: int) -> float:
    """Return the fraction of a body's weight that MuJoCo compensates; zero if the joints' actuators apply it."""
    still = disabled(model, "PASSIVE") or (disabled(model, "SPRING") and disabled(model, "DAMPER"))
    still = still or not model.ngravcomp  # it counts only positive ones; if there are none, others have no effect
    return 0.0 if still or lifted_by(model, body) else float(model.body_gravcomp[body])


def lifted_by(model: Any, body: int) -> list[int]:
    """Return the joints below a body whose actuators compensate its weight."""
    found: list[int] = []
    while body:
        first = int(model.body_jntadr[body])
        joints = range(first, first + int(model.body_jntnum[body]))
        found += [joint for joint in joints if model.jnt_actgravcomp[joint]]
        body = int(model.body_parentid[body])
    return found


def _limits(model: Any, joint: int, kind: int) -> Limits:
    if kind not in (REVOLUTE, PRISMATIC):
        return NO_LIMITS
    lower, upper = model.jnt_range[joint].tolist() if model.jnt_limited[joint] else (-math.inf, math.inf)
    effort = max(map(abs, model.jnt_actfrcrange[joint].tolist())) if model.jnt_actfrclimited[joint] else math.inf
    return Limits(lower=lower, upper=upper, effort=effort)


def of_drive(model: Any, joint: int, key: str) -> float:
    """Return the armature or damping of a joint and of its actuators, which have none before MuJoCo 4."""
    return float(getattr(model, f"dof_{key}")[model.jnt_dofadr[joint]]) + of_actuators(model, _ON_JOINT, joint, key)


def of_actuators(model: Any, kinds: tuple[int, ...], target: int, key: str) -> float:
    """Return the armature or damping that actuators of some kinds of transmission add to a joint or a tendon."""
    value = 0.0
    own = getattr(model, f"actuator_{key}", np.zeros(0))
    for i in np.flatnonzero((own != 0) & (model.actuator_trnid[: len(own), 0] == target)).tolist():
        if model.actuator_trntype[i] in kinds:
            gear = float(model.actuator_gear[i][0])
            value += float(own[i]) * gear * gear  # not a power, which would raise an error for large numbers
    return value


def drives_joint(model: Any, actuator: int) -> bool:
    """Tell whether an actuator acts on a joint, and not on a tendon or on a point of a body."""
    return model.actuator_trntype[actuator] in _ON_JOINT


def _driven(model: Any) -> set[int]:
    """Return the joints with a motor; if the file has no actuators, all but the free ones."""
    count = len(model.actuator_trntype)
    if not count:
        return {joint for joint in range(model.njnt) if KINDS[model.jnt_type[joint]] != FLOATING}
    return {int(model.actuator_trnid[i][0]) for i in range(count) if drives_joint(model, i)}


def _inertia(model: Any, body: int, own: Pose) -> Inertia:
    """Return a body's inertia in its link's frame, from principal moments at the centre of mass."""
    at = pose(model.body_iquat[body], model.body_ipos[body])
    same = model.body_sameframe[body]  # 1, 3: up to rounding, this is the body's frame, or has its axes
    centre = own.then(HERE if same == 1 else Pose(arm=at.P) if same == 3 else at)
    a, b, c = model.body_inertia[body].tolist()
    about = _without_dust(centre.R.of_symmetric((a, 0.0, 0.0, b, 0.0, c)))
    inertia = Inertia._make((*about, 0.0, 0.0, 0.0, float(model.body_mass[body])))
    return inertia.shifted(Vector(*_without_dust(centre.P)))


def _without_dust(numbers: Sequence[float]) -> list[float]:
    """Return numbers with zeros in place of those that are only rounding errors relative to the largest."""
    least = _ROUNDING * max(map(abs, numbers))
    return [0.0 if abs(x) < least else x for x in numbers]
