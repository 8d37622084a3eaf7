"""A line for each value, with some of its fields: `'{id} {digest}'`. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from reviewdeck.cli.usage import UsageProblem
from reviewdeck.presentation.words import one_line
from reviewdeck.text.redact import redact

_PART: Final = re.compile(r"\{(\w+)\}|\\t|\{\{|\}\}|[^{}\\]+|.", re.DOTALL)
_LITERAL: Final = {r"\t": "\t", "{{": "{", "}}": "}"}


def line_format(pattern: str) -> Callable[[Mapping[str, Any]], str]:
    """What makes a line of a value. Raises UsageProblem, also later for a field that is unknown."""
    parts = [(match[0], match[1]) for match in _PART.finditer(pattern)]
    if any(text in {"{", "}"} for text, _ in parts):
        raise UsageProblem(
            f"--format cannot be {pattern!r}.", hint="Write fields like {id}, and a brace as {{."
        )

    def line(value: Mapping[str, Any]) -> str:
        return "".join(
            _LITERAL.get(text, text) if name is None else _field(value, name)
            for text, name in parts
        )

    return line


def _field(value: Mapping[str, Any], name: str) -> str:
    if name not in value:
        raise UsageProblem(
            f"There is no field {name!r}.", hint=f"There are {', '.join(sorted(value))}."
        )
    match value[name]:
        case None:
            return "-"
        case str() as text:
            return redact(one_line(text))
        case other:
            return json.dumps(other, ensure_ascii=False)
