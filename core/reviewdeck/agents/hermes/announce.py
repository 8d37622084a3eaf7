"""Tells the user what reviewdeck's review came to, in the way Hermes tells of its own reviews.

A review's answer is a file in `.reviewdeck/reviews/`, locked as long as Hermes or the review has it
open. A review that outlives Hermes leaves it there, and the next process of Hermes tells it.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import secrets
import tempfile
import time
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from . import agent, kit

FOLDER = "reviews"
READ = 4 * 1024 * 1024
"""The most bytes of an answer that are read."""
SHOWN = 300
"""The most characters of a failure."""
KEPT = 50
"""The most answers that are kept for the next process; of more, the oldest are deleted."""
OFF, ON, VERBOSE = "off", "on", "verbose"
SUMMARY = "💾 Self-improvement review: {summary}"
TASK = "background review"

_NOT_FAILED = ("done", "cancelled")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReviewEnd:
    """What a review came to."""

    line: str
    """For Hermes' log."""
    changes: dict[str, str]
    """What it staged, in one line for each way of being told; empty for nothing."""
    failure: str = ""
    """Why it did not reach its end; empty where it did."""


def read_outcome(session: str, status: int | None, answer: bytes) -> ReviewEnd:
    """What `reviewdeck review --json` answered; `status` is its exit status, where known."""
    try:
        report = json.loads(answer)
        ending, share = str(report["ending"]), report["identical_share"]
        shared = "" if share is None else f", {share:.1%} of its request was sent before"
        staged = len(report["proposals"])
        why = "" if ending in _NOT_FAILED else _plain(str(report.get("detail") or ending))
        told = report.get("announcement") or {}
        changes = {mode: _plain(str(told.get(mode) or ""), READ) for mode in (ON, VERBOSE)}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        why = _plain(_message(answer)) or "it gave no answer"
        known = "" if status is None else f" ({status})"
        return ReviewEnd(f"the review of {session} failed{known}: {why}", {}, why)
    reason = f": {why}" if why else ""
    line = f"the review of {session} is {ending}{reason}: {staged} staged{shared}"
    return ReviewEnd(line, changes, why)


def _message(answer: bytes) -> str:
    """The words of an answer that is no report: of an error of reviewdeck, or of anything else."""
    text = answer.decode("utf-8", "replace")
    try:
        return str(json.loads(text)["error"]["message"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return text


def _plain(text: str, most: int = SHOWN) -> str:
    """The text in one line, without control characters: an agent may have written it."""
    words = " ".join(text.split())[:most]
    return "".join(
        letter if unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp") else "�"
        for letter in words
    )


def tell(live: Any, outcome: ReviewEnd) -> None:
    """Tells the agent's user through Hermes' own channels."""
    try:
        summary = outcome.changes.get(_mode(live), "")
        if summary:
            live._safe_print(f"  {_worded('summary_callback', SUMMARY, summary=summary)}")
            callback = live.background_review_callback
            if callback is not None:
                callback(_worded("summary_callback", SUMMARY, summary=summary))
        if outcome.failure:
            task = _worded("aux_failure_label", TASK)
            live._emit_auxiliary_failure(task, RuntimeError(outcome.failure))
    except Exception:  # noqa: BLE001 - the review is over, whoever heard of it
        _log.warning("reviewdeck: nobody was told of a review", exc_info=True)


def _mode(live: Any) -> str:
    """How much is told: Hermes' gateway sets it on the agent, and its terminal does not."""
    own = str(getattr(live, "memory_notifications", ON) or ON).lower()
    return agent.notifications() if own == ON else own


def _worded(key: str, default: str, **values: str) -> str:
    """Hermes' own words in the user's language, where this Hermes has them."""
    translate = getattr(import_module("agent.background_review"), "t", None)
    if translate is not None:
        name = f"display.review.{key}"
        with suppress(Exception):
            worded = str(translate(name, **values))
            if worded and worded != name:
                return worded
    return default.format(**values)


def open_answer(home: Path) -> tuple[IO[bytes], Path | None]:
    """A file for a review's answer, locked, and its path; without one where it cannot be kept."""
    with suppress(OSError):
        with kit.OpenFolder(home, kit.OURS, FOLDER) as folder:
            name = f"{time.time_ns():020d}-{secrets.token_hex(4)}.json"
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            file = os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "w+b")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file, home / kit.OURS / FOLDER / name
    return tempfile.TemporaryFile(), None


def left_lines(home: Path) -> list[str]:
    """What reviews came to that ended after their Hermes had: told once, oldest first."""
    mode, lines = agent.notifications(), list[str]()
    for answer in _left(home):
        if not answer:
            continue  # Its review was killed, or has not begun.
        outcome = read_outcome("an earlier session", None, answer)
        if summary := outcome.changes.get(mode, ""):
            lines.append(SUMMARY.format(summary=summary))
        if outcome.failure:
            lines.append(f"⚠ Auxiliary {TASK} failed: {outcome.failure}")
    return lines


def _left(home: Path) -> Iterator[bytes]:
    """The answers that nobody has open, each deleted, oldest first."""
    with suppress(OSError), kit.OpenFolder(home, kit.OURS, FOLDER, is_made=False) as folder:
        names = kit.names_in(folder)
        for name in names:
            if (answer := _take(folder, name)) is not None and name in names[-KEPT:]:
                yield answer


def _take(folder: int, name: str) -> bytes | None:
    """An answer, deleted; None where its review is running."""
    try:
        with kit.open_plain(name, folder) as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            kit.remove(name, folder)
            return opened.read(READ)
    except OSError:
        return None
