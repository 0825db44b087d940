"""Published operation counts of customised inverse dynamics, to compare with.

Multiplications and additions, including differences of robot constants; all inertial parameters and lengths symbolic,
gravity along z0, no external wrench, rotor inertia or friction. Lemoine and Khalil (2022) print the counts of the RRP
arm; the others come from SYMORO+'s scheme, reproduced for the robots bundled here.
"""

from __future__ import annotations

STANDARD: dict[str, tuple[int, int]] = {
    "rrp": (95, 92),
    "scara": (53, 41),
    "stanford": (285, 287),
    "rx90": (288, 286),
    "puma560": (300, 298),
    "kuka_lwr": (345, 343),
    "ur5": (298, 296),
    "panda": (362, 359),
}
BASE: dict[str, tuple[int, int]] = {
    "rrp": (77, 66),
    "scara": (41, 30),
    "stanford": (236, 221),
    "rx90": (249, 233),
    "puma560": (261, 245),
    "kuka_lwr": (299, 281),
    "ur5": (259, 244),
    "panda": (316, 297),
}


def published(robot: str, parameters: str) -> tuple[int, int] | None:
    """Return the published multiplications and additions for a bundled robot, if there are any: those with base
    parameters for all that are grouped.
    """
    return (STANDARD if parameters == "standard" else BASE).get(robot)
