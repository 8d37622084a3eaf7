"""The lines around a merge: head, columns, panes, automatic merges, keys. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from textual.content import Content

from reviewdeck.planning.merge import ChangedBy, CleanChange
from reviewdeck.presentation.proposal_words import finding_count
from reviewdeck_tui.keys import Keymap
from reviewdeck_tui.merge.checks import ResultCheck
from reviewdeck_tui.merge.open import OpenMerge
from reviewdeck_tui.merge.session import MergeSession
from reviewdeck_tui.merge.sides import Head, decision_words
from reviewdeck_tui.proposal.panes import Line, Pane
from reviewdeck_tui.queue import bars
from reviewdeck_tui.safe import inert_line
from reviewdeck_tui.widgets.diff_split import column_width

MOST_ALONE: Final = 100
"""Automatic merges that are listed."""
MOST_WHO: Final = 2
"""Lines over a column for author and time."""


class MergePane(StrEnum):
    """A pane below the result."""

    ALONE = "Automatic"
    WHY = "Why"
    EVIDENCE = "Evidence"
    HISTORY = "History"


def head_line(session: MergeSession, width: int) -> Content:
    """The document that is merged, and the current place."""
    merge = session.opened
    verb = " RE-ANCHOR " if merge.anchor is not None else " MERGE "
    name = _short(merge.path)
    position = f", {session.where}" if session.places else ""
    lead, right = bars.styled(verb, "conflict").stylize("bold"), _progress(session)
    space = width - lead.cell_length - right.cell_length - 2
    if len(name) + len(position) > space:  # The result below shows where the place is.
        position = ""
    left = (
        lead + bars.styled(_shorten_start(name, space), "strong") + bars.styled(position, "strong")
    )
    return bars.spread(left, right, width)


def _shorten_start(name: str, width: int) -> str:
    """The end of a path, which says more than its beginning."""
    return name if len(name) <= width else f"…{name[len(name) - max(8, width) + 1 :]}"


def _progress(session: MergeSession) -> Content:
    amount = len(session.places)
    if not amount:
        return bars.styled("all your own text ", "draft")
    choice = session.merging.choices.get(session.at)
    state = decision_words(choice)
    line = bars.styled(f"conflict {session.at + 1} of {amount}: ", "text")
    line += bars.styled(state, "conflict" if choice is None else "draft")
    open_count = len(session.merging.open)
    remainder = f", {open_count} of {amount} unresolved " if amount > 1 and open_count else " "
    return line + bars.styled(remainder, "quiet")


def _short(path: str) -> str:
    """A memory by its name alone; a file of a skill by the skill and its own path."""
    first, _, name = path.partition("/")
    return name if first in ("memories", "skills") and name else path


def column_heads(heads: Sequence[Head], width: int) -> Content:
    """The heads of three columns: key, name, whether it is taken, author and time."""
    column_cells = column_width(width, len(heads))
    columns = [_column(head, column_cells) for head in heads]
    rule = Content.styled("│", "$deck-quiet")
    lines = []
    for at in range(max(map(len, columns))):
        cells = [column[at] if at < len(column) else Content("") for column in columns]
        lines.append(rule.join([_fill(cell, column_cells) for cell in cells]))
    return Content("\n").join(lines)


def _column(head: Head, width: int) -> list[Content]:
    name = bars.styled(f" {head.key} {head.name}", "heading").stylize("bold")
    mark = bars.styled("taken ", "draft") if head.is_taken else Content("")
    author_lines = bars.styled(head.who, "quiet").wrap(max(8, width - 4))[:MOST_WHO]
    return [bars.spread(name, mark, width), *(Content("   ") + line for line in author_lines)]


def _fill(cell: Content, width: int) -> Content:
    return cell.truncate(width, ellipsis=True) + Content(" " * max(0, width - cell.cell_length))


def title_line(words: str, aside: Content, width: int, *, is_front: bool) -> Content:
    """A rule with the title of the part below, and something at its right end."""
    name = bars.styled(f"{'>' if is_front else '─'} {words} ", "heading")
    name = Content.styled("─", "$deck-quiet") + (name.stylize("bold") if is_front else name)
    aside = aside.truncate(max(0, width - name.cell_length - 4), ellipsis=True)
    end = Content(" ") + aside + Content(" ") if aside.cell_length else Content("")
    filler = max(0, width - name.cell_length - end.cell_length)
    return name + Content.styled("─" * filler, "$deck-quiet") + end


def pane_line(pane: MergePane, session: MergeSession, width: int) -> Content:
    """The names of the panes below the result."""
    findings = finding_count(session.opened.item.findings)
    amounts = {MergePane.ALONE: len(session.opened.automatic), MergePane.WHY: findings}
    return bars.pane_line(pane, amounts, width)


def alone_lines(merge: OpenMerge) -> Iterator[Line]:
    """The automatic merges: whose change, where, what."""
    sides = merge.merging.sides
    if merge.anchor is not None:
        yield (("  Its target is gone. The nearest live text, ", "text"), _similarity(merge))
        yield ("  ", ""), (f"“{_one_line(merge.anchor.place)}”", "quiet")
        return
    if not sides.base_known or sides.base is None:
        words = "the base is unknown" if not sides.base_known else "the file did not exist yet"
        yield ((f"  No automatic merges: {words}.", "quiet"),)
        return
    if not merge.automatic:
        yield (("  Nothing else was changed on either side.", "quiet"),)
    noun = "entry" if merge.merging.merged.joint else "line"
    for alone in merge.automatic[:MOST_ALONE]:
        yield _alone_line(alone, noun)
    if len(merge.automatic) > MOST_ALONE:
        yield (
            (f"  and {len(merge.automatic) - MOST_ALONE:,} more: the result shows them.", "quiet"),
        )


def _similarity(merge: OpenMerge) -> tuple[str, str]:
    return (f"{merge.anchor.likeness:.0f}% alike:" if merge.anchor else "", "flag")


_SIDES: Final = {
    ChangedBy.LIVE: "2 live",
    ChangedBy.PROPOSED: "3 proposed",
    ChangedBy.BOTH: "2+3 both",
}


def _alone_line(alone: CleanChange, noun: str) -> Line:
    position = f"{noun} {alone.at + 1}"
    if alone.added:
        sign, meaning, text = "+", "added", _one_line(alone.added[0])
        more = f"  and {len(alone.added) - 1} more" if len(alone.added) > 1 else ""
    else:
        sign, meaning, text = "-", "removed", _one_line(alone.removed[0])
        more = f"  and {len(alone.removed) - 1} more" if len(alone.removed) > 1 else ""
    return (
        (f"  {_SIDES[alone.by]:<12}", "quiet"),
        (f"{position:<10}", "quiet"),
        (f"{sign} ", meaning),
        (text, "text"),
        (more, "quiet"),
    )


def _one_line(text: str) -> str:
    return inert_line(" ".join(text.split()))[:240]


def pane_lines(pane: MergePane, merge: OpenMerge, now: datetime) -> Iterator[Line]:
    if pane is MergePane.ALONE:
        return alone_lines(merge)
    return merge.facts.lines(Pane(pane.value), now)


def standing_words(session: MergeSession, checked: ResultCheck) -> Content:
    """The strip's words when there is no message."""
    if checked.against:
        return bars.styled(f" a is off: {checked.against}.", "quiet")
    if checked.keeps_live:
        return bars.styled(" The result equals the live text: a rejects the proposal.", "quiet")
    return bars.styled(" Nothing is written here: a drafts this result, ^s writes it.", "quiet")


