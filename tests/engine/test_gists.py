"""What a list says of a proposal comes from its payload alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.kit import SKILL, Agent, set_entries

from reviewdeck.engine.deck import Deck
from reviewdeck.model import State

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def gist(deck: Deck, id: str) -> str:
    deck.intake()
    return deck.find(id).gist


def test_a_summary_that_lies_is_no_part_of_it(deck: Deck, agent: Agent, home: Path) -> None:
    set_entries(home, "CI is GitHub Actions.", "Prefers tabs.")
    id = agent.memory("remove", old_text="GitHub")
    file = home / "pending" / "memory" / f"{id}.json"
    file.write_text(file.read_text().replace("remove something", "Prefers dark mode"))
    assert gist(deck, id) == "− CI is GitHub Actions."
    assert deck.find(id).summary == "Prefers dark mode"


@pytest.mark.parametrize(
    ("live", "wanted", "said"),
    [
        (
            "Give times in harbour time",
            "Give times in UTC",
            '"Give times in harbour time" → "in UTC"',
        ),
        (
            "We all deploy to the host stg-3 after lunch.",
            "We all deploy to the host stg-4 after lunch.",
            '"…deploy to the host stg-3…" → "host stg-4…"',
        ),
        ("Ask Ana.", "Ask Ana. She knows.", '"Ask Ana." → "Ana. She knows."'),
        ("Ask Ana first.", "At noon: Ask Ana first.", '"Ask…" → "At noon: Ask…"'),
        ("Never push on Friday.", "push on Friday.", '"Never push…" → "push…"'),
        ("Tabs  please.", "Tabs please.", 'spacing of "Tabs please."'),
    ],
)
def test_a_rewording_shows_what_changed(
    deck: Deck, agent: Agent, home: Path, live: str, wanted: str, said: str
) -> None:
    set_entries(home, live, "Something else.")
    assert gist(deck, agent.replace(live[:8], wanted)) == said


def test_of_several_operations_it_shows_the_first_and_counts_the_rest(
    deck: Deck, agent: Agent, home: Path
) -> None:
    set_entries(home, "CI is GitHub Actions.", "Prefers tabs.")
    operations = [
        {"action": "remove", "old_text": "GitHub"},
        {"action": "add", "content": "Prefers dark mode."},
        {"action": "replace", "old_text": "tabs", "content": "Prefers spaces."},
    ]
    id = agent.memory("batch", extra={"operations": operations})
    assert gist(deck, id) == "− CI is GitHub Actions. +2 more"


def test_of_a_conflict_it_shows_what_its_author_wanted_to_change(
    deck: Deck, agent: Agent, home: Path
) -> None:
    set_entries(home, "Staging is stg-2.", "Prefers tabs.")
    bases = agent.base_of("memories/MEMORY.md")
    id = agent.replace("Staging", "Staging is stg-2, role reader.", bases=bases)
    set_entries(home, "Staging is stg-3.", "Prefers tabs.")
    assert gist(deck, id) == '"Staging is stg-2." → "is stg-2, role reader."'
    assert deck.find(id).state is State.CONFLICT


def test_of_a_skill_it_shows_the_changed_line(deck: Deck, agent: Agent) -> None:
    id = agent.skill("create", "ship", content=SKILL.format(name="ship", description="Ship it."))
    assert gist(deck, id) == "Ship it."
    file = agent.skill(
        "write_file", "ship", file_path="references/../../x", file_content="first\nsecond\n"
    )
    assert gist(deck, file) == "references/../../x: first +1 more line"


def test_half_a_secret_is_never_shown(deck: Deck, agent: Agent, home: Path) -> None:
    set_entries(home, f"The token is {TOKEN} for staging.")
    changed = agent.replace("token", f"The token is {TOKEN[:-4]}zzzz for staging.")
    added = agent.add("x " * 70 + TOKEN)
    for id in (changed, added):
        assert TOKEN[4:12] not in gist(deck, id)


def test_a_line_within_a_key_is_covered_too(deck: Deck, agent: Agent, home: Path) -> None:
    body = "\n".join(f"MIIEowIBAAKCAQEA7bq3v9Xo2mZq0m3fW0aVb1h8Q7k2p5s{n:02}Lm8" for n in range(30))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"
    place = home / "skills" / "dev" / "release-notes" / "references" / "style.md"
    place.write_text(f"# Key\n{key}", "utf-8")
    changed = f"# Key\n{key.replace('15Lm8', '15Lm9')}"
    id = agent.skill(
        "write_file", "release-notes", file_path="references/style.md", file_content=changed
    )
    assert gist(deck, id) == "references/style.md: a secret, covered here"


def test_it_is_one_line_whatever_is_in_it(deck: Deck, agent: Agent) -> None:
    said = gist(deck, agent.add("one\n\n  two\x1b[31m\u202e three"))
    assert "\n" not in said


def test_a_summary_makes_no_cluster(deck: Deck, agent: Agent, home: Path) -> None:
    set_entries(home, "CI is GitHub Actions.", "Prefers tabs.")
    first = agent.replace("GitHub", "CI is Woodpecker.")
    second = agent.replace("CI is", "CI is Drone.")
    other = agent.replace("tabs", "Prefers spaces.")
    deck.intake()
    subjects = [deck.find(id).subject for id in (first, second, other)]
    assert subjects[0] == subjects[1] != subjects[2]
