"""The recordings of what agents show their models, against the real agents."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.contract.kit import PYTHON, needs_hermes
from tests.contract.reader_kit import listed, texts_shown
from tests.reading import forms, import_forms
from tests.reading.recordings import Recording, line, recorded

from reviewdeck.reading.agents import HERMES, HERMES_22, agent_called

FEW = 40
"""So many skills OpenClaw lists with their descriptions as they are."""
CHANCE = {"a17-one/SKILL.md", "a17-two/SKILL.md", "c59-nullname/SKILL.md", "c62-emptyname/SKILL.md"}
"""Of two skills of one name the file system, or chance, chooses."""
CHANCE |= {f"d{at}-alias/SKILL.md" for at in ("09", "11", "17", "18")}
PROGRAMS = {
    key: os.environ.get(f"REVIEWDECK_{key.upper()}", "")
    for key in ("claude", "codex", "gemini", "opencode", "openclaw", "letta")
}
_HERMES = """
import importlib.util, json, sys
from pathlib import Path
from agent.prompt_builder import _build_snapshot_entry, _parse_skill_file
from agent.skill_utils import iter_skill_index_files
root = Path(sys.argv[1])
shown = {}
for file in iter_skill_index_files(root, "SKILL.md"):
    is_shown, front, description = _parse_skill_file(file)
    entry = _build_snapshot_entry(file, root, front, description)
    if is_shown:
        shown[str(file.relative_to(root))] = [entry["frontmatter_name"], entry["description"]]
print(json.dumps([importlib.util.find_spec("hermes_yaml") is not None, shown]))
"""
"""What the installed Hermes lists, and whether it is one with a YAML of its own, as 0.22 is."""


SETS = {"a to c": forms.ALL[:3], "d": (forms.D,), "e": (forms.E,), "f": (forms.F,)}


@pytest.mark.parametrize("sets", SETS.values(), ids=SETS)
@pytest.mark.parametrize("key", PROGRAMS)
def test_the_model_is_shown_what_was_recorded(
    key: str, sets: tuple[dict[str, bytes], ...], tmp_path: Path
) -> None:
    if not PROGRAMS[key]:
        pytest.skip(f"REVIEWDECK_{key.upper()} names no program")
    agent = agent_called(key)
    assert agent is not None
    # Of many skills OpenClaw shortens the descriptions, of more it lists the names alone.
    groups = [(part,) for each in sets for part in _parts(each)] if key == "openclaw" else [sets]
    shown: Recording = {}
    for at, group in enumerate(groups):
        home = tmp_path / str(at)
        home.mkdir()
        shown |= listed(key, PROGRAMS[key], home, *group)
    paths = {path for each in sets for path in each} - CHANCE
    expected = {path: text for path, text in recorded(agent).items() if path in paths}
    if key == "letta":  # Its list has no paths: the plain form, links and twins are in it too.
        lines = set(shown.values())
        assert set(expected.values()) <= lines <= set(recorded(agent).values())
        return
    assert {path: text for path, text in shown.items() if path in paths} == expected


def test_claude_imports_what_was_recorded(tmp_path: Path) -> None:
    if not PROGRAMS["claude"]:
        pytest.skip("REVIEWDECK_CLAUDE names no program")
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / ".claude").mkdir()
    import_forms.write(project)
    shown = "\n".join(texts_shown("claude", PROGRAMS["claude"], tmp_path))
    every = {*import_forms.EXPECTED, *import_forms.LEFT, *import_forms.DEEP}
    found = {path for path in every if f"The text of {path} ends." in shown}
    assert found == import_forms.EXPECTED


def _parts(files: dict[str, bytes]) -> Iterator[dict[str, bytes]]:
    """A set of forms whole where links belong to it, else in small parts."""
    if files is forms.A:
        yield files
        return
    paths = sorted(files)
    for at in range(0, len(paths), FEW):
        yield {path: files[path] for path in paths[at : at + FEW]}


@needs_hermes
def test_hermes_lists_what_was_recorded(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    forms.write(root, *forms.ALL)
    done = subprocess.run(
        [PYTHON, "-c", _HERMES, str(root)],
        env={"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    is_later, found = json.loads(done.stdout.splitlines()[-1])
    agent = HERMES_22 if is_later else HERMES
    shown = {path: line(*each) for path, each in found.items()}
    assert shown == {path: text for path, text in recorded(agent).items() if path in shown}
    assert len(recorded(agent)) - len(shown) == len(forms.A_LINKS)
