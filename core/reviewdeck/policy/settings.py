"""An operator's settings: what may go in without a person, whom they trust, own rules.

No setting makes a replacement, a removal, a script, an unknown or an outside origin automatic.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from enum import StrEnum
from typing import Final

from reviewdeck.model import Kind, OriginClass
from reviewdeck.model.votes import ONE, Quorum
from reviewdeck.policy.notice_settings import NoticeSettings
from reviewdeck.policy.own_rules import OwnRule
from reviewdeck.ports.conversations import Trust
from reviewdeck.values import dataclass

LARGEST: Final = 256 * 1024
"""Bytes of a policy file."""


class AutomaticUpTo(StrEnum):
    """Up to which class of conversation additions go in without a person."""

    OFF = "off"
    USER = "user"
    WORKSPACE = "workspace"
    """For memories alone, and only what the user said."""


class Unrecorded(StrEnum):
    """The treatment of memories in a home that keeps no conversations."""

    FORM = "form"
    """A memory that is one plain statement goes in."""
    HOLD = "hold"


class OutsideMode(StrEnum):
    """The treatment of changes outside review. None is ever taken back without an operator."""

    REVIEW = "review"
    """An operator reviews it, unless it would have been applied automatically."""
    REPORT = "report"
    """It is kept and listed."""


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Everything that a policy file says. Without one, these defaults hold."""

    memory: AutomaticUpTo = AutomaticUpTo.WORKSPACE
    skills: AutomaticUpTo = AutomaticUpTo.USER
    unrecorded: Unrecorded = Unrecorded.FORM
    a_day: int = 20
    """Additions to one home within 24 hours."""
    a_conversation: int = 5
    """Additions from one conversation within 24 hours."""
    probation_days: int = 7
    """Days until an automatic addition counts as accepted."""
    outside: OutsideMode = OutsideMode.REVIEW
    quorum: Quorum = ONE
    """How many operators have to approve what."""
    trust: Trust = field(default_factory=Trust)
    hosts: frozenset[str] = frozenset()
    """Hosts that the home may name as if they stood in its documents."""
    rules: tuple[OwnRule, ...] = ()
    notify: NoticeSettings = field(default_factory=NoticeSettings)
    """Notices outside the deck; no verdict depends on them."""

    def allowed(self, kind: Kind) -> Collection[OriginClass]:
        """The classes of conversations from which an addition of this kind may go in."""
        match kind:
            case Kind.MEMORY:
                return _CLASSES[self.memory]
            case Kind.SKILLS:
                return _CLASSES[self.skills]
            case Kind.DOCUMENTS:
                return frozenset()


_CLASSES = {
    AutomaticUpTo.OFF: (),
    AutomaticUpTo.USER: (OriginClass.USER,),
    AutomaticUpTo.WORKSPACE: (OriginClass.USER, OriginClass.WORKSPACE),
}
DEFAULT = PolicySettings()