_PICKS: Final = (
    "pick_words",
    "pick_base",
    "pick_live",
    "pick_proposed",
    "pick_both",
    "reopen",
    "own_words",
    "own_text",
)


def key_lines(
    session: MergeSession, checked: ResultCheck, keymap: Keymap, width: int
) -> tuple[Content, Content]:
    """The keys that matter now: those for the place, and those for the merge."""
    picks = Content(" ")
    for name in _PICKS:
        if not session.can(name):
            continue
        key = bars.key(name, keymap, "$EDITOR" if name == "own_text" else "")
        if picks.cell_length + key.cell_length + 2 >= width:
            break
        picks = picks + key + Content("  ")
    reason_off = (
        f" (off: {len(session.merging.open)} unresolved)" if session.merging.open else " (off)"
    )
    result = "keep live" if checked.keeps_live else "draft"
    draft = bars.key("approve", keymap, result + (reason_off if checked.against else ""))
    end = bars.key("help", keymap, "help") + Content(" ")
    actions = Content(" ") + draft + Content("  ")
    for name, words in (
        ("undo", "undo pick"),
        ("next_hunk", "conflict"),
        ("back", "keep and leave"),
        ("reject", "reject"),
        ("next_proposal", "next item"),
        ("evidence", "why"),
        ("open", "switch"),
        ("send_back", "send back"),
    ):
        if (name == "undo" and not session.can_undo) or (
            name == "next_hunk" and len(session.places) < 2
        ):
            continue
        key = bars.key(name, keymap, words, last=name == "next_hunk")
        if actions.cell_length + key.cell_length + end.cell_length + 2 >= width:
            break
        actions = actions + key + Content("  ")
    return picks, bars.spread(actions, end, width)
