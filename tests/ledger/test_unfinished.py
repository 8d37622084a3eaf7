"""What every place for unfinished merges has to do."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from reviewdeck.compose import unfinished_merges
from reviewdeck.errors import LedgerUnavailable
from reviewdeck.ports.unfinished import Unfinished, UnfinishedMerges
from reviewdeck.settings import Settings


def settings(folder: Path) -> Settings:
    """Settings whose ledger is in a folder."""
    return Settings(homes=(), ledger=str(folder / "ledger.db"), user_home=folder)


@pytest.fixture
def merges(tmp_path: Path) -> UnfinishedMerges:
    """The place that the engine is put together with."""
    return unfinished_merges(settings(tmp_path))


def test_nothing_is_kept_at_first(merges: UnfinishedMerges) -> None:
    assert merges.load("p") is None
    merges.forget("p")


def test_what_is_kept_comes_back_as_it_was(merges: UnfinishedMerges) -> None:
    value = {"v": 1, "text": "\x1b[2J \udc80 § ü", "list": [None, True, 1.5]}
    merges.save("p", "d", value)
    assert merges.load("p") == Unfinished("d", value)
    assert merges.load("q") is None


def test_the_last_one_counts_and_can_be_forgotten(merges: UnfinishedMerges) -> None:
    merges.save("p", "d", {"n": 1})
    merges.save("p", "e", {"n": 2})
    assert merges.load("p") == Unfinished("e", {"n": 2})
    merges.forget("p")
    assert merges.load("p") is None


@pytest.mark.parametrize("name", ["../../etc/x", "a/b", "", "." * 300, "\x00"])
def test_any_name_is_kept_in_its_place(merges: UnfinishedMerges, tmp_path: Path, name: str) -> None:
    merges.save(name, "d", {"name": name})
    assert merges.load(name) == Unfinished("d", {"name": name})
    assert [one.name for one in tmp_path.iterdir()] == ["ledger.merges"]


def test_another_program_finds_it_and_nobody_else_reads_it(
    merges: UnfinishedMerges, tmp_path: Path
) -> None:
    merges.save("p", "d", {"n": 1})
    program = (
        "import sys; from pathlib import Path;"
        "from reviewdeck.ledger.unfinished import MergeFolder;"
        "print(MergeFolder(Path(sys.argv[1])).load('p').value['n'])"
    )
    folder = tmp_path / "ledger.merges"
    found = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "1"
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"proposal": "q"}', b"\xff"])
def test_what_is_damaged_counts_as_none(
    merges: UnfinishedMerges, tmp_path: Path, damage: bytes
) -> None:
    merges.save("p", "d", {"n": 1})
    (file,) = (tmp_path / "ledger.merges").iterdir()
    file.write_bytes(damage)
    assert merges.load("p") is None
    merges.save("p", "d", {"n": 2})
    assert merges.load("p") == Unfinished("d", {"n": 2})


def test_a_file_that_was_begun_and_not_finished_counts_for_nothing(
    merges: UnfinishedMerges, tmp_path: Path
) -> None:
    merges.save("p", "d", {"n": 1})
    (file,) = (tmp_path / "ledger.merges").iterdir()
    file.with_suffix(".new").write_bytes(b'{"proposal"')
    assert merges.load("p") == Unfinished("d", {"n": 1})


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "ledger.merges").write_text("in the way")
    merges = unfinished_merges(settings(tmp_path))
    with pytest.raises(LedgerUnavailable):
        merges.save("p", "d", {})
    assert merges.load("p") is None
