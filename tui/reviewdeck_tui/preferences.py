"""The operator's own settings: theme, layout, keys. Read only from their own directory.

A home has no say in them: whoever writes to a home must not change a key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

Layout: TypeAlias = Literal["auto", "split", "unified"]

NAME: Final = "deck.toml"
LAYOUTS: Final[tuple[Layout, ...]] = ("auto", "split", "unified")


@dataclass(frozen=True, slots=True)
class Preferences:
    """The operator's own settings."""

    theme: str = "deck-dark"
    layout: Layout = "auto"
    """The layout of a diff: auto, split, unified."""
    wrap: bool = True
    plain: bool = False
    """Lines of text without drawing, for a screen reader."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Action name to its keys."""
    problems: tuple[str, ...] = ()
    """The parts of the file that could not be used."""


def preferences_path() -> Path:
    """The file in the user's configuration directory."""
    from platformdirs import user_config_path

    return user_config_path("reviewdeck") / NAME


def problems_here() -> tuple[str, ...]:
    """What is wrong in the user's own file."""
    return load_preferences(preferences_path()).problems


def load_preferences(path: Path) -> Preferences:
    """The settings of a file; what is wrong in it is reported and not used."""
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return Preferences()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return Preferences(problems=(f"{path} cannot be used: {error}",))
    keys, problems = _keys(raw.get("keys", {}))
    plain = Preferences()
    layout = raw.get("layout", plain.layout)
    if layout not in LAYOUTS:
        problems.append(f"layout is one of {', '.join(LAYOUTS)}")
        layout = plain.layout
    return Preferences(
        theme=str(raw.get("theme", plain.theme)),
        layout=layout,
        wrap=bool(raw.get("wrap", plain.wrap)),
        plain=bool(raw.get("plain", plain.plain)),
        keys=keys,
        problems=tuple(f"{path}: {problem}" for problem in problems),
    )


def _keys(raw: Any) -> tuple[dict[str, str], list[str]]:
    if not isinstance(raw, dict) or not all(isinstance(keys, str) for keys in raw.values()):
        return {}, ['[keys] takes lines such as approve = "a"']
    if not raw:
        return {}, []
    # Loads Textual, which `doctor` needs only where a key was changed.
    from reviewdeck_tui.keys import problems_of

    problems = problems_of(raw)
    return ({}, problems) if problems else (raw, [])
