"""Parts of a MuJoCo model that our models do not take into account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...robot.kinds import FLOATING, PRISMATIC, REVOLUTE
from .links import KINDS, body_name, disabled, drives_joint, joint_name, lifted_by, of_drive
from .tendons import driven_tendon, has_dead_band, is_fixed, is_forked, tendon_name

_SHOWN = 5


def unmodelled(model: Any) -> list[str]:
    """Return, in words, what acts in MuJoCo but not here."""
    return [*_contacts(model), *_joints(model), *_bodies(model), *_tendons(model), *_actuators(model), *_others(model)]


def _listed(what: str, names: Iterable[str]) -> Iterator[str]:
    """Yield what the names are, with the first of them; nothing if there are none."""
    if found := list(names):
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        yield f"{what} {', '.join(map(repr, found[:_SHOWN]))}{more}"


def _contacts(model: Any) -> Iterator[str]:
    """Yield that bodies can touch, if any two can that are neither one piece nor neighbours."""
    if disabled(model, "CONTACT", "CONSTRAINT"):
        return
    each = zip(model.geom_bodyid, model.geom_contype, model.geom_conaffinity, strict=True)
    kinds = {(int(body), int(kind), int(affinity)) for body, kind, affinity in each}
    piece = model.body_weldid
    parent = piece[model.body_parentid]
    apart = {(int(pair) >> 16, int(pair) & 0xFFFF) for pair in model.exclude_signature}
    filtered = not disabled(model, "FILTERPARENT")

    def may_touch(one: int, two: int) -> bool:
        a, b = piece[one], piece[two]
        neighbours = filtered and ((parent[a] == b and b) or (parent[b] == a and a))
        return a != b and not neighbours and (one, two) not in apart and (two, one) not in apart

    def any_touch(bit: int) -> bool:  # ends soon: few of all pairs are neighbours or excluded
        ones = {body for body, kind, _ in kinds if kind & bit}
        twos = {body for body, _, affinity in kinds if affinity & bit}
        return any(may_touch(one, two) for one in ones for two in twos)

    if model.npair or model.nflex or any(any_touch(1 << i) for i in range(32)):
        yield "contacts"


def _joints(model: Any) -> Iterator[str]:
    def those(chosen: Any) -> list[str]:
        return [joint_name(model, joint) for joint in np.flatnonzero(chosen).tolist()]

    kinds = np.array([KINDS[kind] for kind in model.jnt_type])
    single = np.isin(kinds, (REVOLUTE, PRISMATIC))
    first = model.jnt_dofadr
    if not disabled(model, "FRICTIONLOSS", "CONSTRAINT"):
        lost = (kinds == FLOATING) & (model.dof_frictionloss[first] != 0)
        yield from _listed("frictionloss of free joint", those(lost))
    if not disabled(model, "SPRING", "PASSIVE"):
        yield from _listed("stiffness of free joint", those((kinds == FLOATING) & (model.jnt_stiffness != 0)))
        yield from _listed("nonlinear stiffness of joint", those(_rows(model, "jnt_stiffnesspoly", model.njnt)))
        yield from _listed("springyield of joint", those(_rows(model, "jnt_springyield", model.njnt)))
    if not disabled(model, "DAMPER", "PASSIVE"):
        yield from _listed("nonlinear damping of joint", those(_rows(model, "dof_dampingpoly", model.nv)[first]))
    armature = [kind == FLOATING and of_drive(model, joint, "armature") != 0 for joint, kind in enumerate(kinds)]
    yield from _listed("the world's axes of the armature of free joint", those(armature))
    yield from _listed("range of ball joint", those(~single & (model.jnt_limited != 0)))


def _rows(model: Any, key: str, count: int) -> Any:
    """Return the rows of an array with a nonzero entry; older versions of MuJoCo lack some arrays."""
    values = getattr(model, key, np.zeros((count, 1)))
    return (values != 0).any(axis=tuple(range(1, values.ndim)))


def _bodies(model: Any) -> Iterator[str]:
    from mujoco import mj_id2name, mjtObj

    if not disabled(model, "GRAVITY", "PASSIVE") and model.opt.gravity.any():
        lifted = [body for body in np.flatnonzero(model.body_gravcomp).tolist() if lifted_by(model, body)]
        names = (body_name(model, body) for body in lifted)
        yield from _listed("the gravcomp that actuators apply to body", names)
    if model.opt.density or model.opt.viscosity:
        yield "forces of the medium (option density, viscosity)"
    flexes = (mj_id2name(model, mjtObj.mjOBJ_FLEX, i) or f"flex{i}" for i in range(model.nflex))
    yield from _listed("the elasticity of flex", flexes)


def _tendons(model: Any) -> Iterator[str]:
    """Yield tendons along a path through space, and what is not linear in those along joint coordinates."""

    def those(chosen: Any) -> Iterator[str]:
        return (tendon_name(model, i) for i in np.flatnonzero(chosen).tolist())

    count = model.ntendon
    keys = ("stiffness", "damping", "frictionloss", "armature", "limited", "stiffnesspoly", "dampingpoly")
    acting = np.any([_rows(model, f"tendon_{key}", count) for key in keys], axis=0)
    fixed = np.array([is_fixed(model, i) for i in range(count)], dtype=bool)
    yield from _listed("tendon", those(~fixed & acting))
    yield from _listed("range of tendon", those(fixed & (model.tendon_limited != 0)))
    forked = [is_forked(model, i) for i in range(count)]
    yield from _listed("MuJoCo's lack of coupling between branches by the armature of tendon", those(forked))
    if not disabled(model, "SPRING", "PASSIVE"):
        bands = fixed & np.array([has_dead_band(model, i) for i in range(count)], dtype=bool)
        yield from _listed("the dead band of the spring of tendon", those(bands))
        yield from _listed("nonlinear stiffness of tendon", those(fixed & _rows(model, "tendon_stiffnesspoly", count)))
        yield from _listed("springyield of tendon", those(fixed & _rows(model, "tendon_springyield", count)))
    if not disabled(model, "DAMPER", "PASSIVE"):
        yield from _listed("nonlinear damping of tendon", those(fixed & _rows(model, "tendon_dampingpoly", count)))


def _actuators(model: Any) -> Iterator[str]:
    """Yield the actuators that drive neither a joint nor a fixed tendon, and those whose force is not simply their
    control.
    """
    from mujoco import mjtBias, mjtDyn, mjtGain

    count = len(model.actuator_trntype)
    names = [model.actuator(i).name or f"actuator{i}" for i in range(count)]
    kept = [drives_joint(model, i) or driven_tendon(model, i) is not None for i in range(count)]
    yield from _listed("actuator", (name for name, is_kept in zip(names, kept, strict=True) if not is_kept))
    plain = [
        model.actuator_gaintype[i] == mjtGain.mjGAIN_FIXED
        and model.actuator_biastype[i] == mjtBias.mjBIAS_NONE
        and model.actuator_dyntype[i] == mjtDyn.mjDYN_NONE
        for i in range(count)
    ]
    if not disabled(model, "DAMPER", "PASSIVE"):
        nonlinear = np.flatnonzero(_rows(model, "actuator_dampingpoly", count))
        yield from _listed("nonlinear damping of actuator", (names[i] for i in nonlinear.tolist()))
    laws = (names[i] for i in range(count) if kept[i] and not plain[i])
    yield from _listed("the control law of actuator", laws)


def _others(model: Any) -> Iterator[str]:
    if model.nplugin:
        yield "plugins"
