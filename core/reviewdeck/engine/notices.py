"""Notices outside the deck: what happened in a home since its last notice.

Counts and severities, never a text. Delivery times are pinned in the ledger, so that `auto`
and the watch, in turn or concurrently, send each notice once; only the time of the next
attempt is in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from reviewdeck.engine.auto import items_in
from reviewdeck.engine.engine import Engine
from reviewdeck.errors import ReviewdeckError
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Cause, QueueItem, Severity, State
from reviewdeck.policy.notice_settings import NoticeEvent, NoticeSettings
from reviewdeck.ports import Home

_PIN: Final = "notices:"
_FIRST: Final = timedelta(days=1)
"""The period that the first notice of a home covers."""
_DIGEST: Final = timedelta(days=1)
"""The least time between notices of automatic applications alone."""
_URGENT: Final = timedelta(minutes=1)
"""The least time between notices of dangerous proposals."""
_WAITING: Final = tuple(s for s in State if s.is_open and s is not State.DEFERRED)
_DANGEROUS: Final = frozenset({Severity.HIGH, Severity.CRITICAL})


@dataclass(frozen=True, slots=True)
class OperatorNotice:
    """One notice about one home."""

    home: str
    counts: Mapping[NoticeEvent, int]
    severity: Severity | None
    """The severity of the worst new finding."""

    @property
    def text(self) -> str:
        """One line, without any text of an agent."""
        words = {
            NoticeEvent.WAITING: "waiting",
            NoticeEvent.DANGEROUS: "dangerous",
            NoticeEvent.APPLIED: "applied automatically",
            NoticeEvent.OUTSIDE: "changed outside review",
        }
        counts = ", ".join(
            f"{self.counts[event]} {words[event]}" for event in words if event in self.counts
        )
        worst = f" (worst: {self.severity.value})" if self.severity else ""
        return f"reviewdeck, {self.home}: {counts}{worst}"

    def as_json(self) -> dict[str, Any]:
        """The JSON that a notice command reads."""
        return {
            "v": 1,
            "home": self.home,
            "events": {event.value: count for event, count in self.counts.items()},
            "severity": self.severity and self.severity.value,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class LastNotice:
    """Until when notices of a home were delivered, and why the last one failed."""

    until: datetime | None = None
    failed: str = ""


def last_notice(ledger: Ledger, home: str) -> LastNotice:
    """The pinned state of a home's notices."""
    try:
        raw = json.loads(ledger.pinned(f"{_PIN}{home}") or "{}")
        until = raw.get("until")
        return LastNotice(
            until and datetime.fromisoformat(until).astimezone(UTC), raw.get("failed", "")
        )
    except (ValueError, AttributeError, TypeError):
        return LastNotice()


Deliver = Callable[[NoticeSettings, OperatorNotice], str]
"""Brings a notice to the operator. Gives why it could not; empty when it did."""


class Notices:
    """Sends notices about some homes, as often as the policy file says."""

    def __init__(self, deliver: Deliver) -> None:
        self._deliver = deliver
        self._look_after: dict[str, datetime] = {}
        """By home that changed since: the time before which no notice is due."""
        self._known_homes: set[str] = set()

    def turn(self, engine: Engine, *, moved: bool) -> None:
        """Sends the due notices; `moved` says that something may have happened meanwhile."""
        now = engine.now()
        for open_home in engine.open_homes:
            if moved or open_home.home.id not in self._known_homes:
                self._known_homes.add(open_home.home.id)
                self._look_after[open_home.home.id] = now
            due = self._look_after.get(open_home.home.id)
            if due is not None and due <= now:
                del self._look_after[open_home.home.id]
                try:
                    self._notify(engine, open_home.home, now)
                except ReviewdeckError:  # Errors of the ledger are reported by the pass itself.
                    self._look_after[open_home.home.id] = now + _URGENT

    def _notify(self, engine: Engine, home: Home, now: datetime) -> None:
        policy = engine.policy()
        settings = policy.settings.notify
        # A command that no operator signed is not run where operators sign.
        if not settings.is_on or engine.authority.why_nothing_is_automatic(policy.mark):
            return
        last = last_notice(engine.ledger, home.id)
        notice = notice_since(engine, home, last.until or now - _FIRST, settings)
        if notice is None:
            return
        due = now if last.until is None else last.until + _pause(notice, settings)
        if due > now:
            self._look_after[home.id] = due
            return
        failed = self._deliver(settings, notice)
        if failed:
            self._look_after[home.id] = now + timedelta(minutes=settings.every_minutes)
        if failed != last.failed or not failed:
            until = last.until if failed else now
            value = {"until": until and until.isoformat(), "failed": failed}
            engine.ledger.pin(f"{_PIN}{home.id}", json.dumps(value))


def _pause(notice: OperatorNotice, settings: NoticeSettings) -> timedelta:
    if NoticeEvent.DANGEROUS in notice.counts:
        return _URGENT
    is_digest = {*notice.counts} == {NoticeEvent.APPLIED}
    return _DIGEST if is_digest else timedelta(minutes=settings.every_minutes)


def notice_since(
    engine: Engine, home: Home, since: datetime, settings: NoticeSettings
) -> OperatorNotice | None:
    """The notice about a home since a moment; None where no chosen event happened."""
    ledger = engine.ledger
    arrivals = [item for item in items_in(engine, home.id, *_WAITING) if item.ingested_at > since]
    latest = ledger.latest(home.id).values()
    counts = {
        NoticeEvent.WAITING: sum(item.state is not State.LIVE for item in arrivals),
        NoticeEvent.DANGEROUS: sum(map(_is_dangerous, arrivals)),
        NoticeEvent.APPLIED: sum(
            operation.at > since for operation in ledger.automatic_since(home.id, since)
        ),
        NoticeEvent.OUTSIDE: sum(
            observation.cause is Cause.OUTSIDE and observation.at > since for observation in latest
        ),
    }
    chosen = {event: n for event, n in counts.items() if n and event in settings.events}
    findings = [finding.severity for item in arrivals for finding in item.findings]
    worst = max(findings, key=lambda severity: severity.rank, default=None)
    return OperatorNotice(home.name, chosen, worst) if chosen else None


def _is_dangerous(item: QueueItem) -> bool:
    is_grave = any(finding.severity in _DANGEROUS for finding in item.findings)
    return item.state is State.REFUSED or is_grave
