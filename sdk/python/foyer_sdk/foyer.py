"""The SDK's entry point."""
from __future__ import annotations

import ssl
from types import TracebackType
from typing import Callable, Optional, Type

from .client import RETRIES, TIMEOUT_SECONDS, Client, ClientOptions
from .connections import Response
from .errors import FoyerConnectionError
from .event_feed import EventFeed
from .generated.events import FoyerEvent
from .generated.resources import Resources
from .generated.types import ContactRow, Conversation, MessageItem
from .sync import sync


class Foyer(Resources):
    """A workspace of Foyer, through one of its API tokens. May be used by several threads at once.

    token: An API token. Default: the environment variable FOYER_TOKEN.
    base_url: Where Foyer runs, such as https://inbox.example.com. Default: the environment variable FOYER_URL.
    timeout: In seconds, for each attempt.
    max_retries: How often a call is repeated after a failure that may pass.
    pace: When the rate limit is used up, wait for the next minute instead of sending.
    ssl_context: For a server whose certificate comes from an authority of your own.
    on_request: Called before each attempt with the method, the path and the number of the attempt, from 0.
    on_response: Called with the response to each attempt.
    """

    events: EventFeed

    def __init__(
        self,
        *,
        token: Optional[str] = None,
        base_url: Optional[str] = None,
        timeout: float = TIMEOUT_SECONDS,
        max_retries: int = RETRIES,
        pace: bool = False,
        ssl_context: Optional[ssl.SSLContext] = None,
        on_request: Optional[Callable[[str, str, int], None]] = None,
        on_response: Optional[Callable[[Response], None]] = None,
    ) -> None:
        options = ClientOptions(timeout, max_retries, pace, ssl_context, on_request, on_response)
        self._client = Client(token, base_url, options)
        super().__init__(self._client)
        self.events = EventFeed(self._client)

    def __enter__(self) -> Foyer:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections. Calls in progress, in other threads, end with a FoyerConnectionError."""
        self._client.close()

    @property
    def is_closed(self) -> bool:
        return self._client.is_closed

    def sync(
        self,
        *,
        on_event: Callable[[FoyerEvent], object],
        save: Callable[[str], object],
        cursor: Optional[str] = None,
        on_contact: Optional[Callable[[ContactRow], object]] = None,
        on_conversation: Optional[Callable[[Conversation], object]] = None,
        on_message: Optional[Callable[[MessageItem], object]] = None,
    ) -> None:
        """Keeps a copy of the workspace up to date: passes you all that the lists have, and then what happens.

        Runs until the client is closed. Raises what `events.follow` raises; after CursorExpiredError or
        MissingEventsError, start over without a cursor, and delete what is not in the lists any more.

        on_event: Called for what happened since, in order. Some of it may be in what the lists returned.
        save: Stores the cursor of what was handled. Called after every page of events, and after every wait without
            one.
        cursor: The last one that was saved: the lists are then not read again.
        on_contact: Called for every contact there is. Like the next two, the list is only read if you pass it.
        on_conversation: Called for every conversation, open or closed.
        on_message: Called for every message, the newest first.
        """
        try:
            sync(
                self,
                cursor=cursor,
                on_event=on_event,
                save=save,
                on_contact=on_contact,
                on_conversation=on_conversation,
                on_message=on_message,
            )
        except FoyerConnectionError:
            if not self.is_closed:
                raise
