"""Another process that judges a part of a backlog: nobody can tell by what comes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.corpus import benign, hostile
from tests.engine.kit import Agent, skill_text

from reviewdeck import judging, restaging
from reviewdeck.aides import process
from reviewdeck.aides.packing import HEAD, packed, unpacked
from reviewdeck.aides.process import ProcessAide, greeting, spawn, start_aide
from reviewdeck.compose import aide_here, compose_deck
from reviewdeck.deck import Deck
from reviewdeck.judging import Aide, Case, StartAide, alone
from reviewdeck.model import QueueItem
from reviewdeck.policy.in_force import Policy
from reviewdeck.policy_source import PolicyPlace
from reviewdeck.ports import ALWAYS
from reviewdeck.settings import Settings

POLICY = """
[limits]
entry_characters = 200
[severity]
link = "critical"
[[rule]]
name = "no-tea"
effect = "hold"
reason = "Nobody has to know who drinks tea."
pattern = '[a-z]{3,}'
"""
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LONG = 30.0
"""Seconds within which a process answers or ends, many times over."""


@pytest.fixture
def backlog(agent: Agent) -> None:
    """A few hundred records of every kind."""
    for corpus in (benign.MEMORY, hostile.HELD, hostile.REFUSED):
        texts = [
            text
            for kind in corpus.values()
            for text in kind
            if len(text) < 1_000 and _is_text(text)
        ]
        for text in texts[:80]:
            agent.add(text)
    agent.replace("staging host", "The staging host is stg-9.")
    agent.replace("nothing like it", "It is gone.")
    agent.memory("remove", old_text="Docs use mkdocs.")
    agent.skill("create", "tables", content=skill_text("tables", "Draw tables."))
    agent.skill("patch", "release-notes", old_string="3. Report.", new_string="3. Say so.")
    agent.skill("write_file", "release-notes", file_path="references/a.md", file_content="# A\n")
    agent.add("Long. " * 9_000)


def _is_text(text: str) -> bool:
    return text == text.encode("utf-8", "replace").decode()


class Noting(ProcessAide):
    """Counts what it takes, and is sent a signal when it has taken so many."""

    def __init__(self, policy: Policy, live_text: str, signals: dict[int, int]) -> None:
        self.child = spawn()
        super().__init__(self.child, greeting(policy, live_text))
        self.signals, self.taken = signals, 0

    def take(self, case: Case) -> bool:
        is_taken = super().take(case)
        self.taken += is_taken
        if is_taken and self.taken in self.signals:
            self.child.send_signal(self.signals[self.taken])
        return is_taken


class Starter:
    """Starts aides, and waits until they are ready."""

    def __init__(self, signals: dict[int, int]) -> None:
        self.signals = signals
        self.aides: list[Noting] = []

    def __call__(self, policy: Policy, live_text: str) -> Aide:
        aide = Noting(policy, live_text, self.signals)
        self.aides.append(aide)
        until(lambda: aide.answer(wait=False) is None and (aide.is_ready or not aide.is_there))
        return aide


def until(holds: Callable[[], bool]) -> None:
    """Waits for something that is bound to come."""
    late = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < late
        time.sleep(0.01)


def taken_in(
    home: Path, ledger: Path, aide: StartAide, policy: Path | None = None
) -> tuple[list[QueueItem], dict[str, str]]:
    """The queue that comes of it, and what each of it rests on."""
    place = PolicyPlace(policy) if policy else None
    settings = Settings((home,), str(ledger), ledger.parent, policy=place)
    deck = compose_deck(settings, now=lambda: NOON)
    Deck(replace(deck.desk, aide=aide)).intake()
    items = deck.pending(limit=1_000)
    id = deck.desk.home_ids[0]
    asked = deck.ledger.begin_round(id).footing
    rests = {
        question: " ".join(sorted(deck.ledger.needing(id, [question])))
        for question in asked
        if not question.startswith(ALWAYS)
    }
    deck.close()
    return list(items), rests


@pytest.fixture
def by_itself(
    home: Path, backlog: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[QueueItem], dict[str, str]]:
    """What one process makes of it."""
    monkeypatch.setattr(restaging, "FROM", 1)
    return taken_in(home, tmp_path / "alone.db", alone)


@pytest.mark.parametrize(
    "signals",
    [
        pytest.param({}, id="it lives"),
        pytest.param({1: signal.SIGKILL}, id="it is killed at once"),
        pytest.param({100: signal.SIGTERM}, id="it is ended in the middle"),
        pytest.param({70: signal.SIGSTOP}, id="it stands still"),
    ],
)
def test_the_same_comes_of_a_backlog_whatever_happens_to_the_aide(
    home: Path,
    by_itself: tuple[list[QueueItem], dict[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    signals: dict[int, int],
) -> None:
    monkeypatch.setattr(process, "PATIENCE", 0.3 if signals else LONG)
    start = Starter(signals)
    assert taken_in(home, tmp_path / "helped.db", start) == by_itself
    assert start.aides[0].taken >= max(signals, default=100)
    assert all(aide.child.returncode is not None for aide in start.aides)
    assert {item.verdict for item in by_itself[0]} >= {"auto-apply", "review", "refuse"}


def test_an_aide_judges_by_the_policy_file(
    home: Path, backlog: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restaging, "FROM", 1)
    file = tmp_path / "policy.toml"
    file.write_text(POLICY, "utf-8")
    start = Starter({})
    helped = taken_in(home, tmp_path / "helped.db", start, file)
    assert helped == taken_in(home, tmp_path / "alone.db", alone, file)
    codes = {finding.code for item in helped[0] for finding in item.findings}
    assert "no-tea" in codes
    assert start.aides[0].taken >= 100
    file.write_text("[nonsense", "utf-8")
    broken = taken_in(home, tmp_path / "broken.db", start, file)
    assert start.aides[1].taken >= 100
    assert not {item.id for item in broken[0] if item.verdict == "auto-apply"}


def test_who_judges_by_other_rules_is_not_asked() -> None:
    other = ("another program", *unpacked(greeting(Policy(), "")[HEAD:])[1:])
    with ProcessAide(spawn(), packed(other)) as aide:
        until(lambda: aide.answer(wait=False) is None and not aide.is_there)
        assert not aide.is_ready


def test_an_aide_ends_with_whoever_started_it() -> None:
    script = "from reviewdeck.aides.process import spawn; print(spawn().pid, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    until(lambda: not _is_running(pid))


def _is_running(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_short_backlog_starts_no_aide(home: Path, backlog: None, tmp_path: Path) -> None:
    def never(policy: Policy, live_text: str) -> Aide:
        raise AssertionError("an aide was started")

    assert len(taken_in(home, tmp_path / "short.db", never)[0]) < judging.FROM


def test_where_no_process_can_be_started_everything_is_judged_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert start_aide(Policy(), "") is None


def test_on_one_core_there_is_no_aide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert aide_here() is alone
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3}, raising=False)
    assert aide_here() is not alone
