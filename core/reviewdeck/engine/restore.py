"""An operator's own changes: a lesson taken back, a document restored, a text rewritten.

Each is a proposal like any other: planned against what is live, judged, drafted, shown in the
summary, journaled and undoable. Where the document moved on, it is merged, or it is a conflict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from reviewdeck.engine import reverse
from reviewdeck.engine.decidable import REVERTIBLE, approvable, check_digest, check_undecided
from reviewdeck.engine.decide import apply_own, reject
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.reverse import Reversal, newest_payload, next_payload
from reviewdeck.engine.similarity import subjects_of
from reviewdeck.errors import BadInput, NotDecidable
from reviewdeck.model import (
    ABSENT,
    SKILL_FILE,
    Dead,
    Kind,
    Operation,
    Proposal,
    Restore,
    Revision,
    State,
)
from reviewdeck.model.changes import DocumentChanges, PartChange
from reviewdeck.planning.documents import kind_of
from reviewdeck.planning.frontmatter import check_skill_text
from reviewdeck.planning.memory import closed, over_budget
from reviewdeck.ports import Snapshot
from reviewdeck.text import entries
from reviewdeck.text.lines import newline_of, with_newline

REVERT, RESTORE, REWRITE = "revert", "restore", "rewrite"
"""The actions of such proposals."""

GIST = 60
"""The most characters of a taken back text that a summary quotes."""


@dataclass(frozen=True, slots=True)
class _Wish:
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


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """One document and its wanted bytes."""

    path: str
    data: bytes | None
    """None to remove it."""
    mode: int | None = None


def propose_revert(
    context: Engine, document: DocumentChanges, change: PartChange | None, reason: str
) -> Evaluation:
    """Proposes to take back one lesson, or all of a document's changes.

    Once written, the agent's text counts as rejected. Raises NotDecidable, BadInput without a
    reason.
    """
    if not reason.strip():
        raise BadInput("A revert needs a reason.", hint="It stays in the history of the document.")
    live, before = (
        reverse.stored_bytes(context, document.document, revision)
        for revision in (document.after, document.before)
    )
    is_whole = change is None or _is_whole_lesson(change, document)
    goal = (
        before if is_whole else _without_lesson(live or b"", change, is_memory=document.is_memory)
    )
    changes = document.changes if change is None else (change,)
    subject = " ".join(changes[0].after or changes[0].before) if change else document.document
    wish = _Wish(
        document.home,
        document.document,
        live,
        goal,
        REVERT,
        f"take back “{_short(subject)}”: {' '.join(reason.split())}",
        tuple(text for part in changes for text in _rejected_texts(context, part, document)),
        document.modes if is_whole else None,
        _sole_operation(context, document) if is_whole else None,
    )
    return _propose(context, wish)


def propose_take_back(context: Engine, change: Proposal, reason: str) -> Evaluation:
    """Proposes to take back a change outside review, keeping later edits.

    Raises NotDecidable, BadInput without a reason.
    """
    return reverse.store(context, _take_back(context, change, reason))


def take_back(context: Engine, id: str, reason: str) -> Operation | None:
    """Takes back a change that is live already; None where nothing of it was left.

    Its texts count as rejected. Raises NotDecidable where it meets a later change: then
    the proposal to take it back is pending.
    """
    context.operator()
    change = context.ledger.proposal(context.ledger.resolve(id, context.home_ids))
    check_undecided(change.id, context.ledger.state_of(change.id), REVERTIBLE)
    done = None
    if (evaluation := _take_back(context, change, reason)).state is not State.DEAD:
        done = apply_own(context, evaluation, "Reverting it")
    reject(context, change.id, reason, from_states=REVERTIBLE)
    return done


def _take_back(context: Engine, change: Proposal, reason: str) -> Evaluation:
    """The evaluated proposal to take a change back: dead where nothing of it is left."""
    if not change.outside:
        raise NotDecidable(f"{change.id} is not live yet: there is nothing to revert.")
    if not reason.strip():
        raise BadInput("A revert needs a reason.", hint="It stays in the history of the document.")
    payload = newest_payload(context, change.id, reason)
    state = context.ledger.state_of(payload[:12])
    if state is not None and not state.is_open:
        payload = next_payload(payload)
    reversal = Reversal(
        home=change.home,
        kind=change.kind,
        action=REVERT,
        target=change.target,
        edits=tuple(_reverse_edits(context, change)),
        summary=f"take back {change.id}: {' '.join(reason.split())}",
        payload=payload,
        takes_back=change.id,
    )
    return reverse.evaluate(context, reversal)


def _reverse_edits(context: Engine, change: Proposal) -> Iterator[Restore]:
    ends = {entry.path: (entry.before, entry.after) for entry in change.outside}
    modes = {entry.path: entry.modes or (None, None) for entry in change.outside}
    heads = {
        path.rpartition("/")[0]
        for path, (before, after) in ends.items()
        if path.endswith(f"/{SKILL_FILE}") and ABSENT in (before, after)
    }
    trees = {directory for directory in heads if _is_whole(context, change.home, directory, ends)}
    for path, (before, after) in ends.items():
        tree = next((directory for directory in trees if path.startswith(f"{directory}/")), None)
        applied, previous = (
            reverse.stored_bytes(context, path, revision) for revision in (after, before)
        )
        mode, was_mode = modes[path]
        yield Restore(path, applied, previous, mode=mode, tree=tree, was_mode=was_mode)


def _is_whole(context: Engine, home: str, directory: str, paths: Collection[str]) -> bool:
    """Whether a skill has no other files: then it is created or removed with one rename."""
    snapshot = context.home_by_id(home).home.snapshot()
    paths_below = (path for path in context.ledger.latest(home) if path.startswith(f"{directory}/"))
    return not any(path not in paths and snapshot.document(path).exists for path in paths_below)


def propose_restore(context: Engine, home: str, path: str, revision: Revision) -> Evaluation:
    """Proposes to restore a document to a revision. Raises NotDecidable."""
    return _propose(context, _restore(context, home, path, revision))


def evaluate_restore(context: Engine, home: str, path: str, revision: Revision) -> Evaluation:
    """A preview of restoring a document, with its digest. Changes nothing."""
    return _evaluate_wish(context, _restore(context, home, path, revision))


def restore(context: Engine, home: str, path: str, revision: Revision, digest: str) -> Operation:
    """Restores a document to a revision, as it was shown. Raises StaleBase, NotDecidable."""
    context.operator()
    wish = _restore(context, home, path, revision)
    evaluation = _evaluate_wish(context, wish)
    plan = approvable(evaluation)
    check_digest(digest, plan.digest)
    return apply_own(context, evaluation, "Restoring it")


def restore_all(
    context: Engine, home: str, documents: Sequence[RestoreTarget], summary: str
) -> Operation:
    """Restores several documents of skills to their approved bytes, in one operation.

    Raises StaleBase, NotDecidable.
    """
    context.operator()
    target = context.home_by_id(home).home
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
    reversal = Reversal(
        home=target.id,
        kind=Kind.SKILLS,
        action=RESTORE,
        target=target.name,
        edits=edits,
        summary=summary,
        payload=reverse.payload_of(repr((target.id, edits))),
    )
    evaluation = reverse.evaluate(context, reversal)
    approvable(evaluation)
    return apply_own(context, evaluation, "Restoring them")


def _restore(context: Engine, home: str, path: str, revision: Revision) -> _Wish:
    target = context.home_by_id(home).home
    revisions = {
        observation.revision for observation in context.ledger.observations(target.id, path)
    }
    if revision not in revisions:
        raise BadInput(f"{path} never was at the revision {revision[:12]}.")
    live = _live(target.snapshot(), path)
    goal = reverse.stored_bytes(context, path, revision)
    return _Wish(target.id, path, live, goal, RESTORE, f"{path} as it was at {revision[:12]}")


def propose_rewrite(
    context: Engine, home: str, path: str, before: bytes | None, text: str, summary: str
) -> Evaluation:
    """Proposes an operator's own text for a document. Raises NotDecidable, BadInput."""
    id = context.home_by_id(home).home.id
    return _propose(context, _Wish(id, path, before, text.encode(), REWRITE, summary))


