"""Taking back: the proposals that reverse what is live, whatever the reason.

An undo, a revert, a document as it was and an operator's own text are all documents that go from
one content to another. Each function evaluates one proposal of `Restore` edits and changes nothing;
`decide.apply_own` applies it, `drafts.draft_own` drafts it. It is planned against what is live,
judged, journaled and undoable like any other: where its document moved on, it is merged, or it is
a conflict.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from reviewdeck.engine.authorisation import is_begun_as
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.decidable import REVERTIBLE, approvable, check_undecided
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.history import why_not_undoable
from reviewdeck.engine.similarity import subjects_of
from reviewdeck.errors import BadInput, LedgerDamaged, NotDecidable, NotVerified
from reviewdeck.model import (
    ABSENT,
    SKILL_FILE,
    Dead,
    Draft,
    Kind,
    Operation,
    OperationState,
    Proposal,
    RecordedChange,
    Restore,
    Revision,
    Verb,
    revision_of,
)
from reviewdeck.model.changes import DocumentChanges, PartChange
from reviewdeck.planning.documents import kind_of
from reviewdeck.planning.frontmatter import check_skill_text
from reviewdeck.planning.memory import closed, over_budget
from reviewdeck.ports import Snapshot
from reviewdeck.text import entries
from reviewdeck.text.lines import bare, newline_of, split, with_newline

if TYPE_CHECKING:
    from reviewdeck.engine.evaluate import Evaluator

REVERT, RESTORE, REWRITE = "revert", "restore", "rewrite"
"""The actions of such proposals, beside `undo`."""

GIST = 60
"""The most characters of a taken back text that a summary quotes."""


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """One document and its wanted bytes."""

    path: str
    data: bytes | None
    """None to remove it."""
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class _Reversal:
    """One document from the text that the operator saw to the text they want."""

    home: str
    path: str
    seen: bytes | None
    wanted: bytes | None
    action: str
    summary: str
    rejects: tuple[str, ...] = ()
    modes: tuple[int, int] | None = field(default=None, repr=False)
    """The permission bits wanted and those that are, where they change back as well."""
    undoes: Operation | None = None
    """The operation that made exactly this change: its bookkeeping is undone as well."""


def undo(engine: EngineContext, operation: str) -> Evaluation:
    """The undo of an operation; a conflict where its document has changed since.

    Raises NotDecidable, NotVerified.
    """
    with engine.ledger.at_once():
        return _undo(engine, operation)


def _undo(engine: EngineContext, named: str) -> Evaluation:
    ledger = engine.ledger
    read, of_it = partial(ledger.operation, named), partial(ledger.proposals_of, [named])
    # Mostly it is the whole id.
    ledger.foresee((read, of_it, partial(_id_for, engine, _undo_payload(named))))
    target = read()
    changes = target.changes
    evaluator = engine.evaluator_of(engine.home_by_id(target.home).home)
    ends = {end for change in changes for end in (change.before, change.after)}
    ledger.foresee(
        (
            partial(_check_undoable, engine, target),
            partial(ledger.proposals_of, [target.id]),
            partial(ledger.inverse_effects, target.id),
            *(partial(ledger.content, end) for end in ends),
            *evaluator.questions_about(change.path for change in changes),
            lambda: evaluator.expect_origin(_id_for(engine, _undo_payload(target.id))),
        )
    )
    _check_undoable(engine, target)
    original = ledger.proposals_of([target.id])[target.id]
    return _evaluate(
        engine,
        _undo_payload(target.id),
        home=target.home,
        kind=original.kind,
        action="undo",
        target=original.target,
        edits=tuple(_restore_edit(engine, change) for change in reversed(changes)),
        summary=f"take back the operation {target.id}",
        undoes=target.id,
        evaluator=evaluator,
    )


def _undo_payload(operation: str) -> str:
    return _payload_of(f"undo:{operation}")


def revert(
    engine: EngineContext, document: DocumentChanges, change: PartChange | None, reason: str
) -> Evaluation:
    """One lesson taken back, or all of a document's changes.

    Once written, the agent's text counts as rejected. Raises NotDecidable, BadInput without a
    reason.
    """
    if not reason.strip():
        raise BadInput("A revert needs a reason.", hint="It stays in the history of the document.")
    live, before = (
        _stored_bytes(engine, document.document, revision)
        for revision in (document.after, document.before)
    )
    is_whole = change is None or _is_whole_lesson(change, document)
    goal = (
        before
        if is_whole
        else _without_lesson(live or b"", before, change, is_memory=document.is_memory)
    )
    changes = document.changes if change is None else (change,)
    subject = " ".join(changes[0].after or changes[0].before) if change else document.document
    wish = _Reversal(
        document.home,
        document.document,
        live,
        goal,
        REVERT,
        f"take back “{short(subject)}”: {' '.join(reason.split())}",
        tuple(text for part in changes for text in _rejected_texts(engine, part, document)),
        document.modes if is_whole else None,
        _sole_operation(engine, document) if is_whole else None,
    )
    return _evaluate_wish(engine, wish)


def check_revertible(engine: EngineContext, change: Proposal) -> None:
    """Checks that a proposal is live and may be reverted. Raises NotDecidable."""
    check_undecided(change.id, engine.ledger.state_of(change.id), REVERTIBLE)
    if not change.outside:
        raise NotDecidable(
            f"{change.id} is not live yet: there is nothing to revert.",
            hint=f"`reviewdeck reject {change.id} --reason TEXT` turns it down.",
        )


def take_back(engine: EngineContext, change: Proposal, reason: str) -> Evaluation:
    """A change outside review taken back, keeping later edits; dead where nothing of it is left.

    Raises NotDecidable, BadInput without a reason.
    """
    check_revertible(engine, change)
    if not reason.strip():
        raise BadInput("A revert needs a reason.", hint="It stays in the history of the document.")
    payload = _newest_payload(engine, change.id, reason)
    state = engine.ledger.state_of(payload[:12])
    if state is not None and not state.is_open:
        payload = _next_payload(payload)
    return _evaluate(
        engine,
        payload,
        home=change.home,
        kind=change.kind,
        action=REVERT,
        target=change.target,
        edits=tuple(_reverse_edits(engine, change)),
        summary=f"take back {change.id}: {' '.join(reason.split())}",
        takes_back=change.id,
    )


def restore(engine: EngineContext, home: str, path: str, revision: Revision) -> Evaluation:
    """A document restored to a revision. Raises NotDecidable, BadInput."""
    target = engine.home_by_id(home).home
    revisions = {
        observation.revision for observation in engine.ledger.observations(target.id, path)
    }
    if revision not in revisions:
        raise BadInput(f"{path} never was at the revision {revision[:12]}.")
    live = _live(target.snapshot(), path)
    goal = _stored_bytes(engine, path, revision)
    summary = f"{path} as it was at {revision[:12]}"
    return _evaluate_wish(engine, _Reversal(target.id, path, live, goal, RESTORE, summary))


def restore_all(
    engine: EngineContext, home: str, documents: Sequence[RestoreTarget], summary: str
) -> Evaluation:
    """Several documents of skills restored to their approved bytes, in one operation.

    Raises NotDecidable where it is not ready.
    """
    target = engine.home_by_id(home).home
    snapshot = target.snapshot()
    edits = tuple(
        Restore(
            each.path,
            _live(snapshot, each.path),
            each.data,
            mode=each.mode,
            was_mode=None if each.mode is None else snapshot.document(each.path).mode,
        )
        for each in documents
    )
    evaluation = _evaluate(
        engine,
        _payload_of(repr((target.id, edits))),
        home=target.id,
        kind=Kind.SKILLS,
        action=RESTORE,
        target=target.name,
        edits=edits,
        summary=summary,
    )
    approvable(evaluation)
    return evaluation


def rewrite(
    engine: EngineContext, home: str, path: str, before: bytes | None, text: str, summary: str
) -> Evaluation:
    """A document with an operator's own text. Raises NotDecidable, BadInput."""
    id = engine.home_by_id(home).home.id
    return _evaluate_wish(engine, _Reversal(id, path, before, text.encode(), REWRITE, summary))


