"""What is said where a lane shows nothing: why, and where to go from there. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from reviewdeck.presentation.words import count
from reviewdeck_tui.keys import BY_NAME, Keymap, keys_of
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice, Section, Tone
from reviewdeck_tui.queue.view import Lane, QueueView, Stock


def why_empty(stock: Stock, view: QueueView, wanted: str) -> str:
    """Why there is no proposal to look at."""
    if not stock.is_whole:
        return "looking at the home ..."
    if wanted:
        return f"nothing matches {wanted}"
    if view.conflicts_only:
        return "no conflict"
    match view.lane:
        case Lane.DRAFTS:
            return "no drafts"
        case Lane.ALL:
            return "no proposals yet"
        case _:
            return "nothing is waiting for you"


def vacant(stock: Stock, view: QueueView, wanted: str, keymap: Keymap) -> DiffDocument:
    """Where to go from there, in the place of a diff."""
    said = _ways(stock, view, wanted, keymap) if stock.is_whole else ()
    lines = tuple(Notice(one, Tone.PLAIN if at == 0 else Tone.QUIET) for at, one in enumerate(said))
    return DiffDocument("", "", (Section("", (Notice(""), *lines)),))


def _ways(stock: Stock, view: QueueView, wanted: str, keymap: Keymap) -> Iterator[str]:
    def key(name: str) -> str:
        return (keys_of(BY_NAME[name], keymap) or ("?",))[0]

    if wanted or view.conflicts_only:
        yield f"{key('back')} shows all of the lane again."
        return
    if view.lane is Lane.DRAFTS:
        made = ", ".join(key(name) for name in ("approve", "reject", "defer", "merge"))
        yield f"{made} make drafts; {key('summary')} shows what they come to, before it is written."
        return
    if stock.unseen:
        amount = count(stock.unseen, "change")
        yield f"{key('lane_applied')} shows what your agent learnt: {amount} not looked at yet."
    for home, said in stock.direct.items():
        if said and view.home in (None, home):
            yield said
    if view.home is not None and len(stock.homes) > 1:
        yield f"{key('home')} goes on to the next home."
    yield "What your agent proposes to remember appears here by itself."
    yield f"{key('documents')} browses its memories and skills as they are."
