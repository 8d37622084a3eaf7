"""The deck opens without the command line's parser where the words are plain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.cli.program import Ran

from reviewdeck.cli import deck_start
from reviewdeck.engine.options import Settings


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Settings]:
    """What the deck was opened with, in a terminal that is none."""
    found: list[Settings] = []

    def run(settings: Settings, *, plain: bool) -> int:
        found.append(settings)
        return 0

    for name in ("one", "two"):
        (tmp_path / name / "memories").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(deck_start, "is_terminal", lambda: True)
    monkeypatch.setattr(deck_start, "import_module", lambda name: SimpleNamespace(run=run))
    return found


def test_plain_words_open_it(asked: list[Settings], tmp_path: Path) -> None:
    assert deck_start.try_open_deck(["--home", "one", "--ledger", "x.db"]) == 0
    (settings,) = asked
    assert [home.resolve() for home in settings.homes] == [tmp_path / "one"]
    assert settings.ledger == "x.db"


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["--plain"],
        ["--json"],
        ["--help"],
        ["--home"],
        ["--home=one"],
        ["--home", "one", "--home", "two"],
        ["--home", "one", "rest"],
    ],
)
def test_everything_else_goes_the_long_way(asked: list[Settings], words: list[str]) -> None:
    assert deck_start.try_open_deck(words) is None
    assert asked == []


def test_without_a_terminal_nothing_opens(
    asked: list[Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deck_start, "is_terminal", lambda: False)
    assert deck_start.try_open_deck([]) is None
    assert asked == []


def test_where_hermes_is_not_installed_the_tour_opens(
    asked: list[Settings], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    toured: list[str] = []

    def run_tour() -> int:
        toured.append("tour")
        return 0

    tour = SimpleNamespace(run_tour=run_tour)
    monkeypatch.setattr(deck_start, "import_module", lambda name: tour)
    monkeypatch.delenv("HERMES_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    assert deck_start.try_open_deck([]) == 0
    assert toured == ["tour"] and asked == []


def test_no_words_at_all_print_the_status_where_there_is_no_terminal(
    tmp_path: Path, run: Callable[..., Ran]
) -> None:
    (tmp_path / "user" / ".hermes").mkdir(parents=True)
    ran = run()
    assert (ran.code, ran.err) == (0, "") and ran.out.startswith("home ")