def store(engine: EngineContext, evaluation: Evaluation) -> Evaluation:
    """Queues the proposal of a reversal."""
    with engine.ledger.together(evaluation.proposal.home):
        engine.ledger.add([evaluation.proposal], {})
        engine.ledger.stage([evaluation.as_staging()])
    return evaluation


def take_back_id(engine: EngineContext, id: str, reason: str) -> str:
    """The id of the newest proposal that takes a change back for this reason."""
    return _newest_payload(engine, id, reason)[:12]


def is_take_back(engine: EngineContext, draft: Draft) -> bool:
    """Whether it rejects a change that is live already: then another draft undoes it."""
    return draft.verb is Verb.REJECT and bool(engine.ledger.proposal(draft.proposal).outside)


def drop_own(engine: EngineContext, proposal: str) -> None:
    """Takes an operator's own proposal out of the queue, with its draft."""
    if engine.ledger.proposal(proposal).is_operators:
        engine.ledger.drop(proposal, "its draft was dropped: nothing was decided")


def _evaluate(
    engine: EngineContext,
    payload: str,
    *,
    home: str,
    kind: Kind,
    action: str,
    target: str,
    edits: tuple[Restore, ...],
    summary: str,
    undoes: str | None = None,
    takes_back: str | None = None,
    evaluator: Evaluator | None = None,
) -> Evaluation:
    """The evaluated proposal of these edits.

    `payload` is the SHA-256 of what is wanted: the same again is the same proposal while it is
    open. The bookkeeping of the operation that it undoes is undone as well.
    """
    now = engine.now()
    proposal = Proposal(
        id=_id_for(engine, payload),
        home=home,
        kind=kind,
        action=action,
        target=target,
        edits=edits,
        payload_sha=payload,
        origin="operator",
        summary=summary,
        created_at=now,
        ingested_at=now,
        undoes=undoes,
        takes_back=takes_back,
        author=engine.actor.name,
    )
    with engine.ledger.at_once():
        return (evaluator or engine.evaluator(proposal)).evaluate(proposal)


