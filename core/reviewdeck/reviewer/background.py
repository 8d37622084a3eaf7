"""Reviews in the background of a running agent: triggers, the thread, and the announcement.

One review runs at a time, and it stops when the user speaks. The announcement is made from the
fields of the tools' answers, never from words in a message: a failure, or an entry that existed
already, is not announced as a change. Answers inherited with the conversation are ignored.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, TypeAlias

from reviewdeck.agents.hermes.kit import objects
from reviewdeck.reviewer.conversation import Json, MessageForm, Result, ReviewedConversation
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.exchange import MANAGE, MEMORY, Watch, ignore_progress
from reviewdeck.reviewer.models import Cancel, read
from reviewdeck.reviewer.review import MemoryTexts, Occasion, Reviewed, Reviewer, ReviewRequest
from reviewdeck.reviewer.unattended import captured_output, in_review
from reviewdeck.text.inert import visible
from reviewdeck.text.json import json_object
from reviewdeck.text.redact import redact

ADDED_SHOWN: Final = 120
REMOVED_SHOWN: Final = 60
PATCHED_SHOWN: Final = 80

_STORES: Final = {"memory": "memory", "user": "user profile"}


class ReviewMode(StrEnum):
    """How much of a review is announced to the user."""

    OFF = "off"
    ON = "on"
    """The kind of each proposal."""
    VERBOSE = "verbose"
    """Also the beginning of each text."""


def changes(
    messages: Sequence[Json],
    inherited: Sequence[Json],
    form: MessageForm,
    mode: ReviewMode = ReviewMode.ON,
    inherited_form: MessageForm | None = None,
) -> str:
    """The proposals of a review in one line; empty without any."""
    if mode is ReviewMode.OFF:
        return ""
    earlier = list(_results(inherited, inherited_form or form))
    ids = {result.call_id for result in earlier if result.call_id}
    texts = {result.text for result in earlier}
    parts: dict[str, None] = {}
    for result in _results(messages, form):
        if result.call_id in ids or (not result.call_id and result.text in texts):
            continue
        parts.update(dict.fromkeys(_describe(json_object(result.text) or {}, mode)))
    return " · ".join(parts)


def failure_line(why: str) -> str:
    """The announcement of a review that failed."""
    return f"Review: it failed ({_line(why, ADDED_SHOWN)})"


def _results(messages: Sequence[Json], form: MessageForm) -> Iterator[Result]:
    for message in messages:
        yield from read(message, form).results


def _describe(answer: Json, mode: ReviewMode) -> Iterator[str]:
    if answer.get("success") is not True:
        return
    verb = "staged" if answer.get("staged") is True else "saved"
    if verb == "saved" and answer.get("saved") is not True:
        return
    if mode is ReviewMode.ON:
        yield f"{_subject(answer)} {verb}"
        return
    for change in objects(answer.get("changes")):
        yield f"{_preview(change, answer)} {verb}"


def _subject(answer: Json) -> str:
    target = str(answer.get("target") or "")
    if answer.get("kind") == "memory":
        return f"{_STORES.get(target, target)} update"
    return f"skill {_line(target, ADDED_SHOWN)} {_line(str(answer.get('action') or 'change'), 20)}"


def _preview(change: Json, answer: Json) -> str:
    old, new = str(change.get("old") or ""), str(change.get("new") or "")
    where = _target(change, answer)
    match change.get("edit"):
        case "MemoryAdd" | "SkillCreate" | "SkillEdit" | "SkillWriteFile":
            return f'{where} + "{_line(new, ADDED_SHOWN)}"'
        case "MemoryRemove":
            return f'{where} - "{_line(old, REMOVED_SHOWN)}"'
        case "MemoryReplace" | "MemoryPatch" | "SkillPatch":
            return f'{where} "{_line(old, PATCHED_SHOWN)}" → "{_line(new, PATCHED_SHOWN)}"'
        case _:
            return f"{where} {_line(str(answer.get('action') or ''), 20)}"


def _target(change: Json, answer: Json) -> str:
    if answer.get("kind") == "memory":
        return _STORES.get(str(answer.get("target")), "memory")
    file = f"/{change['file']}" if change.get("file") else ""
    return _line(f"skill {change.get('skill', '')}{file}", ADDED_SHOWN)


def _line(text: Any, length: int) -> str:
    """Text of a model in one inert line of at most `length` characters, with secrets redacted."""
    return visible(" ".join(redact(str(text)).split())[:length], keep="")


LIVE_TURN_WAIT: Final = 2.0
"""Seconds that a new live turn waits for a running review to end."""

THREAD: Final = "reviewdeck-review"

OpenReviewer: TypeAlias = Callable[[], AbstractContextManager[Reviewer]]
"""Opens a reviewer in the calling thread, and closes it at the end."""

Announce: TypeAlias = Callable[[str], object]
"""Shows a line to the agent's user."""


class BackgroundReview:
    """A review in its own thread, running or ended."""

    def __init__(self) -> None:
        self.cancel: Final = Cancel()
        self.reviewed: Reviewed | None = None
        """The result; None while it runs, and after an exception."""
        self.error: BaseException | None = None
        """The exception that ended it."""
        self.printed = ""
        """The output that it printed."""
        self._done = threading.Event()

    @property
    def is_running(self) -> bool:
        return not self._done.is_set()

    def join(self, timeout: float | None = None) -> bool:
        """Waits for its end, at most `timeout` seconds; returns whether it has ended."""
        return self._done.wait(timeout)

    def end(self) -> None:
        self._done.set()


