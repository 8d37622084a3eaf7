"""Messages from the deck's workers to its screens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from reviewdeck.errors import ReviewdeckError
from reviewdeck_tui.bookmark import Bookmark
from reviewdeck_tui.queue.view import Backlog
from reviewdeck_tui.sightings import PaintedDiffs

if TYPE_CHECKING:
    from reviewdeck.model import Draft, QueueItem
    from reviewdeck_tui.merge.cluster import Member
    from reviewdeck_tui.merge.open import OpenMerge
    from reviewdeck_tui.proposal.diff_document import DiffDocument
    from reviewdeck_tui.proposal.own_text import EditorText
    from reviewdeck_tui.proposal.view import ProposalView
    from reviewdeck_tui.summary.preview import SummaryPreview


@dataclass
class BacklogRead(Message):
    """The backlog was read again."""

    backlog: Backlog
    report: str = ""
    """A line for the operator; empty for none."""


@dataclass
class ViewReady(Message):
    """A proposal is ready to be shown."""

    look: ProposalView


@dataclass
class ReadingReady(Message):
    """The documents of a proposal are ready to be shown as they are read."""

    item: QueueItem
    document: DiffDocument


@dataclass
class Filtered(Message):
    """A search of the filter is finished."""

    words: str
    ids: frozenset[str]
    """The proposals that it matches."""


@dataclass
class SummaryReady(Message):
    """The summary of all drafts is ready."""

    preview: SummaryPreview


@dataclass
class OwnTextOpened(Message):
    """The text for the operator's own version is ready for the editor."""

    own: EditorText


@dataclass
class Resumed(Message):
    """The place of an earlier deck that crashed was looked up."""

    start: Bookmark
    """The place where this deck began."""
    saved: Bookmark | None
    painted: PaintedDiffs
    """The diffs painted in earlier sessions."""


@dataclass
class PlaceKept(Message):
    """The operator's place and the painted diffs are saved."""

    place: Bookmark
    painted: PaintedDiffs
    is_alone: bool
    """Whether the working memory does not answer, so that only this process holds them."""
    running: str = ""
    """The progress of a background review that is running; empty when none is."""


@dataclass
class MergeOpened(Message):
    """A merge is ready for its screen."""

    merge: OpenMerge
    is_update: bool = False
    """Whether it is the merge on the screen, against the texts that are live now."""
    drafted: str = ""
    """The draft of the merge before, in words; empty for none."""
    to_write: bool = False
    """Whether its editor opens at once."""


@dataclass
class ClusterRead(Message):
    """The proposals about one thing were read."""

    current: str
    """The proposal for which they were read."""
    members: tuple[Member, ...]


@dataclass
class MergeDrafted(Message):
    """A merge's result, or what replaces it, is drafted."""

    draft: Draft
    backlog: Backlog


@dataclass
class Refused(Message):
    """A job was refused; nothing was changed."""

    error: ReviewdeckError
    group: str = ""
    """The group of the worker that ran the job."""
