"""`auto --watch`, as the real program in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.engine.kit import Agent, Ticking, entries, set_entries, skill_text

from reviewdeck import open_deck
from reviewdeck.cli.watch_loop import happening_words
from reviewdeck.engine.watch import WatchEvent
from reviewdeck.ledger.inspection import find_damage

WAIT = 60.0
"""Seconds for what takes a tenth of one on a machine with nothing else to do."""


class Watching:
    """A watch over one home, and what it has said so far."""

    program: tuple[str, ...] = ("-m", "reviewdeck.cli.main")
    command: tuple[str, ...] = ("auto", "--watch")
    env: Mapping[str, str] | None = None

    def __init__(self, home: Path, ledger: Path | str, *options: str) -> None:
        self.said: list[dict[str, Any]] = []
        self._left = b""
        where = ["--home", str(home), "--ledger", str(ledger)]
        self.process = subprocess.Popen(
            [sys.executable, *self.program, *self.command, *where, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.env,
        )
        assert self.process.stdout is not None
        os.set_blocking(self.process.stdout.fileno(), False)

    def read(self) -> None:
        """Takes in what it said meanwhile."""
        assert self.process.stdout is not None
        *lines, self._left = (self._left + (self.process.stdout.read() or b"")).split(b"\n")
        try:
            self.said += [json.loads(line) for line in lines]
        except ValueError:  # It ended, and told why in several lines.
            self.process.wait(WAIT)
            told = b"\n".join([*lines, self._left + (self.process.stdout.read() or b"")])
            raise AssertionError(told.decode()) from None

    def wait_for(self, event: str, **wanted: Any) -> dict[str, Any]:
        """The first line that it says, or said, of this kind."""
        deadline = time.monotonic() + WAIT
        while time.monotonic() < deadline:
            self.read()
            for line in self.said:
                if line["event"] == event and all(line[key] == wanted[key] for key in wanted):
                    return line
            assert self.process.poll() is None, self.process.communicate()[1]
            time.sleep(0.01)
        raise AssertionError(f"no {event} {wanted} in {self.said}")

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Tells it to go, and gives its exit code."""
        self.process.send_signal(how)
        code = self.process.wait(WAIT)
        self.read()
        self.close()
        return code

    def close(self) -> None:
        """Lets go of the process, which has ended or is about to."""
        self.process.wait(WAIT)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


class ByEvents(Watching):
    """The program, which never looks for what it did not hear."""

    program = (
        "-c",
        "from reviewdeck.engine import watch; watch.SAFETY = 1e9\n"
        "from reviewdeck.cli.main import main; raise SystemExit(main())",
    )


class Impatient(ByEvents):
    """The same, which waits half a second for a ledger that another program holds."""

    program = (
        "-c",
        "from reviewdeck.ledger import connecting; connecting.BUSY_SECONDS = 0.5\n"
        + ByEvents.program[1],
    )


