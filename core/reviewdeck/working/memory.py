"""Working memory of one scope: values with an expiry, a task, a scratchpad, checkpoints, merges.

A scope says whose work in progress it is. A checkpoint is a scope as it was at one moment.
"""

from __future__ import annotations

import hashlib
import json
import math
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from urllib.parse import quote

from reviewdeck.errors import BadInput, StorageUnavailable, UnknownCheckpoint
from reviewdeck.model.plain import from_plain
from reviewdeck.ports.merges import Unfinished
from reviewdeck.text.json import load_json
from reviewdeck.working.storage import (
    CHECKPOINT,
    META,
    NOTES,
    TASK,
    Cells,
    Changes,
    Storage,
    StoredCell,
    check_key,
    decode,
    encode,
    is_user_key,
    matches,
)

MOST: Final = 50
"""Checkpoints of one scope; beyond that the oldest are dropped."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A saved state of a scope."""

    id: str
    """A full UUID."""
    description: str
    at: datetime


def _take_checkpoint(cells: Cells, checkpoint: Checkpoint, now: datetime) -> Changes:
    """The changes that store a checkpoint of the live cells, and drop the oldest ones."""
    content = {
        key: [cell.text, cell.until]
        for key, cell in cells.items()
        if _is_content(key) and cell.is_live(now)
    }
    value = {
        "description": checkpoint.description,
        "at": checkpoint.at.isoformat(),
        "cells": content,
    }
    # A checkpoint that is sent a second time, after a failure, is there already.
    others = (saved for saved in checkpoints(cells) if saved.id != checkpoint.id)
    earlier = sorted(others, key=lambda saved: saved.at)
    spare = earlier[: max(0, len(earlier) + 1 - MOST)]
    return Changes(
        {CHECKPOINT + checkpoint.id: StoredCell(encode(value))},
        [CHECKPOINT + old.id for old in spare],
    )


def _restore_checkpoint(cells: Cells, id: str) -> Changes | None:
    """The changes that restore a checkpoint; None if there is none with this id.

    Checkpoints and metadata of the scope stay. Values keep their expiry.
    """
    cell = cells.get(CHECKPOINT + id)
    if cell is None:
        return None
    content: Mapping[str, list[Any]] = decode(cell.text)["cells"]
    put = {key: StoredCell(text, until) for key, (text, until) in content.items()}
    return Changes(put, [key for key in cells if _is_content(key) and key not in put])


def checkpoints(cells: Cells) -> list[Checkpoint]:
    """All checkpoints of a scope, oldest first."""
    moments = []
    for key, cell in cells.items():
        if key.startswith(CHECKPOINT):
            value = decode(cell.text)
            at = datetime.fromisoformat(value["at"])
            moments.append(Checkpoint(key.removeprefix(CHECKPOINT), value["description"], at))
    return sorted(moments, key=lambda moment: (moment.at, moment.id))


def _is_content(key: str) -> bool:
    return key != META and not key.startswith(CHECKPOINT)


LONGEST_ID: Final = 200
"""Characters of one id of a scope."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A session of an agent of a project; the agent and the project may be left out.

    Without a session, it is shared by all sessions of the agent or of the project.
    """

    session: str | None = None
    agent: str | None = None
    project: str | None = None

    def __post_init__(self) -> None:
        """Raises BadInput for a scope without any id, and for an id that names nothing."""
        if not self._parts:
            raise BadInput("A scope needs a session, an agent or a project.")
        for kind, id in self._parts:
            if not id.strip() or len(id) > LONGEST_ID or not _is_encodable(id):
                raise BadInput(
                    f"This id of a {kind} cannot be used: {id[:40]!r}.",
                    hint=f"An id is text of 1 to {LONGEST_ID} characters.",
                )

    @property
    def kind(self) -> str:
        """The kind of its innermost id: session, agent or project."""
        return self._parts[-1][0]

    @property
    def id(self) -> str:
        """Its innermost id."""
        return self._parts[-1][1]

    @property
    def prefix(self) -> str:
        """The scope with its parents as one unique string."""
        return "/".join(f"{kind}:{quote(id, safe='')}" for kind, id in self._parts)

    @property
    def _parts(self) -> list[tuple[str, str]]:
        """Kinds and ids, the outermost first."""
        parts = (("project", self.project), ("agent", self.agent), ("session", self.session))
        return [(kind, id) for kind, id in parts if id is not None]


