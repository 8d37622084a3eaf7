"""Columns are measured in the cells of a terminal, and colours go to terminals only."""

from __future__ import annotations

import io
import os
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rich.cells import cell_len

from reviewdeck.cli import columns
from reviewdeck.cli.columns import Cell, Column, cells, is_coloured, table, truncate
from reviewdeck.cli.queue_page import Page, render_page
from reviewdeck.model import Finding, Kind, QueueItem, Severity, State
from reviewdeck.text.inert import visible


class Terminal(io.StringIO):
    """A stream that says that somebody looks at it."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@given(some.text(max_size=40), some.integers(1, 30))
def test_a_shortened_text_is_never_wider_than_asked(text: str, width: int) -> None:
    inert = visible(text, keep="")
    short = truncate(inert, width)
    assert cells(short) <= width
    assert short == inert or (short.endswith("…") and cell_len(inert) > width)


def test_wide_characters_count_as_two_cells() -> None:
    page = table(
        [Column("a", 5), Column("b", 3, is_right=True)],
        [[Cell("日本語"), Cell("1")], [Cell("abc"), Cell("22")]],
        is_coloured=False,
    )
    assert page == "a       b\n日本…   1\nabc    22\n"
    assert {cell_len(line) for line in page.splitlines()} == {9}


def test_a_style_covers_the_text_and_not_what_fills_the_column() -> None:
    page = table(
        [Column("s", 6), Column("t", 1)], [[Cell("+ ok", "green"), Cell("x")]], is_coloured=True
    )
    assert page.splitlines()[1] == "\x1b[32m+ ok\x1b[0m   x"


@pytest.mark.parametrize(
    ("variables", "unwanted", "expected"),
    [
        ({"TERM": "xterm"}, False, True),
        ({}, False, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, False, True),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "xterm"}, True, False),
    ],
)
def test_colours_go_where_they_are_wanted(
    variables: dict[str, str], unwanted: bool, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TERM", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert is_coloured(Terminal(), unwanted) is expected
    assert not is_coloured(io.StringIO(), unwanted)


def test_the_width_is_what_columns_says_else_the_terminals_else_80(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "132")
    assert columns.width() == 132
    monkeypatch.setenv("COLUMNS", "7")
    assert columns.width() == 40
    monkeypatch.setenv("COLUMNS", "wide")
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((111, 30)))
    assert columns.width() == 111
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((0, 0)))
    assert columns.width() == 80


@pytest.mark.parametrize("width", [40, 50, 60, 80, 100, 200])
@pytest.mark.parametrize("homes", [1, 3])
def test_every_line_of_a_page_fills_the_width_and_leaves_room_for_the_gist(
    width: int, homes: int
) -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    names = {f"/h/{number}": f"profile-with-a-long-name-{number}" for number in range(homes)}
    findings = tuple(Finding(f"rule {number}", Severity.LOW, "") for number in range(12))
    items = [
        QueueItem(
            id=f"{number:08x}" * 4,
            home="/h/0",
            source=None,
            source_id=None,
            kind=Kind.MEMORY,
            action="add",
            target="日本語の長い名前のスキルです",
            state=State.QUARANTINED,
            verdict=None,
            digest=None,
            findings=findings,
            reason="",
            origin="background_review",
            summary="",
            created_at=now,
            ingested_at=now,
            position=number,
            gist="A long summary of something that an agent wants to keep " * 3,
        )
        for number in range(3)
    ]
    said = render_page(Page(items, names, None, "", width, is_coloured=False), now).splitlines()
    assert {cell_len(line) for line in said} == {width}
    assert "add: A l" in said[1]
