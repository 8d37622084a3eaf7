"""A document as agents read it, in words: for `read`, a pane of the deck, and notes on a diff."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from reviewdeck.model import Change, Loading
from reviewdeck.ports import Snapshot
from reviewdeck.presentation.words import count
from reviewdeck.reading.account import Account, account, otherwise
from reviewdeck.reading.agents import CLAUDE, READINGS, Agent
from reviewdeck.reading.discovery import SkillFile, below_folder, is_skill_name, loads
from reviewdeck.reading.imports import imported_by
from reviewdeck.reading.listing import Unlisted
from reviewdeck.reading.memory import INDEX, loaded
from reviewdeck.reading.yaml import Value
from reviewdeck.text import lines
from reviewdeck.text.diff import diff
from reviewdeck.values import dataclass

_LONGEST_VALUE: Final = 120
_TIMES, _MORE = 4, 16
"""From so many times the characters of the file, and so many more, a change is larger than it
looks."""


@dataclass(frozen=True, slots=True)
class ReadingLine:
    """A sentence about a document, not yet made inert."""

    text: str
    is_detail: bool = False
    """Whether it belongs to the agent of the line before."""


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """One document as the agents of its home read it."""

    lines: tuple[ReadingLine, ...]
    """What the model is shown, what acts, what is cut; the agents that read it otherwise last."""
    body: str
    """The text that is loaded."""


def read_skill(
    data: bytes, file: SkillFile, readers: Sequence[Agent], *, all_of_them: bool = False
) -> DocumentReading:
    """A SKILL.md as its first reader takes it, and as those do that read it otherwise.

    `file` is relative to the folder of skills. Further readers are described where keys act for
    them, or all of them.
    """
    every = tuple(dict.fromkeys((*readers, *READINGS)))
    accounts = [account(data, "/".join(file.folders), agent) for agent in every]
    first = accounts[0]
    shown = [
        each
        for each in accounts[: len(readers)]
        if all_of_them or each is first or (each.keys and each in otherwise(first, accounts))
    ]
    described = [line for each in shown for line in _account_lines(each, file)]
    by_words: dict[str, list[str]] = {}
    for each in otherwise(first, accounts):
        if each not in shown:
            by_words.setdefault(each.words, []).append(each.agent.name)
    differing = (ReadingLine(_together(names, words)) for words, names in by_words.items())
    is_unlisted = isinstance(first.listing, Unlisted)
    return DocumentReading((*described, *differing), "" if is_unlisted else first.body)


def _together(names: Sequence[str], words: str) -> str:
    return f"{names[0]} {words}" if len(names) == 1 else f"{', '.join(names)}: each {words}"


def _account_lines(each: Account, file: SkillFile) -> Iterator[ReadingLine]:
    yield ReadingLine(f"{each.agent.name} {each.agent.versions[-1]} {each.words}")
    details = [] if loads(each.agent, file) else ["This agent does not look for skills here."]
    for key, words in each.keys:
        value = _written(each.reading.fields[key])[:_LONGEST_VALUE]
        details.append(f"{key}: {value}: {words}")
    if each.reading.problem:
        where = f" (line {each.reading.line})" if each.reading.line else ""
        details.append(f"front matter: {each.reading.problem}{where}")
    body = each.cut or f"{len(each.body):,} characters, all of it"
    details.append("body: not loaded" if isinstance(each.listing, Unlisted) else f"body: {body}")
    yield from (ReadingLine(detail, is_detail=True) for detail in details)


def _written(value: Value) -> str:
    is_text = isinstance(value, str)
    text = str(value) if is_text else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(text.split())


def read_prompt_file(path: str, text: str, readers: Sequence[Agent]) -> DocumentReading:
    """A memory or an instruction as its first reader loads it."""
    agent = readers[0]
    part = loaded(path, text, agent)
    size = f"{len(part.text):,} characters"
    head = ReadingLine(f"{agent.name} {agent.versions[-1]} loads {size} of it at each start")
    notes = [*part.notes]
    if agent is CLAUDE and path.rpartition("/")[2] != INDEX and (names := imported_by(text)):
        notes.append(f"imports {', '.join(names)}: what exists of these is loaded too")
    return DocumentReading(
        (head, *(ReadingLine(note, is_detail=True) for note in notes)), part.text
    )


def read_document(
    path: str, data: bytes, snapshot: Snapshot, readers: Sequence[Agent]
) -> DocumentReading | None:
    """A document of a home as its model is given it; None for one that is read when asked for."""
    if is_skill_name(path):
        return read_skill(data, SkillFile(below_folder(path)), readers)
    if snapshot.loading(path) is Loading.ALWAYS:
        return read_prompt_file(path, data.decode("utf-8", "replace"), readers)
    return None


def reading_notes(change: Change, snapshot: Snapshot, readers: Sequence[Agent]) -> tuple[str, ...]:
    """Where a change is not for the model what it is in the file, a sentence for each case.

    Nothing of it reaches the model, or far more of what the model is given changes.
    """
    path, before, after = change.path, change.before, change.after
    if after is None or before == after:
        return ()
    is_skill = is_skill_name(path)
    if not is_skill and snapshot.loading(path) is not Loading.ALWAYS:
        return ()
    changed = _changed_characters(*(lines.text_in(data) for data in (before, after)))
    by_words: dict[str, list[str]] = {}
    for agent in readers:
        words = (
            _skill_note(below_folder(path), before, after, agent, changed)
            if is_skill
            else _prompt_note(path, before, after, agent, changed)
        )
        if words:
            by_words.setdefault(words, []).append(agent.name)
    return tuple(f"{', '.join(names)}: {words}" for words, names in by_words.items())


def _skill_note(file: str, before: bytes | None, after: bytes, agent: Agent, changed: int) -> str:
    folder = file.rpartition("/")[0]
    now = account(after, folder, agent)
    if before is None:
        is_unlisted = isinstance(now.listing, Unlisted)
        return (
            f"its model is shown nothing of it, since the agent {now.words}." if is_unlisted else ""
        )
    was = account(before, folder, agent)
    if was.given is None or now.given is None:
        return ""  # the rule about what a skill has carried out says that it is not known
    why = now.cut if now.given else f"it {now.words}"
    words = _note(was.given, now.given, changed, why)
    if not words or was.words == now.words:
        return words
    return f"{words} Before, it {was.words}; after, it {now.words}."


def _prompt_note(path: str, before: bytes | None, after: bytes, agent: Agent, changed: int) -> str:
    if before is None:
        return ""
    was, now = (loaded(path, lines.text_in(data), agent) for data in (before, after))
    return _note(was.text, now.text, changed, "; ".join(now.notes))


def _note(before: str, after: str, changed: int, why: str) -> str:
    if before == after:
        return f"nothing of this change reaches its model{f': {why}' if why else ''}."
    given = _changed_characters(before, after)
    if given <= _TIMES * changed or given < changed + _MORE:
        return ""
    size = count(changed, "character")
    return f"{size} changed in the file, {given:,} in what its model is given."


def _changed_characters(before: str, after: str) -> int:
    """The characters of the places that differ, without what both sides have at their ends."""
    old, new = lines.split(before), lines.split(after)
    total = 0
    for hunk in diff(old, new):
        one = "".join(old[hunk.a_start : hunk.a_end])
        two = "".join(new[hunk.b_start : hunk.b_end])
        head = lines.common_start(one, two)
        tail = lines.common_start(one[head:][::-1], two[head:][::-1])
        total += max(len(one), len(two)) - head - tail
    return total
