"""Reviews beside a running agent: when one is due, the thread it runs in, what the user is told.

There is one at a time, and it stops when the user speaks. What happened is read from the fields of
the tools' answers, never from words in a message: a failure, or something that was there already,
is not announced as a change. Answers that the review inherited with the conversation are old.
"""

from __future__ import annotations

import contextvars
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, TypeAlias

from reviewdeck.policy.redact import redact
from reviewdeck.reviewer.conversation import Json, MessageForm, Result, ReviewedConversation
from reviewdeck.reviewer.exchange import MANAGE, MEMORY, ExchangeEnd, Watch, unwatched
from reviewdeck.reviewer.models import Cancel, read
from reviewdeck.reviewer.review import Occasion, Reviewed, Reviewer, ReviewRequest, Seen
from reviewdeck.reviewer.unattended import in_review, kept_output
from reviewdeck.text.inert import visible

ADDED_SHOWN: Final = 120
REMOVED_SHOWN: Final = 60
PATCHED_SHOWN: Final = 80

_STORES: Final = {"memory": "memory", "user": "user profile"}


class ReviewMode(StrEnum):
    """How much a user is told."""

    OFF = "off"
    ON = "on"
    """What kind of thing was proposed."""
    VERBOSE = "verbose"
    """With the beginning of each text."""


def announcement(
    said: Sequence[Json],
    inherited: Sequence[Json],
    form: MessageForm,
    mode: ReviewMode = ReviewMode.ON,
    inherited_form: MessageForm | None = None,
) -> str:
    """The one line about the messages of a review; empty when there is nothing to tell."""
    if mode is ReviewMode.OFF:
        return ""
    known = list(_results(inherited, inherited_form or form))
    ids = {result.call_id for result in known if result.call_id}
    texts = {result.text for result in known}
    parts: dict[str, None] = {}
    for result in _results(said, form):
        if result.call_id in ids or (not result.call_id and result.text in texts):
            continue
        parts.update(dict.fromkeys(_told(_parsed(result.text), mode)))
    return f"Review: {' · '.join(parts)}" if parts else ""


def failure_line(why: str) -> str:
    """What a user is told of a review that failed."""
    return f"Review: it failed ({_line(why, ADDED_SHOWN)})"


def _results(messages: Sequence[Json], form: MessageForm) -> Iterator[Result]:
    for message in messages:
        yield from read(message, form).results


def _parsed(text: str) -> Json:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _told(answer: Json, mode: ReviewMode) -> Iterator[str]:
    if answer.get("success") is not True:
        return
    verb = "staged" if answer.get("staged") is True else "saved"
    if verb == "saved" and answer.get("saved") is not True:
        return
    if mode is ReviewMode.ON:
        yield f"{_subject(answer)} {verb}"
        return
    changes = answer.get("changes")
    for change in changes if isinstance(changes, list) else ():
        if isinstance(change, dict):
            yield f"{_preview(change, answer)} {verb}"


def _subject(answer: Json) -> str:
    target = str(answer.get("target") or "")
    if answer.get("kind") == "memory":
        return f"{_STORES.get(target, target)} update"
    return f"skill {_line(target, ADDED_SHOWN)} {_line(str(answer.get('action') or 'change'), 20)}"


def _preview(change: Json, answer: Json) -> str:
    old, new = str(change.get("old") or ""), str(change.get("new") or "")
    where = _where(change, answer)
    match change.get("edit"):
        case "MemoryAdd" | "SkillCreate" | "SkillEdit" | "SkillWriteFile":
            return f'{where} + "{_line(new, ADDED_SHOWN)}"'
        case "MemoryRemove":
            return f'{where} - "{_line(old, REMOVED_SHOWN)}"'
        case "MemoryReplace" | "SkillPatch":
            return f'{where} "{_line(old, PATCHED_SHOWN)}" → "{_line(new, PATCHED_SHOWN)}"'
        case _:
            return f"{where} {_line(str(answer.get('action') or ''), 20)}"


def _where(change: Json, answer: Json) -> str:
    if answer.get("kind") == "memory":
        return _STORES.get(str(answer.get("target")), "memory")
    file = f"/{change['file']}" if change.get("file") else ""
    return _line(f"skill {change.get('skill', '')}{file}", ADDED_SHOWN)


def _line(text: Any, length: int) -> str:
    """Text of a model in one inert line of at most so many characters, its secrets covered."""
    return visible(" ".join(redact(str(text)).split())[:length], keep="")


LIVE_TURN_WAIT: Final = 2.0
"""Seconds that a new live turn waits for a review to go away."""

THREAD: Final = "reviewdeck-review"

OpenReviewer: TypeAlias = Callable[[], AbstractContextManager[Reviewer]]
"""Opens a reviewer in the thread that calls it, and lets go of everything at the end."""

Announce: TypeAlias = Callable[[str], object]
"""The agent's own way to tell its user a line."""


class BackgroundReview:
    """One review that runs, or has run."""

    def __init__(self) -> None:
        self.cancel: Final = Cancel()
        self.reviewed: Reviewed | None = None
        """What came of it; None as long as it runs, and when it broke."""
        self.error: BaseException | None = None
        """What broke it."""
        self.printed = ""
        """What it printed."""
        self._done = threading.Event()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return not self._done.is_set()

    def join(self, timeout: float | None = None) -> bool:
        """Waits for its end, at most so many seconds; says whether it came."""
        return self._done.wait(timeout)

    def end(self) -> None:
        """Says that it has ended."""
        self._done.set()


