"""The text of an empty lane: why it is empty, and the keys that lead elsewhere. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reviewdeck.presentation.queue_filter import parse
from reviewdeck.presentation.words import count
from reviewdeck_tui.keys import Keymap, key_of
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice, Section, Tone
from reviewdeck_tui.queue.view import UNREAD, Backlog, Lane, QueueView


def why_empty(backlog: Backlog, view: QueueView, filter_words: str) -> str:
    """Why there is nothing to show."""
    if backlog.store.is_cut_off:
        return UNREAD
    if not backlog.is_complete:
        return "loading proposals…"
    if parse(filter_words).problem:
        return f"not understood: {filter_words}"
    if filter_words:
        return f"nothing matches {filter_words}"
    if view.conflicts_only:
        return "no conflicts"
    match view.lane:
        case Lane.DRAFTS:
            return "no drafts"
        case Lane.ALL:
            return "no proposals yet"
        case _:
            return "nothing is waiting for you"


def empty_document(
    backlog: Backlog, view: QueueView, filter_words: str, keymap: Keymap
) -> DiffDocument:
    """The keys that lead elsewhere, as a document in place of a diff."""
    is_known = backlog.is_complete and not backlog.store.is_cut_off
    hints = _hints(backlog, view, filter_words, keymap) if is_known else ()
    lines = tuple(
        Notice(hint, Tone.PLAIN if at == 0 else Tone.QUIET) for at, hint in enumerate(hints)
    )
    return DiffDocument("", "", (Section("", (Notice(""), *lines)),))


def _hints(backlog: Backlog, view: QueueView, filter_words: str, keymap: Keymap) -> Iterator[str]:
    key = partial(key_of, keymap=keymap)
    if problem := parse(filter_words).problem:
        yield problem  # Below the title, where it wraps.
    if filter_words or view.conflicts_only:
        yield f"{key('back')} shows the whole lane again."
        return
    if view.lane is Lane.DRAFTS:
        keys = ", ".join(key(name) for name in ("approve", "reject", "defer", "merge"))
        summary = key("summary")
        yield f"{keys} make drafts; {summary} shows them together before they are written."
        return
    if backlog.unseen:
        amount = count(backlog.unseen, "change")
        yield f"{key('lane_applied')} shows what your agent learned: {amount} not seen yet."
    for home, sentence in backlog.direct.items():
        if sentence and view.home in (None, home):
            yield sentence
    if view.home is not None and len(backlog.homes) > 1:
        yield f"{key('home')} shows the next home."
    yield "New proposals from your agent appear here."
    yield f"{key('documents')} browses its live memories and skills."