def _propose(context: Engine, wish: _Wish) -> Evaluation:
    return reverse.store(context, _evaluate_wish(context, wish))


def _evaluate_wish(context: Engine, wish: _Wish) -> Evaluation:
    """The evaluated proposal of a wish. The same wish again has the same digest."""
    open_home = context.home_by_id(wish.home)
    snapshot = open_home.home.snapshot()
    _check_wish(wish, snapshot)
    skill = _skill_of(wish.path, snapshot)
    is_head = skill is not None and _creates_or_deletes(wish, skill[0], snapshot)
    is_whole = is_head and skill and _is_whole(context, open_home.home.id, skill[0], (wish.path,))
    tree = skill[0] if skill and is_whole else None
    mode, was_mode = wish.modes or (None, None)
    edit = Restore(
        wish.path, wish.seen, wish.wanted, mode, tree, was_mode=was_mode, rejects=wish.rejects
    )
    reversal = Reversal(
        home=open_home.home.id,
        kind=kind_of(wish.path, snapshot),
        action=wish.action,
        target=skill[1] if skill else wish.path.rpartition("/")[2].removesuffix(".md").lower(),
        edits=(edit,),
        summary=wish.summary,
        payload=reverse.payload_of(f"{wish!r}{wish.modes or ''}"),
        undoes=wish.undoes.id if wish.undoes else None,
    )
    evaluation = reverse.evaluate(context, reversal)
    if isinstance(evaluation.staged.outcome, Dead):
        raise NotDecidable(f"There is nothing to do. {evaluation.staged.outcome.message}")
    return evaluation


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= GIST else f"{line[: GIST - 1]}…"


