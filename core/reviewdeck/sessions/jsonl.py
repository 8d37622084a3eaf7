"""Turns as JSON lines: one file for each transcript, for people and programs without a database.

The first line says what the transcript is; each further one is a turn. Lines are in order of
arrival; a reader goes by their number.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.model import Began, Lineage, Message, Role, SessionMode, Transcript, Turn, TurnBatch

_ENCODE: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode
_NAME: Final = re.compile(r"[0-9A-Za-z-]{1,64}")
_SUFFIX: Final = ".jsonl"
REMEMBERED: Final = 64
"""Files of which it is remembered what they have."""


class JsonLines:
    """Satisfies `ports.TurnSink` and `ports.Turns` on a folder."""

    def __init__(self, folder: Path, mode: SessionMode = SessionMode.APPEND) -> None:
        self._folder = folder
        self._mode = mode
        self._known: OrderedDict[Path, _TranscriptState] = OrderedDict()

    @property
    def mode(self) -> SessionMode:
        """What it wants to be sent."""
        return self._mode

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        """Adds to the files, or writes them anew. Raises OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(self._folder) as folder:
            for batch in batches:
                path = self._path(batch.transcript.id)
                if batch.mode is SessionMode.APPEND:
                    self._append(path, batch)
                else:
                    _replace(path, batch)
            os.fsync(folder)

    def _append(self, path: Path, batch: TurnBatch) -> None:
        known = self._known.pop(path, None)
        if known is None or not known.is_of(path):
            known = _known(path)
        self._known[path] = _append(path, batch, known)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)

    def close(self) -> None:
        """Holds nothing."""

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        """The transcripts of a session, oldest first."""
        paths = self._folder.glob(f"*{_SUFFIX}")
        found = [_transcript(lines) for path in paths if (lines := _whole_lines(path))]
        of_it = [one for one in found if one.lineage.session == session]
        return tuple(sorted(of_it, key=lambda one: (one.started_at, one.last_at)))

    def has_turns(self, home: str) -> bool:
        """Whether any session of this home was ever recorded, as far as that is still kept."""
        paths = self._folder.glob(f"*{_SUFFIX}")
        found = (_transcript(lines) for path in paths if (lines := _whole_lines(path)))
        return any(one.home == home for one in found)

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """The last turns of a transcript, those before this number; in order."""
        found = [
            turn
            for turn in _turns(_whole_lines(self._path(transcript)))
            if before is None or turn.number < before
        ]
        return tuple(found[max(0, len(found) - limit) :] if limit is not None else found)

    def _path(self, transcript: str) -> Path:
        if not _NAME.fullmatch(transcript):
            raise BadInput("A transcript's id has letters, digits and dashes only.")
        return self._folder / f"{transcript}{_SUFFIX}"


@dataclass(frozen=True, slots=True)
class _TranscriptState:
    """What a file has, so that it is not read again for each batch."""

    size: int
    """Of its whole lines, in bytes."""
    numbers: set[int]

    def is_of(self, path: Path) -> bool:
        """Whether nobody else wrote to it since."""
        try:
            return path.stat().st_size == self.size
        except FileNotFoundError:
            return False


def _known(path: Path) -> _TranscriptState:
    lines = _whole_lines(path)
    return _TranscriptState(sum(map(len, lines)), {turn.number for turn in _turns(lines)})


def _append(path: Path, batch: TurnBatch, known: _TranscriptState) -> _TranscriptState:
    new = [turn for turn in batch.turns if turn.number not in known.numbers]
    lines = [] if known.size else [_head_line(batch.transcript)]
    lines += map(_turn_line, new)
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        # What a kill left of half a line is written over.
        file.truncate(known.size)
        file.seek(known.size)
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    known.numbers.update(turn.number for turn in new)
    return _TranscriptState(known.size + sum(map(len, lines)), known.numbers)


def _replace(path: Path, batch: TurnBatch) -> None:
    kept = [turn for turn in _turns(_whole_lines(path)) if turn.number < batch.first]
    turns = [*kept, *batch.turns]
    temporary = path.with_suffix(".new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
        file.writelines([_head_line(batch.transcript), *map(_turn_line, turns)])
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _whole_lines(path: Path) -> list[bytes]:
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    return lines if not lines or lines[-1].endswith(b"\n") else lines[:-1]


def _turns(lines: Sequence[bytes]) -> list[Turn]:
    return sorted((_turn(json.loads(line)) for line in lines[1:]), key=lambda turn: turn.number)


def _head_line(transcript: Transcript) -> bytes:
    lineage = transcript.lineage
    said = {
        "transcript": transcript.id,
        "session": lineage.session,
        "parent": lineage.parent,
        "began": lineage.began,
        "home": transcript.home,
        "platform": transcript.platform,
        "started_at": transcript.started_at.isoformat(),
    }
    return _line(said)


def _turn_line(turn: Turn) -> bytes:
    messages = [asdict(message) for message in turn.messages]
    at = turn.at.isoformat()
    return _line({"number": turn.number, "id": turn.id, "at": at, "messages": messages})


def _line(said: dict[str, Any]) -> bytes:
    return _ENCODE(said).encode("ascii") + b"\n"


def _turn(said: dict[str, Any]) -> Turn:
    messages = tuple(
        Message(Role(one["role"]), one["text"], one["tool"], one["call"])
        for one in said["messages"]
    )
    return Turn(said["number"], datetime.fromisoformat(said["at"]), messages, said["id"])


def _transcript(lines: Sequence[bytes]) -> Transcript:
    said, turns = json.loads(lines[0]), _turns(lines)
    started = datetime.fromisoformat(said["started_at"])
    return Transcript(
        id=said["transcript"],
        lineage=Lineage(said["session"], said["parent"], Began(said["began"])),
        started_at=started,
        last_at=turns[-1].at if turns else started,
        turns=_count(turns),
        messages=sum(len(turn.messages) for turn in turns),
        home=said["home"],
        platform=said["platform"],
    )


def _count(turns: Iterable[Turn]) -> int:
    return max((turn.number + 1 for turn in turns), default=0)


@contextmanager
def _alone(folder: Path) -> Iterator[int]:
    """One program at a time writes here."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)
