"""Sends calls: the token, time limits, retries that do the work once, and errors by their code."""
from __future__ import annotations

import email.utils
import http.client
import json
import os
import random
import re
import socket
import ssl
import threading
import time
import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Iterator, Mapping, NoReturn, Optional, Tuple, TypedDict
from urllib.parse import quote, urlencode, urlsplit

from .connections import Connections, Response
from .errors import CursorExpiredError, FoyerConnectionError, FoyerError, FoyerTimeoutError
from .uploads import Upload, form_of

TIMEOUT_SECONDS = 30.0
UPLOAD_TIMEOUT_SECONDS = 240.0
RETRIES = 2
DELAY_MIN_SECONDS = 0.5
DELAY_MAX_SECONDS = 8.0
# Rate limits reset every minute; the caller should know about a longer Retry-After.
RETRY_AFTER_MAX_SECONDS = 61.0


class RequestOptions(TypedDict, total=False):
    """Of one call."""

    timeout: float
    """In seconds, for each attempt."""
    max_retries: int
    idempotency_key: str
    """For a POST. By default each call creates one, and its retries reuse it."""
    on_response: Callable[[Response], None]
    """Called with the response to each attempt."""


@dataclass(frozen=True)
class Call:
    id: str
    """The operation's id in openapi.json."""
    method: str
    path: str
    query: Optional[Mapping[str, Any]] = None
    """What is None is left out."""
    body: Optional[Mapping[str, Any]] = None
    form: Optional[Mapping[str, Upload]] = None
    """Sent as multipart/form-data instead of a body."""
    is_plain_deletion: bool = False
    """A DELETE whose answer is {"success": true}."""

    def with_query(self, **more: Any) -> Call:
        return replace(self, query={**(self.query or {}), **more})


@dataclass(frozen=True)
class ClientOptions:
    """What `Foyer` takes, and says more about."""

    timeout: float = TIMEOUT_SECONDS
    max_retries: int = RETRIES
    pace: bool = False
    ssl_context: Optional[ssl.SSLContext] = None
    on_request: Optional[Callable[[str, str, int], None]] = None
    on_response: Optional[Callable[[Response], None]] = None


class Client:
    def __init__(self, token: Optional[str], base_url: Optional[str], options: ClientOptions) -> None:
        token = (token or os.environ.get("FOYER_TOKEN") or "").strip()
        url = base_url or os.environ.get("FOYER_URL")
        if not token:
            raise ValueError("Pass token, or set FOYER_TOKEN.")
        if not url:
            raise ValueError("Pass base_url, or set FOYER_URL.")
        if not re.fullmatch("[!-~]+", token):
            raise ValueError("The token contains characters that no token has.")
        self._options = options
        self._token = token
        self._url = url.rstrip("/")
        self._path = urlsplit(self._url).path + "/api/v1"
        self._connections = Connections(self._url, options.ssl_context)
        self._lock = threading.Lock()
        # Until when a limit is used up, by what it counts.
        self._used_up_until: Dict[str, float] = {}

    @property
    def is_closed(self) -> bool:
        return self._connections.closed.is_set()

    def close(self) -> None:
        self._connections.close()

    def call(self, call: Call, options: Optional[RequestOptions] = None) -> Any:
        options = options or {}
        retries = options.get("max_retries", self._options.max_retries)
        headers = self._headers_of(call, options)
        kind, body = _content_of(call)
        if kind:
            headers["content-type"] = kind
        is_unknown = False
        attempt = 0
        while True:
            self._wait_for_pace(call)
            try:
                return self._attempt(call, headers, body, attempt, options)
            except (FoyerError, FoyerConnectionError) as error:
                # The first attempt deleted it, and its response was lost.
                if is_unknown and call.is_plain_deletion and isinstance(error, FoyerError) and error.status == 404:
                    return {"success": True}
                delay = _delay_after(error, attempt)
                if attempt >= retries or delay is None or self.is_closed:
                    raise
                is_unknown = is_unknown or isinstance(error, FoyerConnectionError)
            self._sleep(delay)
            attempt += 1

    def _attempt(
        self, call: Call, headers: Dict[str, str], body: Optional[bytes], attempt: int, options: RequestOptions
    ) -> Any:
        target = self._path + call.path + _query_text(call.query)
        if self._options.on_request:
            self._options.on_request(call.method, target, attempt)
        try:
            response = self._connections.request(
                call.method,
                target,
                headers=headers,
                body=body,
                timeout=options.get("timeout", UPLOAD_TIMEOUT_SECONDS if call.form else self._options.timeout),
            )
        except (OSError, http.client.HTTPException, ValueError) as error:
            # A socket that is closed while it is read raises ValueError.
            if self.is_closed:
                raise FoyerConnectionError("the client was closed") from error
            if isinstance(error, (socket.timeout, TimeoutError)):
                raise FoyerTimeoutError(f"no response from {self._url} in time") from error
            raise FoyerConnectionError(f"no response from {self._url}: {error}") from error
        for hook in (self._options.on_response, options.get("on_response")):
            if hook:
                hook(response)
        self._keep_pace(call, response)
        return _read(response)

    def _headers_of(self, call: Call, options: RequestOptions) -> Dict[str, str]:
        headers = {
            "accept": "application/json",
            "authorization": f"Bearer {self._token}",
            "user-agent": "foyer-sdk-python",
        }
        if call.method == "POST" and call.form is None:
            headers["idempotency-key"] = options.get("idempotency_key") or str(uuid.uuid4())
        return headers

    def _keep_pace(self, call: Call, response: Response) -> None:
        if not self._options.pace or response.headers.get("ratelimit-remaining") != "0":
            return
        reset = response.headers.get("ratelimit-reset", "")
        if re.fullmatch("[0-9]{1,6}", reset):
            with self._lock:
                self._used_up_until[_limit_of(call)] = time.monotonic() + int(reset)

    def _wait_for_pace(self, call: Call) -> None:
        with self._lock:
            until = self._used_up_until.get(_limit_of(call), 0.0)
        delay = until - time.monotonic()
        if delay > 0:
            self._sleep(delay)

    def _sleep(self, seconds: float) -> None:
        if self._connections.closed.wait(seconds):
            raise FoyerConnectionError("the client was closed")


