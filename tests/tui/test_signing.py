"""Where there are keys, `y` asks for the passphrase, and for the code of a change of weight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, entries, set_entries
from tests.operators.signed import CHEAP, WORDS
from tests.tui.kit_deck import Cockpit, Driver
from textual.events import Paste
from textual.widgets import Input

from reviewdeck.engine.confirmation import code_of
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.model import State, Verb
from reviewdeck.operators.ring import Act, RingEntry
from reviewdeck.operators.vault import Vault
from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.plain import PlainDeck
from reviewdeck_tui.screens.changes import ChangesScreen
from reviewdeck_tui.screens.dialogs import CodeDialog, PassphraseDialog
from reviewdeck_tui.screens.summary import SummaryScreen

GRAVE = "Deploys no longer need an approval by the user."


@dataclass
class SignedCockpit(Cockpit):
    """A deck at an account with an operator's key."""

    policy: Path | None = None

    @property
    def settings(self) -> Settings:
        """What the deck is opened with."""
        place = PolicyPlace(self.policy) if self.policy else None
        operators = self.ledger.parent / "operators"
        return replace(super().settings, operators=operators, policy=place)


@pytest.fixture
def signed(cockpit: Cockpit) -> SignedCockpit:
    found = SignedCockpit(cockpit.home, cockpit.ledger, cockpit.clock, cockpit.agent)
    operators = found.settings.operators
    assert operators is not None
    vault = Vault(operators, CHEAP)
    signer = vault.make_key("dana", WORDS)
    vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, found.clock())
    return found


async def to_the_question(deck: Driver) -> None:
    """Drafts, looks at the summary, and presses y."""
    await deck.press("a", "ctrl+s")
    await deck.until(lambda: isinstance(deck.app.screen, SummaryScreen))
    await deck.press("y")


async def answer(deck: Driver, words: str) -> None:
    """Types into the dialog that is open."""
    field = deck.app.screen.query_one(Input)
    field.value = words
    await deck.press("enter")


def text_of(cockpit: Cockpit) -> str:
    return (cockpit.home / MEMORY).read_text("utf-8")


async def test_y_asks_for_the_passphrase_and_a_wrong_one_writes_nothing(
    signed: SignedCockpit,
) -> None:
    signed.agent.replace("tox", "Tests run with nox.")
    async with signed.open() as deck:
        assert "signed, locked" in deck.line("head")
        await to_the_question(deck)
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        await answer(deck, "not the words")
        await deck.until(lambda: "opens no operator's key" in deck.shown())
        assert "tox" in text_of(signed)
        await deck.press("escape")
        assert "Nothing was signed" in deck.line("keys") and "tox" in text_of(signed)
        await deck.press("y")
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        await answer(deck, WORDS)
        await deck.until(lambda: "DONE" in deck.line("head"))
        assert "nox" in text_of(signed)
        await deck.press("escape")
        await deck.until(lambda: "signed by dana" in deck.line("head"))
    engine = signed.engine()
    (decision,) = [one for one, _ in engine.ledger.all_decisions()]
    engine.close()
    assert decision.seal is not None and decision.actor.name == "dana"


async def test_a_passphrase_that_is_typed_again_is_no_command(signed: SignedCockpit) -> None:
    signed.agent.replace("tox", "Tests run with nox.")
    async with signed.open(size=(30, 12)) as deck:
        await to_the_question(deck)
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        for _ in range(2):
            await answer(deck, "wrong")
            await deck.until(lambda: "no operator's key" in " ".join(deck.line("keys").split()))
            dialog = deck.app.screen
            assert isinstance(dialog, PassphraseDialog)
            await deck.until(lambda: bool(deck.app.screen.query("Input:focus")))
            assert not dialog.query_one(Input).value
            await deck.press(*"unlucky")
            assert deck.app.screen is dialog and dialog.query_one(Input).value == "unlucky"
        assert len(deck.drafts) == 1
        await answer(deck, WORDS)
        await deck.until(lambda: isinstance(deck.app.screen, SummaryScreen))
        await deck.until(lambda: "DONE" in deck.line("head"))


async def test_the_passphrase_is_never_on_the_screen_and_may_be_pasted(
    signed: SignedCockpit,
) -> None:
    signed.agent.replace("tox", "Tests run with nox.")
    async with signed.open() as deck:
        await to_the_question(deck)
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        deck.app.screen.query_one(Input).post_message(Paste(WORDS))
        await deck.pilot.pause()
        assert deck.app.screen.query_one(Input).value == WORDS
        assert WORDS not in deck.shown() and "horse" not in deck.shown()
        await deck.press("enter")
        await deck.until(lambda: "DONE" in deck.line("head"))


