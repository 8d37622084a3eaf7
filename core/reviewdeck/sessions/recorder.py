"""Recording the turns of a conversation without making an agent wait, and losing none of them.

Messages come in OpenAI's or Anthropic's form.
"""

from __future__ import annotations

import atexit
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from reviewdeck.agents.hermes.kit import items, members, text_at
from reviewdeck.errors import BadInput
from reviewdeck.model import Began, Lineage, Message, Role, Turn, TurnBatch
from reviewdeck.ports import Clock, NewId, Probe, TurnSink, no_probe
from reviewdeck.sessions.prefetch import Forgetful
from reviewdeck.sessions.spool import (
    Flush,
    RecordedTurn,
    SegmentHeader,
    Spool,
    SpoolLimits,
    leftover_segments,
    line_of,
)
from reviewdeck.sessions.writer import LINGER, PAUSES, Delivery, Writer, WriterProgress, write_aside
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class SpoolAccess:
    """The connection of a conversation to its recorder."""

    put: Callable[[SegmentHeader, bytes], None]
    """Adds a line. Raises SpoolFull, SpoolUnavailable."""
    new_document: Callable[[], str]
    now: Clock
    retain_every_n_turns: int


@dataclass(slots=True)
class _Place:
    """The transcript that turns are recorded to, with its counters."""

    opening: SegmentHeader
    turns: int = 0
    messages: int = 0
    buffered: int = 0
    is_over: bool = False


class RecordedConversation:
    """A conversation that records its turns to its present session. Thread-safe.

    Counters restart with each switch.
    """

    def __init__(
        self,
        spool: SpoolAccess,
        lineage: Lineage,
        *,
        home: str = "",
        platform: str = "",
        prefetch: Forgetful | None = None,
    ) -> None:
        self._spool = spool
        self._prefetch = prefetch
        self._lock = threading.Lock()
        self._home = home
        self._platform = platform
        self._place = self._enter(lineage)

    @property
    def session(self) -> str:
        return self._place.opening.lineage.session

    @property
    def document(self) -> str:
        """The id of the transcript that turns are recorded to."""
        return self._place.opening.document

    def record(
        self, messages: Sequence[Message], *, turn: str | None = None, at: datetime | None = None
    ) -> int:
        """Records a turn and gives its number. Never waits for the sink.

        `turn` is the agent's own name for it. After an end, the session is resumed. Raises
        BadInput for a turn without a message or with what no sink can keep, SpoolFull,
        SpoolUnavailable; then it was not taken.
        """
        _check_turn(messages, turn, at)
        with self._lock:
            if self._place.is_over:
                self._place = self._enter(replace(self._place.opening.lineage, began=Began.RESUME))
            place = self._place
            total = place.messages + len(messages)
            is_full = place.buffered + 1 >= self._spool.retain_every_n_turns
            recorded = Turn(place.turns, at or self._spool.now(), tuple(messages), turn)
            line = line_of(RecordedTurn(place.opening.document, recorded, total, is_full))
            self._spool.put(place.opening, line)
            place.turns, place.messages = place.turns + 1, total
            place.buffered = 0 if is_full else place.buffered + 1
            return recorded.number

    def flush(self) -> None:
        """Sends a partial batch to the sink; does nothing if no turn is buffered."""
        with self._lock:
            if self._place.buffered:
                self._flush(self._place, is_over=False)

    def end(self) -> None:
        """Ends the session and sends its buffered turns. A later switch adds nothing to it."""
        with self._lock:
            self._leave(self._place)

    def switch(
        self, session: str, *, began: Began = Began.RESET, parent: str | None = None
    ) -> None:
        """Continues in another session, or in the same one anew.

        Buffered turns are sent under the old document, with its lineage and counts. A blank id is
        ignored. Without a `parent`, a reset, a branch or a compression has the old session as its
        parent. Prefetched answers for the old session are dropped. Raises BadInput for another way
        to begin than those of `Began`.
        """
        if not session.strip():
            return
        began = _began(began)
        with self._lock:
            self._leave(self._place)
            if parent is None and began not in {Began.NEW, Began.RESUME}:
                parent = self.session
            self._place = self._enter(Lineage(session, parent, began))
        if self._prefetch is not None:
            self._prefetch.forget()

    def _enter(self, lineage: Lineage) -> _Place:
        document, started = self._spool.new_document(), self._spool.now()
        return _Place(SegmentHeader(document, lineage, self._home, self._platform, started))

    def _leave(self, place: _Place) -> None:
        if place.turns and not place.is_over:
            self._flush(place, is_over=True)
            place.is_over = True

    def _flush(self, place: _Place, *, is_over: bool) -> None:
        self._spool.put(place.opening, line_of(Flush(place.opening.document, is_over)))
        place.buffered = 0


