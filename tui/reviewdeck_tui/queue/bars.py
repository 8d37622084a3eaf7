"""The lines around the queue: head, lanes, title, panes, keys. Pure: values in, content out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial
from itertools import accumulate
from typing import Final, TypeVar

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from reviewdeck.model import Allowance, CheckName, Draft, Kind, QueueItem, State, Verb
from reviewdeck.model.ledger import Sight
from reviewdeck.policy.additions import TOO_LARGE
from reviewdeck.presentation.hosts import STALE, Workers, span_words
from reviewdeck.presentation.proposal_words import glyph_of, is_dangerous, is_held_by_origin
from reviewdeck.presentation.situation import unit_after
from reviewdeck.presentation.words import count, headline, state_word
from reviewdeck.text.redact import redact
from reviewdeck_tui.keys import BY_NAME, Action, Keymap, keys_of
from reviewdeck_tui.proposal.panes import Line
from reviewdeck_tui.queue.view import Backlog, Lane, QueueView, lane_counts, undrafted
from reviewdeck_tui.safe import inert_line
from reviewdeck_tui.widgets.queue_columns import ColumnWidths, head_words

AnyPane = TypeVar("AnyPane", bound=StrEnum)

_STYLES: Final = {"": "", "text": "$deck-text", "strong": "bold $deck-text"}
_VERBS: Final = {
    Verb.APPROVE: "approval drafted",
    Verb.MERGE: "own text drafted",
    Verb.REJECT: "rejection drafted",
    Verb.DEFER: "deferral drafted",
    Verb.SUPERSEDE: "superseded",
    Verb.CLAIM: "claim drafted",
}
_ALL_BUDGETS: Final = 100
"""Cells from which the head gives the size of every memory."""
_LEAST_FILTER: Final = 8
"""Cells in which the beginning of a filter is still of use."""
_BY_STATE: Final[Mapping[State, tuple[str, ...]]] = {
    State.READY: ("approve", "reject", "defer", "send_back"),
    State.LIVE: ("approve", "reject", "claim", "defer", "revert_burst"),
    State.DEFERRED: ("approve", "reject", "send_back"),
    State.CONFLICT: ("merge", "reject", "defer", "send_back"),
    State.REFUSED: ("reject", "own_text", "defer"),
    State.DEAD: ("reject", "dismiss_dead", "own_text"),
    State.APPLIED: ("undo",),
    State.REJECTED: ("requeue",),
}
_EMPTY_LANE: Final = ("lane_applied", "lane_drafts", "lane_all", "documents", "reload")
"""The keys that lead somewhere when there is no proposal to decide on."""
_SHORTER: Final = {
    "back": "back",
    "lane_applied": "learned",
    "lane_drafts": "drafts",
    "lane_all": "all",
    "documents": "documents",
    "reload": "reload",
}
_WHEN_LIVE: Final = {"approve": "keep", "reject": "revert"}
"""The decisions on a change that is already live, in its own words."""
_IN_QUEUE: Final = ("open", "mark", "filter")
_LEAST_UNDO: Final = 16
"""The least columns for what `z` undoes."""
_LEAST_KEYS: Final = 2
"""The keys before the end of the line that are named before what `z` undoes is."""


def styled(text: str, meaning: str) -> Content:
    """Untrusted text, made inert, in the colour of a meaning; spaces at its edges make columns."""
    style = _STYLES.get(meaning, f"$deck-{meaning}")
    inner = inert_line(text)
    before = len(text) - len(text.lstrip(" "))
    after = len(text) - len(text.rstrip(" ")) if inner else 0
    return Content.styled(" " * before + inner + " " * after, style)


def content_of(line: Line) -> Content:
    """One line of evidence."""
    return Content("").join(styled(text, meaning) for text, meaning in line)


def quieted(line: Line) -> Line:
    """The line with its plain text in the quiet colour."""
    return tuple((text, "quiet" if meaning == "text" else meaning) for text, meaning in line)


def wrap_hanging(line: Line, width: int) -> Content:
    """A line of evidence wrapped to the width, indented by its first part."""
    first, *parts = line
    lead, body = styled(*first), content_of(tuple(parts))
    text_width = max(16, width - lead.cell_length)
    indent = Content(" " * lead.cell_length)
    wrapped = body.wrap(text_width) if parts else [Content("")]
    return Content("\n").join((indent if at else lead) + part for at, part in enumerate(wrapped))


def spread(left: Content, right: Content, width: int, short: Content | None = None) -> Content:
    """Two texts at the two edges of a line.

    If both do not fit, the right one is dropped, or its `short` form stays and the left one is cut.
    """
    gap = width - left.cell_length - right.cell_length
    if gap >= 1:
        return left + Content(" " * gap) + right
    if short is not None:
        room = max(0, width - short.cell_length - 1)
        return spread(left.truncate(room, ellipsis=True), short, width)
    return left.truncate(max(0, width), ellipsis=True)


def head_line(backlog: Backlog, view: QueueView, width: int, now: datetime) -> Content:
    """The head: home, what is new, what is left to decide, the size of the memories."""
    drafts = len(backlog.drafts) if backlog.is_complete else backlog.draft_count
    flags = [_stalled(backlog.workers), "gates off" if _is_ungated(backlog, view) else ""]
    words = " · ".join(filter(None, [*flags, backlog.standing.partition(" (")[0]]))
    standing = Content(" ") + styled(f"{words}  ", "flag") if words else Content("")
    budgets = [
        _budgets(backlog, view, most) for most in ((None, 1) if width >= _ALL_BUDGETS else (1,))
    ]
    home, meaning = home_in_view(backlog, view), "draft" if drafts else "text"
    summaries = _summaries(backlog, drafts, now)
    # In a narrow line the name of the program goes first. How decisions are authorised and
    # what is new outrank the size of the memories.
    fits = [(summary, budget) for summary in summaries for budget in budgets]
    fits += [(summary, Content("")) for summary in summaries]
    for summary, budget in fits:
        work = home + styled(f"   {summary}", meaning)
        for name in (" reviewdeck  ", " "):
            lead, right = styled(name, "strong") + work, standing + budget
            if lead.cell_length + right.cell_length < width:
                return spread(lead, right, width)
    work = Content(" ") + styled(summaries[-1], meaning)
    if len(backlog.homes) > 1:  # Which of them is in view outranks the end of the summary.
        named = Content(" ") + home + Content(" ") + work
        work = named.truncate(max(0, width - standing.cell_length - 1), ellipsis=True)
    return spread(work, standing, width)


def _stalled(workers: Workers) -> str:
    """Which machines do not write what was decided; `U` says more."""
    match workers.stalled:
        case ():
            return ""
        case (name,):
            return f"{name} silent"
        case names:
            return f"{len(names)} machines silent"


def _is_ungated(backlog: Backlog, view: QueueView) -> bool:
    """Whether an agent in view writes without staging; the empty queue and `status` say more."""
    return any(text and view.home in (None, home) for home, text in backlog.direct.items())


def _summaries(backlog: Backlog, drafts: int, now: datetime) -> list[str]:
    """The head's summaries of the queue, longest first."""
    prepared = f", {count(drafts, 'draft')}" if drafts else ""
    if not backlog.is_complete:
        return ["loading…"]
    left = undrafted(backlog)
    live, conflicts = left[State.LIVE], left[State.CONFLICT]
    say = partial(
        headline,
        backlog.unseen,
        left[State.READY] + conflicts,
        conflicts,
        left[State.REFUSED],
        now=now,
        live=live,
        dangerous=backlog.dangerous,
    )
    long_words, short_words = say(backlog.oldest), say(backlog.oldest, is_short=True)
    return [f"{words}{prepared}" for words in (long_words, short_words, say(None, is_short=True))]