class Resource:
    """What the generated classes have in common."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def _segment(self, id: str) -> str:
        """An id as a part of a path."""
        if not isinstance(id, str) or id in ("", ".", ".."):
            raise ValueError("an id must not be empty")
        return quote(id, safe="")


def _limit_of(call: Call) -> str:
    """Each write operation has its own limit; reads share one."""
    return "" if call.method == "GET" else call.id


def _content_of(call: Call) -> Tuple[Optional[str], Optional[bytes]]:
    if call.form is not None:
        return form_of(call.form)
    if call.body is None:
        return None, None
    # In UTF-8, since a limit on a body counts its bytes.
    text = json.dumps(call.body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return "application/json", text.encode()


def _flat_items(query: Mapping[str, Any]) -> Iterator[Tuple[str, Any]]:
    """An object becomes one parameter for each of its keys."""
    for name, value in query.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}[{key}]", one) for key, one in value.items())
        else:
            yield name, value


def _query_text(query: Optional[Mapping[str, Any]]) -> str:
    texts = {
        name: ("true" if value else "false") if isinstance(value, bool) else str(value)
        for name, value in _flat_items(query or {})
        if value is not None
    }
    return f"?{urlencode(texts)}" if texts else ""


def _read(response: Response) -> Any:
    try:
        body = json.loads(response.body)
    except ValueError:
        body = None
    if isinstance(body, dict):
        if 200 <= response.status < 300:
            return body
        refused = body.get("error")
        if isinstance(refused, dict) and isinstance(refused.get("code"), str):
            _refuse(response, refused)
    where = response.headers.get("location")
    if where:
        raise FoyerConnectionError(f"{response.url} redirects to {where}. Use that address as base_url.")
    # Perhaps a proxy, for a server that is down.
    raise FoyerConnectionError(f"{response.url} returned {response.status}, but not from Foyer. Check base_url.")


def _refuse(response: Response, refused: Dict[str, Any]) -> NoReturn:
    code, status = refused["code"], response.status
    kind = CursorExpiredError if code == "CURSOR_EXPIRED" else FoyerError
    raise kind(
        str(refused.get("message", "")),
        code=code,
        status=status,
        details=refused.get("details") or [],
        request_id=response.headers.get("x-request-id"),
        retry_after=_retry_after(response.headers.get("retry-after")),
        is_retryable=status in (408, 429) or status >= 500 or code == "IDEMPOTENCY_KEY_IN_USE",
    )


def _retry_after(value: Optional[str]) -> Optional[float]:
    if value is None:
        return None
    if re.fullmatch("[0-9]{1,9}", value):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _delay_after(error: Exception, attempt: int) -> Optional[float]:
    """How long to wait before the next attempt; None: not again."""
    if isinstance(error, FoyerError):
        if not error.is_retryable:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= RETRY_AFTER_MAX_SECONDS else None
    # Following the feed makes any number of attempts.
    ceiling = min(DELAY_MAX_SECONDS, DELAY_MIN_SECONDS * 2.0 ** min(attempt + 1, 10))
    return random.uniform(DELAY_MIN_SECONDS, ceiling)
