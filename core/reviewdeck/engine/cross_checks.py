"""Cross-checks: findings about a proposal that neither planning nor the rules make.

A file of a skill and the line of SKILL.md that points to it belong together, whoever
proposed them and in whatever order: each finding names the other proposal.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from reviewdeck.engine.similarity import StoredTexts, files_of, pointers, pointers_of
from reviewdeck.model import (
    DEFERRED,
    SKILL_FILE,
    UNDONE,
    Decision,
    Finding,
    Proposal,
    Severity,
    SkillCreate,
    SkillEdit,
    SkillPatch,
    SkillWriteFile,
)
from reviewdeck.model.ledger import Undone
from reviewdeck.ports import Snapshot

_MOST_NAMED = 5
"""The most unknown keys of a record that a finding names."""


_FIRST_AGENTS = datetime(2020, 1, 1, tzinfo=UTC)

Namesakes: TypeAlias = Mapping[str, Sequence[str]]
"""Names of live skills by their form without capitals and with composed accents."""
_NOBODY: Namesakes = {}


_CHECKED = (SkillCreate, SkillEdit, SkillPatch, SkillWriteFile)


def cross_checks(
    proposal: Proposal, snapshot: Snapshot, index: StoredTexts, skills: Namesakes = _NOBODY
) -> tuple[Finding, ...]:
    """Findings that come of live texts and other proposals; `skills` are the live ones."""
    dated = tuple(_check_date(proposal))
    if not proposal.unknown_keys and not any(isinstance(edit, _CHECKED) for edit in proposal.edits):
        return dated
    return (
        *dated,
        *_check_unknown_keys(proposal),
        *(_group_finding(file, id) for file, id in _find_pointing(proposal, index)),
        *(
            _pointer_finding(path, _find_writers(name, path, proposal, index))
            for name, path in _find_dangling(proposal, snapshot)
        ),
        *_check_twin_files(proposal, snapshot),
        *_check_namesakes(proposal, skills),
    )


def domains_asked(proposal: Proposal, snapshot: Snapshot) -> Iterator[str]:
    """Of which domains the pending texts are compared with a proposal."""
    for edit in proposal.edits:
        if isinstance(edit, SkillWriteFile):
            yield from _pointing_domains(edit.name)
    yield from (files_of(name) for name, _ in _find_dangling(proposal, snapshot))


def _pointing_domains(skill: str) -> tuple[str, str]:
    return f"{skill}/{SKILL_FILE}", pointers_of(skill)


def undone_finding(undone: Undone | None) -> Iterator[Finding]:
    """The finding of a proposal that was applied and undone: from then on a person decides."""
    if undone is not None:
        message = f"It was applied and undone, by {undone.actor.name}: an operator decides."
        yield Finding(UNDONE, Severity.MEDIUM, message, at=undone.at)


def deferred_finding(deferral: Decision | None) -> Iterator[Finding]:
    """The finding of a proposal that an operator deferred: it is theirs, whatever changes."""
    if deferral is not None:
        reason = deferral.reason or "it waits for a person."
        message = f"Deferred by {deferral.actor.name}: {reason}"
        yield Finding(DEFERRED, Severity.LOW, message, at=deferral.at)


def _check_date(proposal: Proposal) -> Iterator[Finding]:
    """A record with an impossible time: evidence that goes by its time is void."""
    created = proposal.created_at
    if created is None and "created_at" in proposal.unknown_keys:
        message = "The record has a creation time in the future, or an impossible one."
    elif created is not None and created < _FIRST_AGENTS:
        message = f"The record says that it was made in {created.year}: there were no agents then."
    else:
        return
    yield Finding("misdated", Severity.MEDIUM, message)


def _check_unknown_keys(proposal: Proposal) -> Iterator[Finding]:
    if keys := proposal.unknown_keys:
        names = ", ".join(repr(key[:40]) for key in keys[:_MOST_NAMED])
        more = f" and {len(keys) - _MOST_NAMED} more" if len(keys) > _MOST_NAMED else ""
        message = f"The record has unknown keys, which are ignored: {names}{more}."
        yield Finding("ignored-keys", Severity.INFO, message)


def _group_finding(file: str, id: str) -> Finding:
    message = f"The proposal {id} makes SKILL.md point to {file}: take both or neither, this first."
    return Finding("group", Severity.LOW, message)


def _find_pointing(proposal: Proposal, index: StoredTexts) -> Iterator[tuple[str, str]]:
    """Waiting proposals that make SKILL.md point to a file that this one writes."""
    for edit in proposal.edits:
        if isinstance(edit, SkillWriteFile):
            ids = {
                subject.where
                for subject in index.of(_pointing_domains(edit.name))
                if edit.file in pointers(subject.text)
            }
            yield from ((edit.file, id) for id in sorted(ids - {proposal.id}))


def _find_dangling(proposal: Proposal, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Files that a SKILL.md would point to and that neither exist nor are written by this."""
    written = {edit.file for edit in proposal.edits if isinstance(edit, SkillWriteFile)}
    for edit in proposal.edits:
        match edit:
            case SkillPatch(name, _, text, file) if file == SKILL_FILE:
                pass
            case SkillCreate(name, text) | SkillEdit(name, text):
                pass
            case _:
                continue
        skill = snapshot.skill(name)
        files = set(skill.files) if skill is not None else set()
        missing = [path for path in pointers(text) if path not in files | written]
        yield from ((name, path) for path in missing[:_MOST_NAMED])


