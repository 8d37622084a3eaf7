"""A rule from decisions, made by keys: what is offered, what is written, what it does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.operators.signed import CHEAP, WORDS
from tests.tui.kit_deck import Cockpit, Driver
from tests.tui.pictures import SIZES, different_pictures, opened
from textual.widgets import Input

from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.operators.ring import Act, RingEntry
from reviewdeck.operators.vault import Vault
from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.screens.dialogs import PassphraseDialog
from reviewdeck_tui.screens.rule import RuleDialog

TICKETS = (
    "OPS-1201 is closed since Monday.",
    "The import was broken in ETL-77.",
    "Dana works on WEB-310 now.",
    "CORE-9 blocks the release.",
    "Ask about DOC-454 tomorrow.",
)
SIXTH = "PAY-18 waits for the bank."


@dataclass
class RuledCockpit(Cockpit):
    """A deck with a policy file, or a place for one."""

    signs: bool = False

    @property
    def policy(self) -> Path:
        """The policy file."""
        return self.ledger.parent / "policy.toml"

    @property
    def settings(self) -> Settings:
        """What the deck is opened with."""
        operators = self.ledger.parent / "operators" if self.signs else None
        return replace(super().settings, policy=PolicyPlace(self.policy), operators=operators)


@pytest.fixture
def ruled(cockpit: Cockpit) -> RuledCockpit:
    for path in (cockpit.home / "pending").rglob("*.json"):
        path.unlink()
    return RuledCockpit(cockpit.home, cockpit.ledger, cockpit.clock, cockpit.agent)


def _stage(ruled: RuledCockpit, *texts: str) -> None:
    for text in texts:
        ruled.agent.add(text, origin="background_review")


async def _reject_all(deck: Driver) -> None:
    """One by one, as a person does."""
    for _ in range(len(deck.ids)):
        await deck.press("r", "4")
    await deck.write_drafts()


async def _offered(deck: Driver) -> RuleDialog:
    await deck.press("P")
    await deck.until(lambda: isinstance(deck.app.screen, RuleDialog))
    dialog = deck.app.screen
    assert isinstance(dialog, RuleDialog)
    return dialog


async def test_a_rule_is_made_by_keys_from_five_rejections_and_holds_the_sixth(
    ruled: RuledCockpit,
) -> None:
    ruled.policy.parent.mkdir(parents=True, exist_ok=True)
    ruled.policy.write_text("# mine\nversion = 1\n")
    _stage(ruled, *TICKETS)
    async with ruled.open() as deck:
        await _reject_all(deck)
        await deck.until(lambda: bool(deck.screen.rules.words))
        deck.screen.clear_message()
        assert deck.strip.strip() == (
            "You rejected 5 of 5 that name a ticket (as ABC-123). P makes a rule of it."
        )
        await _offered(deck)
        assert "It would have matched 5 past ones, 0 that you approved." in deck.shown()
        await deck.press("h")
        await deck.until(lambda: "names-ticket" in ruled.policy.read_text())
        assert ruled.policy.read_text().startswith("# mine\nversion = 1\n\n[[rule]]\n")
        await deck.until(lambda: "what it matches waits" in deck.strip)
        _stage(ruled, SIXTH)
        await deck.refresh(force=True)
        await deck.until(lambda: len(deck.ids) == 1)
        await deck.settle()
        assert "You turned down 5 of 5 that name a ticket" in deck.shown()
        deck.screen.clear_message()
        assert "makes a rule" not in deck.strip


async def test_a_rule_that_rejects_is_written_with_x_and_the_sixth_is_refused(
    ruled: RuledCockpit,
) -> None:
    _stage(ruled, *TICKETS[:3])
    async with ruled.open() as deck:
        await _reject_all(deck)
        _stage(ruled, SIXTH)
        await deck.refresh(force=True)
        await deck.until(lambda: len(deck.ids) == 1)
        await _offered(deck)
        assert "1 of them waits now" in deck.shown()
        await deck.press("x")
        await deck.until(lambda: deck.screen.items[deck.cursor].state == "refused")
        assert 'effect = "reject"' in ruled.policy.read_text()
        assert "This proposal changed just now" in deck.strip
    engine = ruled.engine()
    assert len(engine.auto().rejected) == 1
    engine.close()


async def test_back_writes_nothing_and_the_offer_does_not_come_again(ruled: RuledCockpit) -> None:
    _stage(ruled, *TICKETS[:3])
    async with ruled.open() as deck:
        await _reject_all(deck)
        await deck.until(lambda: bool(deck.screen.rules.words))
        await _offered(deck)
        await deck.press("escape")
        assert not ruled.policy.exists()
        assert deck.screen.rules.words == ""


async def test_without_equal_decisions_the_key_says_so(ruled: RuledCockpit) -> None:
    _stage(ruled, *TICKETS[:2])
    async with ruled.open() as deck:
        await deck.press("r", "4", "P")
        await deck.until(lambda: "Drafts count once they are written." in deck.strip)
        await _reject_all(deck)
        await deck.press("P")
        await deck.until(lambda: deck.strip.endswith("have enough in common for a rule."))


async def test_why_the_file_takes_no_rule_is_told_whole_before_the_choice(
    ruled: RuledCockpit,
) -> None:
    _stage(ruled, *TICKETS[:3])
    async with ruled.open(size=(80, 30)) as deck:
        await _reject_all(deck)
        ruled.policy.write_text("version = 1\ncolour = 'blue'\n")
        dialog = await _offered(deck)
        await deck.until(lambda: "It cannot be written:" in deck.shown())
        words = " ".join(deck.shown().split())
        assert "is wrong: line 2: " in words
        assert "colour" in words
        assert "write it" not in words
        await deck.press("h", "x")
        assert deck.app.screen is dialog
        assert ruled.policy.read_text() == "version = 1\ncolour = 'blue'\n"


async def test_an_error_is_said_and_the_file_stays(ruled: RuledCockpit) -> None:
    _stage(ruled, *TICKETS[:3])
    async with ruled.open() as deck:
        await _reject_all(deck)
        await _offered(deck)
        ruled.policy.write_text("rule = []\n")
        await deck.press("h")
        await deck.until(lambda: "would be wrong with this rule" in deck.strip)
        assert ruled.policy.read_text() == "rule = []\n"


async def test_where_decisions_are_signed_the_passphrase_signs_the_file(
    ruled: RuledCockpit,
) -> None:
    _past(ruled, *TICKETS[:3])
    ruled.signs = True
    operators = ruled.settings.operators
    assert operators is not None
    vault = Vault(operators, CHEAP)
    signer = vault.make_key("dana", WORDS)
    vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, ruled.clock())
    async with ruled.open() as deck:
        await _offered(deck)
        assert "Your key signs the file again." in deck.shown()
        await deck.press("h")
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        assert not ruled.policy.exists()
        deck.app.screen.query_one(Input).value = WORDS
        await deck.press("enter")
        await deck.until(ruled.policy.exists)
        await deck.until(lambda: "is in the policy file" in deck.strip)
    engine = ruled.engine()
    assert engine.authority.why_nothing_is_automatic() is None
    engine.close()


def _past(ruled: RuledCockpit, *texts: str) -> None:
    """What an earlier run of a command leaves behind."""
    _stage(ruled, *texts)
    engine = ruled.engine()
    engine.intake()
    for item in engine.pending():
        engine.reject(item.id, "not worth keeping")
    engine.close()


async def test_the_offer_looks_as_it_did(
    ruled: RuledCockpit,
    tmp_path: Path,
    snapshot: SnapshotAssertion,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(EngineWorker, "policy_path", "/home/dana/.config/reviewdeck/policy.toml")
    _past(ruled, *TICKETS)
    _stage(ruled, SIXTH)

    async def offered(deck: Driver) -> None:
        await _offered(deck)

    moment = ruled.clock.moment + timedelta(hours=2)
    ruled.now = lambda: moment  # Ages do not depend on how often the clock is asked.
    sizes = SIZES[:2]  # At the third the deck below is laid out anew, some time later.
    app = opened(ruled)
    assert await different_pictures(app, offered, snapshot, tmp_path, sizes=sizes) == []
