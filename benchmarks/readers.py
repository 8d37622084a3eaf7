"""The share of forms of a SKILL.md that we read as the real agents do.

`one reader` takes every file as a strict YAML parser does, whichever agent loads it.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from tests.reading import forms
from tests.reading.recordings import Recording, line, predicted, recorded

from reviewdeck.homes.skill_tree import EXCLUDED_DIRECTORIES
from reviewdeck.planning.frontmatter import parse_front
from reviewdeck.reading.agents import AGENTS

_SETS = {"A": (forms.A,), "A to F": forms.ALL}


def _one_reader(*sets: dict[str, bytes]) -> Recording:
    shown: Recording = {}
    for path, data in (item for files in sets for item in files.items()):
        folders = PurePosixPath(path).parts[:-1]
        if not path.endswith("/SKILL.md") or not EXCLUDED_DIRECTORIES.isdisjoint(folders):
            continue
        front = parse_front(data.decode("utf-8", "replace").replace("\r\n", "\n"))
        if front is not None:
            description = front.fields.get("description", "")
            shown[path] = line(folders[-1], str(description))
    return shown


def _same(first: Recording, second: Recording, paths: set[str]) -> int:
    return sum(first.get(path) == second.get(path) for path in paths)


def main() -> None:
    """Prints a table."""
    for name, sets in _SETS.items():
        paths = {path for files in sets for path in files}
        total = len(paths) * len(AGENTS)
        before = after = 0
        print(f"{name}: {len(paths)} forms")
        for agent in AGENTS:
            real = recorded(agent)
            one, ours = _one_reader(*sets), predicted(agent, *sets)
            before, after = before + _same(one, real, paths), after + _same(ours, real, paths)
            missed = sorted(path for path in paths if ours.get(path) != real.get(path))
            print(
                f"  {agent.name}: one reader {_same(one, real, paths)}, as the agent reads", end=" "
            )
            print(_same(ours, real, paths), *missed)
        print(f"  all: {before / total:.1%} before, {after / total:.1%} after, of {total}")


if __name__ == "__main__":
    main()