DRAIN: Final = 5.0
"""Seconds for which closing waits for the sink."""


@dataclass(frozen=True, slots=True)
class RecorderOptions:
    """Batch size, timing and limits of a recorder."""

    retain_every_n_turns: int = 1
    """Turns of a session that are sent to the sink together."""
    linger: float = LINGER
    """Seconds between a turn and its transaction, for others to join it."""
    pauses: Sequence[float] = PAUSES
    """Seconds between attempts at a sink that fails."""
    limits: SpoolLimits = field(default_factory=SpoolLimits)


@dataclass(frozen=True, slots=True)
class RecorderStatus:
    """The state of a recorder: its backlog and its progress."""

    waiting: int
    """Bytes in its spool."""
    progress: WriterProgress


class Recorder:
    """One spool, one writer, one sink; as many conversations as an agent has.

    `record` returns as soon as the turn is in the spool, which outlives the process. Everything
    else happens in the writer's thread, which starts with the first turn.
    """

    def __init__(
        self,
        folder: Path,
        sink: TurnSink,
        *,
        now: Clock,
        new_id: NewId,
        pace: RecorderOptions | None = None,
        probe: Probe = no_probe,
    ) -> None:
        self._pace = pace or RecorderOptions()
        if self._pace.retain_every_n_turns < 1:
            raise BadInput("A batch has at least one turn.")
        self._now = now
        self._new_id = new_id
        self._folder = folder
        self._probe = probe
        self._giving_up = threading.Event()
        self._door = threading.Lock()
        self._is_closed = False
        self._is_drained = False
        self._is_registered = False
        self._spool = Spool(folder, self._new_document(), self._pace.limits)
        self._delivery = Delivery(
            sink,
            set_aside=self._set_aside,
            giving_up=self._giving_up,
            pauses=self._pace.pauses,
            probe=probe,
        )
        self._writer = Writer(
            self._spool,
            folder,
            sink,
            self._delivery,
            giving_up=self._giving_up,
            linger=self._pace.linger,
            probe=probe,
        )
        if leftover_segments(folder):
            self._wake()

    @property
    def status(self) -> RecorderStatus:
        """The backlog in the spool, and the progress of the writer."""
        return RecorderStatus(self._spool.waiting, self._delivery.progress)

    def begin(
        self,
        session: str,
        *,
        parent: str | None = None,
        began: Began = Began.NEW,
        home: str = "",
        platform: str = "",
        prefetch: Forgetful | None = None,
    ) -> RecordedConversation:
        """Begins a conversation in this session. Raises BadInput for a blank id."""
        if not session.strip():
            raise BadInput("A session needs an id.")
        lineage = Lineage(session, parent, _began(began))
        pace = self._pace.retain_every_n_turns
        access = SpoolAccess(self._put, self._new_document, self._now, pace)
        return RecordedConversation(
            access, lineage, home=home, platform=platform, prefetch=prefetch
        )

    def drain(self, bound: float = DRAIN) -> bool:
        """Waits until all full batches are in the sink; False after `bound` seconds."""
        return not self._writer.is_started or self._writer.reach(self._spool.written, bound)

    def close(self, bound: float = DRAIN) -> bool:
        """Sends everything to the sink, partial batches included; False after `bound` seconds.

        Turns that are not sent by then stay in the spool, and so do later ones: the next recorder
        of this folder sends them. A second call does nothing.
        """
        with self._door:
            if not self._is_closed:
                self._is_closed = True
                atexit.unregister(self.close)
                self._spool.seal()
                self._is_drained = self._writer.close(bound)
            return self._is_drained

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _new_document(self) -> str:
        return self._new_id() + self._new_id()

    def _put(self, opening: SegmentHeader, line: bytes) -> None:
        """Appends a line to the spool. Raises SpoolFull, SpoolUnavailable."""
        self._spool.append(opening.document, lambda: line_of(opening), line)
        self._probe("spooled")
        self._wake()

    def _wake(self) -> None:
        if self._is_closed:
            return
        if not self._is_registered:
            self._is_registered = True
            # Daemon threads still run at that time; other threads are joined before.
            atexit.register(self.close)
        self._writer.wake()

    def _set_aside(self, batch: TurnBatch) -> None:
        write_aside(self._folder, self._new_document, batch)


