"""Default names of joints, links and frames, for files that give none."""

from __future__ import annotations


def joint_name(number: int) -> str:
    """Return the default name of a joint."""
    return f"joint{number}"


def frame_name(number: int) -> str:
    """Return the default name of a loop's constant frame."""
    return f"frame{number}"


def link_name(number: int) -> str:
    """Return the default name of a link."""
    return f"link{number}"
