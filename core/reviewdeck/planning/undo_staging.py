"""Staging one part of an undo: the inverse of what was applied, merged onto what is live."""

from __future__ import annotations

from reviewdeck.model import Base, BaseSource, Change, Dead, DeadReason, Kind, Proposal, Restore
from reviewdeck.model.documents import revision_of
from reviewdeck.planning.memory_staging import marked, over_budget
from reviewdeck.planning.parts import Part, conflict_of, merged_finding
from reviewdeck.planning.rebase import Clash, Request, Settled, merge_for, settle
from reviewdeck.ports import Snapshot


def stage_restore(edit: Restore, proposal: Proposal, snapshot: Snapshot) -> Part:
    """Brings one document back; a later change of the same thing makes it a conflict."""
    live = snapshot.document(edit.document)
    if live.problem is None and live.data == edit.previous:
        return Part()
    if live.problem is None and live.data == edit.applied:
        if neighbours := _neighbours(edit, proposal, snapshot):
            named = ", ".join(neighbours)
            clash = Clash(
                edit.applied, edit.previous, f"The skill has other files by now: {named}."
            )
            return Part(outcome=conflict_of(clash, proposal, live))
        # Bytes, not text: what came in can be taken back whatever it is.
        change = Change(live.path, live.data, edit.previous, mode=edit.mode, tree=edit.tree)
        return Part((change,))
    previous = _decoded(edit.previous)
    if isinstance(previous, Dead):
        return Part(outcome=previous)
    base = Base(revision_of(edit.applied), edit.applied, BaseSource.GIVEN)
    outcome = settle(Request(live, base, lambda _: previous, merge_for(proposal, live.path)))
    match outcome:
        case Dead():
            return Part(outcome=outcome)
        case Clash():
            return Part(outcome=conflict_of(outcome, proposal, live))
        case Settled(text):
            if over := over_budget(text or "", live, snapshot.budget(live.path)):
                return Part(outcome=over)
            is_memory = proposal.kind is Kind.MEMORY
            own = marked(text, live) if is_memory and text is not None else text
            after = None if own is None else own.encode("utf-8")
            return Part(
                (Change(live.path, live.data, after),), findings=(merged_finding(live.path),)
            )


def _neighbours(edit: Restore, proposal: Proposal, snapshot: Snapshot) -> tuple[str, ...]:
    """Files that somebody put into a directory that is to go away as a whole."""
    if edit.tree is None or edit.previous is not None:
        return ()
    skill = snapshot.skill(edit.tree.rpartition("/")[2])
    if skill is None or skill.directory != edit.tree:
        return ()
    ours = {one.document for one in proposal.edits if isinstance(one, Restore)}
    return tuple(file for file in skill.files if skill.path_of(file) not in ours)


def _decoded(data: bytes | None) -> str | Dead | None:
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        return Dead(DeadReason.MOVED, "It is not text and was changed since.")
