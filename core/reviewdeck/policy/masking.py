"""Secrets in a text, covered for lists and logs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reviewdeck.model import MemoryAdd, Span
from reviewdeck.policy.reading import SCAN_LIMIT
from reviewdeck.policy.rule import Subject
from reviewdeck.policy.secrets import RULES

_SHOWN = 4
"""Characters at the beginning that tell which kind of secret it is."""
_BLOCK = re.compile(
    r"-----\s?BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----\s?END[A-Z0-9 ]{0,40}-----|\Z)",
    re.DOTALL,
)
"""A private key, down to its end: the rule points at its first line only."""
_COVER = "•" * 8
_OVERLAP = 4_096
"""Characters that two pieces of a long text share: a secret at the end of one is whole in one."""


def mask(text: str, spans: Iterable[Span] | None = None) -> str:
    """The text with secrets covered: those at these places, or all that the rules find.

    A cover has one length whatever it hides, and line ends stay where they are.
    """
    found = secret_spans(text) if spans is None else tuple(spans)
    covered = []
    at = 0
    for span in merged(found):
        covered += [text[at : span.start], cover(text[span.start : span.end])]
        at = span.end
    return "".join([*covered, text[at:]])


def secret_spans(text: str) -> tuple[Span, ...]:
    """Where the rules see a secret in a text."""
    found = (
        Span(start + span.start, start + span.end)
        for start in range(0, max(1, len(text) - _OVERLAP), SCAN_LIMIT - _OVERLAP)
        for span in _found_by_rules(text[start : start + SCAN_LIMIT])
    )
    blocks = (Span(*block.span()) for block in _BLOCK.finditer(text))
    return (*found, *blocks)


def _found_by_rules(text: str) -> Iterator[Span]:
    """In a text of which the rules look at the whole."""
    subject = Subject(edits=(MemoryAdd("memories/MEMORY.md", text),))
    for rule in RULES:
        if rule.name == "secret":
            findings = rule.apply(subject).findings
            yield from (finding.span for finding in findings if finding.span is not None)


def cover(secret: str) -> str:
    """What stands in the place of a secret."""
    lines = secret.count("\n")
    begins = secret[:_SHOWN] if len(secret) > 3 * _SHOWN and secret[:_SHOWN].isalnum() else ""
    return begins + _COVER + "\n" * lines


def merged(spans: Iterable[Span]) -> list[Span]:
    """These places in order, those that touch as one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined
