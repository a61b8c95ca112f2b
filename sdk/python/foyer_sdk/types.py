"""What the API takes and returns, and the events."""
from .generated.events import *  # noqa: F403
from .generated.types import *  # noqa: F403
