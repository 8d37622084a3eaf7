"""What the outside sees of reviewdeck is what was recorded: words, JSON, codes, bytes, digests.

The recordings are in `golden/`. To record anew, after a change that is meant to be seen:

    REVIEWDECK_RECORD=1 pytest tests/project/test_outside.py

and read the difference as what a user will notice. Nothing here knows a module of reviewdeck.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.project.outside import START, Program, Transcript, long_root

GOLDEN = Path(__file__).with_name("golden")
FIXTURE = Path(__file__).parents[1] / "fixtures" / "hermes-home.tar.gz"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_root(tmp_path_factory.mktemp("outside"))


@pytest.fixture(scope="module")
def program(root: Path) -> Iterator[Program]:
    (root / "user").mkdir()
    with Program(root / "user") as running:
        yield running


def demo(program: Program, root: Path, name: str) -> Transcript:
    """The sample home, written by the program at the moment it has."""
    program.now = START
    there = Transcript(program, root, root / name)
    assert program("demo", str(there.home)).code == 0
    return _begun(there)


def hermes(program: Program, root: Path, name: str) -> Transcript:
    """The home that the real Hermes made."""
    program.now = START
    with tarfile.open(FIXTURE) as archive:
        archive.extractall(root / f"{name}-unpacked", filter="data")
    home = (root / f"{name}-unpacked" / "hermes_home").rename(root / name)
    return _begun(Transcript(program, root, home))


def _begun(there: Transcript) -> Transcript:
    for record in there.home.glob("pending/*/*.json"):
        there.names.keep(record.stem)
    there.files("at first")
    return there


def same_as_recorded(name: str, there: Transcript) -> None:
    """Whether a transcript is the recording, or becomes it where that was asked for."""
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("REVIEWDECK_RECORD"):
        file.write_text(there.text, "utf-8")
    recorded = file.read_text("utf-8").splitlines()
    assert there.text.splitlines() == recorded, (
        f"{file.name} says otherwise; REVIEWDECK_RECORD=1 records anew"
    )


def one_of_each(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first item of each kind, action and state."""
    kinds = {(item["kind"], item["action"], item["state"]): item for item in reversed(items)}
    return [item for item in items if item in kinds.values()]


def test_the_made_up_home_looks_as_it_did(program: Program, root: Path) -> None:
    there = demo(program, root, "looked-at")
    items = there.name_what_waits()
    for words in (("status",), ("doctor",), ("log",), ("since", "3d"), ("auto", "--dry-run")):
        there.run(*words, columns=240)
        there.run(*words, "--json")
    there.run("status", "--short")
    there.run("list")
    there.run("list", "--limit", "3", "--state", "ready")
    there.run("list", "--json")
    for item in items:
        there.run("show", item["id"], "--json")
        there.run("diff", item["id"])
    for item in one_of_each(items):
        there.run("show", item["id"], columns=160)
        there.run("policy", "explain", item["id"])
        check_digest(there, item, there.run("diff", item["id"], "--json").json)
    there.run("policy", "explain", "a1c40f27", "--json")
    for document in ("memory", "release-notes"):
        for command in ("history", "blame"):
            there.run(command, document, columns=160)
            there.run(command, document, "--json")
    there.files("after looking")
    same_as_recorded("demo", there)


def test_a_home_of_hermes_looks_as_it_did(program: Program, root: Path) -> None:
    there = hermes(program, root, "hermes")
    items = there.name_what_waits()
    there.run("status", columns=240)
    for words in (("list",), ("list", "--json"), ("auto", "--dry-run", "--json")):
        there.run(*words)
    for item in items:
        there.run("diff", item["id"])
    for item in one_of_each(items):
        check_digest(there, item, there.quietly("diff", item["id"], "--json").json)
    there.files("after looking")
    same_as_recorded("hermes", there)


