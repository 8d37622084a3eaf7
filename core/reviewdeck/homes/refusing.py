"""A home that is not written: whatever asks for it is refused with the same error."""

from __future__ import annotations

from typing import Any, cast

from reviewdeck.errors import ReviewdeckError
from reviewdeck.ports import BatchJournal, Home, HomeWriter, OpenHome


class _Refusing:
    """Refuses every call, the ones that a later version adds too."""

    def __init__(self, refusal: ReviewdeckError) -> None:
        self._refusal = refusal

    def __getattr__(self, name: str) -> Any:
        raise self._refusal


def refusing(home: Home, refusal: ReviewdeckError) -> OpenHome:
    """A home to be read: each attempt to write to it raises this error."""
    refuses = _Refusing(refusal)
    return OpenHome(home, cast("HomeWriter", refuses), cast("BatchJournal", refuses))