def _find_writers(skill: str, path: str, proposal: Proposal, index: StoredTexts) -> Sequence[str]:
    ids = {subject.where for subject in index.of((files_of(skill),)) if subject.text == path}
    return sorted(ids - {proposal.id})


def _pointer_finding(path: str, ids: Sequence[str]) -> Finding:
    message = f"It points to {path}, which is not there yet"
    if not ids:
        return Finding("group", Severity.INFO, f"{message}, and no waiting proposal adds it.")
    writers = " or ".join(ids[:_MOST_NAMED])
    message = f"{message}: the proposal {writers} adds it; take both or neither, this one first."
    return Finding("group", Severity.INFO, message)


def _check_twin_files(proposal: Proposal, snapshot: Snapshot) -> Iterator[Finding]:
    for edit in proposal.edits:
        skill = snapshot.skill(edit.name) if isinstance(edit, SkillWriteFile) else None
        if skill is None or not isinstance(edit, SkillWriteFile):
            continue
        twin = next((file for file in skill.files if _is_twin(file, edit.file)), None)
        if twin is not None:
            message = f"{edit.file} and {twin}, which exists, are the same file on some systems."
            yield Finding("twin", Severity.MEDIUM, message)


def namesakes(paths: Iterable[str]) -> Namesakes:
    """The skills among these documents, so that twins of their names are found."""
    by_name: dict[str, list[str]] = {}
    for path in paths:
        if path.endswith(f"/{SKILL_FILE}"):
            name = path.split("/")[-2]
            by_name.setdefault(_normalise(name), []).append(name)
    return by_name


def _check_namesakes(proposal: Proposal, skills: Namesakes) -> Iterator[Finding]:
    """New skills with the name of a live one, but for capitals or the form of an accent."""
    for edit in proposal.edits:
        names = skills.get(_normalise(edit.name), ()) if isinstance(edit, SkillCreate) else ()
        if isinstance(edit, SkillCreate) and names and edit.name not in names:
            message = (
                f"{edit.name} and {names[0]}, which exists, are the same skill on some systems."
            )
            yield Finding("twin", Severity.MEDIUM, message)


def _is_twin(first: str, second: str) -> bool:
    """Whether two paths differ only in the case or accents of their first differing part."""
    for part, counterpart in zip(first.split("/"), second.split("/"), strict=False):
        if part != counterpart:
            return _normalise(part) == _normalise(counterpart)
    return False


def _normalise(part: str) -> str:
    return unicodedata.normalize("NFC", part).casefold()
