"""The API of Foyer, a customer-conversation inbox."""
from .client import RequestOptions
from .connections import Response
from .errors import (
    CursorExpiredError,
    FoyerConnectionError,
    FoyerError,
    FoyerTimeoutError,
    MissingEventsError,
)
from .foyer import Foyer
from .omit import OMIT, Omit
from .pages import Pages
from .uploads import Upload
from .webhooks import WebhookVerificationError

__all__ = [
    "CursorExpiredError",
    "Foyer",
    "FoyerConnectionError",
    "FoyerError",
    "FoyerTimeoutError",
    "MissingEventsError",
    "OMIT",
    "Omit",
    "Pages",
    "RequestOptions",
    "Response",
    "Upload",
    "WebhookVerificationError",
]
