"""MuJoCo's fixed tendons: springs, dampers, friction and inertia along sums of joint coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...robot.tendon import Tendon
from .links import Tree, disabled, friction_loss, of_actuators

_JOINT = 1  # mjWRAP_JOINT
_ON_TENDON = (3,)  # mjTRN_TENDON


def tendons(model: Any, tree: Tree) -> Iterator[Tendon]:
    """Yield the fixed tendons that exert forces themselves or that an actuator drives."""
    pulled = {driven_tendon(model, actuator) for actuator in range(len(model.actuator_trntype))}
    for i in range(model.ntendon):
        law = _law(model, i)
        driven = i in pulled
        if is_fixed(model, i) and (driven or any(law.values())):
            if law["k"]:
                law["rest"] = float(model.tendon_lengthspring[i][0])
            yield Tendon(
                name=tendon_name(model, i), joints=tuple(coefficients(model, tree, i).items()), driven=driven, **law
            )


def driven_tendon(model: Any, actuator: int) -> int | None:
    """Return the fixed tendon that an actuator drives, if any."""
    tendon = int(model.actuator_trnid[actuator][0])
    return tendon if model.actuator_trntype[actuator] in _ON_TENDON and is_fixed(model, tendon) else None


def tendon_name(model: Any, i: int) -> str:
    return str(model.tendon(i).name) or f"tendon{i}"


def is_fixed(model: Any, i: int) -> bool:
    """Tell whether a tendon's length is a sum of joint coordinates, rather than that of a path through space."""
    return all(model.wrap_type[place] == _JOINT for place in _wraps(model, i))


def why_not_linear(model: Any, i: int) -> str:
    """Return why an equality of tendons is not a linear equation of joint coordinates; nothing if it is one."""
    numbers = [int(x) for x in (model.eq_obj1id[i], model.eq_obj2id[i]) if x >= 0]
    if paths := [tendon_name(model, x) for x in numbers if not is_fixed(model, x)]:
        return f"whose tendon {paths[0]!r} follows a path through space; only sums of joint coordinates can be kept"
    if len(numbers) > 1 and any(model.eq_data[i][2:5]):
        return f"whose polynomial is {model.eq_data[i][:5].tolist()}; only a line can be kept"
    return ""


def length_equation(model: Any, tree: Tree, i: int) -> tuple[dict[int, float], float]:
    """Return an equality of fixed tendons, L1 - L1(qpos0) = a0 + a1 (L2 - L2(qpos0)), as Σ terms q = constant."""
    a0, a1 = model.eq_data[i][:2].tolist()
    terms, constant = dict[int, float](), a0
    for tendon, factor in ((int(model.eq_obj1id[i]), 1.0), (int(model.eq_obj2id[i]), -a1)):
        if tendon >= 0:
            constant += factor * float(model.tendon_length0[tendon])
            for j, x in coefficients(model, tree, tendon).items():
                terms[j] = terms.get(j, 0.0) + factor * x
    return terms, constant


def coefficients(model: Any, tree: Tree, i: int) -> dict[int, float]:
    """Return the joints whose coordinates add up to a fixed tendon's length, each with its coefficient."""
    joints: dict[int, float] = {}
    for place in _wraps(model, i):
        j = tree.number[int(model.wrap_objid[place])]
        joints[j] = joints.get(j, 0.0) + float(model.wrap_prm[place])
    return joints


def has_dead_band(model: Any, i: int) -> bool:
    """Tell whether a tendon's spring is relaxed over a range of lengths."""
    lower, upper = model.tendon_lengthspring[i]
    return bool(model.tendon_stiffness[i] and lower != upper)


def is_forked(model: Any, i: int) -> bool:
    """Tell whether a fixed tendon with inertia couples joints of different branches, for which MuJoCo's inertia matrix
    has no place.
    """
    if not is_fixed(model, i) or not _law(model, i)["IA"]:
        return False
    dofs = {int(model.jnt_dofadr[model.wrap_objid[place]]) for place in _wraps(model, i)}
    way, dof = set(), max(dofs, default=-1)
    while dof >= 0:
        way.add(dof)
        dof = int(model.dof_parentid[dof])
    return not dofs <= way


def _wraps(model: Any, i: int) -> range:
    return range(model.tendon_adr[i], model.tendon_adr[i] + model.tendon_num[i])


def _law(model: Any, i: int) -> dict[str, float]:
    """Return inertia, friction and stiffness of a tendon, with those of its actuators."""
    spring = not disabled(model, "SPRING", "PASSIVE") and not has_dead_band(model, i)
    damping = 0.0
    if not disabled(model, "DAMPER", "PASSIVE"):
        damping = float(model.tendon_damping[i]) + of_actuators(model, _ON_TENDON, i, "damping")
    armature = getattr(model, "tendon_armature", [0.0] * model.ntendon)[i]  # not in older versions
    return {
        "IA": float(armature) + of_actuators(model, _ON_TENDON, i, "armature"),
        "FV": damping,
        "FS": friction_loss(model, "tendon", i),
        "k": float(model.tendon_stiffness[i]) if spring else 0.0,
    }
