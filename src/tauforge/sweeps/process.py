"""A process that computes batches: how the caller commands it, and what it runs.

Messages go through its standard input and output. What cases print goes to standard error.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import struct
import subprocess
import sys
from typing import Any, BinaryIO, final

from ..errors import ProgramError
from .batch import Finished, unpacked
from .cases import Ints

_OWN_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""What Windows calls a process group."""
_SIZE = struct.Struct("<Q")
_START = "import sys; sys.path[:] = {path!r}; from tauforge.sweeps.process import serve; serve()"


@final
class Child:
    """A process that computes batches for a thread of the caller."""

    def __init__(self, data: bytes) -> None:
        start = _START.format(path=[os.path.abspath(place) for place in sys.path])
        # in its own group, where an interrupt from the keyboard does not reach it
        own: dict[str, Any] = {"creationflags": _OWN_GROUP} if _OWN_GROUP else {"process_group": 0}
        own |= {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process: subprocess.Popen[bytes] = subprocess.Popen([sys.executable, "-c", start], **own)
        self._data: bytes | None = data

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def batch(self, places: Ints, sent: dict[str, Any]) -> Finished | None:
        """Return the results of a batch; None if the process has died."""
        give, take = self._process.stdin, self._process.stdout
        assert give
        assert take
        data, self._data = self._data, None
        try:
            _send(give, (data, places, sent))
            answer = _receive(take)
        except (OSError, EOFError, ValueError):
            return None
        if isinstance(answer, str):
            raise ProgramError(f"a worker process could not load the function: {answer}")
        found: Finished = answer
        return found

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def end(self) -> str:
        """Wait for the process that is dying, and return how it died."""
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                assert pipe
                pipe.close()
        code = self._process.wait()
        if code >= 0:
            return f"it exited with code {code}"
        with contextlib.suppress(ValueError):
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it was ended by signal {-code}"


def _send(pipe: BinaryIO | Any, message: Any) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(_SIZE.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: BinaryIO | Any) -> Any:
    head = pipe.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise EOFError
    size = _SIZE.unpack(head)[0]
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


def serve() -> None:
    """Compute batches until the caller is gone."""
    take, give = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    work = None
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            data, places, sent = _receive(take)
            if data is not None:
                try:
                    work = unpacked(data)
                except Exception as error:
                    _send(give, f"{type(error).__name__}: {error}")
                    return
            assert work
            _send(give, work.batch(places, sent))
