"""Alarms and CPU beside two published scanners of skills, on harmful and on ordinary ones.

    python -m benchmarks.scanners FOLDER [--environments DIR]

The harmful ones are the twenty inert stand-ins of `tests/gate/test_harmful_skills.py`, each for a
family that somebody published. The ordinary ones are the first thirty skills, by name, below
FOLDER, a work tree of one public repository; files above 200 kB are left out. A skill counts that
has a finding of high or critical severity; husk grades none, and counts what it flags.

Each scanner is installed by pip into an environment of its own, in DIR where it is to be kept; one
that cannot be installed is left out, with a sentence. CPU is that of the whole command over all
fifty skills, the best of three runs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import report  # noqa: E402 - needs the path above
from benchmarks.skill_rates import rates_of  # noqa: E402
from tests.gate.test_harmful_skills import HARMFUL  # noqa: E402

ORDINARY: Final = 30
_LARGEST: Final = 200_000
"""Bytes of a file that is copied."""
_RUNS: Final = 3
_GRAVE: Final = frozenset({"HIGH", "CRITICAL"})


@dataclass(frozen=True, slots=True)
class Scanner:
    """A published scanner: how it is installed and asked."""

    package: str
    program: str
    arguments: tuple[str, ...]
    """Before the folders."""
    flagged: Callable[[str], frozenset[str]]
    """The names of the skills that its output alarms about."""
    is_recursive: bool = False
    """Whether it finds skills two folders below the one it is given."""


def _flagged_by_husk(output: str) -> frozenset[str]:
    return frozenset(json.loads(output)["flagged"])


def _flagged_by_cisco(output: str) -> frozenset[str]:
    results = json.loads(output[output.index("{") :])["results"]
    return frozenset(
        Path(one["skill_path"]).name
        for one in results
        if any(finding["severity"] in _GRAVE for finding in one["findings"])
    )


SCANNERS: Final = (
    Scanner("husk-scanner==1.5.0", "husk", ("registry", "--json"), _flagged_by_husk),
    Scanner(
        "cisco-ai-skill-scanner==2.3.2",
        "skill-scanner",
        ("scan-all", "--recursive", "--format", "json"),
        _flagged_by_cisco,
        is_recursive=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Result:
    """What one program made of the fifty skills."""

    name: str
    harmful: int
    ordinary: int
    seconds: float
    """Of CPU, over all of them."""


def make_harmful(folder: Path) -> None:
    """The stand-ins, as folders of skills."""
    for number, body in enumerate(HARMFUL):
        skill = folder / f"harmful-{number}"
        skill.mkdir(parents=True)
        head = f"---\nname: {skill.name}\ndescription: Writes the weekly report.\n---\n\n"
        (skill / "SKILL.md").write_text(f"{head}{body}\n", "utf-8")


def copy_ordinary(source: Path, folder: Path) -> None:
    """The first skills of a repository, by name."""
    skills = sorted(source.rglob("SKILL.md"), key=lambda file: file.parent.name)
    for number, file in enumerate(skills[:ORDINARY]):
        for each in (each for each in file.parent.rglob("*") if each.is_file()):
            if not each.is_symlink() and each.stat().st_size <= _LARGEST:
                copy = folder / f"ordinary-{number}" / each.relative_to(file.parent)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(each, copy)


def program_of(scanner: Scanner, environments: Path) -> Path:
    """The installed program. Raises CalledProcessError where pip cannot install it."""
    place = environments / scanner.program
    program = place / "bin" / scanner.program
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        pip = [str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", scanner.package], check=True)
    return program


def run(command: Sequence[str], home: Path) -> tuple[str, float]:
    """What a command prints, and its CPU seconds with those of what it starts: the best run's."""
    kept = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    best, output = float("inf"), ""
    for number in range(_RUNS):
        place = home / f"run-{number}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        before = os.times()
        finished = subprocess.run(
            command,
            env=kept | {"HOME": str(place), "XDG_DATA_HOME": str(place)},
            capture_output=True,
            text=True,
            check=False,
        )
        after = os.times()
        spent = after.children_user + after.children_system
        best = min(best, spent - before.children_user - before.children_system)
        output = finished.stdout
    return output, best


def ours(skills: Mapping[str, Path], place: Path) -> Iterator[Result]:
    """What `adopt` and `skills lock` say of them."""
    rates = [rates_of(folder, most=1_000) for folder in skills.values()]
    program = [sys.executable, "-c", "from reviewdeck.cli.entry import main; main()"]
    _, adopt = run([*program, "adopt", "--home", str(place)], place.parent / "ours")
    lock_command = [*program, "skills", "lock", str(place)]
    _, lock = run(lock_command, place.parent / "ours")
    harmful, ordinary = rates
    yield Result("reviewdeck adopt", harmful.adopt[0], ordinary.adopt[0], adopt)
    yield Result("reviewdeck skills lock", harmful.lock[0], ordinary.lock[0], lock)


def others(skills: Mapping[str, Path], place: Path, environments: Path) -> Iterator[Result]:
    """What the scanners say of them."""
    for scanner in SCANNERS:
        try:
            program = program_of(scanner, environments)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{scanner.package} is left out: it cannot be installed here ({error}).")
            continue
        folders = [place] if scanner.is_recursive else skills.values()
        command = [str(program), *scanner.arguments, *map(str, folders)]
        output, seconds = run(command, place.parent / scanner.program)
        try:
            flagged = scanner.flagged(output)
        except (ValueError, KeyError, TypeError) as error:
            print(f"{scanner.package} is left out: its answer is not understood ({error!r}).")
            continue
        harmful = sum(name.startswith("harmful-") for name in flagged)
        yield Result(scanner.package, harmful, len(flagged) - harmful, seconds)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--environments", type=Path, help="where the scanners stay installed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary) / "skills"
        skills = {kind: place / kind for kind in ("harmful", "ordinary")}
        make_harmful(skills["harmful"])
        copy_ordinary(arguments.folder, skills["ordinary"])
        environments = arguments.environments or Path(temporary) / "environments"
        results = [*ours(skills, place), *others(skills, place, environments)]
    print(f"{report.machine()}\n")
    rows = [
        [
            one.name,
            f"{one.harmful} of {len(HARMFUL)}",
            f"{one.ordinary} of {ORDINARY}",
            f"{one.seconds:.1f}",
        ]
        for one in results
    ]
    print(report.table(["", "harmful", "ordinary", "CPU, s"], rows), end="")


if __name__ == "__main__":
    main()
