"""Cross-checks: what is to be said of a proposal beside what planning and the rules see.

A file of a skill and the line of SKILL.md that points to it are one matter, whoever proposed them
and in whatever order: each says which other one belongs to it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from reviewdeck.engine.similarity import TextIndex, files_of, pointers, pointers_of
from reviewdeck.model import (
    UNDONE,
    Finding,
    Proposal,
    Relation,
    Severity,
    SkillCreate,
    SkillEdit,
    SkillPatch,
    SkillWriteFile,
)
from reviewdeck.planning.skills import SKILL_FILE
from reviewdeck.ports import Snapshot, Undone

_NAMED = 5
"""How many keys of a record are named that we do not know."""


_FIRST_AGENTS = datetime(2020, 1, 1, tzinfo=UTC)

Namesakes: TypeAlias = Mapping[str, Sequence[str]]
"""Names of live skills by what is left of them without capitals and forms of accents."""
_NOBODY: Namesakes = {}


_CHECKED = (SkillCreate, SkillEdit, SkillPatch, SkillWriteFile)


def cross_checks(
    proposal: Proposal, snapshot: Snapshot, others: TextIndex, skills: Namesakes = _NOBODY
) -> tuple[Finding, ...]:
    """Reasons for care that come of what else is there; `skills` are those that are live."""
    dated = tuple(_misdated(proposal))
    if not proposal.unknown_keys and not any(isinstance(one, _CHECKED) for one in proposal.edits):
        return dated
    return (
        *dated,
        *_ignored(proposal),
        *(_group(file, id) for file, id in _pointing(proposal, others)),
        *(
            _awaits(path, _bringing(name, path, proposal, others))
            for name, path in _dangling(proposal, snapshot)
        ),
        *_twins(proposal, snapshot),
        *_namesakes(proposal, skills),
    )


def undone_finding(undone: Undone | None) -> Iterator[Finding]:
    """That it was applied once and an operator took it back: from then on a person decides."""
    if undone is not None:
        message = f"It was applied and undone, by {undone.actor.name}: it waits for a person."
        yield Finding(UNDONE, Severity.MEDIUM, message, at=undone.at)


def _misdated(proposal: Proposal) -> Iterator[Finding]:
    """A record from a time that cannot be: what goes by its time (who said what then) is void."""
    made = proposal.created_at
    if made is None and "created_at" in proposal.unknown_keys:
        message = "The record says that it was made at a time that has not come, or never was."
    elif made is not None and made < _FIRST_AGENTS:
        message = f"The record says that it was made in {made.year}: there were no agents then."
    else:
        return
    yield Finding("misdated", Severity.MEDIUM, message)


def _ignored(proposal: Proposal) -> Iterator[Finding]:
    if keys := proposal.unknown_keys:
        named = ", ".join(repr(key[:40]) for key in keys[:_NAMED])
        more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
        message = f"The record has keys that mean nothing here and are ignored: {named}{more}."
        yield Finding("ignored-keys", Severity.INFO, message)


def _group(file: str, id: str) -> Finding:
    message = f"The proposal {id} makes SKILL.md point to {file}: take both or neither, this first."
    return Finding("group", Severity.LOW, message)


def _pointing(proposal: Proposal, others: TextIndex) -> Iterator[tuple[str, str]]:
    """Waiting proposals that make SKILL.md point to a file that this one writes."""
    for edit in proposal.edits:
        if isinstance(edit, SkillWriteFile):
            domains = (f"{edit.name}/{SKILL_FILE}", pointers_of(edit.name))
            near = others.near(edit.file, domains)
            ids = {one.where for one in near if _points_to(one.relation, one.text, edit.file)}
            yield from ((edit.file, id) for id in sorted(ids - {proposal.id}))


def _points_to(relation: Relation, text: str, file: str) -> bool:
    return relation is Relation.PENDING and file in pointers(text)


def _dangling(proposal: Proposal, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Files that a SKILL.md would point to, that are not there and that this does not write."""
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
        there = set(skill.files) if skill is not None else set()
        missing = [path for path in pointers(text) if path not in there | written]
        yield from ((name, path) for path in missing[:_NAMED])


def _bringing(skill: str, path: str, proposal: Proposal, others: TextIndex) -> Sequence[str]:
    """Waiting proposals that write this file of a skill."""
    near = others.near(path, (files_of(skill),))
    found = {one.where for one in near if one.relation is Relation.PENDING and one.text == path}
    return sorted(found - {proposal.id})


def _awaits(path: str, ids: Sequence[str]) -> Finding:
    """That a pointer leads to what is not there yet, and what brings it."""
    message = f"It points to {path}, which is not there yet"
    if not ids:
        return Finding("group", Severity.INFO, f"{message}, and no waiting proposal adds it.")
    named = " or ".join(ids[:_NAMED])
    message = f"{message}: the proposal {named} adds it; take both or neither, this one first."
    return Finding("group", Severity.INFO, message)


def _twins(proposal: Proposal, snapshot: Snapshot) -> Iterator[Finding]:
    """Files that are one file to a system that does not tell capitals or accents apart."""
    for edit in proposal.edits:
        skill = snapshot.skill(edit.name) if isinstance(edit, SkillWriteFile) else None
        if skill is None or not isinstance(edit, SkillWriteFile):
            continue
        twin = next((file for file in skill.files if _is_twin(file, edit.file)), None)
        if twin is not None:
            message = f"{edit.file} and {twin}, which is there, are one file on some systems."
            yield Finding("twin", Severity.MEDIUM, message)


def namesakes(paths: Iterable[str]) -> Namesakes:
    """The skills among these documents, so that twins of their names are found."""
    found: dict[str, list[str]] = {}
    for path in paths:
        if path.endswith(f"/{SKILL_FILE}"):
            name = path.split("/")[-2]
            found.setdefault(_plain(name), []).append(name)
    return found


def _namesakes(proposal: Proposal, skills: Namesakes) -> Iterator[Finding]:
    """New skills with the name of a live one, but for capitals or the form of an accent."""
    for edit in proposal.edits:
        there = skills.get(_plain(edit.name), ()) if isinstance(edit, SkillCreate) else ()
        if isinstance(edit, SkillCreate) and there and edit.name not in there:
            message = f"{edit.name} and {there[0]}, which is there, are one skill on some systems."
            yield Finding("twin", Severity.MEDIUM, message)


def _is_twin(one: str, other: str) -> bool:
    """Whether two paths part ways only in how a part of them is spelt."""
    for mine, theirs in zip(_parts(one), _parts(other), strict=False):
        if mine != theirs:
            return _plain(mine) == _plain(theirs)
    return False


def _parts(path: str) -> Sequence[str]:
    return path.split("/")


def _plain(part: str) -> str:
    return unicodedata.normalize("NFC", part).casefold()
