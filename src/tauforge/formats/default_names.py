"""Names of joints, links and frames whose file gives none."""

from __future__ import annotations


def joint_name(number: int) -> str:
    """Return the name of a joint whose file gives none."""
    return f"joint{number}"


def frame_name(number: int) -> str:
    """Return the name of a loop's constant frame whose file gives none."""
    return f"frame{number}"


def link_name(number: int) -> str:
    """Return the name of a link whose file gives none."""
    return f"link{number}"
