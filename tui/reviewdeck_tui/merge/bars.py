"""The lines around a merge: head, columns, panes, what merged by itself, keys. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from textual.content import Content

from reviewdeck.planning.merge import Alone, ChangedBy
from reviewdeck.presentation.proposal_words import finding_count
from reviewdeck_tui.keys import BY_NAME, Keymap, keys_of
from reviewdeck_tui.merge.checks import Checked
from reviewdeck_tui.merge.open import OpenMerge
from reviewdeck_tui.merge.session import MergeSession
from reviewdeck_tui.merge.sides import Head, taken_words
from reviewdeck_tui.proposal.panes import Line, Pane
from reviewdeck_tui.queue import bars
from reviewdeck_tui.safe import inert_line
from reviewdeck_tui.widgets.diff_split import column_width

MOST_ALONE: Final = 100
"""Changes that are listed of those that merged by themselves."""
MOST_WHO: Final = 2
"""Lines over a column for who wrote it and when."""


class MergePane(StrEnum):
    """What stands below the result."""

    ALONE = "By itself"
    WHY = "Why"
    EVIDENCE = "Evidence"
    HISTORY = "History"

    def after(self) -> MergePane:
        """The next pane, in a circle."""
        panes = list(MergePane)
        return panes[(panes.index(self) + 1) % len(panes)]


def head_line(session: MergeSession, width: int) -> Content:
    """What is merged, and which place is looked at."""
    shown = session.shown
    verb = " RE-ANCHOR " if shown.anchor is not None else " MERGE "
    name = _short(shown.path)
    where = f", {session.where}" if session.places else ""
    lead, right = bars.styled(verb, "conflict").stylize("bold"), _progress(session)
    room = width - lead.cell_length - right.cell_length - 2
    if len(name) + len(where) > room:  # Below, the result says where the place is.
        where = ""
    left = lead + bars.styled(_from_its_end(name, room), "strong") + bars.styled(where, "strong")
    return bars.spread(left, right, width)


def _from_its_end(name: str, room: int) -> str:
    """The end of a path says more than its beginning."""
    return name if len(name) <= room else f"…{name[len(name) - max(8, room) + 1 :]}"


def _progress(session: MergeSession) -> Content:
    amount = len(session.places)
    if not amount:
        return bars.styled("all in your own words ", "draft")
    choice = session.merging.choices.get(session.at)
    state = taken_words(choice)
    said = bars.styled(f"place {session.at + 1} of {amount}: ", "text")
    said += bars.styled(state, "conflict" if choice is None else "draft")
    open_ones = len(session.merging.open)
    rest = f", {open_ones} of {amount} open " if amount > 1 and open_ones else " "
    return said + bars.styled(rest, "quiet")


def _short(path: str) -> str:
    """A memory by its name alone; a file of a skill by the skill and its own path."""
    first, _, rest = path.partition("/")
    return rest if first in ("memories", "skills") and rest else path


def column_heads(heads: Sequence[Head], width: int) -> Content:
    """Over three columns: key, name, whether it is taken, who and when."""
    each = column_width(width, len(heads))
    columns = [_column(head, each) for head in heads]
    rule = Content.styled("│", "$deck-quiet")
    lines = []
    for at in range(max(map(len, columns))):
        cells = [column[at] if at < len(column) else Content("") for column in columns]
        lines.append(rule.join([_filled(cell, each) for cell in cells]))
    return Content("\n").join(lines)


def _column(head: Head, width: int) -> list[Content]:
    name = bars.styled(f" {head.key} {head.name}", "heading").stylize("bold")
    taken = bars.styled("taken ", "draft") if head.taken else Content("")
    who = bars.styled(head.who, "quiet").wrap(max(8, width - 4))[:MOST_WHO]
    return [bars.spread(name, taken, width), *(Content("   ") + line for line in who)]


def _filled(cell: Content, width: int) -> Content:
    return cell.truncate(width, ellipsis=True) + Content(" " * max(0, width - cell.cell_length))


def title_line(words: str, aside: Content, width: int, *, is_front: bool) -> Content:
    """A rule with the name of what stands below, and something at its right end."""
    name = bars.styled(f"{'>' if is_front else '─'} {words} ", "heading")
    name = Content.styled("─", "$deck-quiet") + (name.stylize("bold") if is_front else name)
    aside = aside.truncate(max(0, width - name.cell_length - 4), ellipsis=True)
    end = Content(" ") + aside + Content(" ") if aside.cell_length else Content("")
    rest = max(0, width - name.cell_length - end.cell_length)
    return name + Content.styled("─" * rest, "$deck-quiet") + end


def pane_line(pane: MergePane, session: MergeSession, width: int) -> Content:
    """The panes below the result."""
    amounts = {
        MergePane.ALONE: len(session.shown.alone),
        MergePane.WHY: finding_count(session.shown.item.findings),
    }
    parts = []
    for one in MergePane:
        name = f"{one} {amounts[one]}" if amounts.get(one) else str(one)
        is_here = one is pane
        parts.append(
            bars.styled(f"[{name}]" if is_here else f" {name} ", "strong" if is_here else "quiet")
        )
    left = Content(" ") + Content(" ").join(parts)
    return bars.spread(left, bars.styled("tab ", "quiet"), width)


def alone_lines(shown: OpenMerge) -> Iterator[Line]:
    """What merged by itself: whose change, where, what."""
    sides = shown.merging.sides
    if shown.anchor is not None:
        yield (("  What it aimed at is gone. The nearest that is live, ", "text"), _alike(shown))
        yield ("  ", ""), (f"“{_one_line(shown.anchor.place)}”", "quiet")
        return
    if not sides.base_known or sides.base is None:
        words = "base unknown" if not sides.base_known else "no file at that time"
        yield ((f"  Nothing: {words}, so every difference is a choice.", "quiet"),)
        return
    if not shown.alone:
        yield (("  Nothing else was changed on either side.", "quiet"),)
    noun = "entry" if shown.merging.ground.joint else "line"
    for one in shown.alone[:MOST_ALONE]:
        yield _alone_line(one, noun)
    if len(shown.alone) > MOST_ALONE:
        yield ((f"  and {len(shown.alone) - MOST_ALONE:,} more: the result shows them.", "quiet"),)


def _alike(shown: OpenMerge) -> tuple[str, str]:
    return (f"{shown.anchor.likeness:.0f}% alike:" if shown.anchor else "", "flag")


_BY: Final = {
    ChangedBy.LIVE: "2 live",
    ChangedBy.PROPOSED: "3 proposed",
    ChangedBy.BOTH: "2+3 both",
}


def _alone_line(one: Alone, noun: str) -> Line:
    where = f"{noun} {one.at + 1}"
    if one.added:
        sign, meaning, text = "+", "added", _one_line(one.added[0])
        more = f"  and {len(one.added) - 1} more" if len(one.added) > 1 else ""
    else:
        sign, meaning, text = "-", "removed", _one_line(one.removed[0])
        more = f"  and {len(one.removed) - 1} more" if len(one.removed) > 1 else ""
    return (
        (f"  {_BY[one.by]:<12}", "quiet"),
        (f"{where:<10}", "quiet"),
        (f"{sign} ", meaning),
        (text, "text"),
        (more, "quiet"),
    )


def _one_line(text: str) -> str:
    return inert_line(" ".join(text.split()))[:240]


def pane_lines(pane: MergePane, shown: OpenMerge, now: datetime) -> Iterator[Line]:
    """One pane."""
    if pane is MergePane.ALONE:
        return alone_lines(shown)
    return shown.facts.lines(Pane(pane.value), now)


def standing_words(session: MergeSession, checked: Checked) -> Content:
    """What the strip says when nothing else is to be said."""
    if checked.against:
        return bars.styled(f" a is off: {checked.against}.", "quiet")
    if checked.keeps_live:
        return bars.styled(" This is what is live already: a turns the proposal down.", "quiet")
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
    session: MergeSession, checked: Checked, keymap: Keymap, width: int
) -> tuple[Content, Content]:
    """The keys that matter now: those that decide a place, and those that leave."""
    shown = Content(" ")
    for name in _PICKS:
        if not session.can(name):
            continue
        one = _key(name, keymap, "$EDITOR" if name == "own_text" else "")
        if shown.cell_length + one.cell_length + 2 >= width:
            break
        shown = shown + one + Content("  ")
    off = f" (off: {len(session.merging.open)} open)" if session.merging.open else " (off)"
    result = "turn down" if checked.keeps_live else "draft"
    draft = _key("approve", keymap, result + (off if checked.against else ""))
    end = _key("help", keymap, "help") + Content(" ")
    rest = Content(" ") + draft + Content("  ")
    for name, words in (
        ("undo", "undo pick"),
        ("next_hunk", "place"),
        ("back", "keep and leave"),
        ("reject", "reject"),
        ("next_proposal", "next item"),
        ("evidence", "why"),
        ("open", "other half"),
        ("send_back", "send back"),
    ):
        if (name == "undo" and not session.can_undo) or (
            name == "next_hunk" and len(session.places) < 2
        ):
            continue
        one = _key(name, keymap, words)
        if rest.cell_length + one.cell_length + end.cell_length + 2 >= width:
            break
        rest = rest + one + Content("  ")
    return shown, bars.spread(rest, end, width)


def _key(name: str, keymap: Keymap, words: str = "") -> Content:
    action = BY_NAME[name]
    keys: Sequence[str] = keys_of(action, keymap) or ("?",)
    said = words or action.short or action.name
    key = Content.styled(keys[-1] if name == "next_hunk" else keys[0], "bold $deck-heading")
    return key + Content.styled(f" {said}", "$deck-quiet")
