"""A home that is not written: whatever asks for it is refused with the same error."""

from __future__ import annotations

from typing import Any, cast

from reviewdeck.errors import ReviewdeckError
from reviewdeck.ports import HomeWriter


class _RefusingWriter:
    """Refuses every call, the ones that a later version adds too."""

    def __init__(self, refusal: ReviewdeckError) -> None:
        self._refusal = refusal

    def __getattr__(self, name: str) -> Any:
        raise self._refusal


def refusing_writer(refusal: ReviewdeckError) -> HomeWriter:
    """A writer each of whose methods raises this error."""
    return cast("HomeWriter", _RefusingWriter(refusal))