def _id_for(engine: EngineContext, payload: str) -> str:
    """The id of a payload's proposal: a new one once the earlier one was decided."""
    state = engine.ledger.state_of(payload[:12])
    if state is None or state.is_open:
        return payload[:12]
    return _payload_of(f"{payload}:{engine.new_id()}")[:12]


def _payload_of(wish: str) -> str:
    return hashlib.sha256(wish.encode("utf-8", "surrogatepass")).hexdigest()


def _newest_payload(engine: EngineContext, id: str, reason: str) -> str:
    """The payload of that proposal. Each but the first follows one that was decided."""
    payload = _payload_of(f"{id}:{reason}")
    while engine.ledger.state_of((following := _next_payload(payload))[:12]) is not None:
        payload = following
    return payload


def _next_payload(payload: str) -> str:
    return _payload_of(f"{payload}:again")


def _stored_bytes(engine: EngineContext, path: str, revision: Revision) -> bytes | None:
    """The bytes of a document's revision; None for no document.

    Raises NotDecidable when they were pruned, LedgerDamaged when they are not what was stored.
    """
    data = engine.ledger.content(revision)
    if data is None and revision != ABSENT:
        raise NotDecidable(
            f"What {path} was at that time is not kept any more.",
            hint="It is older than the retention of the ledger. A backup of it may have the text.",
        )
    if data is not None and revision_of(data) != revision:
        raise LedgerDamaged(f"What is kept of {path} is not what was stored.")
    return data


