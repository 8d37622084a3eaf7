"""Redaction: secrets in a text, found and covered. The one place that every output goes through.

The forms of secrets are loaded and compiled when the first text is looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from reviewdeck.text.json import load_json
from reviewdeck.text.lazy import regex

Place: TypeAlias = tuple[int, int]
"""A span of a text in characters, end exclusive."""

_SHOWN: Final = 4
"""Characters at the beginning that tell which kind of secret it is."""
COVER: Final = "•" * 8
_WINDOW: Final = 16_384
_SHARED: Final = 2_048
"""Characters that are looked at together, and how many of them two windows share."""
_SHORTEST: Final = 4
"""Characters from which a line of a secret is covered wherever else it stands."""
_EVERYWHERE: Final = 8
"""Characters from which it is covered within a longer word too."""
_CUTS: Final = ("…", "...")
"""Marks of a shortened text."""
_SPACE: Final = regex(r"\s")
_PRIVATE_KEY: Final = regex(
    r"-----\s?BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----\s?END[A-Z0-9 ]{0,40}-----|\Z)",
    re.DOTALL,
)
"""A private key, down to its end: the forms find its first line only."""
_REMEMBERED: Final = 1_024, 300
"""Texts that are remembered, and how long one of them may be: rows of lists are drawn often."""
_EXAMPLE: Final = "Zx8Kq2LmN4pR"
"""A value that is a secret under any name of one, and none by itself."""


def redact(text: str) -> str:
    """The text with every secret in it covered."""
    return (
        _remembered(text)
        if len(text) <= _REMEMBERED[1]
        else cover_places(text, secret_places(text))
    )


@lru_cache(maxsize=_REMEMBERED[0])
def _remembered(text: str) -> str:
    return cover_places(text, secret_places(text))


def cover_places(text: str, secrets: Iterable[Place]) -> str:
    """The text with these places covered.

    A cover has one length whatever it hides, and line ends stay where they are.
    """
    covered = []
    at = 0
    for start, end in merge_places(secrets):
        covered += [text[at:start], cover(text[start:end])]
        at = end
    return "".join([*covered, text[at:]])


def secret_places(text: str) -> list[Place]:
    """The spans of everything that looks like a secret, in order."""
    return merge_places(_find(text))


def cover(secret: str) -> str:
    """The dots in the place of a secret, behind the four letters that tell its kind."""
    lines = secret.count("\n")
    begins = secret[:_SHOWN] if len(secret) > 3 * _SHOWN and secret[:_SHOWN].isalnum() else ""
    return begins + COVER + "\n" * lines


def merge_places(secrets: Iterable[Place]) -> list[Place]:
    """These places in order, those that touch as one."""
    merged: list[Place] = []
    for start, end in sorted(secrets):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def redact_value(
    value: object,
    exact: Collection[str] = (),
    text: Callable[[str], str] = redact,
    *,
    foreign: Collection[str] = (),
) -> object:
    """A value of JSON with every secret covered but under the keys that are to be exact.

    JSON within a text is looked at as JSON: there a quotation mark is not one. Its keys are
    somebody else's, and so are those under a foreign key: none of them is exact, and a key that
    names a secret has its value covered.
    """
    match value:
        case str():
            return _of_json(value, text) if value[:1] in ("{", "[") else text(value)
        case Mapping():
            members = {}
            for key, member in value.items():
                if key in foreign:
                    member = _of_somebody(member, text)
                elif key not in exact:
                    member = redact_value(member, exact, text, foreign=foreign)
                members[redact(key)] = member
            return members
        case list() | tuple():
            return [redact_value(member, exact, text, foreign=foreign) for member in value]
        case _:
            return value


def _of_json(document: str, text: Callable[[str], str]) -> str:
    try:
        value = load_json(document, hook=_members)
        redacted = _of_somebody(value, text)
        if redacted == value:
            return document
        covered = text(document)  # has the document's own lines
        if _is_json_of(covered, redacted):
            return covered
        return json.dumps(redacted, ensure_ascii=False)
    except ValueError:
        return text(document)


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The members of an object. Raises ValueError for a key twice: one value would be unseen."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key twice")
    return members


def _is_json_of(document: str, value: object) -> bool:
    try:
        return bool(load_json(document) == value)
    except ValueError:
        return False


def _of_somebody(value: object, text: Callable[[str], str]) -> object:
    """A value of JSON whose keys are not ours, with every secret covered."""
    match value:
        case Mapping():
            return {text(key): _under(key, member, text) for key, member in value.items()}
        case list() | tuple():
            return [_of_somebody(member, text) for member in value]
        case _:
            return redact_value(value, text=text)


def _under(key: str, member: object, text: Callable[[str], str]) -> object:
    """A member of an object, covered where its key says that it is a secret."""
    is_bare = isinstance(member, str | int) and not isinstance(member, bool)
    if not is_bare or len(key) > _REMEMBERED[1] or not _names_secret(key):
        return _of_somebody(member, text)
    label = f"{key}: "
    places = [
        (max(0, start - len(label)), end - len(label))
        for start, end in secret_places(f"{label}{member}")
        if end > len(label)
    ]
    if isinstance(member, str):
        return _of_somebody(cover_places(member, places), text)
    return COVER if places else member


@lru_cache(maxsize=_REMEMBERED[0])
def _names_secret(key: str) -> bool:
    return any(end > len(key) + 2 for _, end in secret_places(f"{key}: {_EXAMPLE}"))


class Redaction:
    """Covers secrets in views that show a text in lines, in pieces, or cut short.

    It knows the secrets of whole texts, so that a line in the middle of a key is covered too.
    """

    def __init__(self, texts: Iterable[str] = (), *, is_off: bool = False) -> None:
        self._is_off = is_off
        known = () if is_off else (line for text in texts for line in _lines_of_secrets(text))
        self._secrets = frozenset(known)

    def text(self, text: str) -> str:
        """A text of somebody else, with secrets covered."""
        if self._is_off:
            return text
        if not self._secrets:
            return redact(text)
        return cover_places(text, (*secret_places(text), *self._known(text)))

    def covers_any_of(self, text: str) -> bool:
        """False only where nothing is covered in any line of a text."""
        if self._is_off:
            return False
        begins = any(secret[: _SHOWN + 1] in text for secret in self._secrets)
        return begins or next(_find(text), None) is not None

    def _known(self, text: str) -> Iterator[Place]:
        for secret in self._secrets:
            if secret[: _SHOWN + 1] in text:
                yield from _occurrences(secret, text)
                yield from _cut_occurrences(secret, text)


NOTHING: Final = Redaction(is_off=True)
"""Covers nothing."""


def _find(text: str) -> Iterator[Place]:
    from reviewdeck.text.secret_forms import Searched, find_secrets
    from reviewdeck.text.secret_prose import find_told_secrets

    for start in _windows(text):
        searched = Searched(text[start : start + _WINDOW])
        for find in (find_secrets, find_told_secrets):
            for first, last in find(searched):
                yield start + first, start + last
    yield from (block.span() for block in _PRIVATE_KEY.finditer(text))


def _windows(text: str) -> Iterator[int]:
    """The starts of windows: at a word if possible, since half an id may look like a secret."""
    start, end = 0, len(text)
    yield start
    while start + _WINDOW < end:
        start += _WINDOW - _SHARED
        word = _SPACE.search(text, start, start + _SHARED // 2)
        start = word.end() if word is not None else start
        yield start


def _lines_of_secrets(text: str) -> Iterator[str]:
    for start, end in secret_places(text):
        # A password of a link may be any word: elsewhere it stands between the same signs.
        is_of_link = text[start - 1 : start] == ":" and text[end : end + 1] == "@"
        secret = text[start - 1 : end + 1] if is_of_link else text[start:end]
        lines = map(str.strip, secret.splitlines())
        yield from (line for line in lines if len(line) >= _SHORTEST)


def _occurrences(secret: str, text: str) -> Iterator[Place]:
    """The spans of a known secret in a text; of a short one only as a word of its own."""
    at = text.find(secret)
    while at >= 0:
        end = at + len(secret)
        around = text[max(0, at - 1) : at] + text[end : end + 1]
        if len(secret) >= _EVERYWHERE or not any(character.isalnum() for character in around):
            yield at, end
        at = text.find(secret, at + 1)


def _cut_occurrences(secret: str, text: str) -> Iterator[Place]:
    """The beginning of a secret where a text was cut in the middle of it."""
    ends = [len(text)] + [at for cut in _CUTS if (at := text.find(cut)) >= 0]
    for end in ends:
        for length in range(min(len(secret) - 1, end), _SHOWN, -1):
            if text.startswith(secret[:length], end - length):
                yield end - length, end
                break
