"""The reviews that `auto --watch` starts by itself."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reviewdeck.cli import due_reviews
from reviewdeck.cli.due_reviews import StartedReviews
from reviewdeck.environment import settings_in

PROGRAM = """\
import json, sys
with open(sys.argv[1], "a") as file:
    file.write(json.dumps(sys.argv[2:]) + chr(10))
sys.exit(int(open(sys.argv[1] + ".code").read()))
"""


class Watched:
    """A watch over two homes, with a program that notes how it was started."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.homes = (folder / "one", folder / "two")
        for home in self.homes:
            (home / "memories").mkdir(parents=True)
        self.notes, self.file = folder / "started", folder / "reviewer.toml"
        self.ends_with(0)
        (folder / "program.py").write_text(PROGRAM, "utf-8")
        command = (sys.executable, str(folder / "program.py"), str(self.notes))
        monkeypatch.setattr(due_reviews, "program_command", lambda: command)
        monkeypatch.setattr(due_reviews, "reviewer_file", lambda: self.file)
        settings = settings_in(self.homes[0], ledger=str(folder / "l.db"), env=dict(os.environ))
        self.reviews = StartedReviews(replace(settings, homes=self.homes))

    def ends_with(self, code: int) -> None:
        self.notes.with_name("started.code").write_text(str(code), "utf-8")

    def turn(self, moment: float) -> list[tuple[str, object]]:
        """One turn of the watch, once a review that runs is over."""
        if self.reviews._child is not None:
            self.reviews._child.wait(60)
        return [(event.name, event.detail["code"]) for event in self.reviews.turn(moment)]

    @property
    def started(self) -> list[str]:
        """The homes of the reviews that were started, in order."""
        lines = self.notes.read_text("utf-8").splitlines() if self.notes.exists() else []
        words = [json.loads(line) for line in lines]
        assert all(each[:3] == ["review", "--since", "7d"] for each in words)
        return [each[each.index("--home") + 1] for each in words]


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    found = Watched(tmp_path, monkeypatch)
    yield found
    found.reviews.close()


def test_nothing_is_started_unless_it_is_set(watched: Watched) -> None:
    assert [watched.turn(moment) for moment in (0, 5_000)] == [[], []]
    assert watched.started == []


def test_each_home_is_reviewed_one_at_a_time_and_again_after_a_pause(watched: Watched) -> None:
    watched.file.write_text("[when]\nwatch = true\npause_minutes = 10\n", "utf-8")
    for moment in (0, 1, 2, 3, 599):
        assert watched.turn(moment) == []
    assert watched.started == [str(home) for home in watched.homes]
    for moment in (600, 601, 602):
        watched.turn(moment)
    assert watched.started == [str(home) for home in watched.homes] * 2


def test_a_home_whose_agent_reviews_with_ours_is_left_to_it(watched: Watched) -> None:
    watched.file.write_text("[when]\nwatch = true\n", "utf-8")
    place = watched.homes[0] / ".reviewdeck"
    place.mkdir()
    (place / "plugin.json").write_text(json.dumps({"v": 1, "reviewer": {"mode": "replace"}}))
    for moment in (0, 1, 2):
        watched.turn(moment)
    assert watched.started == [str(watched.homes[1])]


def test_a_review_that_failed_and_a_file_that_is_wrong_are_told_once(watched: Watched) -> None:
    watched.file.write_text("[when]\nwatch = true\n", "utf-8")
    watched.ends_with(5)
    assert watched.turn(0) == []
    assert watched.turn(1) == [("review-failed", 5)]
    watched.turn(2)
    watched.file.write_text("[when]\nwatch = 3\n", "utf-8")
    assert [name for name, _ in watched.turn(10_000)] == ["review-failed"]
    assert watched.turn(20_000) == []