def _is_encodable(id: str) -> bool:
    try:
        id.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class TaskState:
    """A task and its progress."""

    title: str
    started_at: datetime
    updated_at: datetime
    status: str = "running"
    """A word of the caller's own: running, done, failed, ..."""
    percent: float = 0.0
    """0 to 100."""
    step: str = ""
    """The present step, in the caller's words."""

    def advanced(
        self, now: datetime, percent: float | None, step: str | None, status: str | None
    ) -> TaskState:
        """The task with new progress; arguments that are None leave a field as it is."""
        return replace(
            self,
            updated_at=now,
            percent=self.percent if percent is None else clamped(percent),
            step=self.step if step is None else step,
            status=self.status if status is None else status,
        )

    def as_json(self) -> dict[str, Any]:
        """As it is stored."""
        times = {"started_at": self.started_at, "updated_at": self.updated_at}
        return asdict(self) | {name: time.isoformat() for name, time in times.items()}


def task_of(raw: dict[str, Any]) -> TaskState:
    """A task from its stored form."""
    return from_plain(TaskState, raw)


def clamped(percent: float) -> float:
    """A percentage limited to 0 to 100. Raises BadInput for NaN."""
    if math.isnan(percent):
        raise BadInput("How far a task is has to be a number from 0 to 100.")
    return min(100.0, max(0.0, float(percent)))


@dataclass(frozen=True, slots=True)
class TaskNote:
    """One line of a scratchpad."""

    id: str
    """Unique, so that a note that is sent twice is stored once."""
    at: datetime
    value: Any
    """Any JSON value."""

    def as_json(self) -> list[Any]:
        """As it is stored."""
        return [self.id, self.at.isoformat(), self.value]


def note_of(raw: list[Any]) -> TaskNote:
    """A note from its stored form."""
    id, at, value = raw
    return TaskNote(id, datetime.fromisoformat(at), value)


MOST_NOTES: Final = 1_000
"""Notes of a scratchpad; beyond that the oldest are dropped."""
MOST_VALUES: Final = 10_000
"""Values of one scope."""

Ttl = timedelta | None | Literal["default"]
"""Time to live of a value: a duration, None for ever, or the default of the memory."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures about a scope, and the storage it is in."""

    kind: str
    id: str
    storage: str
    is_using_fallback: bool
    created_at: datetime
    total_keys: int
    """All stored keys, reserved ones included."""
    user_keys: int
    checkpoints: int
    notes: int
    has_task: bool


