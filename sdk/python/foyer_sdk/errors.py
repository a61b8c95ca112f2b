"""What a call can raise: a FoyerError if the API returned an error, a FoyerConnectionError if there was no response."""
from __future__ import annotations

from typing import List, Optional, TypedDict, Union

from .generated.types import ErrorCode


class ErrorDetail(TypedDict):
    field: str
    message: str


class FoyerError(Exception):
    """An error from the API. Act on `code`."""

    def __init__(
        self,
        message: str,
        *,
        code: Union[ErrorCode, str],
        status: int,
        details: List[ErrorDetail],
        request_id: Optional[str],
        retry_after: Optional[float],
        is_retryable: bool,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        """A newer server may know more codes."""
        self.status = status
        self.details = details
        """For a validation error: every invalid field."""
        self.request_id = request_id
        """Include it when you report a problem."""
        self.retry_after = retry_after
        """In seconds, from the Retry-After header."""
        self.is_retryable = is_retryable
        """Whether the same call may succeed later."""

    def __str__(self) -> str:
        fields = "".join(f" {detail['field']} {detail['message']}." for detail in self.details)
        return f"{self.code}: {self.message}{fields}"


class CursorExpiredError(FoyerError):
    """The events after this cursor are no longer available, or the database was restored. Start over with sync."""


class MissingEventsError(Exception):
    """Events are missing between two responses, or aren't in order. Start over with sync."""

    def __init__(self, expected: int, got: int) -> None:
        super().__init__(f"events are missing: {expected} should have come next, and the response begins with {got}")


class FoyerConnectionError(Exception):
    """The server couldn't be reached, the connection broke, or the response didn't come from Foyer."""


class FoyerTimeoutError(FoyerConnectionError):
    """No response within `timeout`."""
