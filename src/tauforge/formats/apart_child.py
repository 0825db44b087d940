"""The other process of ``apart``: it calls ``main`` of a script with limited memory, and passes on its message.

It imports nothing from Tauforge, so it starts at once.
"""

from __future__ import annotations

import runpy
import sys
from importlib import import_module
from pathlib import Path

_MOST = 10_000
"""The largest number of characters in its message: text from a file can be long."""


def limit_memory(size: float) -> None:
    """Limit how much more memory this process may take, in bytes; works only on Linux."""
    if not sys.platform.startswith("linux") or size == float("inf"):
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + int(size)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    memory, needed, script, *arguments = sys.argv[1:]
    import_module(needed)
    main = runpy.run_path(script)["main"]
    limit_memory(float(memory))
    try:
        done, said = main(*arguments)
    except OSError as error:
        done, said = False, f"there is no space for the result ({error.strerror}); set TMPDIR to another folder"
    sys.stdout.buffer.write(said[:_MOST].encode("utf-8", "replace"))
    sys.exit(0 if done else 1)