def _check_undoable(engine: EngineContext, target: Operation) -> None:
    if (why := why_not_undoable(engine.ledger, target)) is not None:
        hint = f"`reviewdeck undo {target.undone_by}` brings it back." if target.undone_by else None
        raise NotDecidable(why, hint=hint)
    if target.state is not OperationState.DONE:
        raise NotDecidable(f"The operation {target.id} is {target.state}: it wrote nothing.")
    if not target.settled:
        raise NotDecidable(
            f"The operation {target.id} is not finished: its follow-up steps are still to be done.",
            hint="`reviewdeck recover` finishes it.",
        )
    if engine.authority.signs and not is_begun_as(engine.ledger.begun(target.id), target):
        raise NotVerified(f"The operation {target.id} is not what the log says was begun.")


def _restore_edit(engine: EngineContext, change: RecordedChange) -> Restore:
    return Restore(
        document=change.path,
        applied=_stored_bytes(engine, change.path, change.after),
        previous=_stored_bytes(engine, change.path, change.before),
        mode=change.mode if change.was_mode is None else change.was_mode,
        tree=change.tree,
        was_mode=None if change.was_mode is None else change.mode,
    )


def _reverse_edits(engine: EngineContext, change: Proposal) -> Iterator[Restore]:
    ends = {entry.path: (entry.before, entry.after) for entry in change.outside}
    modes = {entry.path: entry.modes or (None, None) for entry in change.outside}
    heads = {
        path.rpartition("/")[0]
        for path, (before, after) in ends.items()
        if path.endswith(f"/{SKILL_FILE}") and ABSENT in (before, after)
    }
    trees = {directory for directory in heads if _is_whole(engine, change.home, directory, ends)}
    for path, (before, after) in ends.items():
        tree = next((directory for directory in trees if path.startswith(f"{directory}/")), None)
        applied, previous = (_stored_bytes(engine, path, revision) for revision in (after, before))
        mode, was_mode = modes[path]
        yield Restore(path, applied, previous, mode=mode, tree=tree, was_mode=was_mode)


def _is_whole(engine: EngineContext, home: str, directory: str, paths: Collection[str]) -> bool:
    """Whether a skill has no other files: then it is created or removed with one rename."""
    snapshot = engine.home_by_id(home).home.snapshot()
    paths_below = (path for path in engine.ledger.latest(home) if path.startswith(f"{directory}/"))
    return not any(path not in paths and snapshot.document(path).exists for path in paths_below)


def _evaluate_wish(engine: EngineContext, wish: _Reversal) -> Evaluation:
    """The evaluated proposal of a wish. The same wish again has the same digest."""
    open_home = engine.home_by_id(wish.home)
    snapshot = open_home.home.snapshot()
    _check_wish(wish, snapshot)
    skill = _skill_of(wish.path, snapshot)
    is_head = skill is not None and _creates_or_deletes(wish, skill[0], snapshot)
    is_whole = is_head and skill and _is_whole(engine, open_home.home.id, skill[0], (wish.path,))
    tree = skill[0] if skill and is_whole else None
    mode, was_mode = wish.modes or (None, None)
    edit = Restore(
        wish.path, wish.seen, wish.wanted, mode, tree, was_mode=was_mode, rejects=wish.rejects
    )
    evaluation = _evaluate(
        engine,
        _payload_of(f"{wish!r}{wish.modes or ''}"),
        home=open_home.home.id,
        kind=kind_of(wish.path, snapshot),
        action=wish.action,
        target=skill[1] if skill else wish.path.rpartition("/")[2].removesuffix(".md").lower(),
        edits=(edit,),
        summary=wish.summary,
        undoes=wish.undoes.id if wish.undoes else None,
    )
    if isinstance(evaluation.staged.outcome, Dead):
        raise NotDecidable(f"There is nothing to do. {evaluation.staged.outcome.message}")
    return evaluation


def short(text: str) -> str:
    """A text as a summary quotes it."""
    line = " ".join(text.split())
    return line if len(line) <= GIST else f"{line[: GIST - 1]}…"


