"""JSON from an untrusted author: one object, bounded, without duplicate keys."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from reviewdeck.text.json import is_deeper

DEPTH_CAP = 32
_DIGITS_CAP = 18


class Malformed(Exception):
    """A record that cannot be read as a proposal. Readers of records turn it into a value."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """A short code."""
        self.message = message


def text_at(record: Mapping[str, Any], key: str) -> str:
    """The text of a field; empty where it is missing. Raises Malformed for anything else."""
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value or ""
    raise Malformed("wrong-type", f"its {key} is not a string")


def parse_object(text: str) -> dict[str, Any] | str:
    """The JSON object of a text, or the sentence that says what is wrong with it."""
    try:
        return load_object(text.encode("utf-8", "surrogatepass"))
    except Malformed as malformed:
        return malformed.message


def load_object(data: bytes) -> dict[str, Any]:
    """The JSON object of these bytes. Raises Malformed."""
    text = _decode(data)
    if is_deeper(text, DEPTH_CAP):
        raise Malformed("too-deep", f"it is nested more than {DEPTH_CAP} levels deep")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Malformed("not-json", f"it is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Malformed("not-an-object", "it is not a JSON object")
    if "\\u" in text:  # only an escape can spell what UTF-8 forbids
        _check_strings(value)
    return value


def _decode(data: bytes) -> str:
    if not data.strip():
        raise Malformed("empty", "the file is empty")
    if b"\0" in data:
        raise Malformed("nul", "it contains a NUL character")
    try:
        return data.decode("utf-8-sig")  # Later versions of the agent drop the mark too.
    except UnicodeDecodeError as error:
        raise Malformed("not-utf8", f"it is not UTF-8 text (byte {error.start})") from None


def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An `object_pairs_hook` that raises Malformed where a key occurs twice."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Malformed("duplicate-key", "an object in it has one key twice")
    return members


def _reject_constant(name: str) -> float:
    raise Malformed("bad-number", f"it contains {name}, which is not JSON")


def _bounded_int(digits: str) -> int:
    if len(digits) > _DIGITS_CAP:
        raise Malformed("bad-number", f"it contains a number of {len(digits)} digits")
    return int(digits)


def _finite_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise Malformed("bad-number", "it contains a number that is too large")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=reject_duplicate_keys,
    parse_constant=_reject_constant,
    parse_int=_bounded_int,
    parse_float=_finite_float,
)


def _check_strings(value: object) -> None:
    pending = [value]
    while pending:
        match pending.pop():
            case str() as text:
                _check_string(text)
            case dict() as members:
                pending.extend(members)
                pending.extend(members.values())
            case list() as items:
                pending.extend(items)
            case _:
                pass  # numbers, true, false and null carry no text


def _check_string(text: str) -> None:
    if "\0" in text:
        raise Malformed("nul", "a text in it contains a NUL character")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Malformed("surrogate", "a text in it contains half of a surrogate pair") from None