class WorkingMemory:
    """Work in progress of one scope. Values are JSON, copied in and out.

    Every method raises StorageUnavailable. Its contents may be evicted: decisions and drafts belong
    in the ledger.
    """

    def __init__(
        self,
        scope: Scope,
        storage: Storage,
        *,
        now: Callable[[], datetime],
        ttl: timedelta | None = None,
        most_notes: int = MOST_NOTES,
        most_values: int = MOST_VALUES,
        owns_storage: bool = False,
    ) -> None:
        self._most_values = most_values
        self._owns_storage = owns_storage
        self.scope = scope
        self._name = scope.prefix
        self._storage = storage
        self._now = now
        self._ttl = ttl
        self._most_notes = most_notes
        self._is_open = True
        storage.attach(self._name)
        storage.change(self._name, self._introduce)

    def set(self, key: str, value: Any, *, ttl: Ttl = "default") -> None:
        """Stores a value.

        Raises BadInput for a reserved key, a value that is not JSON, and one value too many.
        """
        cell = StoredCell(encode(value), self._until(ttl))
        if self._storage.get(self._name, check_key(key)) is not None:
            self._storage.put(self._name, key, cell)
            return

        def work(cells: Cells) -> tuple[Changes, bool]:
            live = self._live(cells)
            is_full = key not in live and sum(map(is_user_key, live)) >= self._most_values
            return Changes() if is_full else Changes({key: cell}), is_full

        if self._storage.change(self._name, work):
            raise BadInput(
                f"A scope keeps at most {self._most_values:,} values.",
                hint="Delete some, give them a lifetime, or use a scope for each session.",
            )

    def get(self, key: str, default: Any = None) -> Any:
        """The value, or the default if there is none. A stored null is a value."""
        cell = self._storage.get(self._name, check_key(key))
        return decode(cell.text) if cell is not None and cell.is_live(self._now()) else default

    def exists(self, key: str) -> bool:
        """Whether there is a value, null included."""
        cell = self._storage.get(self._name, check_key(key))
        return cell is not None and cell.is_live(self._now())

    def delete(self, key: str) -> bool:
        """Deletes a value; whether there was one."""
        check_key(key)

        def work(cells: Cells) -> tuple[Changes, bool]:
            return Changes(drop=[key]), key in self._live(cells)

        return self._storage.change(self._name, work)

    def keys(self, glob: str = "*") -> list[str]:
        """The keys that match a glob, sorted, without reserved ones."""
        return sorted(key for key in self._live(self._cells()) if matches(key, glob))

    def all(self) -> dict[str, Any]:
        """Every key with its value."""
        live = self._live(self._cells())
        return {key: decode(live[key].text) for key in sorted(live) if is_user_key(key)}

    def clear(self) -> int:
        """Deletes all values and gives their number. Task, notes and checkpoints stay."""

        def work(cells: Cells) -> tuple[Changes, int]:
            keys = [key for key in cells if is_user_key(key)]
            return Changes(drop=keys), sum(map(is_user_key, self._live(cells)))

        return self._storage.change(self._name, work)

    def set_task(
        self, title: str, *, status: str = "running", percent: float = 0.0, step: str = ""
    ) -> TaskState:
        """Begins a task; it replaces an earlier one."""
        now = self._now()
        task = TaskState(title, now, now, status, clamped(percent), step)
        self._storage.put(self._name, TASK, StoredCell(encode(task.as_json())))
        return task

    def task(self) -> TaskState | None:
        """The task; None if none was begun."""
        return peek_task(self._storage, self.scope)

    def update_task(
        self, percent: float | None = None, *, step: str | None = None, status: str | None = None
    ) -> TaskState | None:
        """Updates the progress of the task; None, and no change, without a task."""
        now = self._now()

        def work(cells: Cells) -> tuple[Changes, TaskState | None]:
            if TASK not in cells:
                return Changes(), None
            task = task_of(decode(cells[TASK].text)).advanced(now, percent, step, status)
            return Changes({TASK: StoredCell(encode(task.as_json()))}), task

        return self._storage.change(self._name, work)

    def clear_task(self) -> None:
        self._storage.change(self._name, lambda cells: (Changes(drop=[TASK]), None))

    def note(self, value: Any) -> TaskNote:
        """Adds a note; beyond the limit the oldest is dropped."""
        new = TaskNote(uuid.uuid4().hex, self._now(), decode(encode(value)))

        def work(cells: Cells) -> tuple[Changes, None]:
            notes = [*_raw_notes(cells), new.as_json()]
            # A note that is sent a second time, after a failure, is there already.
            notes = list({raw[0]: raw for raw in notes}.values())
            notes = notes[-self._most_notes :] if self._most_notes > 0 else []
            return Changes({NOTES: StoredCell(encode(notes))}), None

        self._storage.change(self._name, work)
        return new

    def notes(self) -> list[Any]:
        """The values of the notes, oldest first."""
        return [note.value for note in self.timed_notes()]

    def timed_notes(self) -> list[TaskNote]:
        """The notes with their times, oldest first."""
        cell = self._storage.get(self._name, NOTES)
        return [] if cell is None else [note_of(raw) for raw in decode(cell.text)]

    def clear_notes(self) -> int:
        """Deletes all notes and gives their number."""

        def work(cells: Cells) -> tuple[Changes, int]:
            return Changes(drop=[NOTES]), len(_raw_notes(cells))

        return self._storage.change(self._name, work)

    def checkpoint(self, description: str = "") -> Checkpoint:
        """Saves values, task and notes as they are now."""
        now = self._now()
        checkpoint = Checkpoint(str(uuid.uuid4()), description, now)
        self._storage.change(
            self._name, lambda cells: (_take_checkpoint(cells, checkpoint, now), None)
        )
        return checkpoint

    def checkpoints(self) -> list[Checkpoint]:
        """All checkpoints, oldest first."""
        return checkpoints(self._cells())

    def restore(self, id: str) -> None:
        """Restores a checkpoint in one step. Raises UnknownCheckpoint."""

        def work(cells: Cells) -> tuple[Changes, bool]:
            changes = _restore_checkpoint(cells, id)
            return changes or Changes(), changes is not None

        if not self._storage.change(self._name, work):
            raise UnknownCheckpoint(f"There is no checkpoint {id}.")

    def drop_checkpoint(self, id: str) -> None:
        """Deletes a checkpoint. Raises UnknownCheckpoint."""
        name = CHECKPOINT + id

        def work(cells: Cells) -> tuple[Changes, bool]:
            return Changes(drop=[name]), name in cells

        if not self._storage.change(self._name, work):
            raise UnknownCheckpoint(f"There is no checkpoint {id}.")

    def stats(self) -> Stats:
        """Figures about the scope, and the storage it is in."""
        cells = self._live(self._cells())
        meta = decode(cells[META].text) if META in cells else {}
        created = meta.get("created_at")
        return Stats(
            kind=self.scope.kind,
            id=self.scope.id,
            storage=self._storage.name,
            is_using_fallback=self._storage.is_using_fallback,
            created_at=datetime.fromisoformat(created) if created else self._now(),
            total_keys=len(cells),
            user_keys=sum(map(is_user_key, cells)),
            checkpoints=sum(key.startswith(CHECKPOINT) for key in cells),
            notes=len(_raw_notes(cells)),
            has_task=TASK in cells,
        )

    def check(self) -> None:
        """Raises StorageUnavailable when the storage does not answer."""
        self._storage.check()

    def is_healthy(self) -> bool:
        """Whether the configured storage answers: not where this process keeps its values."""
        try:
            self._storage.check()
        except StorageUnavailable:
            return False
        return not self._storage.is_using_fallback

    def close(self) -> None:
        """Detaches from the scope. Its contents stay; the storage stays open for others."""
        if self._is_open:
            self._is_open = False
            self._storage.detach(self._name)
            if self._owns_storage:
                self._storage.close()

    def _cells(self) -> Cells:
        return self._storage.cells(self._name)

    def _live(self, cells: Cells) -> Cells:
        now = self._now()
        return {key: cell for key, cell in cells.items() if cell.is_live(now)}

    def _until(self, ttl: Ttl) -> float | None:
        duration = self._ttl if ttl == "default" else ttl
        if duration is None:
            return None
        if duration <= timedelta(0):
            raise BadInput("The lifetime of a value must be positive.")
        return (self._now() + duration).timestamp()

    def _introduce(self, cells: Cells) -> tuple[Changes, None]:
        """Stores when the scope was created, if it is new; drops expired cells."""
        expired = [key for key in cells if key not in self._live(cells)]
        if META in cells:
            return Changes(drop=expired), None
        meta = {"created_at": self._now().isoformat(), "scope": self._name}
        return Changes({META: StoredCell(encode(meta))}, expired), None


