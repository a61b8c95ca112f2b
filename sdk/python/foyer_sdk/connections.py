"""Connections to the server, kept open for the next request."""
from __future__ import annotations

import http.client
import io
import os
import selectors
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple, cast
from urllib.parse import urlsplit

from .errors import FoyerConnectionError

IDLE_MAX = 10
# Proxies and firewalls forget quiet connections, some of them without a word.
IDLE_MAX_SECONDS = 30


@dataclass(frozen=True)
class Response:
    """The status and headers of a response."""

    status: int
    headers: http.client.HTTPMessage
    url: str
    body: bytes = field(repr=False)


class Connections:
    """May be used by several threads at once: each request has a connection to itself. Redirects are not followed."""

    def __init__(self, url: str, ssl_context: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url must begin with http:// or https://")
        self._url = f"{parts.scheme}://{parts.netloc}"
        self._host = parts.hostname
        self._port = parts.port
        self._ssl_context = ssl_context
        if parts.scheme == "https" and ssl_context is None:
            self._ssl_context = ssl.create_default_context()
        self._is_secure = parts.scheme == "https"
        self._lock = threading.Lock()
        self._idle: List[Tuple[float, http.client.HTTPConnection]] = []
        self._busy: Dict[http.client.HTTPConnection, socket.socket] = {}
        self._process = os.getpid()
        self.closed = threading.Event()

    def request(
        self, method: str, target: str, *, headers: Dict[str, str], body: Optional[bytes], timeout: float
    ) -> Response:
        """Raises OSError or HTTPException; socket.timeout if the whole response isn't there in time."""
        deadline = time.monotonic() + timeout
        connection = self._take(timeout)
        # What http.client reads from is ours, so that a response that trickles in ends as well.
        kind: Any = lambda sock, **more: http.client.HTTPResponse(cast(Any, _Timed(sock, deadline)), **more)
        connection.response_class = kind
        is_reusable = False
        try:
            self._require_open()
            connection.request(method, target, body=body, headers=headers)
            answer = connection.getresponse()
            response = Response(answer.status, answer.headers, self._url + target, answer.read())
            is_reusable = not answer.will_close
            return response
        finally:
            # Also after an exception that isn't ours, such as KeyboardInterrupt: its response may still come.
            self._give_back(connection, is_reusable)

    def close(self) -> None:
        """Ends the requests in progress as well."""
        self.closed.set()
        with self._lock:
            idle, self._idle = self._idle, []
            # A copy of the process has copies of the sockets, which are not its own to shut down.
            busy = list(self._busy.values()) if self._process == os.getpid() else []
        for _, connection in idle:
            connection.close()
        for sock in busy:
            try:
                # Not the method of an SSLSocket, which is not safe while another thread reads.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                pass

    def __del__(self) -> None:
        if hasattr(self, "closed"):
            self.close()

    def _require_open(self) -> None:
        if self.closed.is_set():
            raise FoyerConnectionError("the client was closed")

    def _take(self, timeout: float) -> http.client.HTTPConnection:
        self._require_open()
        with self._lock:
            if self._process != os.getpid():
                self._leave_to_parent()
            connection = self._reusable() or self._new()
        connection.timeout = timeout
        if connection.sock:
            connection.sock.settimeout(timeout)
        else:
            connection.connect()
        with self._lock:
            # Only now is there a socket that close() finds.
            self._busy[connection] = connection.sock
        return connection

    def _leave_to_parent(self) -> None:
        """Closes this process's copies of the sockets, not the connections."""
        for connection in [*self._busy, *(one for _, one in self._idle)]:
            connection.close()
        self._process, self._idle, self._busy = os.getpid(), [], {}

    def _reusable(self) -> Optional[http.client.HTTPConnection]:
        while self._idle:
            since, connection = self._idle.pop()
            if time.monotonic() - since < IDLE_MAX_SECONDS and _is_quiet(connection.sock):
                return connection
            connection.close()
        return None

    def _new(self) -> http.client.HTTPConnection:
        if self._is_secure:
            return http.client.HTTPSConnection(self._host, self._port, context=self._ssl_context)
        return http.client.HTTPConnection(self._host, self._port)

    def _give_back(self, connection: http.client.HTTPConnection, is_reusable: bool) -> None:
        with self._lock:
            self._busy.pop(connection, None)
            is_kept = is_reusable and not self.closed.is_set() and len(self._idle) < IDLE_MAX
            if is_kept:
                self._idle.append((time.monotonic(), connection))
        if not is_kept:
            connection.close()


def _is_quiet(sock: Optional[socket.socket]) -> bool:
    """Whether nothing has come since the last response: something would be the end of the connection."""
    if sock is None:
        return False
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_READ)
        return not selector.select(0)


class _Timed:
    """A socket as http.client reads from it, until a deadline."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._sock, self._deadline))


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._file = sock.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        self._sock.settimeout(left)
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()
