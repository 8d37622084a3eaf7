"""How a review ends: the ending, its sentence, a hint, and an exit code for cron and the like."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final


class ExitCode(IntEnum):
    """What `reviewdeck review` exits with."""

    DONE = 0
    FAILED = 1
    """It will fail again until something is changed: a key, an address, a model."""
    LATER = 5
    """The provider was busy or did not answer: the same command may work later."""
    EARLY = 6
    """It ended before its end: what was staged by then stays."""
    CANCELLED = 130


class ExchangeEnd(StrEnum):
    """How an exchange ended."""

    DONE = "done"
    ITERATIONS = "iteration-limit"
    TOKENS = "token-limit"
    TIME = "time-limit"
    EMPTY = "empty-answer"
    MALFORMED = "malformed-arguments"
    TRUNCATED = "truncated"
    """The provider cut an answer off at its limit of tokens."""
    REFUSED = "refused"
    """The model declined to answer."""
    FILTERED = "filtered"
    """A filter of the provider held the request or the answer back."""
    WRITTEN = "call-as-text"
    """A tool call came as text, which nothing runs."""
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def sentence(self) -> str:
        return _SENTENCES[self]

    @property
    def hint(self) -> str:
        """What to do about it; empty where there is nothing to do, or only the failure says."""
        return _HINTS.get(self, "")

    def told(self, said: str = "") -> ReviewEnding:
        """This end of a review, with what the provider or the model said about it."""
        if self in (ExchangeEnd.DONE, ExchangeEnd.CANCELLED):
            return ReviewEnding(self)
        reason = f"{self.sentence.rstrip('.')}: {said}" if said else self.sentence
        return ReviewEnding(self, reason, self.hint)


_SENTENCES: Final = {
    ExchangeEnd.DONE: "The model came to its end.",
    ExchangeEnd.ITERATIONS: "The model used all the answers that a review has.",
    ExchangeEnd.TOKENS: "The conversation is longer than the tokens that a review may send.",
    ExchangeEnd.TIME: "The time of a review was over.",
    ExchangeEnd.EMPTY: "The model answered with nothing.",
    ExchangeEnd.MALFORMED: "The model wrote arguments that are no JSON, again and again.",
    ExchangeEnd.TRUNCATED: "The provider cut the answer off, as it became too long.",
    ExchangeEnd.REFUSED: "The model refused to answer.",
    ExchangeEnd.FILTERED: "The provider's filter held the answer back.",
    ExchangeEnd.WRITTEN: "The model wrote a tool call as text, which runs nothing.",
    ExchangeEnd.CANCELLED: "The review was cancelled.",
    ExchangeEnd.FAILED: "The model could not be asked.",
}
_SHORTER: Final = "Review it again with --only memory or --only skills."
_ANOTHER: Final = "Name another model with --model."
_HINTS: Final = {
    ExchangeEnd.ITERATIONS: _SHORTER,
    ExchangeEnd.TOKENS: "Say --digest, or --typed for memory alone.",
    ExchangeEnd.TIME: _SHORTER,
    ExchangeEnd.EMPTY: _ANOTHER,
    ExchangeEnd.MALFORMED: _ANOTHER,
    ExchangeEnd.TRUNCATED: "Raise the tokens of an answer (max_tokens), or name another model.",
    ExchangeEnd.REFUSED: _ANOTHER,
    ExchangeEnd.FILTERED: _ANOTHER,
    ExchangeEnd.WRITTEN: (
        "Switch tool calls on at the server (llama.cpp: --jinja; vLLM: --enable-auto-tool-choice"
        " --tool-call-parser NAME), or name a model that calls tools."
    ),
}


@dataclass(frozen=True, slots=True)
class ReviewEnding:
    """The end of one review as a person and a program are told it."""

    end: ExchangeEnd
    reason: str = ""
    """The provider's or the model's own words, in one line without keys; empty for none."""
    hint: str = ""
    is_passing: bool = False
    """Whether the same review may succeed later without a change."""

    @property
    def exit_code(self) -> ExitCode:
        """What a command that ran the review exits with."""
        match self.end:
            case ExchangeEnd.DONE:
                return ExitCode.DONE
            case ExchangeEnd.CANCELLED:
                return ExitCode.CANCELLED
            case ExchangeEnd.FAILED:
                return ExitCode.LATER if self.is_passing else ExitCode.FAILED
            case _:
                return ExitCode.EARLY
