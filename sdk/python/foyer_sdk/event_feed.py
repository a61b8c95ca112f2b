"""Follows the feed of events: long polling that goes on after failures, and checks that no event is missing."""
from __future__ import annotations

import sys
from typing import Any, Callable, Iterator, List, Literal, Optional, Sequence, cast

from .client import RequestOptions
from .errors import FoyerConnectionError, MissingEventsError
from .generated.events import FoyerEvent
from .generated.resources import EventsResource
from .generated.types import Channel, CoveredEvents, EventList

WAIT_SECONDS = 25
# Of a call that waits.
TIMEOUT_SECONDS = WAIT_SECONDS + 30.0


class EventFeed(EventsResource):
    def follow(
        self,
        *,
        cursor: Optional[str] = None,
        from_: Literal["now", "oldest", "sync"] = "now",
        types: Optional[Sequence[str]] = None,
        conversation_id: Optional[str] = None,
        contact_id: Optional[str] = None,
        channel: Optional[Channel] = None,
        include: Optional[Literal["object"]] = None,
        on_quiet: Optional[Callable[[str], object]] = None,
    ) -> Iterator[FoyerEvent]:
        """Every event, as it happens, in order. Each has a `cursor`: save it once you have handled the event.

        Goes on after failures that may pass, and ends when the client is closed. Raises CursorExpiredError if events
        after the cursor are no longer available, and MissingEventsError if the numbers show a gap.

        Scope: `events:read`.

        cursor: Continue after this position. Without it, `from_` says where to begin.
        types: Such as `message.created` or `message.*`.
        on_quiet: Called with a cursor after each wait without events. Save it as well: a cursor that is older than
            the events that the server keeps has expired.
        """
        for page in self.pages(
            cursor=cursor,
            from_=from_,
            types=types,
            conversation_id=conversation_id,
            contact_id=contact_id,
            channel=channel,
            include=include,
        ):
            for event in page["events"]:
                if self._client.is_closed:
                    return
                yield cast(FoyerEvent, event)
            if not page["events"] and on_quiet:
                on_quiet(page["cursor"])

    def pages(
        self,
        *,
        cursor: Optional[str] = None,
        from_: Literal["now", "oldest", "sync"] = "now",
        types: Optional[Sequence[str]] = None,
        **filters: Any,
    ) -> Iterator[EventList]:
        """The same, page by page, whether it has events or not."""
        if isinstance(types, str):
            raise TypeError("types is a list")
        if types is not None:
            filters["types"] = ",".join(types)
        last: Optional[CoveredEvents] = None
        while not self._client.is_closed:
            options: RequestOptions = {"timeout": TIMEOUT_SECONDS}
            # The first call can fail because of a wrong address; after that, a failure passes.
            if last:
                options["max_retries"] = sys.maxsize
            place: Any = {"cursor": cursor, "wait": WAIT_SECONDS} if cursor else {"from_": from_, "wait": 0}
            try:
                page = self.list(**filters, **place, request_options=options)
            except FoyerConnectionError:
                if self._client.is_closed:
                    return
                raise
            _require_next(page, last)
            last = page["covers"]
            cursor = page["cursor"]
            yield page


def _require_next(page: EventList, last: Optional[CoveredEvents]) -> None:
    """Raises MissingEventsError unless a page begins where the last one ended."""
    covers = page["covers"]
    expected = last["to"] + 1 if last else covers["from"]
    # A feed that was empty has nothing to lose in another database.
    is_same = not last or last["to"] == 0 or covers["epoch"] == last["epoch"]
    numbers: List[int] = [event["sequence"] for event in page["events"]]
    ends = [covers["from"] - 1, *numbers, covers["to"] + 1]
    is_in_order = all(one < following for one, following in zip(ends, ends[1:]))
    if covers["from"] != expected or not is_same or not is_in_order:
        raise MissingEventsError(expected, covers["from"])
