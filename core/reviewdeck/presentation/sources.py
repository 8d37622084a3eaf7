"""The live lines that a sentence may come from, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.engine.why import Source
from reviewdeck.presentation.changes import Author, credit_json
from reviewdeck.presentation.words import inert, one_line
from reviewdeck.text.redact import NOTHING, Redaction
from reviewdeck.text.terms import words_of

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine

SAID: Final = 200
"""Characters of the user's words that are quoted."""
NO_SOURCE: Final = "Nothing that is live shares telling words with it."


def redaction_of(engine: Engine, sources: Iterable[Source], *, is_off: bool = False) -> Redaction:
    """Covers the secrets of the lines, as their whole documents tell them."""
    if is_off:
        return NOTHING
    places = dict.fromkeys((source.line.home, source.line.path) for source in sources)
    snapshots = {home: engine.home(home).snapshot() for home, _ in places}
    return Redaction(snapshots[home].document(path).text for home, path in places)


def shared_words(source: Source, redaction: Redaction) -> str:
    """What a line shares with the sentence."""
    shared = source.shared
    words = ", ".join(map(inert, told_words(source, redaction)))
    return f"word for word: {words}" if shared.is_verbatim else f"{shared.score:.0f} %: {words}"


def told_words(source: Source, redaction: Redaction) -> tuple[str, ...]:
    """The shared words that a redacted line has too: by itself no word looks like a secret."""
    told = set(words_of(redaction.text(source.line.text)))
    return tuple(word for word in source.shared.words if not told.isdisjoint(words_of(word)))


def said_words(source: Source) -> str:
    """What the user said when a line was taught; empty if unknown."""
    said = one_line(source.said)
    said = said if len(said) <= SAID else f"{said[: SAID - 1]}…"
    return f"the user: “{said}”" if said else ""


def source_json(
    source: Source, authors: Mapping[str, Author], redaction: Redaction
) -> dict[str, Any]:
    """A line with its credit; `line` is what `revert --line` takes."""
    line = source.line
    return {
        "line": line.id,
        "home": line.home,
        "document": line.path,
        "number": line.at + 1,
        "entry": line.is_entry,
        "text": redaction.text(line.text),
        "score": round(source.shared.score),
        "verbatim": source.shared.is_verbatim,
        "words": list(told_words(source, redaction)),
        "by": source.by and credit_json(source.by, dict(authors)),
        "said": source.said or None,
    }