def home_in_view(backlog: Backlog, view: QueueView) -> Content:
    """The home that `H` narrows the deck to, or how many there are."""
    names = list(backlog.homes)
    if view.home is not None and view.home in names:
        place = f" {names.index(view.home) + 1}/{len(names)} (H)" if len(names) > 1 else ""
        return styled(f"home {backlog.homes[view.home]}{place}", "heading")
    if len(names) == 1:
        return styled(f"home {backlog.homes[names[0]]}", "heading")
    if not names:  # Nothing was read yet.
        return Content("")
    return styled(f"all {len(names)} homes (H)", "heading")


def _budgets(backlog: Backlog, view: QueueView, most: int | None) -> Content:
    home = view.home or (next(iter(backlog.budgets)) if len(backlog.budgets) == 1 else None)
    by_name: dict[str, list[Allowance]] = {}
    for name, allowance in backlog.budgets.get(home or "", ()):
        by_name.setdefault(name, []).append(allowance)
    fullest = sorted(by_name, key=lambda name: -max(map(_share, by_name[name])))[:most]
    parts = [
        styled(
            f"{name} " + ", ".join(f"{one.used}/{one.limit}{unit_after(one)}" for one in limits),
            "lost" if any(one.is_over for one in limits) else "quiet",
        )
        for name, limits in by_name.items()
        if name in fullest
    ]
    return Content("  ").join(parts) + Content(" ") if parts else Content("")


def _share(allowance: Allowance) -> float:
    return allowance.used / max(1, allowance.limit)


