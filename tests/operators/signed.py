"""A deck whose decisions are signed, over a small home."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.engine.kit import OPERATOR, Agent, Ticking, quiet

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.errors import NotVerified
from reviewdeck.operators.authority import Operators
from reviewdeck.operators.keys import KdfCost, KeySigner
from reviewdeck.operators.ring import Act, RingEntry
from reviewdeck.operators.vault import Vault
from reviewdeck.ports import Probe

CHEAP = KdfCost(passes=1, memory=8192)
"""What a guess costs in a test: nothing."""
WORDS = "correct horse battery"


@dataclass
class Office:
    """A home, a ledger, the operators' directory, and whoever works there."""

    root: Path
    home: Path
    clock: Ticking
    agent: Agent
    decks: list[Engine] = field(default_factory=list)

    @property
    def ledger(self) -> Path:
        """The ledger's file."""
        return self.root / "ledger" / "ledger.db"

    @property
    def vault(self) -> Vault:
        """The operators' directory."""
        return Vault(self.root / "operators", CHEAP)

    @property
    def policy(self) -> Path:
        """Where a policy file would be."""
        return self.root / "policy.toml"

    @property
    def settings(self) -> Settings:
        """What a deck is opened with."""
        return Settings(
            homes=(self.home,),
            ledger=str(self.ledger),
            user_home=self.root,
            actor=OPERATOR,
            operators=self.root / "operators",
            policy=PolicyPlace(self.policy),
            lock_wait=2.0,
        )

    def init(self, name: str = "dana", words: str = WORDS) -> KeySigner:
        """The first operator."""
        signer = self.vault.make_key(name, words)
        self.vault.note(RingEntry(Act.TRUST, name, signer.public), signer, self.clock())
        with suppress(NotVerified), closing(open_engine(self.settings, now=self.clock)) as deck:
            # As `reviewdeck init` does: the ledger knows the keys by one that was open.
            deck.authority.unlock(words)
            deck.operator()
        return signer

    def open(self, words: str | None = WORDS, *, probe: Probe = quiet) -> Engine:
        """A deck, unlocked where a passphrase is given, that has taken the home in."""
        deck = open_engine(self.settings, now=self.clock, probe=probe)
        self.decks.append(deck)
        if words is not None:
            deck.authority.unlock(words)
        deck.intake()
        return deck

    def locked(self) -> Engine:
        """A deck of somebody without a passphrase."""
        return self.open(None)

    @contextmanager
    def sql(self) -> Iterator[sqlite3.Connection]:
        """The database as anybody at this account can open it, without what guards it."""
        with closing(sqlite3.connect(self.ledger, isolation_level=None)) as connection:
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'trigger'"
                " AND (name LIKE 'event%' OR name = 'proposal_moves')"
            ).fetchall():
                connection.execute(f"DROP TRIGGER {name}")
            yield connection


def operators_of(deck: Engine) -> Operators:
    """The authority of a deck with keys."""
    found = deck.authority
    assert isinstance(found, Operators)
    return found


def with_tick(deck: Engine, tick: list[float]) -> Engine:
    """The deck with a clock for idleness that stands still until it is moved."""
    known = operators_of(deck)
    authority = Operators(
        known.vault,
        deck.ledger,
        known._unsigned,
        now=deck.now,
        tick=lambda: tick[0],
        policy=known.policy,
    )
    return replace(deck, authority=authority)
