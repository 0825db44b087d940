"""The classical formulations of a manipulator's dynamics, one file each, and what each offers.

A formulation is a module over a Chain: ``efforts(chain)`` gives the joint torques without what the joints themselves
add; at rest or without accelerations, these are gravity and bias. If its paper has them separately, ``inertia`` and
``coriolis`` give M and C. With M there is also direct dynamics, by solving M q̈ = τ - h or by the formulation's own
``direct``. A module is imported when it is used.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from ..errors import ProgramError
from ..models.classical import DEFAULT


class Formulation(NamedTuple):
    """A formulation's module, its paper, the matrices that it gives, and its published cost for six joints."""

    module: str
    paper: str
    offers: tuple[str, ...] = ()
    published: tuple[int, int] | None = None


FORMULATIONS = {
    "lagrange": Formulation("lagrange", "Lagrange", ("inertia", "coriolis")),
    "uicker-kahn": Formulation("uicker_kahn", "Uicker 1965, Kahn 1969", ("inertia", "coriolis"), (66271, 51548)),
    "waters": Formulation("waters", "Waters 1979", (), (7051, 5652)),
    "hollerbach-4x4": Formulation("hollerbach_4x4", "Hollerbach 1980", (), (4388, 3586)),
    "hollerbach-3x3": Formulation("hollerbach_3x3", "Hollerbach 1980", (), (2195, 1719)),
    "newton-euler-base": Formulation("newton_euler_base", "Orin, McGhee et al. 1979"),
    "newton-euler-link": Formulation("newton_euler_link", "Luh, Walker & Paul 1980, Hollerbach 1980", (), (852, 738)),
    "luh-walker-paul": Formulation("luh_walker_paul", "Luh, Walker & Paul 1980", (), (800, 595)),
    "kane": Formulation("kane", "Kane & Levinson 1983", ("inertia",), (646, 394)),
    "grigorov": Formulation("grigorov", "Grigorov 2013", ("inertia",)),
    "spatial-operator": Formulation("spatial_operator", "Woliński & Malczyk 2015", ("inertia", "coriolis")),
}
"""The formulations by name. Published costs are multiplications and additions in Meghdari's table 1."""

TABLES = "configuration-space"
"""The formulation that is not a Program: its coefficients are looked up."""
CONFIGURATION_SPACE = Formulation("configuration_space", "Raibert & Horn 1978", (), (468, 264))


def formulations() -> dict[str, Formulation]:
    """Return the classical formulations by name, each with its paper, the matrices it gives, and its published cost.

    ``inverse_dynamics``, ``bias`` and ``gravity`` take every name; ``inertia_matrix`` and ``direct_dynamics`` those
    that offer "inertia", ``coriolis_matrix`` those that offer "coriolis".
    """
    return dict(FORMULATIONS)


def find(name: str, wanted: str = "") -> tuple[Formulation, ModuleType]:
    """Return a formulation and its module, or raise an error that lists those that offer what is wanted."""
    having = [key for key, each in FORMULATIONS.items() if not wanted or wanted in each.offers]
    if name == TABLES:
        raise ProgramError(
            f"{name!r} looks up its coefficients in tables, which a Program cannot do; use tf.configuration_space(…)"
        )
    if name not in FORMULATIONS:
        raise ProgramError(f"unknown formulation {name!r}; choose among {', '.join(map(repr, [DEFAULT, *having]))}")
    if name not in having:
        raise ProgramError(
            f"the formulation {name!r} ({FORMULATIONS[name].paper}) gives torques but no separate {wanted}; "
            f"{', '.join(map(repr, [DEFAULT, *having]))} do"
        )
    found = FORMULATIONS[name]
    return found, import_module(f".{found.module}", __name__)
