"""Tier 2: an agent that is another user writes into pending/ and nowhere else."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.program import Program
from tests.operators.signed import Office

from reviewdeck.cli.doctor import DoctorCheck, Level, check_operators, places_of
from reviewdeck.errors import NotVerified
from reviewdeck.operators.separation import Account, SeparationPaths, breaches, commands

AGENT = Account("hermes-agent", 64_001, frozenset({64_001}))
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to act as a second user")


@pytest.fixture
def places() -> Iterator[SeparationPaths]:
    """A home and a ledger where anybody can get to, laid out for nobody in particular."""
    root = Path(tempfile.mkdtemp(prefix="separation-"))
    root.chmod(0o755)  # The folders that pytest makes are closed to others from the top.
    home = root / "home"
    for folder in ("memories", "skills/dev/notes", "pending/memory", "pending/skills"):
        (home / folder).mkdir(parents=True)
    (home / "memories" / "MEMORY.md").write_text("Tests run with tox.")
    (home / "skills" / "dev" / "notes" / "SKILL.md").write_text("# notes")
    (home / "config.yaml").write_text("memory: {write_approval: true}")
    ledger, operators = root / "ours" / "ledger.db", root / "ours" / "operators"
    operators.mkdir(parents=True)
    ledger.touch()
    yield SeparationPaths(home, ledger, operators, None, ())
    shutil.rmtree(root)


def separate(places: SeparationPaths) -> None:
    """Runs the commands that are printed, but for those that make users."""
    for line in commands(places, AGENT.name):
        words = shlex.split(line)
        if "useradd" in words:
            continue
        said = [word.replace("hermes-agent", str(AGENT.uid)) for word in words if word != "sudo"]
        subprocess.run(said, check=True, capture_output=True)


def test_a_ledger_beside_the_home_does_not_shut_the_agent_out(places: SeparationPaths) -> None:
    beside = replace(places, ledger=places.home.parent / "ledger.db")
    closed = [line for line in commands(beside, AGENT.name) if line.startswith("chmod 700")]
    assert closed == [f"chmod 700 {places.operators}"]


def as_agent(script: str, *arguments: str) -> dict[str, str]:
    """What a program gets that runs as the agent's user."""
    code = (
        "import json, os, pathlib, sys\n"
        f"os.setgroups([]); os.setgid({AGENT.uid}); os.setuid({AGENT.uid})\n{script}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


TRIES = """
home, ours = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
tries = {
    "propose": lambda: (home / "pending" / "memory" / "aa.json").write_text("{}"),
    "take back": lambda: (home / "pending" / "memory" / "aa.json").unlink(),
    "write a memory": lambda: (home / "memories" / "MEMORY.md").write_text("evil"),
    "add a memory": lambda: (home / "memories" / "USER.md").write_text("evil"),
    "replace the memories": lambda: (home / "memories").rename(home / "old"),
    "write a skill": lambda: (home / "skills" / "dev" / "notes" / "SKILL.md").write_text("evil"),
    "add a skill": lambda: (home / "skills" / "mine").mkdir(),
    "open the gate": lambda: (home / "config.yaml").write_text("evil"),
    "replace the gate": lambda: (home / "config.yaml").rename(home / "old.yaml"),
    "stage": lambda: (home / ".reviewdeck" / "x").write_text("evil"),
    "write the ledger": lambda: (ours / "ledger.db").write_text("evil"),
    "read the ledger": lambda: (ours / "ledger.db").read_bytes(),
    "read the keys": lambda: list((ours / "operators").iterdir()),
    "read a memory": lambda: (home / "memories" / "MEMORY.md").read_text(),
}
got = {}
for name, attempt in tries.items():
    try:
        attempt()
        got[name] = "done"
    except OSError as error:
        got[name] = type(error).__name__
print(json.dumps(got))
"""
MAY = {"propose", "take back", "read a memory"}


@needs_root
def test_what_is_printed_separates_them_as_a_second_user_finds_out(places: SeparationPaths) -> None:
    before = as_agent(TRIES, str(places.home), str(places.ledger.parent))
    assert before["propose"] == "PermissionError"  # Nothing is shared yet.
    separate(places)
    assert list(breaches(places, AGENT)) == []
    got = as_agent(TRIES, str(places.home), str(places.ledger.parent))
    assert {name for name, what in got.items() if what == "done"} == MAY
    assert {what for name, what in got.items() if name not in MAY} == {"PermissionError"}
    record = places.home / "pending" / "memory" / "bb.json"
    as_agent("pathlib.Path(sys.argv[1]).write_text('{}'); print('{}')", str(record))
    record.unlink()  # The operator takes away what the agent left.


@needs_root
@pytest.mark.parametrize(
    ("mode", "name"),
    [
        (0o777, "memories"),
        (0o666, "memories/MEMORY.md"),
        (0o777, "skills/dev"),
        (0o666, "config.yaml"),
        (0o2770, "."),
        (0o750, "pending/memory"),
    ],
)
def test_each_way_in_is_found(places: SeparationPaths, mode: int, name: str) -> None:
    separate(places)
    (places.home / name).chmod(mode)
    found = list(breaches(places, AGENT))
    assert found, "nothing was found"


@needs_root
def test_what_is_found_is_what_a_second_user_can_do(places: SeparationPaths) -> None:
    """The judgement from modes and the system's own agree, place by place."""
    separate(places)
    (places.home / "memories" / "MEMORY.md").chmod(0o666)
    got = as_agent(TRIES, str(places.home), str(places.ledger.parent))
    assert got["write a memory"] == "done"
    assert [one.path.name for one in breaches(places, AGENT)] == ["MEMORY.md"]


@needs_root
def test_an_operator_outside_the_agents_group_is_told_to_log_in_anew(
    places: SeparationPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    separate(places)
    monkeypatch.setattr(os, "geteuid", lambda: 1_000)
    monkeypatch.setattr(os, "getegid", lambda: 1_000)
    monkeypatch.setattr(os, "getgroups", lambda: [1_000])
    said = [one.problem for one in breaches(places, AGENT)]
    assert len(said) == 3
    assert all("you are not in its group" in one and "log in anew" in one for one in said)
    monkeypatch.setattr(os, "getgroups", lambda: [1_000, AGENT.uid])
    assert list(breaches(places, AGENT)) == []


@needs_root
def test_memories_that_the_agent_cannot_read_are_found(places: SeparationPaths) -> None:
    separate(places)
    os.chown(places.home / "memories", 0, 0)
    (places.home / "memories").chmod(0o2750)
    assert [one.problem for one in breaches(places, AGENT)] == ["hermes-agent cannot read it"]


def test_the_same_user_is_never_separate(places: SeparationPaths) -> None:
    same = replace(AGENT, uid=os.geteuid())
    (breach,) = breaches(places, same)
    assert "nothing is separate" in breach.problem


def checks_of(office: Office) -> dict[str, DoctorCheck]:
    return {check.name: check for check in check_operators(office.locked())}


def test_doctor_tells_the_truth_of_each_tier(office: Office) -> None:
    fresh = checks_of(office)["decisions"]
    assert "unsigned (tier 0)" in fresh.message and "reviewdeck init" in fresh.hint
    office.init()
    signed = checks_of(office)
    assert "signed (tier 1), 1 operator: dana" in signed["decisions"].message
    assert signed["policy"].level is Level.OK
    office.policy.write_text("version = 1\n")
    assert "auto-apply is off" in checks_of(office)["policy"].message
    (office.root / "operators" / "operators.jsonl").unlink()
    assert checks_of(office)["decisions"].level is Level.BAD
    assert NotVerified.code == "not-verified"
    assert places_of(office.settings, office.home).ledger == office.ledger


def test_doctor_prints_the_commands_for_a_user_who_is_not_there(demo: Program) -> None:
    ran = demo("doctor", "--separate", "--agent-user", "nobody-of-that-name", "--json")
    checks = json.loads(ran.out)
    assert ran.code == 1
    assert "tier 2 is not in force" in checks[0]["message"]
    lines = [check["message"] for check in checks if check["check"] == "command"]
    assert "useradd" in lines[0] and any("3770" in line for line in lines)


def test_a_name_in_a_command_is_one_word_whatever_it_has(demo: Program) -> None:
    name = "agent; reboot"
    checks = demo.read("doctor", "--separate", "--agent-user", name)
    lines = [shlex.split(check["message"]) for check in checks if check["check"] == "command"]
    assert lines[0][-1] == name
    assert not [words for words in lines if "reboot" in words]


def test_a_command_is_printed_whole(demo: Program) -> None:
    said = demo("doctor", "--separate", "--agent-user", "nobody-of-that-name").out
    assert [line for line in said.splitlines() if line.startswith("sudo useradd")]
    assert [line for line in said.splitlines() if line.startswith("sudo install -d -o")]
