"""JSON of other programs that nests without end is refused as other rubbish is."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewdeck.cli.hook_lines import hook_lines
from reviewdeck.files.folder import MANIFEST, read_manifest
from reviewdeck.homes.gated.governed import folders_in
from reviewdeck.sessions.spool import record_of
from reviewdeck.text.json import json_object, load_json
from reviewdeck.user_service import watched_by

CORE = Path(__file__).parents[2] / "core/reviewdeck"
OWN = ("agents", "demo", "engine", "ledger", "reading", "testing")
"""They stand alone, have a limit of their own, or read what this program wrote."""
_LOADS = re.compile(r"\bjson\.loads?\(")

NESTED = '{"hooks": ' + "[" * 5_000 + "]" * 5_000 + "}"


def _manifest(text: str, folder: Path) -> object:
    (folder / MANIFEST).write_text(text)
    trash = os.open(folder, os.O_RDONLY)
    try:
        return read_manifest(trash)
    finally:
        os.close(trash)


def _roots(text: str, folder: Path) -> object:
    (folder / "install.json").write_text(text)
    return folders_in(folder / "install.json")


def _spooled(text: str, _folder: Path) -> object:
    return record_of(b"%08x %b" % (zlib.crc32(text.encode()), text.encode()))


READERS: dict[str, Callable[[str, Path], object]] = {
    "a manifest of displaced bytes": _manifest,
    "the record of an installation": _roots,
    "a line of the spool": _spooled,
    "the hooks of a settings file": lambda text, folder: hook_lines(text, "{}", str(folder)),
    "an object": lambda text, _folder: json_object(text),
}


@pytest.mark.parametrize("reader", READERS)
def test_what_nests_too_deep_is_read_as_nothing(reader: str, tmp_path: Path) -> None:
    assert not READERS[reader](NESTED, tmp_path)


def test_a_unit_whose_homes_nest_too_deep_is_none_of_ours() -> None:
    assert not watched_by(f"Watch={NESTED}").homes


@pytest.mark.parametrize("brackets", ['"[[[[', '["\\"[[["', "[]" * 300, '["' + "[" * 300 + '"]'])
def test_brackets_in_strings_and_beside_each_other_are_no_depth(brackets: str) -> None:
    try:
        load_json(brackets)
    except ValueError as error:
        assert "nested" not in str(error)


def test_bytes_are_read_in_the_encodings_of_json() -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert load_json('{"a": "ä"}'.encode(encoding)) == {"a": "ä"}


def test_json_of_others_is_read_in_one_place() -> None:
    readers = {
        str(path.relative_to(CORE))
        for path in CORE.rglob("*.py")
        if path.relative_to(CORE).parts[0] not in OWN and _LOADS.search(path.read_text("utf-8"))
    }
    assert readers == {"text/json.py"}