def lane_at(backlog: Backlog, column: int) -> Lane | None:
    """The lane at a column of the line of lanes."""
    at = 1
    for lane, words in zip(Lane, lane_words(backlog), strict=True):
        if at <= column < at + len(words) + 2:
            return lane
        at += len(words) + 3
    return None


def lane_words(backlog: Backlog) -> list[str]:
    """Key, name and count of each lane."""
    counts: Mapping[Lane, object] = lane_counts(backlog)
    if not (backlog.is_complete or any(backlog.states.values())):  # A new ledger counts none.
        counts = dict.fromkeys(Lane, "…")
    return [
        f"{number} {lane} {backlog.unseen} without you"
        if lane is Lane.APPLIED and backlog.unseen
        else f"{number} {lane} {counts[lane]}"
        for number, lane in enumerate(Lane, 1)
    ]


def lane_line(backlog: Backlog, view: QueueView, filter_words: str, width: int) -> Content:
    """The lanes with their counts, the order, the filter."""
    left = choices(zip(Lane, lane_words(backlog), strict=True), view.lane).rstrip()
    marks = "# conflicts only" if view.conflicts_only else ""
    filter_part = f"{'  ' if marks else ''}/ {filter_words}" if filter_words else ""
    order = "" if view.lane is Lane.APPLIED else f"  sort: {view.sort} "
    filters = styled(f"{marks}{filter_part}", "conflict")
    space = width - left.cell_length - 1
    if filters.cell_length + len(order) > space:
        order = ""  # That a filter is set outranks the order.
    if filters.cell_length + len(order) > space >= _LEAST_FILTER:
        filters = filters.truncate(space - len(order), ellipsis=True)
    return spread(left, filters + styled(order, "quiet"), width)


def columns_line(columns: ColumnWidths, *, is_in_front: bool) -> Content:
    """The names of the queue's columns, as the title of its pane."""
    meaning = "bold $deck-text" if is_in_front else "$deck-quiet"
    return Content.styled(head_words(columns, _front(is_in_front)), meaning)


def _front(is_in_front: bool) -> str:
    """The sign of the pane that the keys act on: its colour alone would not show everywhere."""
    return "▸" if is_in_front else " "


def title_line(
    item: QueueItem,
    draft: Draft | None,
    width: int,
    home: str = "",
    *,
    undone: str = "",
    is_judged_again: bool = False,
    is_in_front: bool = False,
    people: Sequence[str] = (),
    sight: tuple[str, str] | None = None,
) -> Content:
    """The title of the diff: action and target, home if there are several, state, draft."""
    word = "already live" if item.state is State.LIVE else state_word(item.state)
    meaning = item.state.value
    if item.state in (State.READY, State.LIVE) and is_dangerous(item):
        word = f"{word}, dangerous" if item.state is State.LIVE else "dangerous"
        meaning = "dangerous"
    title = styled(redact(f"{_front(is_in_front)}{item.action} {item.target} "), "strong")
    if home:
        title = title + styled(f"in {home} ", "heading")
    if sight is not None:
        title = title + styled(f"{sight[0]} ", sight[1])
    state = styled(f" {glyph_of(item)} {word} ", meaning)
    if undone:
        state = styled(f" {undone} ", "flag") + state
    if is_judged_again:
        state = state + styled("being judged again ", "flag")
    if draft is not None:
        lead = " to " if draft.verb is Verb.SUPERSEDE else ": "
        reason = f"{lead}{redact(draft.reason)}" if draft.reason else ""
        state = styled(f" {_VERBS[draft.verb]}{reason} ", "draft") + state
    told = [styled(f" {words} ", "flag") + state for words in people]
    fitting = (each for each in told if title.cell_length + each.cell_length < width)
    return spread(title, next(fitting, state), width)


def sight_words(sight: Sight | None, workers: Workers, now: datetime) -> tuple[str, str] | None:
    """How old what is shown of another machine's home is, in the colour of that.

    A worker that is alive would have told of a change: then age alone is nothing to worry about.
    """
    if sight is None:
        return None
    age = now - sight.at
    words = f"as {sight.machine} saw it {span_words(age)} ago"
    if sight.host in workers.silent:
        return f"{words}, silent now", "flag"
    is_old = age > STALE and sight.host not in workers.alive
    return words, "flag" if is_old else "quiet"


def rule_line(text: Content, width: int) -> Content:
    return (
        Content.styled("──", "$deck-quiet")
        + text
        + Content.styled("─" * max(0, width - 2 - text.cell_length), "$deck-quiet")
    )


def choices(names: Iterable[tuple[str, str]], chosen: str) -> Content:
    """What can be chosen, each with its words; the chosen one is in brackets."""
    return Content(" ") + Content(" ").join(
        styled(f"[{words}]", "strong") if name == chosen else styled(f" {words} ", "quiet")
        for name, words in names
    )