class Telling(Watching):
    """The program, which also says what it missed, and when a turn took next to no steps."""

    program = (
        "-c",
        """
import json
from reviewdeck.cli.main import main
from reviewdeck.engine import watch
from tests.steps import steps_of
turn, missed = watch.Watch.turn, watch.Watch.missed_events
def tell(event):
    print(json.dumps({"event": event}), flush=True)
def turned(*arguments):
    found = []
    steps = steps_of(lambda: found.extend(turn(*arguments)))  # 130; a pass takes thousands
    if steps < 500 and not found:
        tell("idle")
    return iter(found)
def missed_events(self):
    if found := missed(self):
        tell("missed")
    return found
watch.SAFETY, watch.Watch.turn, watch.Watch.missed_events = 4.0, turned, missed_events
raise SystemExit(main())
""",
    )

    def wait_until_idle(self) -> None:
        """Until it has done nothing for some turns: what stirred before is dealt with."""
        self.read()
        self.said = [line for line in self.said if line["event"] != "idle"]
        for _ in range(3):
            self.wait_for("idle")
            self.said.remove({"event": "idle"})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A small home whose pending folder does not exist yet."""
    root = tmp_path / "home"
    (root / "memories").mkdir(parents=True)
    set_entries(root, "Tests run with tox.", "Docs use mkdocs.")
    skill = root / "skills" / "dev" / "release-notes"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(skill_text("release-notes"), "utf-8")
    return root


@pytest.fixture
def agent(home: Path) -> Agent:
    return Agent(home, Ticking())


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger" / "ledger.db"


@pytest.fixture
def watching(home: Path, ledger: Path, request: pytest.FixtureRequest) -> Iterator[Watching]:
    watch = getattr(request, "param", ByEvents)(home, ledger, "--json")
    watch.wait_for("watching")
    yield watch
    if watch.process.poll() is None:
        watch.process.kill()
    watch.close()


def test_a_record_is_applied_when_it_appears(watching: Watching, home: Path, agent: Agent) -> None:
    agent.add("The linter is ruff.")  # The first one makes the folder, too.
    watching.wait_for("applied", action="add")
    agent.add("The formatter is black.")
    line = watching.wait_for("applied", source="pending/memory/00000002.json")
    assert line["operation"]
    assert line["home"] == str(home)
    assert entries(home)[-2:] == ["The linter is ruff.", "The formatter is black."]
    assert not list((home / "pending").rglob("*.json"))


def test_bad_records_are_named_and_hold_nothing_up(
    watching: Watching, home: Path, agent: Agent
) -> None:
    folder = home / "pending" / "memory"
    folder.mkdir(parents=True)
    (folder / "broken.json").write_bytes(b'{"id": "x", \xff')
    (folder / "deep.json").write_text("[" * 100_000, "utf-8")
    (folder / "link.json").symlink_to("/dev/zero")
    watching.wait_for("waiting", state="quarantined", source="pending/memory/broken.json")
    agent.add("The linter is ruff.")
    watching.wait_for("applied")
    assert (folder / "broken.json").exists()
    assert watching.stop() == 0


def test_what_needs_a_person_is_said_once(watching: Watching, agent: Agent) -> None:
    agent.skill("delete", "release-notes", absorbed_into="")
    watching.wait_for("waiting", action="delete")
    for text in ("The linter is ruff.", "The formatter is black."):
        id = agent.add(text)
        # When the second is told of, everything about the pass of the first one has been.
        watching.wait_for("applied", source=f"pending/memory/{id}.json")
    assert [line["event"] for line in watching.said].count("waiting") == 1


def test_a_document_that_changes_is_noticed(watching: Watching, home: Path) -> None:
    set_entries(home, "Tests run with tox.", "Somebody wrote this by hand.")
    line = watching.wait_for("outside")
    assert line["subject"] == "memories/MEMORY.md"


def test_sigterm_ends_it_and_the_next_one_goes_on(
    watching: Watching, home: Path, ledger: Path, agent: Agent
) -> None:
    agent.skill("delete", "release-notes", absorbed_into="")
    watching.wait_for("waiting")
    assert watching.stop() == 0
    assert watching.said[-1]["event"] == "stopped"
    agent.add("The linter is ruff.")
    again = Watching(home, ledger, "--json")
    again.wait_for("applied")
    assert again.stop(signal.SIGINT) == 0
    assert "waiting" not in [line["event"] for line in again.said]  # It was said before.
    deck = open_deck(home, ledger=str(ledger), env={"HOME": str(home.parent)})
    assert deck.ledger.unfinished(str(home)) == ()
    assert deck.ledger.verify() is None
    deck.close()


def test_sigterm_in_the_middle_of_much_work_leaves_nothing_half_done(
    home: Path, ledger: Path, agent: Agent
) -> None:
    for name in ("log-triage", "tea-making", "code-review"):
        agent.skill("create", name, content=skill_text(name, f"About {name}."))
    for content in ("The linter is ruff.", "The queue is redis.", "The shell is zsh."):
        agent.add(content)
    before = len([*(home / "skills").rglob("SKILL.md")])
    watch = Watching(home, ledger, "--json")
    deadline = time.monotonic() + WAIT
    while len([*(home / "skills").rglob("SKILL.md")]) == before:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    assert watch.stop() == 0
    deck = open_deck(home, ledger=str(ledger), env={"HOME": str(home.parent)})
    assert deck.ledger.unfinished(str(home)) == ()
    assert deck.recover() == ()
    deck.close()


def test_sigterm_while_it_only_looks_ends_it_soon(home: Path, ledger: Path, agent: Agent) -> None:
    for number in range(150):
        agent.replace("Docs use", f"Docs use sphinx in version {number}.")
    watch = Watching(home, ledger, "--json")
    watch.wait_for("started")
    time.sleep(0.1)
    assert watch.stop() == 0
    assert [line["event"] for line in watch.said][-1] == "stopped"
    assert find_damage(str(ledger)) == ()
    deck = open_deck(home, ledger=str(ledger), env={"HOME": str(home.parent)})
    deck.auto()
    assert len(deck.pending(limit=1000)) == 150
    assert deck.ledger.verify() is None
    deck.close()


def test_nothing_is_done_while_nothing_happens(home: Path, ledger: Path) -> None:
    watch = Telling(home, ledger, "--json")
    watch.wait_for("watching")
    watch.wait_until_idle()
    assert watch.stop() == 0


@pytest.mark.parametrize("watching", [Impatient], indirect=True)
def test_a_ledger_that_is_held_by_another_program_is_waited_for(
    watching: Watching, home: Path, ledger: Path, agent: Agent
) -> None:
    with closing(sqlite3.connect(ledger, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        agent.add("The linter is ruff.")
        line = watching.wait_for("failed")
        assert line["code"] == "busy"
        connection.execute("ROLLBACK")
    watching.wait_for("mended")
    watching.wait_for("applied")
    assert entries(home)[-1] == "The linter is ruff."


def test_a_ledger_that_is_moved_away_is_not_written_to_any_more(
    watching: Watching, ledger: Path, agent: Agent
) -> None:
    for place in [*ledger.parent.glob("ledger.db*")]:
        place.rename(place.with_name(f"old-{place.name}"))
    agent.add("The linter is ruff.")
    watching.wait_for("reopened")
    watching.wait_for("applied")
    assert ledger.exists()


def test_a_home_that_goes_away_and_comes_back_is_waited_for(
    watching: Watching, home: Path, agent: Agent
) -> None:
    home.rename(home.with_name("away"))
    watching.wait_for("failed")
    home.with_name("away").rename(home)
    agent.add("The linter is ruff.")
    watching.wait_for("applied")


def test_a_person_reads_one_line_per_event(home: Path, ledger: Path, agent: Agent) -> None:
    agent.add("The linter is ruff.")
    watch = Watching(home, ledger)
    deadline = time.monotonic() + WAIT
    while not entries(home)[-1].startswith("The linter") and time.monotonic() < deadline:
        time.sleep(0.05)
    watch.process.send_signal(signal.SIGTERM)
    out, _ = watch.process.communicate(timeout=WAIT)
    lines = out.decode().splitlines()
    assert [line.split()[2] for line in lines] == ["started", "applied", "watching", "stopped"]
    assert "  add memory  " in lines[1]
    assert {line[21:32].strip() for line in lines} == {line.split()[2] for line in lines}


def test_a_failure_says_what_helps_on_the_same_line() -> None:
    detail = {"code": "not-permitted", "message": "Refused.", "hint": "Check it.", "again_in": 1.0}
    failed = WatchEvent(datetime(2026, 10, 1, tzinfo=UTC), "failed", detail=detail)
    helps = "Refused.  Check it.  Trying again in 1 s, then at growing intervals."
    assert happening_words(failed).endswith(helps)


class Unheard(Watching):
    """The program where the system's watches of its user are used up."""

    def __init__(self, home: Path, ledger: Path, *options: str) -> None:
        used_up = 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"'
        below = ["unshare", "--user", "--map-root-user", "sh", "-c", used_up, "sh"]
        if (
            shutil.which("unshare") is None
            or subprocess.run([*below, "true"], check=False).returncode
        ):
            pytest.skip("no namespace of users can be made here")
        program = (
            f"import os, sys; os.execvp('unshare', {below!r} + [sys.executable] + sys.argv[1:])"
        )
        self.program = ("-c", program, *Watching.program)
        super().__init__(home, ledger, *options)


def test_where_no_watch_is_left_it_looks_every_few_seconds_and_says_so_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("memories", "skills", "pending/memory"):
        (home / name).mkdir(parents=True)
    set_entries(home, "Tests run with tox.")
    agent = Agent(home, Ticking())
    watch = Unheard(home, tmp_path / "ledger" / "ledger.db", "--json")
    watch.wait_for("watching")
    for text in ("The linter is ruff.", "Releases are cut on Mondays."):
        id = agent.add(text)
        watch.wait_for("applied", source=f"pending/memory/{id}.json")
    watch.process.send_signal(signal.SIGTERM)
    _, told = watch.process.communicate(timeout=WAIT)
    assert watch.process.returncode == 0
    assert told.count(b"fs.inotify.max_user_instances") == 1, told
    assert told.count(b"looks every few seconds") == 1, told
