"""Secrets in a text, as spans, and covered for lists and logs."""

from __future__ import annotations

from collections.abc import Iterable

from reviewdeck.model import Span
from reviewdeck.policy.covers import cover as cover
from reviewdeck.policy.covers import covered_at, joined, places_of_secrets


def mask(text: str, spans: Iterable[Span] | None = None) -> str:
    """The text with secrets covered: those at these places, or all that can be found.

    A cover has one length whatever it hides, and line ends stay where they are.
    """
    if spans is None:
        return covered_at(text, places_of_secrets(text))
    return covered_at(text, ((span.start, span.end) for span in spans))


def secret_spans(text: str) -> tuple[Span, ...]:
    """Where something in a text looks like a secret."""
    return tuple(Span(*place) for place in places_of_secrets(text))


def merged(spans: Iterable[Span]) -> list[Span]:
    """These places in order, those that touch as one."""
    return [Span(*place) for place in joined((span.start, span.end) for span in spans)]
