"""Rules of the house that a reader would otherwise have to check by hand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "core").rglob("*.py"), *(ROOT / "tui").rglob("*.py")])


_PACKAGES = {path.name for path in (ROOT / "core/reviewdeck").iterdir() if path.is_dir()}


def test_the_program_needs_nothing_that_only_tests_need() -> None:
    needs = re.compile(r"^ *(?:from|import) (?:pytest|reviewdeck\.testing)", re.M)
    program = [path for path in SOURCES if "testing" not in path.parts]
    assert [str(path) for path in program if needs.search(path.read_text("utf-8"))] == []


def test_nothing_is_left_for_later_in_the_source() -> None:
    unfinished = re.compile(r"NotImplementedError|\bTODO\b|\bFIXME\b|\bXXX\b")
    found = [str(path) for path in SOURCES if unfinished.search(path.read_text("utf-8"))]
    assert found == []


def test_no_file_names_a_place_of_one_machine() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout: nothing tells which files are part of it")
    machine = re.compile("|".join(["/" + "work/", "/" + "root/", "bash" + "_jobs/"]))
    wrong = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.suffix in {".gz", ".png"} or not path.is_file():
            continue
        if machine.search(path.read_text("utf-8", errors="replace")):
            wrong.append(name)
    assert wrong == []


def test_the_architecture_names_only_modules_functions_and_classes_that_exist() -> None:
    pages = ("docs/internals/architecture.md", "docs/internals/engine.md")
    text = "".join((ROOT / page).read_text("utf-8") for page in pages)
    package, wrong, found = ROOT / "core/reviewdeck", [], 0
    for place, names in re.findall(r"`([a-z_]+(?:/[a-z_]+)+)((?:\.[A-Za-z_]+)*)`", text):
        names = names.removesuffix(".py")
        module = package / f"{place}.py"
        if not module.is_file():
            if not (package / place).is_dir() and place.split("/")[0] in _PACKAGES:
                wrong.append(place)
            continue
        source = module.read_text("utf-8")
        for name in filter(None, names.split(".")):
            found += 1
            if not re.search(rf"^\s*(?:def|class) {name}\b|^{name}\b", source, re.MULTILINE):
                wrong.append(f"{place}.{name}")
    assert wrong == []
    assert found > 20


def test_the_readme_names_only_commands_that_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    named = set(re.findall(r"^reviewdeck ([a-z]+)", readme, re.M))
    listed = subprocess.run(
        [sys.executable, "-m", "reviewdeck.cli.main", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert named
    assert [name for name in named if not re.search(rf"\b{name}\b", listed.stdout)] == []
