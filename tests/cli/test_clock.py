"""The system's clock goes back between two runs: order is that of the log, and nothing is lost."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.project.outside import START, Program, Transcript, long_root


def times(events: list[dict[str, Any]]) -> list[datetime]:
    return [datetime.fromisoformat(event["at"]) for event in events]


def events(there: Transcript) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = there.quietly("log", "--json", "--limit", "1000").json["events"]
    return told


def documents_learnt(there: Transcript) -> list[str]:
    return [one["document"] for one in there.quietly("since", "--json").json]


def test_decisions_while_the_clock_is_behind_come_after_those_before(tmp_path: Path) -> None:
    (tmp_path / "user").mkdir()
    root = long_root(tmp_path)
    with Program(tmp_path / "user") as program:
        assert program("demo", str(root / "home")).code == 0
        there = Transcript(program, root, root / "home")
        ready = there.quietly("list", "--state", "ready", "--json").json
        assert there.quietly("reject", ready[0]["id"], "--reason", "no").code == 0
        held = next(one for one in ready[1:] if one["action"] == "patch")
        before = events(there)

        assert there.quietly("since", "--mark").code == 0

        program.now = START - timedelta(days=3)
        assert there.quietly("auto").code == 3
        document = there.quietly("since", "--json").json
        assert {"memories/MEMORY.md", "memories/USER.md"} <= {one["document"] for one in document}
        done = there.quietly("approve", held["id"], "--digest", held["digest"], "--json")
        assert done.code == 0, done
        (changed,) = done.json["operation"]["changes"]
        told = events(there)
        assert told[: len(before)] == before
        assert min(times(told[len(before) :])) >= max(times(before)), "nothing is dated back"
        verified = there.quietly("log", "--verify")
        assert (verified.code, verified.err) == (0, ""), verified
        assert changed["document"] in documents_learnt(there)
        assert there.quietly("since", "--mark").code == 0
        assert documents_learnt(there) == []
        assert there.quietly("undo", done.json["operation"]["id"]).code == 0
        assert documents_learnt(there) == [changed["document"]]

        program.now = START + timedelta(hours=1)
        for words in (("log", "--verify"), ("fsck",), ("doctor",), ("recover",), ("status",)):
            ran = there.quietly(*words)
            assert (ran.code, ran.err) == (0, ""), (words, ran)
        assert there.quietly("auto").code == 3
        assert documents_learnt(there) == [changed["document"]]
        told = events(there)
        assert min(times(told[len(before) :])) >= max(times(before))
        assert [event["sequence"] for event in told] == list(range(1, len(told) + 1))
