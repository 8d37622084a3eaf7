"""The live lines that a sentence may come from, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.engine.why import SourceLine
from reviewdeck.presentation.changes import Author, credit_json
from reviewdeck.presentation.words import one_line
from reviewdeck.text.redact import NOTHING, Redaction
from reviewdeck.text.terms import words_of

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine

SAID: Final = 200
"""Characters of the user's words that are quoted."""
NO_SOURCE: Final = "Nothing that is live shares telling words with it."


def redaction_of(
    engine: Engine, sources: Iterable[SourceLine], *, is_off: bool = False
) -> Redaction:
    """Covers the secrets of the lines, as their whole documents tell them."""
    if is_off:
        return NOTHING
    places = dict.fromkeys((source.line.home, source.line.path) for source in sources)
    snapshots = {home: engine.home(home).snapshot() for home, _ in places}
    return Redaction(snapshots[home].document(path).text for home, path in places)


def share_words(source: SourceLine) -> str:
    """How much a line shares with the sentence."""
    shared = source.shared
    return "word for word" if shared.is_verbatim else f"{shared.score:.0f} %"


def shared_words(source: SourceLine, redaction: Redaction) -> tuple[str, ...]:
    """The words that they share, without those that are covered in the line.

    By itself no word looks like a secret.
    """
    told = set(words_of(redaction.text(source.line.text)))
    pairs = zip(source.shared.words, source.shared.own_words, strict=True)
    return tuple(word for word, own in pairs if own in told)


def said_words(source: SourceLine) -> str:
    """What the user said when a line was taught; empty if unknown."""
    said = one_line(source.said)
    said = said if len(said) <= SAID else f"{said[: SAID - 1]}…"
    return f"the user: “{said}”" if said else ""


def source_json(
    source: SourceLine, authors: Mapping[str, Author], redaction: Redaction
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
        "words": list(shared_words(source, redaction)),
        "by": source.by and credit_json(source.by, dict(authors)),
        "said": source.said or None,
    }
