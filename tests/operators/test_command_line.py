"""`init`, `operators` and `policy sign` as a person has them, in a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.engine.kit import Agent, Ticking, entries, set_entries
from tests.operators.signed import CHEAP
from tests.operators.terminals import Said, account, piped, program, typed

from reviewdeck.engine.confirmation import code_of, is_code
from reviewdeck.operators.ring import BUILT_IN, Act, RingEntry
from reviewdeck.operators.vault import Vault

WORDS = "correct horse battery"
OTHER = "a staple of another kind"
SECRET = [("New passphrase", WORDS), ("Repeat passphrase", WORDS)]
PASSPHRASE = [("Passphrase", WORDS)]


@dataclass
class Person:
    """Somebody at an account of their own, with a terminal."""

    root: Path
    agent: Agent

    @property
    def env(self) -> dict[str, str]:
        return account(self.root)

    def words(self, *tokens: str) -> list[str]:
        where = ["--home", str(self.agent.home), "--ledger", str(self.root / "ledger.db")]
        return program(*tokens, *where)

    def has_a_key(self) -> None:
        """What `init` leaves behind, with a key that costs nothing to open."""
        vault, at = Vault(self.root / "data" / "reviewdeck" / "operators", CHEAP), datetime.now(UTC)
        signer = vault.make_key("dana", WORDS)
        vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, at)
        vault.note(RingEntry(Act.POLICY, policy=BUILT_IN), signer, at)

    def types(self, answers: list[tuple[str, str]], *tokens: str) -> Said:
        """Runs a command in a terminal, and answers its questions."""
        return typed(self.words(*tokens), answers, self.env)

    def reads(self, *tokens: str) -> Any:
        """What a command prints as JSON, without a terminal."""
        return json.loads(piped(self.words(*tokens, "--json"), "", self.env).stdout)


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    home = tmp_path / "home"
    (home / "memories").mkdir(parents=True)
    set_entries(home, "Tests run with tox.", "The staging host is stg-2.")
    yield Person(tmp_path, Agent(home, Ticking()))


@pytest.mark.slow  # Programs in terminals, and Argon2id as hard as it is meant to be.
def test_a_person_makes_a_key_and_decides_with_it(person: Person) -> None:
    person.agent.replace("tox", "Tests run with nox.")
    made = person.types(SECRET, "init", "--name", "dana")
    assert made.code == 0 and "dana signs decisions from now on" in made.screen, made.screen
    assert WORDS not in made.screen  # Nothing that is secret is echoed.
    again = person.types(SECRET, "init")
    assert again.code == 1 and "operators here already" in again.screen

    (item,) = person.reads("list")
    digest = item["digest"]
    wrong = person.types(
        [("Passphrase", "not these words")], "approve", item["id"], "--digest", digest
    )
    assert wrong.code == 1 and "opens no operator's key" in wrong.screen
    done = person.types(PASSPHRASE, "approve", item["id"], "--digest", digest)
    assert done.code == 0 and "applied" in done.screen, done.screen
    assert "Tests run with nox." in entries(person.agent.home)

    listed = person.reads("operators", "list")
    assert [key["operator"] for key in listed["keys"]] == ["dana"]
    assert listed["standing"] == "signed, locked (tier 1)"

    kin = person.types([("Passphrase of", WORDS), *SECRET], "operators", "add", "erin")
    assert kin.code == 0 and "Trusted erin" in kin.screen, kin.screen
    gone = person.types([("Passphrase of", WORDS)], "operators", "revoke", "dana")
    # Both have the same words here: whose key it is, is asked for by none of them.
    assert gone.code == 0, gone.screen
    rest = piped(person.words("operators", "export"), "", person.env).stdout.split()
    assert rest[0] == "erin" and len(rest[1]) == 64


@pytest.mark.slow  # Programs in terminals.
def test_no_pipe_no_flag_and_no_variable_gives_a_passphrase(person: Person) -> None:
    person.agent.replace("tox", "Tests run with nox.")
    person.has_a_key()
    (item,) = person.reads("list")
    tokens = ("approve", item["id"], "--digest", item["digest"])
    env = person.env | {"REVIEWDECK_PASSPHRASE": WORDS, "PASSPHRASE": WORDS}
    done = piped(person.words(*tokens), f"{WORDS}\n{WORDS}\n", env)
    assert done.returncode == 1 and "no terminal to ask on" in done.stderr
    flagged = piped(person.words(*tokens, "--passphrase", WORDS), "", env)
    assert flagged.returncode == 2
    assert "Tests run with tox." in entries(person.agent.home)


@pytest.mark.slow  # Programs in terminals.
def test_a_policy_is_signed_and_auto_says_why_it_does_nothing(person: Person) -> None:
    person.has_a_key()
    person.agent.add("The linter is ruff.")
    policy = person.root / "config" / "reviewdeck" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text("version = 1\n")
    report = person.reads("auto")
    assert report["applied"] == [] and "not the one that dana signed" in report["suspended"][0]
    told = piped(person.words("auto"), "", person.env)
    assert "automatic approval is off" in told.stderr
    assert "automatic approval is off" in piped(person.words("status"), "", person.env).stdout
    signed = person.types([("Passphrase of", WORDS)], "policy", "sign")
    assert signed.code == 0, signed.screen
    used = person.types(PASSPHRASE, "resume")
    assert used.code == 0, used.screen
    assert len(person.reads("auto")["applied"]) == 1


def test_a_code_is_bound_to_its_digest() -> None:
    one, other = code_of("a" * 64), code_of("b" * 64)
    assert one != other and len(one) == 4
    assert is_code(f" {one.lower()} ", "a" * 64)
    assert not is_code(one, "b" * 64) and not is_code("", "a" * 64)
