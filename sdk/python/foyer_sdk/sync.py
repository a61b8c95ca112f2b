"""Keeps a copy of a workspace: reads the lists once, then follows the feed from before they were read."""
from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Optional, cast

from .generated.events import FoyerEvent
from .generated.types import ContactRow, Conversation, MessageItem

if TYPE_CHECKING:
    from .foyer import Foyer

LIMIT = 100


def sync(
    foyer: Foyer,
    *,
    cursor: Optional[str],
    on_event: Callable[[FoyerEvent], object],
    save: Callable[[str], object],
    on_contact: Optional[Callable[[ContactRow], object]],
    on_conversation: Optional[Callable[[Conversation], object]],
    on_message: Optional[Callable[[MessageItem], object]],
) -> None:
    has_read = bool(cursor)
    for page in foyer.events.pages(cursor=cursor, from_="sync"):
        # After the position is known: what changes meanwhile is in this page or a later one.
        if not has_read:
            if on_contact:
                for contact in foyer.contacts.list(sort="created", limit=LIMIT):
                    on_contact(contact)
            if on_conversation:
                for conversation in foyer.conversations.list(sort="created", status="all", limit=LIMIT):
                    on_conversation(conversation)
            if on_message:
                for message in foyer.messages.list(direction="all", limit=LIMIT):
                    on_message(message)
        has_read = True
        for event in page["events"]:
            if foyer.is_closed:
                return
            on_event(cast(FoyerEvent, event))
        save(page["cursor"])