@dataclass(slots=True)
class BackgroundReviews:
    """The reviews of one agent."""

    open_reviewer: OpenReviewer
    look: Callable[[], Seen] = dict
    """Reads the memories as they are: what goes away until the review runs is remembered."""
    announce: Announce | None = None
    mode: ReviewMode = ReviewMode.ON
    watch: Watch = unwatched
    _current: BackgroundReview | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _told: str = ""
    """The failure that the user was told of last: the same one is not told again."""

    def spawn(
        self,
        conversation: ReviewedConversation,
        *,
        review_memory: bool = False,
        review_skills: bool = False,
        focus: str = "",
        occasion: Occasion = Occasion.TURN,
    ) -> BackgroundReview | None:
        """Starts a review and returns at once; None when there is none to start.

        There is none without something to review, while another one runs, and within a review.
        """
        if not (review_memory or review_skills) or in_review():
            return None
        with self._lock:
            if self._current is not None and self._current.is_running:
                return None
            review = self._current = BackgroundReview()
        wanted = ReviewRequest(review_memory, review_skills, focus, occasion)
        try:
            # Before it returns: from now on the live conversation may change under it.
            work = (review, conversation.snapshot(), wanted, self.look())
            context = contextvars.copy_context()
            thread = threading.Thread(
                target=context.run, args=(self._work, *work), name=THREAD, daemon=True
            )
            thread.start()
        # A review that cannot even start must not take the agent's turn with it.
        except Exception as error:  # noqa: BLE001
            review.error = error
            self._end(review)
        return review

    def live_turn(self, timeout: float = LIVE_TURN_WAIT) -> bool:
        """Ends a review that is running, since the user speaks; says whether it is gone."""
        review = self._current
        if review is None or not review.is_running:
            return True
        review.cancel()
        return review.join(timeout)

    def join(self, timeout: float | None = None) -> bool:
        """Waits for a review that is running, at most so many seconds."""
        review = self._current
        return review is None or review.join(timeout)

    def _work(
        self,
        review: BackgroundReview,
        conversation: ReviewedConversation,
        wanted: ReviewRequest,
        seen: Seen,
    ) -> None:
        """The whole life of a review's thread. Nothing gets out of it but a line for the user."""
        with kept_output() as printed:
            try:
                with self.open_reviewer() as reviewer:
                    review.reviewed = reviewer.run(
                        conversation, wanted, cancel=review.cancel, watch=self.watch, seen=seen
                    )
            # The thread ends here, whatever it was: an agent must not be hurt by its review.
            except BaseException as error:  # noqa: BLE001
                review.error = error
            review.printed = printed.getvalue()
        self._end(review)

    def _end(self, review: BackgroundReview) -> None:
        """Tells the user, on the agent's own screen, and lets the next one begin."""
        try:
            self._tell(review)
        finally:
            review.end()

    def _tell(self, review: BackgroundReview) -> None:
        line = self._line(review)
        if line and self.announce is not None and self.mode is not ReviewMode.OFF:
            with suppress(Exception):  # The agent's own mistake, and not the review's.
                self.announce(line)

    def _line(self, review: BackgroundReview) -> str:
        why = _failure_of(review)
        if why:
            told, self._told = self._told, why
            return "" if told == why else failure_line(why)
        self._told = ""
        reviewed = review.reviewed
        if reviewed is None:
            return ""
        return announcement(
            reviewed.answers,
            reviewed.inherited,
            MessageForm.OPENAI,
            self.mode,
            reviewed.inherited_form,
        )


def _failure_of(review: BackgroundReview) -> str:
    if review.error is not None:
        return f"{type(review.error).__name__}: {review.error}"
    reviewed = review.reviewed
    if reviewed is not None and reviewed.spoken.ending is ExchangeEnd.FAILED:
        return reviewed.run.detail or ExchangeEnd.FAILED.value
    return ""


INTERVAL: Final = 10


@dataclass(frozen=True, slots=True)
class Due:
    """What has to be reviewed."""

    memory: bool = False
    skills: bool = False

    def __bool__(self) -> bool:
        return self.memory or self.skills


@dataclass(slots=True)
class Triggers:
    """Counts of one agent. An interval of 0 switches its trigger off."""

    memory_interval: int = INTERVAL
    """Turns of the user between two reviews of memory."""
    skills_interval: int = INTERVAL
    """Answers with tool calls between two reviews of skills."""
    turns: int = 0
    iterations: int = 0

    def user_turn(self) -> None:
        """The user said something."""
        self.turns += 1

    def tool_iteration(self, called: Sequence[str] = ()) -> None:
        """The model called these tools. One that saves starts its counter anew."""
        self.iterations += 1
        if MEMORY in called:
            self.turns = 0
        if MANAGE in called:
            self.iterations = 0

    def turn_ended(self, *, answered: bool = True, interrupted: bool = False) -> Due:
        """What is due at the end of a turn. A turn without an answer brings nothing about."""
        if not answered or interrupted:
            return Due()
        due = Due(
            0 < self.memory_interval <= self.turns,
            0 < self.skills_interval <= self.iterations,
        )
        if due.memory:
            self.turns = 0
        if due.skills:
            self.iterations = 0
        return due

    def resume(self, messages: Sequence[Json], form: MessageForm) -> None:
        """Counts what a session that is taken up again had, as if it had never been left."""
        self.turns = self.iterations = 0
        for message in messages:
            said = read(message, form)
            if said.role == "user" and not said.results:
                self.user_turn()
            if said.calls:
                self.tool_iteration([call.name for call in said.calls])
        self.turns %= self.memory_interval or 1
        self.iterations %= self.skills_interval or 1
