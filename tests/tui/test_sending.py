"""What goes to the terminal leaves on it exactly what was painted."""

from __future__ import annotations

import random
from io import StringIO

import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from tests.tui.screen import Screen
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from reviewdeck_tui.sending import Sent

WIDTH, HEIGHT, CUT = 40, 6, 18
CONSOLE = Console(file=StringIO(), color_system="truecolor", force_terminal=True)
STYLES = [
    Style.parse(said)
    for said in (
        "red",
        "bold red on #101010",
        "underline",
        "dim on #333333",
        "reverse",
        "italic blue",
    )
]
TEXTS = (
    "plain text",
    "some of the same",
    "日本語、語",
    "語日本",
    "✓ naïve",
    "two  blanks",
    "x" * 60,
    "",
)


def strip(chance: random.Random, width: int) -> Strip:
    """A line of a widget: a few segments, exactly so wide."""
    segments = [Segment(chance.choice(TEXTS), chance.choice(STYLES)) for _ in range(3)]
    return Strip(segments).adjust_cell_length(width, STYLES[0])


@pytest.mark.parametrize("seed", range(60))
def test_what_is_not_sent_is_there_already(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # a reproducible choice, not a secret
    sent, screen, whole = Sent(), Screen(WIDTH, HEIGHT), Screen(WIDTH, HEIGHT)
    for _ in range(8):
        rows = [[strip(chance, CUT), strip(chance, WIDTH - CUT)] for _ in range(HEIGHT)]
        update: LayoutUpdate | ChopsUpdate
        if chance.random() < 0.3:
            update = LayoutUpdate([*rows], Region(0, 0, WIDTH, HEIGHT))
        else:
            chosen = sorted(chance.sample(range(HEIGHT), 3))
            spans = [(y, chance.choice((0, CUT)), chance.choice((WIDTH, 30))) for y in chosen]
            chops = [dict(zip((0, CUT), row, strict=True)) for row in rows]
            update = ChopsUpdate(chops, spans, [[CUT, WIDTH]] * HEIGHT)
        whole.feed(update.render_segments(CONSOLE))
        pieces = sent.only_changes(update)
        screen.feed(pieces.render_segments(CONSOLE) if pieces is not None else "")
        assert screen.cells == whole.cells


def test_the_same_again_sends_nothing() -> None:
    sent, line = Sent(), Strip([Segment("as it was", STYLES[0])])
    update = LayoutUpdate([[line]], Region(0, 0, 9, 1))
    assert sent.only_changes(update) is not None
    assert sent.only_changes(LayoutUpdate([[line]], Region(0, 0, 9, 1))) is None
    sent.forget()
    assert sent.only_changes(LayoutUpdate([[line]], Region(0, 0, 9, 1))) is not None


def test_beside_a_text_that_may_be_drawn_too_wide_only_what_is_right_of_it_is_sent_again() -> None:
    sent, screen = Sent(), Screen(WIDTH, 1)
    before = [_line("left"), _line("👩‍🚀 off"), _line("right")]
    assert sent.only_changes(LayoutUpdate([before], Region(0, 0, 30, 1))) is not None
    now = [before[0], _line("plain"), before[2]]
    pieces = sent.only_changes(LayoutUpdate([now], Region(0, 0, 30, 1)))
    assert pieces is not None
    said = pieces.render_segments(CONSOLE)
    screen.feed(said)
    assert "left" not in said
    shown = "".join(screen.cells[x, 0][0] for x in range(10, 30))
    assert shown == "plain     right     "


def _line(text: str) -> Strip:
    return Strip([Segment(text, STYLES[0])]).adjust_cell_length(10, STYLES[0])
