"""A terminal of sixteen colours shows what each colour means."""

from __future__ import annotations

import pytest
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as Background
from textual.theme import Theme

from reviewdeck_tui.ansi16 import Ansi16Filter
from reviewdeck_tui.theme import THEMES, meanings

HUES = {"ready": "2", "dangerous": "1", "lost": "1", "heading": "6"}


def _codes(ink: str, ground: str = "#000000") -> list[str]:
    style = Style(color=Color.parse(ink), bgcolor=Color.parse(ground))
    (segment,) = Ansi16Filter().apply([Segment("x", style)], Background.parse("black"))
    assert segment.style is not None
    said = segment.style.render("x", color_system=ColorSystem.STANDARD)
    return said.removeprefix("\x1b[").partition("m")[0].split(";")


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("name", HUES)
def test_a_meaning_keeps_its_hue(theme: Theme, name: str) -> None:
    ink, *_ = _codes(meanings(theme)[name])
    assert ink in (f"3{HUES[name]}", f"9{HUES[name]}")


def test_a_tint_behind_letters_does_not_swallow_them() -> None:
    assert _codes("#8fdc9a", "#1f5a30") == ["92", "40"]
    assert _codes("#a01818", "#fde6e6") == ["31", "107"]


def test_yellow_on_white_is_black() -> None:
    assert _codes("#7a5200", "#fcfcfa") == ["30", "107"]


def test_the_cursors_line_stands_out() -> None:
    assert _codes("#ffffff", "#2c3a58") == ["97", "44"]
    assert _codes("#1c2026", "#d0dcf8") == ["30", "47"]
