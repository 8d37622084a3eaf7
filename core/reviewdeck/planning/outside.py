"""Outside changes, written without a decision, as the proposal that would have made them.

They are staged on the home as it was before, so the rules judge the added text, and findings
report the removed text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, assert_never

from reviewdeck.model import (
    SKILL_FILE,
    Change,
    DirectChange,
    DocumentWrite,
    Edit,
    Finding,
    Kind,
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Plan,
    Proposal,
    Ready,
    Revision,
    Severity,
    SkillCreate,
    SkillDelete,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    StagedProposal,
    Step,
)
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.parts import BASE_UNKNOWN, LARGE_DELETION, LOST_TEXT
from reviewdeck.planning.stage import stage
from reviewdeck.ports import Snapshot
from reviewdeck.text.diff import diff
from reviewdeck.text.entries import EDITED, likeness, parse
from reviewdeck.text.lines import bare_lines, common_start, split, text_in

MODE: Final = "mode"
"""Code of the finding that a file's executable bits changed."""
_MUCH: Final = 20
"""Least lines of a document for `LOST_TEXT`."""


def edits_of(kind: Kind, changes: Sequence[Change], directory: str) -> tuple[Edit, ...]:
    """The edits that would have made these changes of one document, or of the files of one skill.

    `directory` is that of the skill.
    """
    match kind:
        case Kind.MEMORY:
            return tuple(edit for change in changes for edit in _memory_edits(change))
        case Kind.DOCUMENTS:
            return tuple(write_of(change) for change in changes)
        case Kind.SKILLS:
            return _skill_edits(changes, directory)
        case _:
            assert_never(kind)


def write_of(change: Change) -> DocumentWrite:
    """The write of a whole document that makes this change."""
    if change.after is None:
        return DocumentWrite(change.path, None)
    text = text_in(change.after)
    return DocumentWrite(change.path, text, _differing_lines(text_in(change.before), text)[1])


def _skill_edits(changes: Sequence[Change], directory: str) -> tuple[Edit, ...]:
    head = f"{directory}/{SKILL_FILE}"
    goes = any(change.path == head and change.after is None for change in changes)
    name = directory.rpartition("/")[2]
    if goes and all(change.after is None for change in changes):
        return (SkillDelete(name),)
    changes = [change for change in changes if change.before != change.after]
    heads_first = sorted(changes, key=lambda change: change.path != head)
    return tuple(_skill_edit(change, directory) for change in heads_first)


def stage_outside(
    proposal: Proposal, snapshot: Snapshot, contents: Mapping[Revision, bytes | None]
) -> tuple[StagedProposal, Overlay]:
    """The staged proposal with the exact bytes written, and the home as it was before."""
    exact = tuple(
        _exact_change(direct, contents[direct.before], contents[direct.after])
        for direct in proposal.outside
    )
    live = {change.path: snapshot.document(change.path) for change in exact}
    earlier = Overlay(
        snapshot,
        [Change(path, document.data, _before(path, exact)) for path, document in live.items()],
    )
    staged = stage(replace(proposal, bases={}), earlier)
    step = Step(proposal.id, proposal.payload_sha, exact)
    # A large deletion is reported below, as lost text; what was there before is known exactly.
    without = (LARGE_DELETION, BASE_UNKNOWN)
    plan_findings = (finding for finding in staged.findings if finding.code not in without)
    findings = (
        *plan_findings,
        *(finding for change in exact for finding in _lost_findings(change)),
        *(
            _mode_finding(direct.path, direct.modes[1])
            for direct in proposal.outside
            if direct.modes
        ),
    )
    return StagedProposal(proposal, Ready(Plan(proposal.home, (step,))), findings), earlier


def _exact_change(direct: DirectChange, before: bytes | None, after: bytes | None) -> Change:
    was_mode, mode = direct.modes or (None, None)
    return Change(direct.path, before, after, mode=mode, was_mode=was_mode)


def _mode_finding(path: str, mode: int) -> Finding:
    """The finding that a file became executable without a decision, or no longer is."""
    if mode & 0o111:
        return Finding(MODE, Severity.HIGH, f"It can be executed now: {path}.")
    return Finding(MODE, Severity.LOW, f"It can no longer be executed: {path}.")


def _before(path: str, changes: Sequence[Change]) -> bytes | None:
    return next(change.before for change in changes if change.path == path)


def _memory_edits(change: Change) -> Iterator[Edit]:
    old, new = (parse(text_in(data)) for data in (change.before, change.after))
    for hunk in diff(old, new):
        removed, added = list(old[hunk.a_start : hunk.a_end]), list(new[hunk.b_start : hunk.b_end])
        for text in list(added):
            if (old_entry := _nearest(text, removed)) is not None:
                yield MemoryReplace(change.path, old_entry, text, old_entry)
                removed.remove(old_entry)
                added.remove(text)
        yield from (MemoryRemove(change.path, text, text) for text in removed)
        yield from (MemoryAdd(change.path, text) for text in added)


def _nearest(text: str, entries: Sequence[str]) -> str | None:
    """The removed entry that was probably reworded to this one, or None."""
    scored = ((likeness(entry, text, EDITED), entry) for entry in entries)
    score, nearest = max(scored, default=(0.0, ""))
    return nearest if score > 0 else None


def _skill_edit(change: Change, directory: str) -> Edit:
    name, file = directory.rpartition("/")[2], change.path.removeprefix(f"{directory}/")
    if change.after is None:
        return SkillDelete(name) if file == SKILL_FILE else SkillRemoveFile(name, file)
    text = text_in(change.after)
    if change.before is not None:
        return SkillPatch(name, *_differing_lines(text_in(change.before), text), file)
    if file == SKILL_FILE:
        category = directory.removeprefix("skills/").rpartition("/")[0]
        return SkillCreate(name, text, category or None)
    return SkillWriteFile(name, file, text)


def _differing_lines(before: str, after: str) -> tuple[str, str]:
    """The lines from the first to the last that differ, of both."""
    old, new = split(before), split(after)
    head = common_start(old, new)
    tail = common_start(old[head:][::-1], new[head:][::-1])
    return "".join(old[head : len(old) - tail]), "".join(new[head : len(new) - tail])


def _lost_findings(change: Change) -> Iterator[Finding]:
    """The finding that a long document lost half its lines: an agent rewriting from memory."""
    old, new = (bare_lines(text_in(data)) for data in (change.before, change.after))
    removed_count = sum(hunk.a_end - hunk.a_start for hunk in diff(old, new))
    if len(old) >= _MUCH and 2 * removed_count >= len(old):
        message = f"{removed_count:,} of {len(old):,} lines of {change.path} are gone."
        yield Finding(LOST_TEXT, Severity.HIGH, message)
