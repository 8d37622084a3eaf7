"""The colours: readable by the measure of WCAG, and told apart without any."""

from __future__ import annotations

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from tests.tui.kit_widgets import WidgetApp, document, row
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from reviewdeck_tui.theme import PREFIX, THEMES, meanings

AA = 4.5
WORDS = [
    *("ready", "conflict", "dead", "refused", "dangerous", "quarantined", "deferred", "draft"),
    *("text", "quiet", "heading", "lost", "flag"),
    *("syntax-heading", "syntax-keyword", "syntax-string", "syntax-comment", "syntax-number"),
    "syntax-name",
]


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in Color.parse(colour).normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """1 to 21."""
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("ground", ["background", "surface", "panel", "cursor-line"])
def test_every_meaning_is_readable_on_every_ground(theme: Theme, ground: str) -> None:
    colours = meanings(theme)
    on = getattr(theme, ground) if hasattr(theme, ground) else colours[ground]
    poor = {word: contrast(colours[word], on) for word in WORDS}
    assert {word: round(found, 2) for word, found in poor.items() if found < AA} == {}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("tone", ["added", "removed"])
def test_changed_lines_and_their_marks_are_readable(theme: Theme, tone: str) -> None:
    colours = meanings(theme)
    words = [tone, "quiet", *(word for word in WORDS if word.startswith("syntax-"))]
    for ground, inks in ((f"{tone}-line", words), (f"{tone}-mark", [tone])):
        found = {ink: round(contrast(colours[ink], colours[ground]), 2) for ink in inks}
        assert {ink: value for ink, value in found.items() if value < AA} == {}, ground


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_flags_and_matches_are_readable(theme: Theme) -> None:
    colours = meanings(theme)
    assert contrast(colours["flag"], colours["flag-mark"]) >= AA
    assert contrast(colours["match"], colours["match-mark"]) >= AA
    assert contrast(colours["cursor"], colours["cursor-line"]) >= AA


@pytest.mark.parametrize("theme", BUILTIN_THEMES.values(), ids=lambda theme: theme.name)
def test_any_theme_has_every_meaning(theme: Theme) -> None:
    assert set(meanings(theme)) == set(meanings(THEMES[0]))


def test_a_theme_may_set_a_meaning_of_its_own() -> None:
    theme = Theme(name="own", primary="#ffffff", variables={f"{PREFIX}ready": "#123456"})
    assert meanings(theme)["ready"] == "#123456"


async def test_without_any_colour_signs_and_words_carry_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    after = "kept\nnew words\n"
    app = WidgetApp([row("a")], document("kept\nold words\ngone\n", after))
    async with app.run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        shown = "\n".join(app.diff.render_line(y).text for y in range(6))
        assert "- old words" in shown
        assert "+ new words" in shown
        assert "- gone" in shown
        queue = app.queue.render_line(0).text
        assert queue.startswith(">")
        assert "#" in queue
        marked = [
            segment.text
            for y in range(6)
            for segment in app.diff.render_line(y)
            if segment.style and segment.style.underline
        ]
        assert marked == ["old", "new"], "the changed words are underlined, not only coloured"


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_with_sixteen_colours_no_text_has_the_colour_of_its_ground(theme: Theme) -> None:
    colours = dict(meanings(theme)) | {"background": str(theme.background)}

    def few(meaning: str) -> int | None:
        return RichColor.parse(colours[meaning]).downgrade(ColorSystem.STANDARD).number

    pairs = [(word, ground) for word in WORDS for ground in ("background", "cursor-line")]
    pairs += [
        (tone, f"{tone}-{kind}") for tone in ("added", "removed") for kind in ("line", "mark")
    ]
    pairs += [("flag", "flag-mark"), ("match", "match-mark"), ("cursor", "cursor-line")]
    assert [pair for pair in pairs if few(pair[0]) == few(pair[1])] == []
