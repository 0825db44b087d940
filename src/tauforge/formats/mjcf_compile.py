"""MuJoCo's compiler, in this process or in one of its own that may only take so much time and memory.

It stores and computes in C, partly by the square or the cube of what a file holds, and nothing can stop it there. Run
as a script, this file compiles its first argument into its second; it imports nothing of Tauforge.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_RAISE = "; if you trust it, raise the limit: limits=tf.FileLimits({}=…)"
_LATE = "MuJoCo's compiler takes longer than {:g} s" + _RAISE.format("seconds")
_LARGE = "MuJoCo's compiler needs more than {:,.0f} bytes of memory" + _RAISE.format("memory")
_EXHAUSTED = ("allocate memory", "unknown exception", "MemoryError", "bad_alloc")
"""What its refusals say where memory is short."""


def compiled(path: Path) -> Any:
    """Return MuJoCo's model of a file, or what its compiler says against it."""
    import mujoco

    handler = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: None)  # it would print and write a log file where it stands
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except Exception as error:  # of several kinds, in each version others
        return str(error) or type(error).__name__
    finally:
        mujoco.set_mju_user_warning(handler)


def compiled_apart(path: Path, seconds: float, memory: float) -> Any:
    """Do the same in another process, which ends where it takes too long or too much."""
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model.mjb")
        command = [sys.executable, "-P", __file__, str(path), str(model), str(memory)]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=None if seconds == float("inf") else seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return _LATE.format(seconds)
        if model.is_file():
            return mujoco.MjModel.from_binary_path(str(model))
        said = done.stdout.decode("utf-8", "replace").strip()
        exhausted = not said or done.returncode != 1 or any(words in said for words in _EXHAUSTED)
        return _LARGE.format(memory) if exhausted else said


def _limit_memory(size: float) -> None:
    """Let this process take so many bytes more than it has; only Linux can be told."""
    if not sys.platform.startswith("linux") or size == float("inf"):
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + int(size)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    import mujoco

    _limit_memory(float(sys.argv[3]))
    found = compiled(Path(sys.argv[1]))
    if isinstance(found, str):
        sys.stdout.buffer.write(found.encode())
        sys.exit(1)
    mujoco.mj_saveModel(found, sys.argv[2], None)