def pane_line(pane: AnyPane, amounts: Mapping[AnyPane, int], width: int) -> Content:
    """The names of the panes, with the number of what is in them."""
    names = [
        (name, f"{name} {amounts[name]}" if amounts.get(name) else str(name)) for name in type(pane)
    ]
    return spread(choices(names, pane), styled("tab ", "quiet"), width)


def key_line(
    item: QueueItem | None,
    draft_count: int,
    keymap: Keymap,
    width: int,
    *,
    in_diff: bool,
    cluster_size: int = 1,
    undo: str = "",
    drops: str = "",
    is_on: Callable[[Action], bool] = lambda action: True,
) -> Content:
    """The keys that matter now, as many as fit before the last ones, which always fit.

    `cluster_size` is the number of open proposals about the same thing, this one included;
    `drops` says what the key that drops a draft is offered for;
    `is_on` says which actions this program does.
    """
    names = (
        _EMPTY_LANE
        if item is None
        else _names_for(item, in_diff=in_diff, cluster_size=cluster_size)
    )
    end = key("help", keymap, "help") + Content(" ")
    names = [name for name in (*(("clear",) if drops else ()), *names) if is_on(BY_NAME[name])]
    if is_on(BY_NAME["summary"]):
        summary = f"apply {draft_count}" if draft_count else "apply"
        end = key("summary", keymap, summary) + Content("  ") + end
    ends = [end]
    if undo and is_on(BY_NAME["undo"]):
        words = inert_line(undo)
        most = max(_LEAST_UNDO, width // 3)
        cut = words if cell_len(words) <= most else f"{set_cell_size(words, most - 1).rstrip()}…"
        ends = [
            key("undo", keymap, words) + Content("  ") + end for words in (f"undo: {cut}", "undo")
        ]
    words_by_name = _SHORTER | (_WHEN_LIVE if item and item.state is State.LIVE else {})
    words_by_name |= {"clear": drops}
    # The end of the line has `undo`, if there is anything to undo.
    keys = [
        key(name, keymap, words_by_name.get(name, "")) + Content("  ")
        for name in dict.fromkeys(names)
        if name != "undo"
    ]
    rooms = [*accumulate(one.cell_length for one in keys)]

    def fitting(end: Content) -> int:
        return sum(room + 1 + end.cell_length < width for room in rooms)

    # What can be decided outranks what was.
    end = next((end for end in ends if fitting(end) >= _LEAST_KEYS), ends[-1])
    return spread(Content(" ") + Content("").join(keys[: fitting(end)]), end, width)


def _names_for(item: QueueItem, *, in_diff: bool, cluster_size: int) -> Sequence[str]:
    state = item.state
    decisions = _BY_STATE.get(state, ())
    if cluster_size > 1 and state.is_open and state is not State.QUARANTINED:
        decisions = (*decisions, "cluster")
    if is_held_by_origin(item):
        decisions = (*decisions, "skim")
    if _needs_room(item):
        decisions = ("make_room", *decisions)
    picks = ("pick", "lines") if state in (State.READY, State.LIVE, State.DEFERRED) else ()
    others = ("next_proposal", "next_hunk", *picks, "back") if in_diff else _IN_QUEUE
    ways_out = () if in_diff else ("quit",)  # In the diff, `back` is among the others.
    return [*decisions, *others, "undo", "evidence", *ways_out]


def _needs_room(item: QueueItem) -> bool:
    fits_not = item.checks is not None and not item.checks.says(CheckName.ROOM)
    is_too_large = any(finding.code == TOO_LARGE for finding in item.findings)
    return item.kind is Kind.MEMORY and fits_not and not is_too_large


def key_words(keys: Iterable[tuple[str, str]]) -> Content:
    """Keys with their words, for the last line of a dialog."""
    return Content(" ") + Content("   ").join(_key_and_words(*key) for key in keys)


def fitted_keys(keys: Sequence[tuple[str, str]], end: Content, width: int) -> Content:
    """As many keys as fit before the end, which is always shown."""
    for amount in range(len(keys), 0, -1):
        line = key_words(keys[:amount])
        if line.cell_length + end.cell_length < width:
            return spread(line, end, width)
    return end


def _key_and_words(key: str, words: str) -> Content:
    return Content.styled(key, "bold $deck-heading") + Content.styled(f" {words}", "$deck-quiet")


def key(name: str, keymap: Keymap, words: str = "", *, last: bool = False) -> Content:
    """The first or last key of an action, with words or else those of its table."""
    action = BY_NAME[name]
    keys = keys_of(action, keymap) or ("?",)
    return _key_and_words(keys[-1 if last else 0], words or action.short or action.name)
