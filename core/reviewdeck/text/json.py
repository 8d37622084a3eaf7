"""JSON that another program wrote. It is bounded in depth: what reads a value may recurse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

_DEPTH_CAP: Final = 100

# Strings are skipped as a unit, an unterminated one too: no text makes this backtrack.
_STRUCTURE: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def load_json(
    text: str | bytes, *, hook: Callable[[list[tuple[str, Any]]], object] | None = None
) -> Any:
    """The value of a text; `hook` makes objects of their members. Raises ValueError."""
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    if is_deeper(text, _DEPTH_CAP):
        raise ValueError(f"it is nested more than {_DEPTH_CAP} levels deep")
    return json.loads(text, object_pairs_hook=hook)


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """The object that a text is; None for other JSON, and for no JSON."""
    try:
        value = load_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def is_deeper(text: str, levels: int) -> bool:
    """Whether a text in JSON nests deeper than so many levels."""
    if text.count("{") + text.count("[") <= levels:
        return False
    depth = 0
    for match in _STRUCTURE.finditer(text):
        first = match[0][0]
        depth += (first in "[{") - (first in "]}")
        if depth > levels:
            return True
    return False
