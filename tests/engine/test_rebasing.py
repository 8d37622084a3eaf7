"""Decisions on entries of one memory beside each other: each holds, and both digests are told."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, Agent, digest_of, entries, set_entries
from tests.homes.later import NOW, make_later_home

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import Actor, ActorKind, State

FACTS = (
    "Ruff checks the style of every file.",
    "Nightly backups go to the cellar.",
    "Kim prefers answers in French.",
    "Port 8080 belongs to the proxy.",
    "Quarterly invoices: ask Bo first.",
    "Maps are drawn with thick black ink.",
    "Zebra is the codename of version two.",
)
"""What seven entries say: none is like another."""


@pytest.mark.parametrize("at_once", [False, True])
def test_seven_decisions_on_seven_entries_of_one_memory_all_hold(
    tmp_path: Path, at_once: bool
) -> None:
    later = make_later_home(tmp_path / "home")
    later.write(MEMORY, "\n§\n".join(FACTS))
    for number, fact in enumerate(FACTS):
        later.stage(
            {"action": "replace", "target": "memory", "old_text": fact, "content": f"{fact} Still.",
             "matched_entry": fact}, id=f"0000000{number}"
        )  # fmt: skip
    settings = Settings(
        homes=(later.root,),
        ledger=str(tmp_path / "ledger.db"),
        user_home=tmp_path,
        actor=Actor(ActorKind.OPERATOR, "dana", host="desk", terminal=""),
        lock_wait=30.0,
    )
    decks = [open_engine(settings, now=lambda: NOW) for _ in FACTS]
    decks[0].intake()
    shown = [(one.id, digest_of(decks[0], one.id)) for one in decks[0].pending((State.READY,))]
    assert len(shown) == len(FACTS)
    failed: list[ReviewdeckError] = []
    start = threading.Barrier(len(decks))

    def approve(deck: Engine, id: str, digest: str) -> None:
        if at_once:
            start.wait()
        try:
            deck.approve(id, digest)
        except ReviewdeckError as error:
            failed.append(error)

    workers = [
        threading.Thread(target=approve, args=(deck, *one))
        for deck, one in zip(decks, shown, strict=True)
    ]
    for worker in workers:
        worker.start()
        if not at_once:
            worker.join()
    for worker in workers:
        worker.join()
    assert [error.message for error in failed] == []
    assert later.text(MEMORY).split("\n§\n") == [f"{fact} Still." for fact in FACTS]
    told = [one.detail for one in decks[0].log() if one.name == "decision-rebased"]
    named = dict(shown)
    assert len(told) >= len(FACTS) - 1
    assert {one["from"] for one in told} <= set(named.values())
    assert decks[0].ledger.verify() is None
    for deck in decks:
        deck.close()


def test_what_was_written_against_an_older_text_says_so_first(
    deck: Engine, agent: Agent, home: Path
) -> None:
    current = agent.replace("staging host", "The staging host is stg-4.")
    bases = agent.base_of(MEMORY)
    stale = agent.replace("mkdocs", "Docs use zensical, as of May.", bases=bases)
    set_entries(home, *(entry for entry in entries(home) if "tox" not in entry))
    deck.intake()
    reasons = {item.source_id: item.reason for item in deck.pending(limit=50)}
    assert reasons[stale].startswith("Written against an older text. ")
    assert "older text" not in reasons[current]
