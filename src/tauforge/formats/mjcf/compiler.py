"""MuJoCo's compiler, in this process or in a separate one with limited time and memory.

It runs in C, where nothing can stop it, and its time and memory can grow with the square or cube of a file's size.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any


def compiled(path: Path) -> Any:
    """Return MuJoCo's model of a file, or the error of its compiler."""
    import mujoco

    handler = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: None)  # it would print, and write a log file to the current folder
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except Exception as error:  # several kinds, which differ between versions
        return str(error) or type(error).__name__
    finally:
        mujoco.set_mju_user_warning(handler)


def main(path: str, output: str) -> tuple[bool, str]:
    """Compile a file into another one; return whether it succeeded, and the error otherwise."""
    import mujoco

    found = compiled(Path(path))
    if isinstance(found, str):
        return False, found
    mujoco.mj_saveModel(found, output, None)
    if Path(output).stat().st_size < mujoco.mj_sizeModel(found):  # which it does not report
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return True, ""
