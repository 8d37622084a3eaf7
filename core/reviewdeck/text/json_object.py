"""JSON that another program wrote: an object, or nothing that is believed."""

from __future__ import annotations

import json
from typing import Any


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """The object that a text is; None for other JSON, for no JSON and for what nests too deep."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
