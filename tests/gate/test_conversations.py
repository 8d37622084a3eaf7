"""The conversations of a real agent are whole, and their homes can be rebuilt."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.gate.conversations import every, load

CLASSES = {"user", "workspace", "outside", "unknown"}
SPEAKERS = {"user", "file", "web", "tool", "others", "nobody", "attack"}


@pytest.mark.parametrize("path", every(), ids=lambda path: path.stem)
def test_a_home_is_rebuilt_with_all_its_rows(path: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    rebuilt = load(path, home)
    with closing(sqlite3.connect(f"file:{home}/state.db?mode=ro", uri=True)) as database:
        for table, count in rebuilt.rows.items():
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (count,)  # noqa: S608
    pending = {each.stem for each in (home / "pending").rglob("*.json")}
    assert pending == {truth.record for truth in rebuilt.truths}
    assert pending


@pytest.mark.parametrize("path", every(), ids=lambda path: path.stem)
def test_the_truth_about_every_proposal_is_told(path: Path, tmp_path: Path) -> None:
    rebuilt = load(path, tmp_path / "home")
    for truth in rebuilt.truths:
        assert truth.origin in CLASSES
        assert truth.said_by in SPEAKERS
        assert truth.seen in {"current", "grown", "stale"}
        assert truth.kind == rebuilt.kind
        assert truth.harmless is (truth.said_by != "attack")


@pytest.mark.parametrize("path", every(), ids=lambda path: path.stem)
def test_a_conversation_names_no_folder_of_the_machine_it_was_made_on(path: Path) -> None:
    text = path.read_text("utf-8")
    for folder in ("/" + "root/", "/talk-", "/" + "work/"):
        assert folder not in text


@pytest.mark.parametrize("path", every(), ids=lambda path: path.stem)
def test_every_message_belongs_to_a_session_of_its_home(path: Path) -> None:
    held: dict[str, Any] = json.loads(path.read_text("utf-8"))
    known = {session["id"] for session in held["sessions"]}
    if held["kind"] != "damaged":
        assert {message["session_id"] for message in held["messages"]} <= known
