"""The macros of a xacro file, expanded by xacro itself. Expansion may never end, so run it in another process."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType

_PACKAGES = Path(__file__).with_name("packages.py")


def main(path: str, output: str) -> tuple[bool, str]:
    """Expand a file into another one; return whether it succeeded, and xacro's message."""
    import xacro

    find_package = runpy.run_path(str(_PACKAGES))["find_package"]
    lost: list[str] = []

    def folder(name: str) -> str:
        """Return a package's folder; remember missing packages."""
        if found := find_package(name, Path(path)):
            return str(found)
        lost.append(name)
        raise LookupError(name)

    # xacro asks a module of ROS 2 where packages are
    index, packages = ModuleType("ament_index_python"), ModuleType("ament_index_python.packages")
    vars(packages)["get_package_share_directory"] = folder
    sys.modules |= {module.__name__: module for module in (index, packages)}
    said = StringIO()  # it would print, and text from a file could control a terminal
    opened = _opened_from_now_on()
    try:
        with redirect_stderr(said), redirect_stdout(said):
            expanded: str = xacro.process_file(path).toxml()
    except Exception as error:  # whatever an expression or a macro in it raises
        if lost:
            return False, (
                f"it needs the package {lost[0]}, which was not found near it; name the folder that holds it "
                "in ROS_PACKAGE_PATH"
            )
        short = any(isinstance(cause, MemoryError) for cause in _causes(error))
        return False, "MemoryError" if short else f"xacro cannot expand it: {str(error) or type(error).__name__}"
    Path(output).write_bytes(expanded.encode("utf-8", "replace"))
    Path(f"{output}.read").write_bytes(b"\0".join({os.fsencode(name) for name in opened}))
    return True, said.getvalue()


def _opened_from_now_on() -> list[str]:
    """Return a list to which every file that this process opens is added: xacro does not say what it includes."""
    opened: list[str] = []

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            opened.append(os.path.abspath(arguments[0]))

    sys.addaudithook(hear)
    return opened


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that led to it."""
    while error:
        yield error
        error = error.__cause__ or error.__context__
