"""Lists, page by page or row by row."""
from __future__ import annotations

from itertools import islice
from typing import Any, Generic, Iterator, List, Optional, Set, TypeVar

from .client import Call, Client, RequestOptions

Row = TypeVar("Row")
Page = TypeVar("Page")


class Pages(Generic[Row, Page]):
    """A list. Iterating over it goes through all rows, fetching pages as needed; `page()` returns the first page."""

    def __init__(self, client: Client, call: Call, rows: str, options: Optional[RequestOptions]) -> None:
        self._client = client
        self._call = call
        self._rows = rows
        self._options = options

    def page(self) -> Page:
        """The first page, as the API returned it."""
        page: Page = self._client.call(self._call, self._options)
        return page

    def pages(self) -> Iterator[Page]:
        """All pages, one after the other."""
        seen: Set[Any] = set()
        call = self._call
        while True:
            page: Any = self._client.call(call, self._options)
            yield page
            number = page.get("page", 1)
            if "nextCursor" not in page and number < page.get("totalPages", 1):
                call = call.with_query(page=number + 1)
            elif page.get("nextCursor"):
                call = call.with_query(cursor=page["nextCursor"])
            else:
                return
            following = page.get("nextCursor", number)
            if following in seen:
                raise RuntimeError(f"{call.path} returned a cursor that was already used")
            seen.add(following)

    def __iter__(self) -> Iterator[Row]:
        for page in self.pages():
            rows: Any = page
            yield from rows[self._rows]

    def first_n(self, count: int) -> List[Row]:
        """Up to this many rows."""
        return list(islice(self, max(0, count)))