def _check_wish(wish: _Reversal, snapshot: Snapshot) -> None:
    """Raises NotDecidable, BadInput for a document that the agent itself would refuse."""
    if shut := closed(wish.path, snapshot):
        raise NotDecidable(shut.message)
    if wish.seen == wish.wanted and wish.modes is None:
        raise NotDecidable(f"{wish.path} is like that already.")
    if wish.wanted is None:
        return
    text = _decode(wish.path, wish.wanted)
    if over := over_budget(text, snapshot.document(wish.path), snapshot.budget(wish.path)):
        raise BadInput(over.message)
    if wish.path.endswith(f"/{SKILL_FILE}") and (why := check_skill_text(text)):
        raise BadInput(why, hint="Revert more of it, or all of the document.")


def _without_lesson(
    data: bytes, before: bytes | None, change: PartChange | None, *, is_memory: bool
) -> bytes:
    text = data.decode("utf-8", errors="surrogateescape")
    if change is None:
        return data
    start, end = change.at, change.at + len(change.after)
    if is_memory:
        parts = list(entries.parse(text))
        parts[start:end] = change.before
        mark = entries.BOM if text.startswith(entries.BOM) else ""
        text = mark + with_newline(entries.join(parts), newline_of(text))
        return text.encode("utf-8", errors="surrogateescape")
    lines, newline = split(text), newline_of(text)
    was = split((before or b"").decode("utf-8", errors="surrogateescape"))
    whole = {bare(line): line for line in was if line.endswith("\n")}
    back = [whole.get(line, f"{line}{newline}") for line in change.before]
    if back and end >= len(lines) and not text.endswith("\n"):
        back[-1] = bare(back[-1])
        if start and start <= len(lines) and not lines[start - 1].endswith("\n"):
            lines[start - 1] += newline
    lines[start:end] = back
    return "".join(lines).encode("utf-8", errors="surrogateescape")


def _rejected_texts(
    engine: EngineContext, change: PartChange, document: DocumentChanges
) -> Sequence[str]:
    """The texts that must not come back: the lesson's, and of a skill its proposal's."""
    if document.is_memory:
        return change.after
    texts = dict.fromkeys([text] if (text := "\n".join(change.after).strip()) else [])
    if change.after and change.by.proposal is not None:
        proposal = engine.ledger.proposal(change.by.proposal)
        texts |= dict.fromkeys(subject.text for subject in subjects_of(proposal))
    return tuple(texts)


def _is_whole_lesson(change: PartChange, document: DocumentChanges) -> bool:
    return ABSENT in (document.before, document.after) and len(document.changes) == 1


def _sole_operation(engine: EngineContext, document: DocumentChanges) -> Operation | None:
    """The operation that made exactly this change and nothing else; None for none."""
    ids = {change.by.operation for change in document.changes}
    id = ids.pop() if len(ids) == 1 else None
    if id is None:
        return None
    done = engine.ledger.operation(id)
    change = (document.document, document.before, document.after)
    is_it = [(change.path, change.before, change.after) for change in done.changes] == [change]
    return done if is_it and done.undone_by is None else None


def _creates_or_deletes(wish: _Reversal, directory: str, snapshot: Snapshot) -> bool:
    is_head = wish.path == f"{directory}/{SKILL_FILE}"
    return is_head and (wish.wanted is None or not snapshot.document(wish.path).exists)


def _skill_of(path: str, snapshot: Snapshot) -> tuple[str, str] | None:
    parts = path.split("/")
    for end in range(len(parts) - 1, 0, -1):
        directory = "/".join(parts[:end])
        skill = snapshot.skill(parts[end - 1])
        if (skill is not None and skill.directory == directory) or parts[end:] == [SKILL_FILE]:
            return directory, parts[end - 1]
    return None


def _live(snapshot: Snapshot, path: str) -> bytes | None:
    document = snapshot.document(path)
    if document.problem is not None:
        raise NotDecidable(f"{path}: {document.problem}")
    return document.data


def _decode(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotDecidable(f"{path} would not be text.") from error