def _check_wish(wish: _Wish, snapshot: Snapshot) -> None:
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


def _without_lesson(data: bytes, change: PartChange | None, *, is_memory: bool) -> bytes:
    """The document with one lesson taken back and every other byte kept."""
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
    lines, newline = text.splitlines(keepends=True), newline_of(text)
    back = [f"{line}{newline}" for line in change.before]
    if back and end >= len(lines) and not text.endswith("\n"):
        back[-1] = back[-1].removesuffix(newline)
        if start and start <= len(lines) and not lines[start - 1].endswith("\n"):
            lines[start - 1] += newline
    lines[start:end] = back
    return "".join(lines).encode("utf-8", errors="surrogateescape")


def _rejected_texts(
    context: Engine, change: PartChange, document: DocumentChanges
) -> Sequence[str]:
    """The texts that must not come back: the lesson's, and of a skill its proposal's."""
    if document.is_memory:
        return change.after
    texts = dict.fromkeys([text] if (text := "\n".join(change.after).strip()) else [])
    if change.after and change.by.proposal is not None:
        proposal = context.ledger.proposal(change.by.proposal)
        texts |= dict.fromkeys(subject.text for subject in subjects_of(proposal))
    return tuple(texts)


def _is_whole_lesson(change: PartChange, document: DocumentChanges) -> bool:
    """Whether the document was created or removed with this lesson."""
    return ABSENT in (document.before, document.after) and len(document.changes) == 1


def _sole_operation(context: Engine, document: DocumentChanges) -> Operation | None:
    """The operation that made exactly this change and nothing else; None for none."""
    ids = {change.by.operation for change in document.changes}
    id = ids.pop() if len(ids) == 1 else None
    if id is None:
        return None
    done = context.ledger.operation(id)
    change = (document.document, document.before, document.after)
    is_it = [(change.path, change.before, change.after) for change in done.changes] == [change]
    return done if is_it and done.undone_by is None else None


def _creates_or_deletes(wish: _Wish, directory: str, snapshot: Snapshot) -> bool:
    """Whether the wish creates or removes a whole skill."""
    is_head = wish.path == f"{directory}/{SKILL_FILE}"
    return is_head and (wish.wanted is None or not snapshot.document(wish.path).exists)


def _skill_of(path: str, snapshot: Snapshot) -> tuple[str, str] | None:
    """The directory and the name of a document's skill."""
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
