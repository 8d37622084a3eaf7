"""The documents of a proposal as the agents of their home read them, as one text to scroll."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reviewdeck.model import Change
from reviewdeck.ports import Snapshot
from reviewdeck.presentation.reading import DocumentReading, read_document
from reviewdeck.reading.agents import agents_called
from reviewdeck.reading.discovery import SKILL
from reviewdeck_tui.proposal.diff_document import DiffDocument, Line, Notice, Quote, Section, Tone


def readings_of(
    id: str,
    paths: Iterable[str],
    changes: Iterable[Change],
    snapshot: Snapshot,
    readers: Iterable[str],
) -> DiffDocument:
    """Each document as it would be after the changes; for another file of a skill, its SKILL.md."""
    after = {change.path: change.after for change in changes}
    agents = agents_called(readers)
    sections: dict[str, Section] = {}
    for path in paths:
        data = _data(path, after, snapshot)
        reading = read_document(path, data, snapshot, agents) if data is not None else None
        note, shown = "", path
        if data is not None and reading is None:
            note = "read when the agent asks for it, as it stands"
            if head := _head_of(path, after, snapshot):
                note, shown = f"{path} is {note}", head
                reading = read_document(head, _data(head, after, snapshot) or b"", snapshot, agents)
        notes = [Notice(note or "Nothing is there to read.")] if note or not reading else []
        lines = (*notes, *(_lines(reading) if reading else ()))
        sections.setdefault(shown, Section(shown, lines))
    return DiffDocument(id, "", tuple(sections.values()))


def _head_of(path: str, after: Mapping[str, bytes | None], snapshot: Snapshot) -> str:
    """The SKILL.md of the skill that a file lies in; empty outside of a skill."""
    folders = path.split("/")[:-1]
    heads = ("/".join((*folders[:at], SKILL)) for at in range(len(folders), 0, -1))
    return next((head for head in heads if _data(head, after, snapshot) is not None), "")


def _data(path: str, after: Mapping[str, bytes | None], snapshot: Snapshot) -> bytes | None:
    return after[path] if path in after else snapshot.document(path).data


def _lines(reading: DocumentReading) -> Iterator[Line]:
    for line in reading.lines:
        yield Notice(line.text, Tone.QUIET if line.is_detail else Tone.HEADING)
    if reading.body.strip():
        yield Notice("what is loaded", Tone.QUIET)
        for text in reading.body.replace("\r\n", "\n").strip("\n").split("\n"):
            yield Quote(text)