@dataclass(slots=True)
class BackgroundReviews:
    """The reviews of one agent."""

    open_reviewer: OpenReviewer
    look: Callable[[], MemoryTexts] = dict
    """Reads the memories; entries removed before the review runs are remembered as removed."""
    announce: Announce | None = None
    mode: ReviewMode = ReviewMode.ON
    watch: Watch = ignore_progress
    _current: BackgroundReview | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _last_failure: str = ""
    """The last failure that was announced: it is not announced twice in a row."""

    def spawn(
        self,
        conversation: ReviewedConversation,
        *,
        review_memory: bool = False,
        review_skills: bool = False,
        focus: str = "",
        occasion: Occasion = Occasion.TURN,
    ) -> BackgroundReview | None:
        """Starts a review and returns at once.

        None with nothing to review, while another review runs, and within a review.
        """
        if not (review_memory or review_skills) or in_review():
            return None
        with self._lock:
            if self._current is not None and self._current.is_running:
                return None
            review = self._current = BackgroundReview()
        request = ReviewRequest(review_memory, review_skills, focus, occasion)
        try:
            # A copy, made before returning: the live conversation may change afterwards.
            work = (review, conversation.snapshot(), request, self.look())
            context = contextvars.copy_context()
            thread = threading.Thread(
                target=context.run, args=(self._run_review, *work), name=THREAD, daemon=True
            )
            thread.start()
        # A review that cannot start must not break the agent's turn.
        except Exception as error:  # noqa: BLE001
            review.error = error
            self._end(review)
        return review

    def live_turn(self, timeout: float = LIVE_TURN_WAIT) -> bool:
        """Cancels a running review, since the user speaks; returns whether it has ended."""
        review = self._current
        if review is None or not review.is_running:
            return True
        review.cancel()
        return review.join(timeout)

    def join(self, timeout: float | None = None) -> bool:
        """Waits for a running review, at most `timeout` seconds; returns whether it has ended."""
        review = self._current
        return review is None or review.join(timeout)

    def _run_review(
        self,
        review: BackgroundReview,
        conversation: ReviewedConversation,
        request: ReviewRequest,
        memories: MemoryTexts,
    ) -> None:
        """Runs in the review's thread. Its only effect on the agent is a line for the user."""
        with captured_output() as printed:
            try:
                with self.open_reviewer() as reviewer:
                    review.reviewed = reviewer.run(
                        conversation,
                        request,
                        cancel=review.cancel,
                        watch=self.watch,
                        memories=memories,
                    )
            # Any exception ends here: a review must not harm its agent.
            except BaseException as error:  # noqa: BLE001
                review.error = error
            review.printed = printed.getvalue()
        self._end(review)

    def _end(self, review: BackgroundReview) -> None:
        try:
            line = self._line(review)
            if line and self.announce is not None and self.mode is not ReviewMode.OFF:
                with suppress(Exception):  # An error of the agent, not of the review.
                    self.announce(line)
        finally:
            review.end()

    def _line(self, review: BackgroundReview) -> str:
        why = _failure_of(review)
        if why:
            last_failure, self._last_failure = self._last_failure, why
            return "" if last_failure == why else failure_line(why)
        self._last_failure = ""
        reviewed = review.reviewed
        if reviewed is None:
            return ""
        parts = changes(
            reviewed.answers,
            reviewed.inherited_messages,
            MessageForm.OPENAI,
            self.mode,
            reviewed.inherited_form,
        )
        return f"Review: {parts}" if parts else ""


def _failure_of(review: BackgroundReview) -> str:
    if review.error is not None:
        return f"{type(review.error).__name__}: {review.error}"
    reviewed = review.reviewed
    if reviewed is not None and reviewed.exchange.ending is ExchangeEnd.FAILED:
        return reviewed.run.detail or ExchangeEnd.FAILED.value
    return ""


INTERVAL: Final = 10


@dataclass(frozen=True, slots=True)
class DueReviews:
    """The reviews that are due."""

    memory: bool = False
    skills: bool = False

    def __bool__(self) -> bool:
        return self.memory or self.skills


@dataclass(slots=True)
class Triggers:
    """Counters of one agent. An interval of 0 switches its trigger off."""

    memory_interval: int = INTERVAL
    """Turns of the user between two reviews of memory."""
    skills_interval: int = INTERVAL
    """Answers with tool calls between two reviews of skills."""
    turns: int = 0
    iterations: int = 0

    def user_turn(self) -> None:
        """Counts a turn of the user."""
        self.turns += 1

    def tool_iteration(self, called: Sequence[str] = ()) -> None:
        """Counts an answer that called these tools. A tool that saves resets its counter."""
        self.iterations += 1
        if MEMORY in called:
            self.turns = 0
        if MANAGE in called:
            self.iterations = 0

    def turn_ended(self, *, answered: bool = True, interrupted: bool = False) -> DueReviews:
        """The reviews due at the end of a turn; none after a turn without an answer."""
        if not answered or interrupted:
            return DueReviews()
        reviews = DueReviews(
            0 < self.memory_interval <= self.turns, 0 < self.skills_interval <= self.iterations
        )
        if reviews.memory:
            self.turns = 0
        if reviews.skills:
            self.iterations = 0
        return reviews

    def resume(self, messages: Sequence[Json], form: MessageForm) -> None:
        """Restores the counters from the messages of a resumed session."""
        self.turns = self.iterations = 0
        for message in messages:
            parsed = read(message, form)
            if parsed.role == "user" and not parsed.results:
                self.user_turn()
            if parsed.calls:
                self.tool_iteration([call.name for call in parsed.calls])
        self.turns %= self.memory_interval or 1
        self.iterations %= self.skills_interval or 1
