"""A live view in the browser: the same page as in a file, with sliders, served to this computer alone.

The server is that of the standard library. It listens on the local address only, answers under a secret path, and
refuses requests that name another host, so that other pages in the browser cannot reach it. A request has to be
complete within seconds, and only so many may be on their way: the oldest is dropped for the next.
"""

from __future__ import annotations

import json
import secrets
import socket
import sys
import threading
import time
import webbrowser
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, final
from urllib.parse import parse_qs

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError, TauforgeError
from ..robot.robot import Robot
from .page import page, poses
from .scene import scene
from .sliders import Sliders
from .states import matrices, states

Floats = NDArray[np.float64]
HOST = "127.0.0.1"
WAIT = 20.0
"""Seconds after which a page asks again."""
LONGEST = 100_000
"""Bytes of a request."""
PATIENCE, MOST = 5.0, 32
"""Seconds within which a request must be complete and an answer taken, and how many requests may be on their way."""


@final
class View:
    """A robot in the browser, which sliders or ``show`` move. It is served until ``close``, or the program's end.

    Attributes
    ----------
    robot
        The robot.
    url
        The page's address.
    """

    def __init__(self, robot: Robot, q: ArrayLike | None, t: ArrayLike | None, title: str | None, port: int) -> None:
        self.robot = robot
        first = states(robot, q)
        self._q = first[0]
        self._version = 1
        self._changed = threading.Condition()
        self._sliders = Sliders.of(robot, self._q, scene(robot, self._q).size)
        low, high = self._sliders.spread(self._q)
        spread = (np.minimum(low, first.min(axis=0)), np.maximum(high, first.max(axis=0)))
        self._scene = scene(robot, first, t, title=title, spread=spread)
        self._path = f"/{secrets.token_urlsafe(12)}/"
        try:
            self._server = _Server((HOST, port), _handler(self))
        except (OSError, OverflowError) as error:
            raise TauforgeError(f"port {port} cannot be used ({error}); leave it out to take a free one") from None
        self.url = f"http://{HOST}:{self._server.server_address[1]}{self._path}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def q(self) -> Floats:
        """The coordinates that are shown."""
        found: Floats = self._q.copy()
        return found

    def show(self, q: ArrayLike) -> None:
        """Show another state: all coordinates, or with closed loops those of the independent joints."""
        found = states(self.robot, q)
        if len(found) != 1:
            raise ProgramError(f"q has {len(found)} states; show takes one, Robot.view takes many with their times")
        self._set(found[0])

    def wait(self) -> None:
        """Serve the page until the view is closed, or until Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def close(self) -> None:
        """Stop serving the page."""
        self._server.shutdown()
        self._server.server_close()
        with self._changed:
            self._changed.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"View({self.robot.name}, {self.url})"

    def _set(self, q: Floats) -> None:
        """Show a state, if it can be shown."""
        matrices(self.robot, q[None])
        with self._changed:
            self._q = q
            self._version += 1
            self._changed.notify_all()

    def _state(self) -> dict[str, Any]:
        """Return what a page needs to show the state."""
        with self._changed:
            q, version = self._q, self._version
        at = poses(matrices(self.robot, q[None]))[0]
        return {"version": version, "values": self._sliders.values(q), "poses": at.ravel().tolist()}

    def _page(self) -> str:
        sliders = [{"name": s.name, "low": s.low, "high": s.high, "unit": s.unit} for s in self._sliders.each]
        return page(self._scene, live={"sliders": sliders, "state": self._state()})

    def _after(self, version: int) -> dict[str, Any]:
        """Return the state once it is later than a version, or after some time."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > version or not self._thread.is_alive(), WAIT)
        return self._state()

    def _moved(self, values: list[float]) -> dict[str, Any]:
        """Move to where the sliders are; where the loops cannot be closed, stay and say why."""
        try:
            self._set(self._sliders.state(values, self._q))
        except TauforgeError as error:
            return {**self._state(), "error": str(error)}
        return self._state()


class _Server(ThreadingHTTPServer):
    """A server that drops connections whose requests do not arrive."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._ends: dict[Any, float] = {}
        """When the time of each connection is over whose request has not arrived, the oldest first."""
        self._lock = threading.Lock()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in its own thread; the request has to arrive in time."""
        with self._lock:
            if len(self._ends) >= MOST:
                self._drop(next(iter(self._ends)))
            self._ends[request] = time.monotonic() + PATIENCE
        super().process_request(request, client_address)

    def arrived(self, request: Any) -> None:
        """Note that a request is complete, or over."""
        with self._lock:
            self._ends.pop(request, None)

    def shutdown_request(self, request: Any) -> None:
        """End a connection."""
        self.arrived(request)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Drop connections whose time is over; called twice a second."""
        with self._lock:
            for request in [request for request, end in self._ends.items() if end < time.monotonic()]:
                self._drop(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that broke."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def _drop(self, request: Any) -> None:
        del self._ends[request]
        with suppress(OSError):  # its thread, which reads from it, ends
            request.shutdown(socket.SHUT_RDWR)


def _handler(view: View) -> type[BaseHTTPRequestHandler]:
    """Return what answers the requests for a view."""

    class Handler(BaseHTTPRequestHandler):
        timeout = PATIENCE

        def do_GET(self) -> None:
            view._server.arrived(self.connection)
            path, _, query = self.path.partition("?")
            if not self._allowed(path):
                return
            if path == view._path:
                self._send("text/html; charset=utf-8", view._page().encode())
            elif path == f"{view._path}state":
                after = parse_qs(query).get("after", ["0"])[0]
                self._json(view._after(int(after) if after.isdecimal() and len(after) < 18 else 0))
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            if not self._allowed(self.path):
                return
            length = self.headers.get("Content-Length", "")
            if not (length.isdecimal() and len(length) < 18 and int(length) <= LONGEST):
                self.send_error(400)
                return
            data = self.rfile.read(int(length))
            view._server.arrived(self.connection)
            try:
                values = [float(x) for x in json.loads(data)["values"]]
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
                self.send_error(400)
                return
            self._json(view._moved(values))

        def _allowed(self, path: str) -> bool:
            """Refuse requests that another page in the browser could have made."""
            port = view._server.server_address[1]
            own = self.headers.get("Host") in (f"{HOST}:{port}", f"localhost:{port}")
            if not own or not path.startswith(view._path):
                self.send_error(404)
                return False
            return True

        def _json(self, found: dict[str, Any]) -> None:
            self._send("application/json", json.dumps(found).encode())

        def _send(self, kind: str, data: bytes) -> None:
            try:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(data)
            except (ConnectionError, TimeoutError):  # the page was closed
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


def view(
    robot: Robot,
    q: ArrayLike | None = None,
    t: ArrayLike | None = None,
    *,
    title: str | None = None,
    port: int = 0,
    browser: bool = True,
) -> View:
    """Serve a view and open the browser if asked; see ``Robot.view``."""
    found = View(robot, q, t, title, port)
    if browser:
        webbrowser.open(found.url)
    return found