def _check_turn(messages: Sequence[object], turn: object, at: object) -> None:
    """Raises BadInput for a turn that would be taken, and that no sink could keep afterwards."""
    if not messages:
        raise BadInput("A turn has at least one message.")
    for message in messages:
        match message:
            case Message(role, str(), str(), str()) if role in _ROLE_WORDS:
                pass
            case _:
                raise BadInput(
                    f"This is no Message with a role and texts: a {type(message).__name__}.",
                    hint="`messages_of` makes messages of an agent's own.",
                )
    if not isinstance(turn, str | None):
        raise BadInput("The name of a turn is a text.")
    if at is not None and not (isinstance(at, datetime) and _is_moment(at)):
        raise BadInput("The time of a turn has a zone, and is in the calendar in UTC too.")


def _is_moment(at: datetime) -> bool:
    try:
        at.astimezone(UTC)
    except OverflowError:
        return False
    return at.tzinfo is not None


def _began(value: str) -> Began:
    try:
        return Began(value)
    except ValueError:
        raise BadInput(f"A session begins as one of {', '.join(Began)}.") from None


_ROLE_WORDS: Final = frozenset(Role)
_ROLES = {"developer": Role.SYSTEM, "function": Role.TOOL, **{role.value: role for role in Role}}


def messages_of(raw: Iterable[Mapping[str, Any]]) -> tuple[Message, ...]:
    """The messages of raw ones. Tool calls and results become messages; images are only named."""
    names: dict[str, str] = {}
    return tuple(message for entry in raw for message in _messages(entry, names))


def _messages(raw: Mapping[str, Any], names: dict[str, str]) -> Iterator[Message]:
    role = _ROLES.get(str(raw.get("role")), Role.USER)
    content = raw.get("content")
    call = text_at(raw, "tool_call_id")
    if role is Role.TOOL:
        tool = text_at(raw, "name") or names.get(call, "")
        yield Message(role, _content_text(content), tool, call)
    elif isinstance(content, list):
        yield from _blocks(role, content, names)
    elif content:
        yield Message(role, _content_text(content))
    for tool_call in items(raw.get("tool_calls")):
        yield _tool_call(members(tool_call), names)


def _blocks(role: Role, blocks: list[Any], names: dict[str, str]) -> Iterator[Message]:
    """The messages of a list of blocks; consecutive text blocks become one message."""
    texts: list[str] = []
    for block in blocks:
        kind = members(block).get("type")
        if kind not in ("tool_use", "tool_result"):
            texts.append(_block(block))
            continue
        if texts:
            yield Message(role, "\n".join(texts))
            texts = []
        if kind == "tool_use":
            call = text_at(block, "id")
            names[call] = text_at(block, "name")
            yield Message(role, _plain(block.get("input")), names[call], call)
        else:
            call = text_at(block, "tool_use_id")
            yield Message(Role.TOOL, _content_text(block.get("content")), names.get(call, ""), call)
    if any(texts):
        yield Message(role, "\n".join(texts))


def _tool_call(raw: Mapping[str, Any], names: dict[str, str]) -> Message:
    fields, call = members(raw.get("function")), text_at(raw, "id")
    names[call] = text_at(fields, "name")
    return Message(Role.ASSISTANT, _plain(fields.get("arguments")), names[call], call)


def _content_text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(_block(block) for block in content)
    return _plain(content)


def _block(block: Any) -> str:
    if isinstance(block, dict):
        text = block.get("text")
        return text if isinstance(text, str) else f"[{block.get('type', 'block')}]"
    return _plain(block)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
