"""Reviews beside a running agent: one at a time, in a thread, gone when the user speaks."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from reviewdeck.reviewer.announcing import Mode, announcement, failure_line
from reviewdeck.reviewer.capture import kept_output
from reviewdeck.reviewer.conversing import Ending, Watch, unwatched
from reviewdeck.reviewer.models import Cancel
from reviewdeck.reviewer.reviewing import Occasion, Reviewed, Reviewer, Seen, Wanted
from reviewdeck.reviewer.unattended import in_review
from reviewdeck.reviewer.values import Conversation, Form

LIVE_TURN_WAIT: Final = 2.0
"""Seconds that a new live turn waits for a review to go away."""

THREAD: Final = "reviewdeck-review"

OpenReviewer: TypeAlias = Callable[[], AbstractContextManager[Reviewer]]
"""Opens a reviewer in the thread that calls it, and lets go of everything at the end."""

Announce: TypeAlias = Callable[[str], object]
"""The agent's own way to tell its user a line."""


class Review:
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
    mode: Mode = Mode.ON
    watch: Watch = unwatched
    _current: Review | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _told: str = ""
    """The failure that the user was told of last: the same one is not told again."""

    def spawn(
        self,
        conversation: Conversation,
        *,
        review_memory: bool = False,
        review_skills: bool = False,
        focus: str = "",
        occasion: Occasion = Occasion.TURN,
    ) -> Review | None:
        """Starts a review and returns at once; None when there is none to start.

        There is none without something to review, while another one runs, and within a review.
        """
        if not (review_memory or review_skills) or in_review():
            return None
        with self._lock:
            if self._current is not None and self._current.is_running:
                return None
            review = self._current = Review()
        wanted = Wanted(review_memory, review_skills, focus, occasion)
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

    def _work(self, review: Review, conversation: Conversation, wanted: Wanted, seen: Seen) -> None:
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

    def _end(self, review: Review) -> None:
        """Tells the user, on the agent's own screen, and lets the next one begin."""
        try:
            self._tell(review)
        finally:
            review.end()

    def _tell(self, review: Review) -> None:
        line = self._line(review)
        if line and self.announce is not None and self.mode is not Mode.OFF:
            with suppress(Exception):  # The agent's own mistake, and not the review's.
                self.announce(line)

    def _line(self, review: Review) -> str:
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
            Form.OPENAI,
            self.mode,
            reviewed.inherited_form,
        )


def _failure_of(review: Review) -> str:
    if review.error is not None:
        return f"{type(review.error).__name__}: {review.error}"
    reviewed = review.reviewed
    if reviewed is not None and reviewed.spoken.ending is Ending.FAILED:
        return reviewed.run.detail or Ending.FAILED.value
    return ""
