"""Colours by meaning, dark and light.

Every sign and word also works without its colour. `meanings` gives the colours for any theme that
the operator picks: our themes carry their own, all others get the dark or the light set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.theme import Theme

PREFIX: Final = "deck-"

_DARK: Final[dict[str, str]] = {
    "ready": "#7fd18b",
    "conflict": "#e8c15a",
    "dead": "#a3a9b4",
    "refused": "#ff8f8f",
    "dangerous": "#ff8f8f",
    "quarantined": "#d7a6f0",
    "deferred": "#7fc8d8",
    "live": "#ffcf6b",
    "draft": "#9db8ff",
    "added": "#8fdc9a",
    "removed": "#ff9c98",
    "added-line": "#14261a",
    "removed-line": "#2b1719",
    "added-mark": "#1f5a30",
    "removed-mark": "#6d262b",
    "lost": "#ffb4a8",
    "flag": "#ffcf6b",
    "flag-mark": "#5c4310",
    "match": "#101318",
    "match-mark": "#f0c94c",
    "text": "#dfe3ea",
    "quiet": "#a3a9b4",
    "heading": "#a9c1ff",
    "cursor": "#ffffff",
    "cursor-line": "#2a3d66",
    "behind-line": "#1d222b",
    "rule": "#3a4252",
    "syntax-heading": "#a9c1ff",
    "syntax-keyword": "#c9a8ff",
    "syntax-string": "#b5d6a0",
    "syntax-comment": "#a3a9b4",
    "syntax-number": "#f0b98d",
    "syntax-name": "#8ccbe8",
}

_LIGHT: Final[dict[str, str]] = {
    "ready": "#1b6b30",
    "conflict": "#7a5300",
    "dead": "#565d69",
    "refused": "#a8171f",
    "dangerous": "#a8171f",
    "quarantined": "#74309a",
    "deferred": "#0d6173",
    "live": "#6f4a00",
    "draft": "#2a4bb5",
    "added": "#17612a",
    "removed": "#98161e",
    "added-line": "#e3f4e4",
    "removed-line": "#fbe6e5",
    "added-mark": "#b4e3ba",
    "removed-mark": "#f4bfbd",
    "lost": "#98161e",
    "flag": "#6f4a00",
    "flag-mark": "#fbe1a1",
    "match": "#17191d",
    "match-mark": "#ffd54a",
    "text": "#20242b",
    "quiet": "#565d69",
    "heading": "#28489f",
    "cursor": "#0d1117",
    "cursor-line": "#c7d7f8",
    "behind-line": "#ebecec",
    "rule": "#b9bec8",
    "syntax-heading": "#28489f",
    "syntax-keyword": "#6a2fb0",
    "syntax-string": "#3c5c12",
    "syntax-comment": "#565d69",
    "syntax-number": "#84410a",
    "syntax-name": "#0b5a7d",
}

DARK: Final = Theme(
    name="deck-dark",
    primary="#7ea2f0",
    secondary="#5f7fbf",
    accent="#e8c15a",
    warning="#e8c15a",
    error="#ff8f8f",
    success="#7fd18b",
    foreground="#dfe3ea",
    background="#101318",
    surface="#161a21",
    panel="#1f2530",
    dark=True,
    variables={f"{PREFIX}{name}": colour for name, colour in _DARK.items()},
)

LIGHT: Final = Theme(
    name="deck-light",
    primary="#2f56b8",
    secondary="#4f6fb8",
    accent="#7a5300",
    warning="#7a5300",
    error="#a8171f",
    success="#1b6b30",
    foreground="#20242b",
    background="#fbfbfa",
    surface="#f3f3f1",
    panel="#e6e7e6",
    dark=False,
    variables={f"{PREFIX}{name}": colour for name, colour in _LIGHT.items()},
)

THEMES: Final = (DARK, LIGHT)


def meanings(theme: Theme) -> Mapping[str, str]:
    """The colours by meaning under a theme, which may override ours."""
    colours = _DARK if theme.dark else _LIGHT
    return {
        name: theme.variables.get(f"{PREFIX}{name}", colour) for name, colour in colours.items()
    }
