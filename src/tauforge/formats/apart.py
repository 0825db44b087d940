"""Other programs that read a file, in a separate process with limited time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ..limits import left, limit, spare_seconds

_CHILD = Path(__file__).with_name("apart_child.py")
_RAISE = "; if you trust it, raise the limit: limits=tf.FileLimits({}=…)"
_LATE = "{} takes longer than {:g} s" + _RAISE.format("seconds")
_LARGE = "{} needs more than {:,.0f} bytes of memory" + _RAISE.format("memory")
_EXHAUSTED = ("allocate memory", "unknown exception", "MemoryError", "bad_alloc")
"""The message when memory runs out."""


def run_apart(who: str, needed: str, script: str, *arguments: str) -> tuple[bool, str]:
    """Call ``main`` of a script in another process; return whether it succeeded, and its message.

    The script imports nothing from Tauforge. Its ``main`` takes texts and returns these two values.

    Parameters
    ----------
    who
        What messages call the program that runs there.
    needed
        The module that it needs; the time and memory for importing it do not count.
    script, arguments
        The script's file, and the arguments of its ``main``.
    """
    memory, seconds = left("memory"), spare_seconds()
    path = os.pathsep.join(filter(None, sys.path))  # the same modules are found there as here
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(_CHILD), str(memory), needed, script, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": path},
            timeout=None if seconds == float("inf") else seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, _LATE.format(who, limit("seconds"))
    except OSError as error:
        return False, f"{who} needs a separate process, which cannot be started ({error.strerror})"
    said = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode == 0:
        return True, said
    exhausted = not said or done.returncode != 1 or any(words in said for words in _EXHAUSTED)
    return False, _LARGE.format(who, memory) if exhausted else said
