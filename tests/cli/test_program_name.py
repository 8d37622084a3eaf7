"""Commands that are suggested can be pasted where the program is."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewdeck.cli.program_name import program_name, with_program_name


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program in a virtual environment below the current folder, which PATH does not know."""
    program = tmp_path / ".venv" / "bin" / "reviewdeck"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(program), "list"])
    monkeypatch.setenv("PATH", "/nowhere")
    return program


def test_a_program_that_path_does_not_find_is_called_by_its_path(installed: Path) -> None:
    assert program_name() == ".venv/bin/reviewdeck"
    assert with_program_name("See `reviewdeck list`.") == "See `.venv/bin/reviewdeck list`."


def test_a_program_that_path_finds_is_called_by_its_name(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(installed.parent))
    assert program_name() == "reviewdeck"
    assert with_program_name("See `reviewdeck list`.") == "See `reviewdeck list`."


def test_what_was_not_started_as_the_program_has_its_name(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["pytest"])
    assert program_name() == "reviewdeck"


def test_a_path_with_spaces_is_quoted(
    installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    odd = tmp_path / "my tools" / "reviewdeck"
    odd.parent.mkdir()
    odd.touch(mode=0o755)
    monkeypatch.setattr("sys.argv", [str(odd)])
    assert program_name() == "'my tools/reviewdeck'"
