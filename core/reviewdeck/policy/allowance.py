"""The allowance: how many additions a day, and of one conversation, go in without a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from reviewdeck.policy.settings import PolicySettings
from reviewdeck.values import dataclass

ALLOWANCE = "allowance"
"""The code of the finding that an addition waits because the allowance is used up."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class AutomaticAddition:
    """One addition that went in without a person."""

    at: datetime
    sessions: tuple[str, ...] = ()
    """The conversation that it came from; empty where none is kept."""


@dataclass(frozen=True, slots=True)
class AllowanceRequest:
    """One addition that may go in."""

    id: str
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AllowanceUsedUp:
    """An addition that waits because an allowance is used up."""

    setting: str
    """The setting whose allowance is used up."""
    used: int
    allowance: int
    frees: datetime | None
    """When there is room for it again; None where nothing ever goes in."""

    @property
    def message(self) -> str:
        """The reason in one or two sentences."""
        of = "this home" if self.setting == "a_day" else "this conversation"
        message = f"{self.used} of {self.allowance} additions of {of} went in within 24 hours."
        if self.frees is not None:
            message += f" There is room again from {self.frees:%Y-%m-%d %H:%M} UTC."
        return message


@dataclass(frozen=True, slots=True)
class AllowanceResult:
    """Which additions go in now, and why the others wait."""

    now: tuple[str, ...]
    later: Mapping[str, AllowanceUsedUp]


def admit(
    requests: Iterable[AllowanceRequest],
    lately: Sequence[AutomaticAddition],
    settings: PolicySettings,
    now: datetime,
) -> AllowanceResult:
    """Lets additions in, in their order, as long as the allowances last.

    `lately` is what went in within the last day, oldest first.
    """
    day = [addition.at for addition in lately]
    by_session: dict[str, list[datetime]] = {}
    for addition in lately:
        for session in addition.sessions:
            by_session.setdefault(session, []).append(addition.at)
    admitted: list[str] = []
    later: dict[str, AllowanceUsedUp] = {}
    for ask in requests:
        postponed = _full("a_day", day, settings.a_day)
        for session in ask.sessions:
            used = by_session.get(session, ())
            postponed = postponed or _full("a_conversation", used, settings.a_conversation)
        if postponed is not None:
            later[ask.id] = postponed
            continue
        admitted.append(ask.id)
        day.append(now)
        for session in ask.sessions:
            by_session.setdefault(session, []).append(now)
    return AllowanceResult(tuple(admitted), later)


def _full(setting: str, used: Sequence[datetime], allowance: int) -> AllowanceUsedUp | None:
    if len(used) < allowance:
        return None
    frees = used[len(used) - allowance] + DAY if allowance else None
    return AllowanceUsedUp(setting, len(used), allowance, frees)
