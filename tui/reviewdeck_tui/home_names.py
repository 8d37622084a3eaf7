"""The names by which every screen tells the homes of a deck apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from reviewdeck.ports import Home
from reviewdeck.presentation.words import home_words


def names_of(homes: Iterable[Home]) -> dict[str, str]:
    """A distinct name for each home, by its id."""
    return distinct_names({home.id: home_words(home.name, home.kind) for home in homes})


def distinct_names(names: Mapping[str, str]) -> dict[str, str]:
    """The name for each home id: its own, else the end of its path that no other home has."""
    own = list(names.values())
    return {id: name if own.count(name) == 1 else _end_of(id, names) for id, name in names.items()}


def _end_of(id: str, ids: Iterable[str]) -> str:
    parts, others = PurePath(id).parts, [PurePath(other).parts for other in ids if other != id]
    for amount in range(1, len(parts)):
        end = parts[-amount:]
        if all(other[-amount:] != end for other in others):
            return "/".join(end)
    return id
