"""Making room: one proposal of ours that takes out of a full memory what ended or is said twice.

An operator decides on it like on any other.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from reviewdeck.engine import reverse
from reviewdeck.engine.decidable import changes_entries
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.history import blame
from reviewdeck.errors import BadInput, NotDecidable
from reviewdeck.model import Conflict, Dead, DeadReason, MemoryAdd, MemoryEdit, Proposal, Ready
from reviewdeck.model.decisions import ENDS
from reviewdeck.planning.memory import apply_memory
from reviewdeck.planning.room import Removable, fewest, removable
from reviewdeck.ports import Snapshot
from reviewdeck.text import entries
from reviewdeck.text.lines import newline_of, with_newline

BY_HAND = "Merge or remove entries by hand: `M` in the deck's documents puts those alike together."


@dataclass(frozen=True, slots=True)
class RoomMade:
    """The proposal that makes room, with the entries that it takes out."""

    evaluation: Evaluation
    document: str
    removed: tuple[Removable, ...]


@dataclass(frozen=True, slots=True)
class RoomNeeded:
    """How much room a waiting proposal needs, and what can go for it."""

    proposal: str
    home: str
    path: str
    live: bytes
    need: int
    """Characters."""
    parts: tuple[str, ...]
    """All entries of the memory."""
    found: tuple[Removable, ...]
    """Those that can go."""
    others: tuple[str, ...]
    """Those that neither can go nor are changed by the proposal."""

    @property
    def freed(self) -> int:
        """Characters that are free without all that can go."""
        return sum(each.frees for each in self.found)


def make_room(engine: Engine, id: str) -> RoomMade:
    """Queues the removal of the fewest entries so that a waiting proposal fits.

    Raises NotDecidable where it fits, or where too little ended or is said twice.
    """
    needed = room_needed(engine, id)
    chosen = fewest(needed.found, needed.need)
    if chosen is None:
        raise NotDecidable(
            f"{needed.path} needs {needed.need:,} characters more, and what ended or is said twice"
            f" frees {needed.freed:,}.",
            hint=f"{BY_HAND} `reviewdeck room {needed.proposal} --rewrite` asks a model.",
        )
    gone, before = {each.at for each in chosen}, needed.live.decode("utf-8")
    kept = [text for at, text in enumerate(needed.parts) if at not in gone]
    mark = entries.BOM if before.startswith(entries.BOM) else ""
    after = mark + with_newline(entries.join(kept), newline_of(before))
    words = "; ".join(f"“{reverse.short(each.text)}” {each.reason}" for each in chosen)
    # Without the id: what waits beside it and needs the same room gets the same proposal.
    summary = f"make room in {needed.path}: {words}"
    evaluation = reverse.rewrite(engine, needed.home, needed.path, needed.live, after, summary)
    return RoomMade(reverse.store(engine, evaluation), needed.path, chosen)


def room_needed(engine: Engine, id: str) -> RoomNeeded:
    """What a waiting proposal needs to fit. Raises NotDecidable where it fits, or never can."""
    proposal = engine.ledger.proposal(engine.ledger.resolve(id, engine.home_ids))
    state = engine.ledger.state_of(proposal.id)
    if state is None or not state.is_open:
        raise NotDecidable(f"{proposal.id} is {state}: it needs no room.")
    snapshot = engine.home_of(proposal).home.snapshot()
    path, need, touched = _need(engine, proposal, snapshot)
    live = snapshot.document(path).data or b""
    parts = entries.parse(live.decode("utf-8"))
    changing = {at for at, text in enumerate(parts) if text in touched}
    found = _removable(engine, proposal.home, path, parts, changing)
    taken = {*changing, *(each.at for each in found)}
    others = tuple(text for at, text in enumerate(parts) if at not in taken)
    return RoomNeeded(proposal.id, proposal.home, path, live, need, parts, found, others)


def _need(engine: Engine, proposal: Proposal, snapshot: Snapshot) -> tuple[str, int, set[str]]:
    """The memory in which it does not fit, by how many characters, and the entries it changes."""
    if not changes_entries(proposal):
        raise BadInput(f"{proposal.id} does not change the entries of a memory.")
    edits = [edit for edit in proposal.edits if isinstance(edit, MemoryEdit)]
    paths = tuple(dict.fromkeys(edit.document for edit in edits))
    for path in paths:
        if (problem := snapshot.document(path).problem) is not None:
            raise NotDecidable(f"{path} {problem}: nothing is taken out of it.")
    _check_needs_room(engine, proposal)
    for path in paths:
        budget = snapshot.budget(path)
        own = [edit for edit in edits if edit.document == path]
        is_batch = proposal.action == "batch"
        result = apply_memory(own, snapshot.document(path).text, None, batch=is_batch)
        if budget is None or isinstance(result, Dead):
            continue
        over = entries.size(entries.parse(result.text)) - budget
        if over > 0:
            return path, over, {each.before for each in result.touched if each.before is not None}
    raise NotDecidable(f"{proposal.id} fits: it needs no room.")


def _check_needs_room(engine: Engine, proposal: Proposal) -> None:
    match engine.evaluator(proposal).evaluate(proposal).staged.outcome:
        case Dead(reason=DeadReason.TOO_LARGE, message=message):
            raise NotDecidable(
                f"No room can be made for {proposal.id}: {message}",
                hint=f"`reviewdeck merge {proposal.id}` takes a shorter version of yours.",
            )
        case Dead(reason=DeadReason.OVER_BUDGET):
            pass
        case Dead(message=message) | Conflict(reason=message):
            raise NotDecidable(f"{proposal.id} cannot be applied, with room or without: {message}")
        case Ready():
            raise NotDecidable(f"{proposal.id} fits: it needs no room.")


def _removable(
    engine: Engine, home: str, path: str, parts: tuple[str, ...], kept: Collection[int]
) -> tuple[Removable, ...]:
    blamed = {each.text: each.added_by for each in blame(engine.ledger, engine.home(home), path)}
    now = engine.now()
    said = [_begun(blamed[text].at if text in blamed else now) for text in parts]
    set_ends = engine.ledger.ends(home)
    ends = {
        at: end
        for at, text in enumerate(parts)
        if text in blamed and (end := set_ends.get(blamed[text].proposal or "")) is not None
    }
    return removable(parts, _not_over(now), said, ends, kept)


def _not_over(moment: datetime) -> date:
    """The first day that is not over in every time zone: who meant it may live in any."""
    return (moment - timedelta(hours=12)).date()


def _begun(moment: datetime) -> date:
    """The last day that has begun in a time zone: counted from it, an end comes late, not early."""
    return (moment + timedelta(hours=14)).date()


def check_end(engine: Engine, id: str, end: date) -> Proposal:
    """The proposal that could hold until that day. Raises BadInput."""
    proposal = engine.ledger.proposal(engine.ledger.resolve(id, engine.home_ids))
    if not all(isinstance(edit, MemoryAdd) for edit in proposal.edits):
        raise BadInput(f"{proposal.id} does more than add entries to a memory: nothing of it ends.")
    if end < _not_over(engine.now()):
        raise BadInput(f"{end.isoformat()} is over.", hint="Name a day from today on.")
    return proposal


def set_end(engine: Engine, id: str, end: date) -> None:
    """Notes the last day on which what a proposal adds to a memory holds. Raises BadInput.

    Like a note it decides nothing: it only says what `make_room` may propose later.
    """
    proposal = check_end(engine, id, end)
    engine.ledger.append(
        ENDS,
        home=proposal.home,
        subject=proposal.id,
        actor=engine.actor,
        at=engine.now(),
        detail={"on": end.isoformat()},
    )