def check_digest(there: Transcript, item: dict[str, Any], shown: dict[str, Any]) -> None:
    """What an operator signs can be worked out without reviewdeck, from what it showed."""
    assert shown["digest"] == item["digest"]
    if item["digest"] is not None:
        record = (there.home / item["source"]).read_bytes()
        said = {"home": str(there.home), "payloads": [_sum(record)], "texts": _texts(shown)}
        canonical = json.dumps(said, sort_keys=True, separators=(",", ":"))
        assert item["digest"] == _sum(canonical.encode()), item["source"]


def _texts(shown: dict[str, Any]) -> dict[str, list[str]]:
    """Each document's revisions: before and after, or the three of a conflict."""
    if (conflict := shown["conflict"]) is None:
        return {
            one["document"]: [_revision(one["before"]), _revision(one["after"])]
            for one in shown["documents"]
        }
    sides = [_revision(conflict[side]) for side in ("base", "live", "proposed")]
    assert conflict["others"] == []
    return {conflict["document"]: sides}


def _revision(text: str | None) -> str:
    return "absent" if text is None else _sum(text.encode())


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


APPROVED = {
    "add": "f141a3e9",
    "replace": "cd551737",
    "remove": "2c1d0e80",
    "batch": "09591ae6",
    "create": "3eb54d85",
    "edit": "a8f81a22",
    "patch": "ee3b4ecd",
    "patch of a file": "16f03440",
    "a new file": "f75c6ded",
    "a file anew": "f5f6af03",
    "a file that goes": "854506c6",
    "delete": "a1417826",
}
"""Hermes' ids in the fixture, one for each thing that an agent can ask for."""


def test_what_is_approved_and_taken_back_leaves_the_same_bytes(
    program: Program, root: Path
) -> None:
    there = hermes(program, root, "approved")
    there.name_what_waits()
    operation = ""
    for what, id in APPROVED.items():
        digest = there.quietly("diff", id, "--json").json["digest"]
        done = there.run("approve", id, "--digest", digest, "--json").json
        there.files(f"approved: {what}")
        operation = done["operation"]["id"]
        undone = there.run("undo", operation, "--json").json
        there.files(f"taken back: {what}")
        if what in ("replace", "delete"):
            there.run("undo", undone["operation"]["id"])
            there.files(f"done again: {what}")
    there.run("undo", operation)
    there.run("approve", "7c8e4440", "--digest", "0" * 64)
    there.run("approve", "7c8e4440")
    there.run("approve", "nothing", "--digest", "0" * 64)
    there.run("approve", "9d82f95c", "--digest", "0" * 64, "--json")
    digest = there.quietly("diff", "aec4121a", "--json").json["digest"]
    there.run("approve", "aec4121a", "--digest", digest[:12], "--supersede")
    there.files("approved for all that are alike")
    for words in (("log", "--limit", "20"), ("log", "--verify"), ("fsck",), ("doctor",)):
        there.run(*words, columns=240)
    same_as_recorded("approved", there)


def test_what_is_decided_about_the_made_up_home_leaves_the_same_bytes(
    program: Program, root: Path
) -> None:
    there = demo(program, root, "decided")
    items = {item["source_id"] or item["source"]: item for item in there.name_what_waits()}
    ids = {item["id"]: item for item in items.values()}
    there.run("auto", columns=160)
    there.files("applied by itself")
    there.run("auto", "--json")
    there.run("since", columns=160)
    there.run("since", "--json", "--mark")
    there.run("since")
    there.run("policy", "test", "--json")
    for take in ("words", "proposed", "live"):
        for id in [id for id, item in ids.items() if item["state"] == "conflict"][:2]:
            now = there.quietly("diff", id, "--json").json
            if now["state"] == "conflict":
                there.run("merge", id, "--take", take, "--digest", now["digest"])
        there.files(f"merged: {take}")
    own = root / "own.md"
    own.write_text("Only this.\n", "utf-8")
    there.run(*merge(there, "conflict", "memory"), "--file", str(own))
    there.files("merged: a text of one's own")
    dead = next(item for item in items.values() if item["state"] == "dead")
    there.run("reject", dead["id"], "--reason", "not so")
    there.files("rejected")
    there.run("reopen", dead["id"], "--reason", "it was so", "--json")
    ready = next(item for item in reversed(items.values()) if item["state"] == "ready")
    there.run("defer", ready["id"], "--reason", "ask Mara")
    broken, foreign = (items[name]["id"] for name in QUARANTINED)
    mended = root / "mended.json"
    payload = {"action": "add", "target": "user", "content": "Works from Vik on Fridays."}
    mended.write_text(json.dumps({"id": "6d41e07a", "subsystem": "memory", "payload": payload}))
    there.run("repair", broken, "--file", str(own))
    there.run("repair", broken, "--file", str(mended))
    there.files("repaired")
    digest = there.quietly("diff", broken, "--json").json["digest"]
    there.run("approve", broken, "--digest", digest)
    there.files("approved what was repaired")
    there.run("reject", foreign, "--reason", "nobody knows what it was")
    there.files("dismissed")
    back_to_the_first(there, "user")
    back_to_the_first(there, "harbour-emails")
    there.run("list", "--state", "rejected")
    there.run("list", "--json", "--limit", "500")
    there.run("history", "user", columns=160)
    there.run("blame", "user", columns=160)
    there.run("since", columns=160)
    there.run("log", "--json", "--limit", "1000")
    same_as_recorded("decided", there)


