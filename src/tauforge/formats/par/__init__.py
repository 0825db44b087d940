"""Files of SYMORO+ and OpenSYMORO."""

from .read import read
from .write import write

__all__ = ["read", "write"]
