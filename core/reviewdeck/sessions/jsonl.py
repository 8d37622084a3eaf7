"""Turns as JSON lines: one file per transcript, for people and programs without a database.

The first line describes the transcript; each further one is a turn. Lines are in order of arrival;
a reader sorts them by their number.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.model import Began, Lineage, SessionMode, Transcript, Turn, TurnBatch
from reviewdeck.model.plain import from_plain
from reviewdeck.text.json import load_json
from reviewdeck.values import dataclass

_ENCODE: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode
_NAME: Final = re.compile(r"[0-9A-Za-z-]{1,64}")
_SUFFIX: Final = ".jsonl"
REMEMBERED: Final = 64
"""Files whose state is cached."""


class JsonLines:
    """A folder of JSON lines as a `ports.TurnSink` and `ports.Turns`."""

    def __init__(self, folder: Path, mode: SessionMode = SessionMode.APPEND) -> None:
        self._folder = folder
        self._mode = mode
        self._states: OrderedDict[Path, _TranscriptState] = OrderedDict()

    @property
    def mode(self) -> SessionMode:
        """Whether it is sent new turns, or all turns of a transcript each time."""
        return self._mode

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        """Appends to the files, or rewrites them. Raises OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _exclusive(self._folder) as folder:
            for batch in batches:
                path = self._path(batch.transcript.id)
                if batch.mode is SessionMode.APPEND:
                    self._append(path, batch)
                else:
                    earlier = [
                        turn for turn in _turns(_whole_lines(path)) if turn.number < batch.first
                    ]
                    turns = [*earlier, *batch.turns]
                    temporary = path.with_suffix(".new")
                    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
                    with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
                        file.writelines([_head_line(batch.transcript), *map(_turn_line, turns)])
                        file.flush()
                        os.fsync(file.fileno())
                    temporary.replace(path)
            os.fsync(folder)

    def _append(self, path: Path, batch: TurnBatch) -> None:
        state = self._states.pop(path, None)
        if state is None or not state.is_of(path):
            lines = _whole_lines(path)
            state = _TranscriptState(sum(map(len, lines)), {turn.number for turn in _turns(lines)})
        self._states[path] = _append(path, batch, state)
        if len(self._states) > REMEMBERED:
            self._states.popitem(last=False)

    def close(self) -> None:
        """Does nothing: no file stays open."""

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        paths = self._folder.glob(f"*{_SUFFIX}")
        transcripts = [_transcript(lines) for path in paths if (lines := _whole_lines(path))]
        matching = [
            transcript for transcript in transcripts if transcript.lineage.session == session
        ]
        return tuple(sorted(matching, key=lambda each: (each.started_at, each.last_at)))

    def has_turns(self, home: str) -> bool:
        """Whether any recorded session of this home is still stored."""
        paths = self._folder.glob(f"*{_SUFFIX}")
        transcripts = (_transcript(lines) for path in paths if (lines := _whole_lines(path)))
        return any(transcript.home == home for transcript in transcripts)

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """The last `limit` turns of a transcript with a number below `before`, in order."""
        turns = [
            turn
            for turn in _turns(_whole_lines(self._path(transcript)))
            if before is None or turn.number < before
        ]
        return tuple(turns[max(0, len(turns) - limit) :] if limit is not None else turns)

    def _path(self, transcript: str) -> Path:
        if not _NAME.fullmatch(transcript):
            raise BadInput("A transcript's id has letters, digits and dashes only.")
        return self._folder / f"{transcript}{_SUFFIX}"


@dataclass(frozen=True, slots=True)
class _TranscriptState:
    """The contents of a file, cached so that it is not read again for each batch."""

    size: int
    """The size of its complete lines, in bytes."""
    numbers: set[int]

    def is_of(self, path: Path) -> bool:
        """Whether the file still has the size of this state."""
        try:
            return path.stat().st_size == self.size
        except FileNotFoundError:
            return False


def _append(path: Path, batch: TurnBatch, state: _TranscriptState) -> _TranscriptState:
    new = [turn for turn in batch.turns if turn.number not in state.numbers]
    lines = [] if state.size else [_head_line(batch.transcript)]
    lines += map(_turn_line, new)
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        # Half a line that a killed process left is overwritten.
        file.truncate(state.size)
        file.seek(state.size)
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    state.numbers.update(turn.number for turn in new)
    return _TranscriptState(state.size + sum(map(len, lines)), state.numbers)


def _whole_lines(path: Path) -> list[bytes]:
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    return lines if not lines or lines[-1].endswith(b"\n") else lines[:-1]


def _turns(lines: Sequence[bytes]) -> list[Turn]:
    turns = (from_plain(Turn, load_json(line)) for line in lines[1:])
    return sorted(turns, key=lambda turn: turn.number)


def _head_line(transcript: Transcript) -> bytes:
    lineage = transcript.lineage
    fields = {
        "transcript": transcript.id,
        "session": lineage.session,
        "parent": lineage.parent,
        "began": lineage.began,
        "home": transcript.home,
        "platform": transcript.platform,
        "started_at": transcript.started_at.isoformat(),
    }
    return _line(fields)


def _turn_line(turn: Turn) -> bytes:
    messages = [asdict(message) for message in turn.messages]
    at = turn.at.isoformat()
    return _line({"number": turn.number, "id": turn.id, "at": at, "messages": messages})


def _line(fields: dict[str, Any]) -> bytes:
    return _ENCODE(fields).encode("ascii") + b"\n"


def _transcript(lines: Sequence[bytes]) -> Transcript:
    fields, turns = load_json(lines[0]), _turns(lines)
    started = datetime.fromisoformat(fields["started_at"])
    return Transcript(
        id=fields["transcript"],
        lineage=Lineage(fields["session"], fields["parent"], Began(fields["began"])),
        started_at=started,
        last_at=turns[-1].at if turns else started,
        turns=max((turn.number + 1 for turn in turns), default=0),
        messages=sum(len(turn.messages) for turn in turns),
        home=fields["home"],
        platform=fields["platform"],
    )


@contextmanager
def _exclusive(folder: Path) -> Iterator[int]:
    """Holds the folder's lock, so that one process at a time writes to it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)
