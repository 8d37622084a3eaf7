"""Secrets in a text, covered for lists and logs."""

from __future__ import annotations

from collections.abc import Iterable

from reviewdeck.model import MemoryAdd, Span
from reviewdeck.policy.rule import Subject
from reviewdeck.policy.secrets import RULES

_SHOWN = 4
"""Characters at the beginning that tell which kind of secret it is."""
_COVER = "•" * 8


def mask(text: str, spans: Iterable[Span] | None = None) -> str:
    """The text with secrets covered: those at these places, or all that the rules find.

    A cover has one length whatever it hides, and line ends stay where they are.
    """
    found = secret_spans(text) if spans is None else tuple(spans)
    covered = []
    at = 0
    for span in _merged(found):
        covered += [text[at : span.start], _cover(text[span.start : span.end])]
        at = span.end
    return "".join([*covered, text[at:]])


def secret_spans(text: str) -> tuple[Span, ...]:
    """Where the rules see a secret in a text."""
    subject = Subject(edits=(MemoryAdd("memories/MEMORY.md", text),))
    asked = (rule for rule in RULES if rule.name == "secret")
    return tuple(
        finding.span
        for rule in asked
        for finding in rule.apply(subject).findings
        if finding.span is not None
    )


def _cover(secret: str) -> str:
    lines = secret.count("\n")
    begins = secret[:_SHOWN] if len(secret) > 3 * _SHOWN and secret[:_SHOWN].isalnum() else ""
    return begins + _COVER + "\n" * lines


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged
