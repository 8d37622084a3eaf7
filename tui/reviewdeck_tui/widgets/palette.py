"""Rich styles by meaning, for widgets that paint their own segments."""

from __future__ import annotations

from typing import Final

from rich.color import Color
from rich.style import Style
from textual.theme import Theme

from reviewdeck_tui.theme import meanings

_BACKGROUNDS: Final = ("-line", "-mark")


class Palette:
    """The styles of one theme. A name that ends in ``-line`` or ``-mark`` is a background."""

    def __init__(self, theme: Theme) -> None:
        self._styles = {
            name: _style(name, Color.parse(colour)) for name, colour in meanings(theme).items()
        }
        marked = Style(bold=True, underline=True)
        for name in ("added-mark", "removed-mark", "flag-mark"):
            self._styles[name] += marked
        self._styles["dropped"] = self["quiet"] + Style(strike=True)
        self._styles["match-mark"] += self._styles["match"]

    def __getitem__(self, meaning: str) -> Style:
        """The style of a meaning; of an unknown one, that of plain text."""
        return self._styles.get(meaning, self._styles["text"])


def _style(name: str, colour: Color) -> Style:
    if name.endswith(_BACKGROUNDS):
        return Style(bgcolor=colour)
    return Style(color=colour)
