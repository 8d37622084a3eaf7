"""What thread workers tell the deck's screen when they are done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from reviewdeck.errors import ReviewdeckError
from reviewdeck_tui.bookmark import Bookmark
from reviewdeck_tui.queue.filter import FilterResult
from reviewdeck_tui.queue.items import Shelf
from reviewdeck_tui.queue.view import Stock
from reviewdeck_tui.sightings import PaintedDiffs

if TYPE_CHECKING:
    from reviewdeck.model import Draft
    from reviewdeck_tui.merge.cluster import Member
    from reviewdeck_tui.merge.open import OpenMerge
    from reviewdeck_tui.proposal.own_text import OwnText
    from reviewdeck_tui.proposal.view import ProposalView
    from reviewdeck_tui.summary.preview import SummaryPreview


@dataclass
class Stocked(Message):
    """The queue was read anew."""

    stock: Stock
    said: str = ""
    """One line for the operator."""


@dataclass
class Looked(Message):
    """A proposal's diff is ready."""

    look: ProposalView


@dataclass
class Filtered(Message):
    """The filter has been through everything."""

    wanted: str
    shelf: Shelf
    found: FilterResult
    mask: bytes
    """For each place of the shelf, whether the filter lets it through."""


@dataclass
class Summed(Message):
    """The summary is ready."""

    shown: SummaryPreview


@dataclass
class OwnTextOpened(Message):
    """The text for the operator's own version is ready for the editor."""

    own: OwnText


@dataclass
class Resumed(Message):
    """Where an earlier deck was when it died, if there was one."""

    begun: Bookmark
    """Where this deck began."""
    found: Bookmark | None
    seen: PaintedDiffs
    """What was painted in earlier sessions."""


@dataclass
class PlaceKept(Message):
    """The operator's place is kept, and what they have seen."""

    place: Bookmark
    seen: PaintedDiffs
    is_alone: bool
    """Whether only this process keeps it, because the working memory does not answer."""
    running: str = ""
    """What a review that runs just now is at; empty when none does."""


@dataclass
class MergeOpened(Message):
    """A merge is ready for its screen."""

    shown: OpenMerge
    moved: bool = False
    """It is the one on the screen, held against what is live now."""
    drafted: str = ""
    """What was drafted of the one before; empty when nothing was."""
    to_write: bool = False
    """Its editor is to be opened at once."""


@dataclass
class Clustered(Message):
    """All that waits about one thing was read."""

    here: str
    """The proposal that it was asked for."""
    members: tuple[Member, ...]


@dataclass
class MergeDrafted(Message):
    """The result of a merge is a draft."""

    draft: Draft
    stock: Stock


@dataclass
class Refused(Message):
    """Something could not be done; nothing was changed."""

    error: ReviewdeckError
    what: str = ""
