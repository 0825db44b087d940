"""MuJoCo's MJCF, through MuJoCo's compiler."""

from .read import read, robot_of, write

__all__ = ["read", "robot_of", "write"]
