"""The lines around the queue: head, lanes, title, panes, keys. Pure: values in, content out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from reviewdeck.model import Allowance, Draft, QueueItem, State, Verb
from reviewdeck.policy.redact import redact
from reviewdeck.presentation.proposal_words import glyph_of, is_dangerous
from reviewdeck.presentation.words import count, headline
from reviewdeck_tui.keys import BY_NAME, Keymap, keys_of
from reviewdeck_tui.proposal.panes import Line, Pane
from reviewdeck_tui.proposal.skim import is_held_by_origin
from reviewdeck_tui.queue.view import Lane, QueueView, Stock, lane_counts, left_to_decide
from reviewdeck_tui.safe import inert_line

_STYLES: Final = {"": "", "text": "$deck-text", "strong": "bold $deck-text"}
_VERBS: Final = {
    Verb.APPROVE: "approval drafted",
    Verb.MERGE: "own text drafted",
    Verb.REJECT: "rejection drafted",
    Verb.DEFER: "deferral drafted",
    Verb.SUPERSEDE: "superseded",
    Verb.CLAIM: "claim drafted",
}
_BOTH: Final = 100
"""Cells from which the head says of every memory how full it is."""
_NARROWED: Final = 8
"""Cells in which the beginning of a filter still says something."""
_BY_STATE: Final[Mapping[State, tuple[str, ...]]] = {
    State.READY: ("approve", "reject", "defer", "send_back"),
    State.LIVE: ("approve", "reject", "claim", "defer"),
    State.DEFERRED: ("approve", "reject", "send_back"),
    State.CONFLICT: ("merge", "reject", "defer", "send_back"),
    State.REFUSED: ("reject", "own_text", "defer"),
    State.DEAD: ("reject", "dismiss_dead", "own_text"),
    State.APPLIED: ("undo",),
    State.REJECTED: ("requeue",),
}
_VACANT: Final = ("lane_applied", "lane_drafts", "lane_all", "documents", "reload")
"""Keys that lead somewhere when there is no proposal to decide on."""
_SHORTER: Final = {
    "back": "back",
    "lane_applied": "learnt",
    "lane_drafts": "drafts",
    "lane_all": "all",
    "documents": "documents",
    "reload": "look again",
}
_IN_QUEUE: Final = ("open", "mark", "filter")
_LEAST_UNDO: Final = 16
"""Columns for what `z` takes back, however narrow the screen is."""


def styled(text: str, meaning: str) -> Content:
    """Untrusted text, inert, in the colour of a meaning; spaces at its edges make columns."""
    style = _STYLES.get(meaning, f"$deck-{meaning}")
    inner = inert_line(text)
    before = len(text) - len(text.lstrip(" "))
    after = len(text) - len(text.rstrip(" ")) if inner else 0
    return Content.styled(" " * before + inner + " " * after, style)


def content_of(line: Line) -> Content:
    """One line of facts."""
    return Content("").join(styled(text, meaning) for text, meaning in line)


def hanging(line: Line, width: int) -> Content:
    """One line of facts in as many lines as it takes, all behind its first part."""
    first, *rest = line
    lead, body = styled(*first), content_of(tuple(rest))
    room = max(16, width - lead.cell_length)
    indent = Content(" " * lead.cell_length)
    folded = body.wrap(room) if rest else [Content("")]
    return Content("\n").join((indent if at else lead) + part for at, part in enumerate(folded))


def spread(left: Content, right: Content, width: int) -> Content:
    """Two texts at the two edges of a line; the right one gives way."""
    room = width - left.cell_length - right.cell_length
    if room >= 1:
        return left + Content(" " * room) + right
    return left.truncate(max(0, width), ellipsis=True)


def head_line(stock: Stock, view: QueueView, width: int, now: datetime) -> Content:
    """Where we are, what the morning brought, what is left, how full the memories are."""
    drafts = len(stock.drafts) if stock.is_whole else stock.draft_count
    standing = styled(f"{stock.standing}  " if stock.standing else "", "flag")
    budgets = [_budgets(stock, view, most) for most in ((None, 1) if width >= _BOTH else (1,))]
    home, meaning = _home(stock, view), "draft" if drafts else "text"
    *mornings, left = _heads(stock, drafts, now)
    # Where there is no room for all of it, the name of the program goes first. How decisions are
    # established and what the morning brought outrank how full a memory is; how many are left
    # stands in the lanes as well.
    fits = [(said, full) for full in (*budgets, Content("")) for said in mornings]
    fits.append((left, budgets[0]))
    for said, full in fits:
        work = home + styled(f"   {said}", meaning)
        for name in (" reviewdeck  ", " "):
            left_of, right = styled(name, "strong") + work, standing + full
            if left_of.cell_length + right.cell_length < width:
                return spread(left_of, right, width)
    work = home + styled(f"   {left}", meaning)
    return spread(styled(" reviewdeck  ", "strong") + work, standing, width)


def _heads(stock: Stock, drafts: int, now: datetime) -> list[str]:
    """What the head says of the queue, the longest first; the last is how many are left."""
    amount, total = left_to_decide(stock)
    prepared = f", {count(drafts, 'draft')}" if drafts else ""
    left = f"{amount} of {total} left{prepared}"
    conflicts, refused = (stock.states.get(s, 0) for s in (State.CONFLICT, State.REFUSED))
    live = stock.states.get(State.LIVE, 0)
    if not stock.is_whole or not (stock.unseen or live or conflicts or refused):
        return [left]
    say = partial(
        headline,
        stock.unseen,
        conflicts,
        refused,
        stock.oldest,
        now,
        live=live,
        dangerous=stock.dangerous,
    )
    morning, short = say(), say(is_short=True)
    return [f"{morning} · {left}", f"{morning}{prepared}", f"{short}{prepared}", left]


def _home(stock: Stock, view: QueueView) -> Content:
    names = list(stock.homes)
    if view.home is not None and view.home in names:
        place = f" {names.index(view.home) + 1}/{len(names)} (H)" if len(names) > 1 else ""
        return styled(f"home {stock.homes[view.home]}{place}", "heading")
    if len(names) == 1:
        return styled(f"home {stock.homes[names[0]]}", "heading")
    return styled(f"all {len(names)} homes (H)", "heading")


def _budgets(stock: Stock, view: QueueView, most: int | None) -> Content:
    home = view.home or (next(iter(stock.budgets)) if len(stock.budgets) == 1 else None)
    shown = list(stock.budgets.get(home or "", ()))
    parts = [
        styled(f"{name} {one.used}/{one.limit}{_unit(one)}", "lost" if one.is_over else "quiet")
        for name, one in shown[:most]
    ]
    return Content("  ").join(parts) + Content(" ") if parts else Content("")


def _unit(one: Allowance) -> str:
    """Characters need no word."""
    return "" if one.unit == "characters" else f" {one.unit}"


def lane_at(stock: Stock, column: int) -> Lane | None:
    """The lane whose name stands at a column of the line of lanes."""
    at = 1
    for lane, said in zip(Lane, lane_words(stock), strict=True):
        if at <= column < at + len(said) + 2:
            return lane
        at += len(said) + 3
    return None


def lane_words(stock: Stock) -> list[str]:
    """What stands for each lane: its key, its name, how much is in it."""
    counts = lane_counts(stock)
    return [
        f"{number} {lane} {stock.unseen} unseen"
        if lane is Lane.APPLIED and stock.unseen
        else f"{number} {lane} {counts[lane]}"
        for number, lane in enumerate(Lane, 1)
    ]


def lane_line(stock: Stock, view: QueueView, wanted: str, width: int) -> Content:
    """The lanes with their counts, the order, the filter."""
    parts = []
    for lane, said in zip(Lane, lane_words(stock), strict=True):
        is_here = lane is view.lane
        parts.append(
            styled(f"[{said}]" if is_here else f" {said} ", "strong" if is_here else "quiet")
        )
    left = Content(" ") + Content(" ").join(parts)
    marks = "  # conflicts only" if view.conflicts_only else ""
    found = f"  / {wanted}" if wanted else ""
    order = "" if view.lane is Lane.APPLIED else f"  sort: {view.sort} "
    narrowed = styled(f"{marks}{found}", "conflict")
    room = width - left.cell_length - 1
    if narrowed.cell_length + len(order) > room:
        order = " "  # That not everything is shown outranks in which order it is.
    if narrowed.cell_length + len(order) > room >= _NARROWED:
        narrowed = narrowed.truncate(room - len(order), ellipsis=True)
    return spread(left, narrowed + styled(order, "quiet"), width)


def title_line(
    item: QueueItem,
    draft: Draft | None,
    width: int,
    home: str = "",
    *,
    undone: str = "",
    is_judged_again: bool = False,
) -> Content:
    """What the diff below is of, where when there are several homes, and how it stands."""
    word = "already live" if item.state is State.LIVE else item.state.value
    meaning = item.state.value
    if item.state in (State.READY, State.LIVE) and is_dangerous(item):
        word = f"{word}, dangerous" if item.state is State.LIVE else "dangerous"
        meaning = "dangerous"
    said = styled(redact(f" {item.action} {item.target} "), "strong")
    if home:
        said = said + styled(f"in {home} ", "heading")
    state = styled(f" {glyph_of(item)} {word} ", meaning)
    if undone:
        state = styled(f" {undone} ", "flag") + state
    if is_judged_again:
        state = state + styled("being judged again ", "flag")
    if draft is not None:
        lead = " to " if draft.verb is Verb.SUPERSEDE else ": "
        reason = f"{lead}{redact(draft.reason)}" if draft.reason else ""
        state = styled(f" {_VERBS[draft.verb]}{reason} ", "draft") + state
    return spread(said, state, width)


def rule_line(said: Content, width: int) -> Content:
    """A line across, with something said in it."""
    return (
        Content.styled("──", "$deck-quiet")
        + said
        + Content.styled("─" * max(0, width - 2 - said.cell_length), "$deck-quiet")
    )


def pane_line(pane: Pane, findings: int, width: int) -> Content:
    """The panes beside the diff."""
    parts = []
    for one in Pane:
        name = f"{one} {findings}" if one is Pane.WHY and findings else str(one)
        shown = f"[{name}]" if one is pane else f" {name} "
        parts.append(styled(shown, "strong" if one is pane else "quiet"))
    left = Content(" ") + Content(" ").join(parts)
    return spread(left, styled("tab ", "quiet"), width)


def key_line(
    item: QueueItem | None,
    draft_count: int,
    keymap: Keymap,
    width: int,
    *,
    in_diff: bool,
    alike: int = 1,
    undo: str = "",
) -> Content:
    """The keys that matter now, as many as fit; the last two always do, and what `z` takes back.

    `alike` is how many proposals wait about the same thing, this one among them.
    """
    names = _VACANT if item is None else _names_for(item, in_diff=in_diff, alike=alike)
    end = _key("summary", keymap, f"apply {draft_count}" if draft_count else "apply")
    end = end + Content("  ") + _key("help", keymap, "help") + Content(" ")
    if undo:
        words = inert_line(undo)
        most = max(_LEAST_UNDO, width // 3)
        cut = words if cell_len(words) <= most else f"{set_cell_size(words, most - 1).rstrip()}…"
        end = _key("undo", keymap, f"undo: {cut}") + Content("  ") + end
    shown = Content(" ")
    for name in dict.fromkeys(names):
        if name == "undo":
            continue  # It stands at the end, with what it takes back, or there is nothing.
        one = _key(name, keymap, _SHORTER.get(name, ""))
        if shown.cell_length + one.cell_length + 2 + end.cell_length >= width:
            break
        shown = shown + one + Content("  ")
    return spread(shown, end, width)


def _names_for(item: QueueItem, *, in_diff: bool, alike: int) -> Sequence[str]:
    state = item.state
    decisions = _BY_STATE.get(state, ())
    if alike > 1 and state.is_open and state is not State.QUARANTINED:
        decisions = (*decisions, "cluster")
    if is_held_by_origin(item):
        decisions = (*decisions, "skim")
    picks = ("pick", "lines") if state in (State.READY, State.LIVE, State.DEFERRED) else ()
    rest = ("next_proposal", "next_hunk", *picks, "back") if in_diff else _IN_QUEUE
    return [*decisions, *rest, "undo", "evidence"]


def key_words(keys: Iterable[tuple[str, str]]) -> Content:
    """Keys with their words, for the last line of a dialog."""
    return Content(" ") + Content("   ").join(_worded(*key) for key in keys)


def fitted_keys(keys: Sequence[tuple[str, str]], end: Content, width: int) -> Content:
    """As many keys as fit before an end that always stands there."""
    for amount in range(len(keys), 0, -1):
        shown = key_words(keys[:amount])
        if shown.cell_length + end.cell_length < width:
            return spread(shown, end, width)
    return end


def _worded(key: str, words: str) -> Content:
    return Content.styled(key, "bold $deck-heading") + Content.styled(f" {words}", "$deck-quiet")


def _key(name: str, keymap: Keymap, words: str = "") -> Content:
    action = BY_NAME[name]
    keys: Sequence[str] = keys_of(action, keymap) or ("?",)
    said = words or action.short or action.name
    return _worded(keys[0], said)
