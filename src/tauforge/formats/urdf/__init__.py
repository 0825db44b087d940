"""URDF, and the xacro files that expand to it."""

from .read import read
from .write import write

__all__ = ["read", "write"]
