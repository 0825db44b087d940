"""MuJoCo's MJCF, through MuJoCo's compiler."""

from .read import read, write

__all__ = ["read", "write"]
