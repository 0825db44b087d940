"""Tauforge's own format."""

from .read import read
from .write import write

__all__ = ["read", "write"]
