"""What may be decided: states, digests, plans, and the document that a text is for."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.errors import BadInput, NotDecidable, StaleBase
from reviewdeck.model import Conflict, Dead, DeadReason, MemoryEdit, Plan, Proposal, Ready, State
from reviewdeck.planning.skills import check_new_document
from reviewdeck.ports import OpenHome

MIN_DIGEST: Final = 12
"""The fewest hex digits of a digest that a decision names: 48 bits."""

UNDECIDED: Final = tuple(sorted(s for s in State if s.is_open and s is not State.QUARANTINED))
REVERTIBLE: Final = (*UNDECIDED, State.KEPT, State.ELSEWHERE)
"""The states in which a live change may be taken back: also kept, listed, or found gone by a pass
that came in between."""


def check_digest(prefix: str, digest: str) -> None:
    """Checks that a decision names the digest it was shown. Raises BadInput, StaleBase."""
    check_length(prefix, digest)
    if not digest.startswith(prefix):
        raise StaleBase("The change is no longer the one that was shown.")


def check_length(prefix: str, digest: str) -> None:
    """Checks that a digest prefix is long enough to be unambiguous. Raises BadInput."""
    if len(prefix) < MIN_DIGEST and prefix != digest:  # the revision of no document is "absent"
        raise BadInput(
            f"A digest has at least {MIN_DIGEST} digits.",
            hint="`reviewdeck diff ID` prints it at its end.",
        )


def document_for(evaluation: Evaluation, document: str | None) -> str:
    """The document that an operator's own text replaces. Raises BadInput when it is not clear."""
    outcome = evaluation.staged.outcome
    if isinstance(outcome, Conflict):
        candidates = [outcome.path, *(change.path for change in outcome.others)]
    elif isinstance(outcome, Ready):
        candidates = [change.path for change in outcome.plan.changes]
    else:
        candidates = list(evaluation.plain_paths)
        if document is not None and not candidates and not check_new_document(document):
            return document  # The edit names no document: the operator chooses one.
    if document is None and (len(candidates) == 1 or isinstance(outcome, Conflict)):
        return candidates[0]
    if document is not None and document in candidates:
        return document
    names = ", ".join(candidates) or "skills/NAME/SKILL.md, say"
    raise BadInput(
        "It is not clear which document the text is for."
        if document is None
        else f"The proposal is not about {document}.",
        hint=f"Name one with --document: {names}.",
    )


def check_unclaimed(open_home: OpenHome, proposals: Iterable[Proposal]) -> None:
    """Raises NotDecidable for a record that another program is deciding on."""
    claimed = open_home.home.claimed()
    for proposal in proposals if claimed else ():
        if (by := claimed.get(proposal.source or "")) is None:
            continue
        raise NotDecidable(
            f"Another program is deciding {proposal.id}, as {by} shows.",
            hint="It is decided there, or comes back. If nothing works on it any more, take that"
            " file away (or give the record its name back) and try again.",
        )


def check_undecided(
    id: str, state: State | None, from_states: Collection[State] = UNDECIDED
) -> None:
    """Checks that a proposal may still be decided from these states. Raises NotDecidable."""
    if state is State.QUARANTINED:
        raise NotDecidable(
            f"The record {id} could not be read: there is nothing to decide yet.",
            hint=f"`reviewdeck repair {id}` opens it in your editor; `reviewdeck reject {id}"
            " --reason TEXT` dismisses it.",
        )
    if state not in from_states:
        raise NotDecidable(
            f"The proposal {id} is {state}: it is decided already.",
            hint="`reviewdeck log` says by whom"
            + (f"; {back}." if (back := _back(id, state)) else "."),
        )


def lost_race(id: str, state: State | None) -> NotDecidable:
    """Why the ledger did not store a decision, by the state that it holds now."""
    try:
        check_undecided(id, state)
    except NotDecidable as decided:
        return decided
    return NotDecidable(
        f"The proposal {id} changed while it was decided: it is {state} now.",
        hint=f"`reviewdeck show {id}` shows it as it is.",
    )


def _back(id: str, state: State | None) -> str:
    """How the decision that led to a state is taken back; empty where nothing does that."""
    match state:
        case State.REJECTED:
            back = f"`reviewdeck reopen {id}` puts it back into the queue"
            return f"{back}, or says as what it waits there already"
        case State.APPLIED | State.APPLYING | State.APPROVED:
            return "`reviewdeck undo` takes an operation back"
        case _:
            return ""


def changes_entries(proposal: Proposal) -> bool:
    """Whether it does nothing but change entries of memories: room can be made for it there."""
    return bool(proposal.edits) and all(isinstance(edit, MemoryEdit) for edit in proposal.edits)


def approvable(evaluation: Evaluation) -> Plan:
    """The plan that an approval would write. Raises NotDecidable for anything but a ready plan."""
    id = evaluation.proposal.id
    if evaluation.state is State.REFUSED:
        raise NotDecidable(
            f"The policy refuses {id}: {evaluation.reason}",
            hint="It cannot be applied as it is. `reviewdeck merge` takes your own version.",
        )
    match evaluation.staged.outcome:
        case Ready(plan):
            return plan
        case Conflict(reason=reason):
            hint = f"See `reviewdeck diff {id}`, then `reviewdeck merge {id} --file FILE`."
            raise NotDecidable(f"{id} is a conflict: {reason}", hint=hint)
        case Dead(reason=reason, message=message):
            hint = f"`reviewdeck reject {id} --reason TEXT` takes it off the queue."
            if reason is DeadReason.OVER_BUDGET and changes_entries(evaluation.proposal):
                hint = f"`reviewdeck room {id}` proposes what to remove, so that it fits."
            raise NotDecidable(f"{id} cannot be applied: {message}", hint=hint)
