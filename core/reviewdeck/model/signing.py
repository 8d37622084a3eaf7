"""What an operator signs, and the seal that comes of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from reviewdeck.model.history import Decision, Event
from reviewdeck.model.sealed import Seal

DOMAIN: Final = b"reviewdeck decision 1\n"
"""Stands before what is signed, so that a signature for one purpose is none for another."""
LINE_DOMAIN: Final = b"reviewdeck line of the log 1\n"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class About:
    """What a decision is about, besides the one proposal that its row names."""

    home: str
    proposals: tuple[str, ...]
    """All that are written together with it, in order."""
    revisions: tuple[tuple[str, str, str], ...] = ()
    """Path, revision before and revision after of each document that is written."""


def line_statement(event: Event) -> bytes:
    """The bytes that are signed of a line of the log that tells what an operator did.

    The line before it is covered, so a signed line cannot be moved; its own signature is not.
    """
    said = {
        "at": (event.at - _EPOCH) // timedelta(microseconds=1),
        "detail": {k: v for k, v in event.detail.items() if k not in ("key", "signature")},
        "home": event.home,
        "name": event.name,
        "operator": event.actor.name,
        "previous": event.previous,
        "sequence": event.sequence,
        "subject": event.subject,
    }
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return LINE_DOMAIN + canonical.encode("ascii")


def statement(decision: Decision, about: About, seal: Seal) -> bytes:
    """The bytes that are signed: canonical JSON of everything that the decision rests on.

    The signature of the seal itself is no part of it.
    """
    said = {
        "at": (decision.at - _EPOCH) // timedelta(microseconds=1),
        "counter": seal.counter,
        "decision": decision.id,
        "digest": decision.digest,
        "home": about.home,
        "key": seal.key,
        "log": [seal.log_sequence, seal.log_sha],
        "operator": decision.actor.name,
        "policy": seal.policy,
        "proposal": decision.proposal,
        "proposals": list(about.proposals),
        "reason": decision.reason,
        "revisions": [list(one) for one in about.revisions],
        "text": decision.text_sha,
        "verb": decision.verb.value,
    }
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return DOMAIN + canonical.encode("ascii")