def peek_task(storage: Storage, scope: Scope) -> TaskState | None:
    """The task of a scope without opening it; None if none was begun."""
    cell = storage.get(scope.prefix, TASK)
    return None if cell is None else task_of(decode(cell.text))


def _raw_notes(cells: Cells) -> list[list[Any]]:
    return decode(cells[NOTES].text) if NOTES in cells else []


class WorkingMerges:
    """Unfinished merges in a working memory; satisfies `ports.unfinished.UnfinishedMerges`."""

    def __init__(self, memory: WorkingMemory) -> None:
        self._memory = memory

    def save(self, proposal: str, digest: str, value: Mapping[str, Any]) -> None:
        """Stores the value for a proposal; it replaces an earlier one."""
        # As ASCII text: typed text or the text of a file may have lone surrogates.
        text = json.dumps({"proposal": proposal, "digest": digest, "value": value})
        self._memory.set(_key(proposal), text)

    def load(self, proposal: str) -> Unfinished | None:
        """The stored value; None if there is none, or it cannot be read any more."""
        try:
            fields = load_json(str(self._memory.get(_key(proposal), default="")))
        except ValueError:
            return None
        if not isinstance(fields, dict) or fields.get("proposal") != proposal:
            return None
        digest, value = fields.get("digest"), fields.get("value")
        if not isinstance(digest, str) or not isinstance(value, dict):
            return None
        return Unfinished(digest, value)

    def forget(self, proposal: str) -> None:
        """Deletes the value for a proposal, if there is one."""
        self._memory.delete(_key(proposal))


def _key(proposal: str) -> str:
    """The key for a proposal: a digest, since an id may be any text."""
    digest = hashlib.sha256(proposal.encode("utf-8", "surrogatepass")).hexdigest()
    return f"merge:{digest[:32]}"
