"""Verifies that a webhook came from Foyer: Standard Webhooks (standardwebhooks.com)."""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Iterable, Optional, Protocol, Sequence, Tuple, Union, cast

from .generated.events import FoyerEvent

TOLERANCE_SECONDS = 300.0
SECRET_PREFIX = "whsec_"


class WebhookVerificationError(Exception):
    pass


class HeaderSource(Protocol):
    """A dictionary, or what a web framework has."""

    def items(self) -> Iterable[Tuple[str, Union[str, Sequence[str]]]]: ...


def verify(
    body: Union[bytes, bytearray, memoryview, str],
    headers: HeaderSource,
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = TOLERANCE_SECONDS,
) -> FoyerEvent:
    """The event in a request that Foyer signed. Raises WebhookVerificationError.

    body: The raw request body, before it is parsed.
    secret: While you rotate them, a list of both.
    tolerance: How old, or how far ahead, a webhook may be, in seconds.
    """
    content = _bytes_of(body)
    id = _header_of(headers, "webhook-id")
    timestamp = _header_of(headers, "webhook-timestamp")
    signatures = _header_of(headers, "webhook-signature")
    _check_time(timestamp, tolerance)
    signed = f"{id}.{timestamp}.".encode() + content
    given = [_decode(one[len("v1,") :]) for one in signatures.split(" ") if one.startswith("v1,")]
    if not given:
        raise WebhookVerificationError("webhook-signature contains no v1 signature")
    for one in [secret] if isinstance(secret, str) else secret:
        expected = hmac.new(_key_of(one), signed, hashlib.sha256).digest()
        if any([hmac.compare_digest(expected, signature) for signature in given if signature]):
            return _parse(content)
    raise WebhookVerificationError("the signature does not match. Check the secret, and pass the raw body.")


def _bytes_of(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise WebhookVerificationError(
        "pass the raw body, before it is parsed: the signature covers its exact bytes"
    )


def _header_of(headers: HeaderSource, name: str) -> str:
    for key, found in headers.items():
        if key.lower() == name and found:
            return found if isinstance(found, str) else found[0]
    raise WebhookVerificationError(f"the header {name} is missing")


def _check_time(timestamp: str, tolerance: float) -> None:
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("webhook-timestamp is not a number")
    age = time.time() - int(timestamp)
    if age > tolerance:
        raise WebhookVerificationError("the webhook is too old")
    if age < -tolerance:
        raise WebhookVerificationError("the webhook is from the future. Check the clock of this machine.")


def _decode(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return None


def _key_of(secret: Optional[str]) -> bytes:
    text = secret or ""
    key = _decode(text[len(SECRET_PREFIX) :] if text.startswith(SECRET_PREFIX) else text)
    if not key:
        raise WebhookVerificationError("the secret is invalid. It begins with whsec_.")
    return key


def _parse(content: bytes) -> FoyerEvent:
    try:
        return cast(FoyerEvent, json.loads(content))
    except ValueError:
        raise WebhookVerificationError("the body is signed, but is not JSON") from None
