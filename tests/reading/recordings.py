"""What the real agents showed their models of the forms, and what we say that they show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, TypeAlias

from tests.reading import forms

from reviewdeck.reading.agents import Agent
from reviewdeck.reading.discovery import SkillFile, loaded_by
from reviewdeck.reading.listing import listing, shown_in

_PLACE: Final = Path(__file__).parents[1] / "fixtures" / "readers"
_LONG: Final = 80
Recording: TypeAlias = dict[str, str]
"""For the path of each listed SKILL.md, the line about it; a long one by its ends and length."""


def recorded(agent: Agent) -> Recording:
    """What the real one showed."""
    read: Recording = json.loads((_PLACE / f"{agent.key}.json").read_text("utf-8"))
    return read


def line(name: str, description: str) -> str:
    """One line of a recording."""
    text = f"{name}: {description}"
    return text if len(text) <= _LONG else f"{text[:40]} [{len(text)}] {text[-10:]}"


def predicted(agent: Agent, *sets: dict[str, bytes]) -> Recording:
    """What we say that it shows."""
    contents = {path: data for files in sets for path, data in files.items()}
    files = [SkillFile(path) for path in contents]
    if sets[0] is forms.A:
        for path, target in forms.A_LINKS.items():
            is_folder = not path.endswith(".md")
            full, source = (
                (f"{path}/SKILL.md", f"{target}/SKILL.md") if is_folder else (path, target)
            )
            contents[full] = forms.A_OUTSIDE[source]
            files.append(
                SkillFile(full, folder_linked=is_folder, file_linked=not is_folder, leaves=True)
            )
    found = sorted(loaded_by(agent, files), key=lambda file: file.path)
    paths = {"/".join(file.folders): file.path for file in found}
    listings = [(folder, listing(contents[path], folder, agent)) for folder, path in paths.items()]
    return {
        paths[folder]: line(shown.name, shown.description)
        for folder, shown in shown_in(agent, listings).items()
    }
