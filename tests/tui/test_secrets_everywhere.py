"""The main screens, over a home whose proposals, documents, names and reasons carry secrets."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from dataclasses import replace

import pytest
from tests.engine.kit import entries, set_entries
from tests.tui.kit_deck import Cockpit, Driver
from tests.tui.test_changes import learn
from tests.tui.test_documents import browse
from tests.tui.test_plain import talk
from tests.tui.test_redaction_everywhere import summary, wide

from reviewdeck.model import Actor, ActorKind
from reviewdeck_tui.proposal.evidence import Past
from reviewdeck_tui.proposal.panes import Pane
from reviewdeck_tui.proposal.view import view_decided
from reviewdeck_tui.widgets.facts_view import FactsView

# Put together here, and of no use anywhere.
TOKEN = "ghp_" + "a1B2" * 9
KEY = "sk-" + "livecabin" + "7731" * 5
WORD = "marmalade" + "pier"
CODE = "58" + "213"
VALUES = (TOKEN[4:20], KEY[3:20], WORD, CODE)
WIFI = f'The Wi-Fi at the cabin opens with "{WORD}".'
SAFE = f"The safe in the office opens on {CODE}."


@pytest.fixture
def keeping(cockpit: Cockpit) -> Cockpit:
    """Secrets in what is live, in what waits, in names, in origins and in what cannot be read."""
    cockpit.take_in()
    set_entries(cockpit.home, *entries(cockpit.home), SAFE)
    for id in (cockpit.agent.add(WIFI), cockpit.agent.replace("safe in the office", WIFI)):
        path = cockpit.home / "pending" / "memory" / f"{id}.json"
        record = json.loads(path.read_text("utf-8"))
        record |= {"summary": f"add: {WIFI} {SAFE}", "origin": f"chat with {TOKEN}"}
        record["reviewdeck"] = {"v": 1, "session": f"about {KEY}", "turn": f"turn {TOKEN}"}
        path.write_text(json.dumps(record), "utf-8")
    (cockpit.home / "pending" / "memory" / f"{KEY}.json").write_text("{", "utf-8")
    cockpit.take_in()
    return cockpit


def telling(said: str) -> list[str]:
    """The values that a screen tells."""
    return [value for value in VALUES if value in " ".join(said.split())]


async def walk(deck: Driver) -> list[str]:
    """Every proposal with all three panes; what was seen."""
    seen = []
    for _ in range(len(deck.screen.items)):
        for _ in Pane:
            await deck.settle()
            seen += [deck.shown(), str(deck.screen.query_one(FactsView).content)]
            await deck.press("E")
        await deck.press("j")
    return seen


async def test_the_queue_the_diff_and_the_panes_tell_no_secret(keeping: Cockpit) -> None:
    async with wide(keeping) as deck:
        seen = await walk(deck)
    assert len(seen) > 12
    assert "••••••••" in "".join(seen)
    for said in seen:
        assert telling(said) == [], said


async def test_a_rejection_its_reason_and_the_summary_tell_no_secret(keeping: Cockpit) -> None:
    async with wide(keeping) as deck:
        screen = await summary(deck)
        assert telling(deck.shown()) == []
        await deck.press("y")
        await deck.until(lambda: screen._report is not None)
        assert telling(deck.shown()) == []


async def test_lane_2_and_the_documents_tell_no_secret(keeping: Cockpit) -> None:
    async with wide(keeping) as deck:
        await learn(deck)
        await deck.until(lambda: "••••••••" in deck.shown())
        assert telling(deck.shown()) == []
    async with wide(keeping) as deck:
        await browse(deck)
        await deck.until(lambda: "••••••••" in deck.shown())
        assert telling(deck.shown()) == []


def test_the_deck_in_lines_tells_no_secret(keeping: Cockpit) -> None:
    numbers = [str(at) for at in range(1, 4)]
    shows = [f"show {number}" for number in numbers]
    _, said = talk(keeping, "list", *shows, f'reject 1 "it tells {TOKEN}"', "summary")
    assert telling(said) == []


def test_ids_in_the_history_are_never_covered_whoever_decided(keeping: Cockpit) -> None:
    with closing(keeping.engine()) as deck:
        item = next(one for one in deck.pending() if one.action == "add")
        digest = deck.get(item.id).digest
        assert digest is not None
        deck.approve(item.id, digest)
        look = view_decided(deck, deck.find(item.id))
    root = Actor(ActorKind.OPERATOR, "root")
    past = look.facts.past
    decisions = tuple(replace(one, actor=root) for one in past.decisions)
    observations = tuple(replace(one, actor=root) for one in past.observations)
    operations = tuple(
        replace(past.operations[0], actor=root, id=hashlib.sha256(bytes([at, 1])).hexdigest()[:12])
        for at in range(200)
    )
    facts = replace(look.facts, past=Past(decisions, observations, operations))
    lines = replace(look, facts=facts).lines(Pane.HISTORY, keeping.clock(), secrets=False)
    said = "\n".join("".join(text for text, _ in line) for line in lines)
    assert all(one.id in said for one in operations)
    assert all(str(one.operation) in said for one in observations if one.operation)
    assert telling(said) == []