async def test_a_change_of_weight_asks_for_the_code_at_its_end(signed: SignedCockpit) -> None:
    signed.agent.replace("tox", GRAVE)
    async with signed.open(size=(100, 60)) as deck:
        await to_the_question(deck)
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        await answer(deck, WORDS)
        await deck.until(lambda: isinstance(deck.app.screen, CodeDialog))
        await answer(deck, "AAAA")
        assert "not the code" in deck.line("question") and "tox" in text_of(signed)
        await deck.press("escape")
        shown = deck.shown()
        code = shown.partition("The code of this change is ")[2][:4]
        await deck.press("y")
        await deck.until(lambda: isinstance(deck.app.screen, CodeDialog))
        await answer(deck, code.lower())
        await deck.until(lambda: "DONE" in deck.line("head"))
        assert GRAVE in text_of(signed)


async def test_the_first_of_two_operators_is_asked_for_the_code_of_what_they_vote_for(
    signed: SignedCockpit,
) -> None:
    signed.agent.replace("tox", GRAVE)
    signed.policy = signed.ledger.parent / "policy.toml"
    signed.policy.write_text("version = 1\n[approval]\nneeds = 2\n", "utf-8")
    async with signed.open(size=(100, 60)) as deck:
        await to_the_question(deck)
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        await answer(deck, WORDS)
        await deck.until(lambda: isinstance(deck.app.screen, CodeDialog))
        await deck.press("escape")
        assert "exact bytes that y votes for" in deck.line("title")
        assert GRAVE in deck.shown()
        code = deck.shown().partition("The code of this change is ")[2][:4]
        await deck.press("y")
        await deck.until(lambda: isinstance(deck.app.screen, CodeDialog))
        await answer(deck, code)
        await deck.until(lambda: "DONE" in deck.line("head"))
        assert "waits for another operator" in deck.line("title")
        assert "tox" in text_of(signed)
    engine = signed.engine()
    (vote,) = [one for one, _ in engine.ledger.all_decisions()]
    engine.close()
    assert vote.verb is Verb.VOTE and vote.seal is not None


def test_the_plain_deck_asks_for_both_as_well(signed: SignedCockpit) -> None:
    signed.agent.replace("tox", GRAVE)
    said: list[str] = []
    given = iter(["show 1", "approve 1", "write", "yes", "?", "quit"])

    def ask(question: str) -> str:
        if "code" in question:
            line = next(one for one in said if "The code of this change is" in one)
            return line.partition("change is ")[2][:4]
        return next(given)

    engine = EngineWorker(signed.settings, signed.clock)
    try:
        plain = PlainDeck(engine, now=signed.clock, ask=ask, say=said.append)
        plain._ask_secret = lambda question: WORDS
        assert plain.run() == 0
    finally:
        engine.close()
    assert GRAVE in text_of(signed), "\n".join(said)


async def test_one_code_is_asked_for_however_many_files_a_proposal_has(
    signed: SignedCockpit,
) -> None:
    signed.agent.skill("delete", "release-notes")
    async with signed.open(size=(100, 60)) as deck:
        await to_the_question(deck)
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        field = deck.app.screen.query_one(Input)
        assert field.content_size.height == 1  # What is typed shows, as dots.
        await answer(deck, WORDS)
        await deck.until(lambda: isinstance(deck.app.screen, CodeDialog))
        await deck.press("escape", "J")
        code = deck.shown().partition("The code of this change is ")[2][:4]
        await deck.press("y")
        await deck.until(lambda: isinstance(deck.app.screen, CodeDialog))
        await answer(deck, code)
        await deck.until(lambda: "DONE" in deck.line("head"))
    assert not (signed.home / "skills" / "dev" / "release-notes").exists()


async def test_a_mark_in_lane_2_asks_for_the_passphrase(signed: SignedCockpit) -> None:
    engine = signed.engine()
    engine.intake()
    set_entries(signed.home, *entries(signed.home), "Ask Ana for access.")
    engine.intake()
    engine.close()
    async with signed.open() as deck:
        await deck.press("2")
        screen = deck.app.screen
        assert isinstance(screen, ChangesScreen)
        await deck.until(lambda: bool(screen.listing.spots))
        await deck.press("A")
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        await deck.press("escape")
        assert "Nothing was signed or marked" in deck.line("strip") and screen.listing.spots
        await deck.press("A")
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        await answer(deck, WORDS)
        await deck.until(lambda: not screen.listing.spots)
    engine = signed.engine()
    (line,) = [event for event in engine.log() if event.name == "mark"]
    engine.close()
    assert line.actor.name == "dana" and "signature" in line.detail


async def test_keeping_a_grave_change_that_is_live_asks_for_the_code_at_its_end(
    signed: SignedCockpit,
) -> None:
    signed.take_in()
    set_entries(signed.home, *entries(signed.home), GRAVE)
    async with signed.open() as deck:
        id = deck.cursor
        look = deck.screen.look
        assert look is not None
        code = code_of(look.digest or "")
        assert f"The code of this change is {code}." in deck.shown()
        await to_the_question(deck)
        await deck.until(lambda: isinstance(deck.app.screen, PassphraseDialog))
        await answer(deck, WORDS)
        await deck.until(lambda: isinstance(deck.app.screen, CodeDialog))
        assert signed.engine().find(id).state is State.LIVE
        await answer(deck, code)
        await deck.until(lambda: "DONE" in deck.line("head"))
    assert signed.engine().find(id).state is State.KEPT