QUARANTINED = ("pending/memory/6d41e07a.json", "pending/memory/note-7781.json")


def merge(there: Transcript, state: str, target: str) -> tuple[str, ...]:
    """The words that merge the first proposal in a state."""
    found = there.quietly("list", "--state", state, "--json").json
    item = next(item for item in found if item["target"] == target)
    return ("merge", item["id"], "--digest", item["digest"])


def back_to_the_first(there: Transcript, document: str) -> None:
    """Restores a document as it was at first."""
    revision = there.run("history", document, "--json").json[0]["revision"]
    there.run("restore", document, revision[:12], columns=160)
    shown = there.run("restore", document, revision[:12], "--json").json
    if shown.get("digest"):
        there.run("restore", document, revision[:12], "--digest", shown["digest"])
    there.files(f"restored: {document}")


def test_what_is_cared_for_reads_as_it_did(program: Program, root: Path) -> None:
    there = demo(program, root, "cared-for")
    there.name_what_waits()
    session, script = (str(there.home / "sessions" / name) for name in REVIEWED)
    there.run("review", session, "--script", script)
    there.files("reviewed")
    turns = root / "turns.jsonl"
    messages = [{"role": "user", "content": "The shell is zsh."}]
    turns.write_text(json.dumps({"session": "s-1", "messages": messages}) + "\n")
    there.run("record", str(turns), "--platform", "telegram")
    there.run("pause")
    there.run("auto", columns=160)
    there.run("status", columns=240)
    there.run("resume")
    policy = root / "policy.toml"
    policy.write_text("version = 9\nnothing = 1\n")
    there.run("policy", "check", str(policy))
    there.run("policy", "test")
    there.run("recover")
    there.run("recover", "--json")
    there.run("operators", "list")
    there.run("operators", "list", "--json")
    there.run("operators", "export")
    there.run("init")
    secret = root / "secret"
    secret.write_text("poetry\n")
    there.run("purge", "--reason", "a trial", "--file", str(secret))
    there.run("fsck")
    there.run("fsck", "--json")
    there.run("doctor", columns=240)
    there.run("fsck", "--backup", "--prune")
    there.run("demo")
    there.run("serve")
    there.run("lst")
    there.run("list", "--state", "sleepy", "--json")
    there.files("in the end")
    same_as_recorded("cared-for", there)


REVIEWED = ("session_demo.json", "review_script.json")


def test_every_command_takes_what_it_took(program: Program, root: Path) -> None:
    """The help is read by people, and by whoever writes a script."""
    said = program("--help").out
    names = re.findall(r"^  ([a-z]+)  ", said, re.M)
    assert len(names) > 25
    said += "".join(f"\n$ {name}\n{program(name, '--help').out}" for name in names)
    there = Transcript(program, root, root / "none")
    there.lines = [line.rstrip() for line in said.splitlines()]
    same_as_recorded("help", there)
