"""The policy that is checked is the one that was judged with, and no agent brings its own."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.operators.signed import Office
from tests.operators.terminals import account, piped

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import PolicyPlace
from reviewdeck.operators import enrolment
from reviewdeck.operators.authority import operators_in
from reviewdeck.policy.in_force import Policy
from reviewdeck.policy_file import read_source

LENIENT = "[limits]\nentry = 599\n"
SIGNED = "[limits]\nentry = 12\n"
FACT = "The linter of the project is ruff."


def signed(office: Office) -> Engine:
    """A deck where the strict policy is the signed one."""
    office.init()
    office.policy.write_text(SIGNED, "utf-8")
    deck = office.open()
    enrolment.sign_policy(operators_in(deck.authority), deck.policy().mark)
    office.agent.add(FACT)
    return deck


def test_a_policy_that_is_swapped_after_it_was_judged_with_applies_nothing(office: Office) -> None:
    deck = signed(office)
    office.policy.write_text(LENIENT, "utf-8")
    read = deck.policy

    def swapping() -> Policy:
        """What is read is judged with; then the signed file is in its place again."""
        policy = read()
        office.policy.write_text(SIGNED, "utf-8")
        return policy

    report = replace(deck, policy=swapping).auto()
    assert report.applied == ()
    assert report.suspended and "policy" in report.suspended[0]
    assert FACT not in (office.home / "memories" / "MEMORY.md").read_text("utf-8")


def test_a_policy_that_is_swapped_in_after_the_check_judges_nothing(office: Office) -> None:
    deck = signed(office)
    read = deck.policy

    def swapping() -> Policy:
        policy = read()
        office.policy.write_text(LENIENT, "utf-8")
        return policy

    assert replace(deck, policy=swapping).auto().applied == ()
    assert FACT not in (office.home / "memories" / "MEMORY.md").read_text("utf-8")


@pytest.mark.parametrize("kind", ["pipe", "directory", "device"])
def test_only_a_regular_file_is_a_policy(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "policy.toml"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case _:
            path = Path("/dev/null")
    with pytest.raises(OSError, match=r"regular|directory"):
        read_source(PolicyPlace(path))


def test_a_pipe_in_the_place_of_the_policy_holds_nobody_up_and_lets_nothing_in(
    office: Office,
) -> None:
    os.mkfifo(office.policy)
    office.agent.add(FACT)
    deck = office.open(None)
    report = deck.auto()
    assert report.applied == ()
    assert "regular file" in " ".join(report.problems)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.slow  # Programs in processes of their own.
@pytest.mark.parametrize("way", ["--policy", "REVIEWDECK_POLICY", "XDG_CONFIG_HOME"])
def test_a_known_agent_brings_no_policy_of_its_own(office: Office, way: str) -> None:
    own = office.root / "brought" / "reviewdeck" / "policy.toml"
    own.parent.mkdir(parents=True)
    own.write_text(LENIENT, "utf-8")
    office.agent.add(FACT)
    agent = office.root / "claude"
    agent.symlink_to("/bin/sh")
    env = account(office.root)
    option = ""
    match way:
        case "--policy":
            option = f"--policy {own}"
        case "XDG_CONFIG_HOME":
            env |= {way: str(office.root / "brought")}
        case _:
            env |= {way: str(own)}
    where = f"--home {office.home} --ledger {office.ledger} {option} --json"
    script = f"'{sys.executable}' -m reviewdeck.cli.main auto {where}; true"
    said = piped([str(agent), "-c", script], "", env).stdout
    assert '"code": "agent"' in said and "may not choose the policy" in said
    assert FACT not in (office.home / "memories" / "MEMORY.md").read_text("utf-8")
