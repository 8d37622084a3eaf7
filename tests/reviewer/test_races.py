"""The race that this project exists to end: a review must never win over something newer."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, Agent, OpenDeck, entries, set_entries, skill_text
from tests.reviewer.kit import Desk, add, answers, call, openai_request, spoken, talk

from reviewdeck.engine.engine import Engine
from reviewdeck.model import State
from reviewdeck.reviewer.conversation import Json
from reviewdeck.reviewer.exchange import ExchangeProgress
from reviewdeck.reviewer.review import memories_of

SKILL = "skills/dev/release-notes/SKILL.md"
VIEW = call("skill_view", name="release-notes")


def replace(old: str, new: str) -> Json:
    """The model replaces an entry."""
    return call("memory", action="replace", target="memory", old_text=old, content=new)


def patch(old: str, new: str) -> Json:
    """The model patches the one skill."""
    return call(
        "skill_manage", action="patch", name="release-notes", old_string=old, new_string=new
    )


def when(event: str, do: Callable[[], object]) -> Callable[[ExchangeProgress], None]:
    """Does something once, just before the model's call of a tool is run."""
    left = [do]

    def watch(progress: ExchangeProgress) -> None:
        if progress.event == event and left:
            left.pop()()

    return watch


def write_skill(home: Path, step: str) -> None:
    """Somebody writes the skill."""
    text = skill_text("release-notes").replace("3. Report.", step)
    (home / SKILL).write_text(text, "utf-8")


def test_turn_b_changes_memory_before_the_review_of_turn_a_runs(
    deck: Engine, desk: Desk, home: Path
) -> None:
    seen = memories_of(desk.home)  # turn A ends, its review is asked for
    set_entries(home, "Tests run with hatch.", "The staging host is stg-2.", "Docs use mkdocs.")
    desk.review([replace("Tests run with tox.", "Tests run with nox.")], memories=seen)
    deck.auto()
    assert entries(home)[0] == "Tests run with hatch."
    assert "| Tests run with hatch." in desk.final_message


def test_turn_b_changes_memory_while_the_review_of_turn_a_runs(
    deck: Engine, desk: Desk, home: Path
) -> None:
    later = ("Tests run with hatch.", "The staging host is stg-2.", "Docs use mkdocs.")
    reviewed = desk.review(
        [replace("tox", "Tests run with nox.")],
        watch=when("memory", lambda: set_entries(home, *later)),
    )
    deck.auto()
    assert entries(home) == list(later)
    for id in reviewed.run.proposals:
        assert deck.find(id).state is State.CONFLICT


def test_turn_b_changes_a_skill_while_the_review_of_turn_a_runs(
    deck: Engine, desk: Desk, home: Path
) -> None:
    reviewed = desk.review(
        [VIEW, patch("3. Report.", "3. Report briefly.")],
        watch=when("skill_manage", lambda: write_skill(home, "3. Report to the channel.")),
    )
    deck.auto()
    assert "3. Report to the channel." in (home / SKILL).read_text("utf-8")
    for id in reviewed.run.proposals:
        assert deck.find(id).state is State.CONFLICT


def test_turn_b_changes_a_skill_before_the_review_of_turn_a_runs(
    deck: Engine, desk: Desk, home: Path
) -> None:
    write_skill(home, "3. Report to the channel.")
    reviewed = desk.review([VIEW, patch("3. Report.", "3. Report briefly.")])
    assert answers(reviewed)[1]["success"] is False
    deck.auto()
    assert "3. Report to the channel." in (home / SKILL).read_text("utf-8")


def test_a_change_elsewhere_in_the_same_document_is_kept_and_merged(
    deck: Engine, desk: Desk, home: Path
) -> None:
    reviewed = desk.review(
        [replace("tox", "Tests run with nox.")],
        watch=when(
            "memory",
            lambda: set_entries(
                home, "Tests run with tox.", "The staging host is stg-7.", "Docs use mkdocs."
            ),
        ),
    )
    (id,) = reviewed.run.proposals
    deck.approve(id, deck.get(id).digest or "")
    assert entries(home)[:2] == ["Tests run with nox.", "The staging host is stg-7."]


def test_an_old_value_proposed_again_after_a_live_replace_is_held(
    deck: Engine, desk: Desk, home: Path
) -> None:
    seen = memories_of(desk.home)
    set_entries(home, "The staging host is stg-2.", "Docs use mkdocs.", "Tests run with nox.")
    reviewed = desk.review([add("Tests run with tox.")], memories=seen)
    report = deck.auto()
    assert report.applied == () and [item.id for item in report.held] == list(
        reviewed.run.proposals
    )
    assert "Tests run with tox." not in entries(home)


def test_a_delayed_review_does_not_bring_a_removed_entry_back_unseen(
    deck: Engine, desk: Desk, home: Path
) -> None:
    seen = memories_of(desk.home)
    set_entries(home, "Tests run with tox.", "Docs use mkdocs.")
    desk.review([add("The staging host is stg-2.")], memories=seen)
    report = deck.auto()
    assert report.applied == () and len(report.held) == 1
    assert "removed" in {one.relation.value for one in deck.get(report.held[0].id).similar}


def test_a_second_session_changes_what_a_review_was_shown(
    deck: Engine, desk: Desk, home: Path
) -> None:
    script = f"""
        from pathlib import Path
        path = Path({str(home / MEMORY)!r})
        path.write_text(path.read_text('utf-8').replace('tox', 'hatch'), 'utf-8')
    """
    other = [sys.executable, "-c", textwrap.dedent(script)]
    reviewed = desk.review(
        [replace("tox", "Tests run with nox.")],
        watch=when("memory", lambda: subprocess.run(other, check=True)),
    )
    deck.auto()
    assert entries(home)[0] == "Tests run with hatch."
    assert [deck.find(id).state for id in reviewed.run.proposals] == [State.CONFLICT]


def test_a_cron_job_writes_beside_a_review(deck: Engine, desk: Desk, home: Path) -> None:
    """A job of the agent that runs by itself has no session, and adds an entry."""

    def job() -> None:
        set_entries(home, *entries(home), "Backups ran at 3.")

    typed = spoken("The linter is ruff.", "Noted.")
    said = talk(openai_request(typed), platform="cli")
    reviewed = desk.review([add("The linter is ruff.")], said, watch=when("memory", job))
    assert len(reviewed.run.proposals) == 1
    deck.auto()
    assert entries(home)[-2:] == ["Backups ran at 3.", "The linter is ruff."]


def test_a_second_review_is_the_concurrent_writer(
    desk: Desk, home: Path, open_at: OpenDeck
) -> None:
    """Both may replace the same entry; an operator sees two proposals and one of them wins."""
    other = Desk(open_at(home))
    first = desk.review(
        [replace("tox", "Tests run with nox.")],
        watch=when("memory", lambda: other.review([replace("tox", "Tests run with hatch.")])),
    )
    (id,) = first.run.proposals
    deck = desk.deck
    (rival,) = [item.id for item in deck.pending() if item.id != id]
    deck.approve(rival, deck.get(rival).digest or "")
    assert entries(home)[0] == "Tests run with hatch."
    assert deck.find(id).state is not State.READY
    deck.auto()
    assert entries(home)[0] == "Tests run with hatch."


def test_a_review_is_told_what_another_one_proposed_meanwhile(desk: Desk) -> None:
    conversation = talk()
    desk.review([add("Deploys go out on Fridays.")])
    again = desk.review([add("Deploys go out on Fridays.")], conversation)
    # A chat of others too: a review gets the words of what came from there, and no sentence.
    assert "its words: add, deploys, fridays, memory, out" in desk.final_message
    assert "Deploys go out on Fridays." not in desk.final_message
    assert again.run.proposals == ()


HERMES = os.environ.get("REVIEWDECK_HERMES_PYTHON", "")
needs_hermes = pytest.mark.skipif(
    not HERMES, reason="REVIEWDECK_HERMES_PYTHON names no Python that has hermes-agent"
)
STORE = """
    from tools.memory_tool import MemoryStore
    store = MemoryStore()
    store.load_from_disk()
    print(store.replace('memory', 'tox', 'Tests run with hatch.'))
"""
MANAGE = """
    from tools.skill_manager_tool import skill_manage
    print(skill_manage(action='patch', name='release-notes', old_string='3. Report.',
                       new_string='3. Report to the channel.'))
"""


def hermes(home: Path, script: str) -> None:
    """The real Hermes writes, in a process of its own."""
    done = subprocess.run(
        [HERMES, "-c", textwrap.dedent(script)],
        env={"HERMES_HOME": str(home), "HOME": str(home), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "success" in done.stdout, done.stdout + done.stderr


@needs_hermes
@pytest.mark.slow  # it starts the real Hermes
def test_the_real_store_of_hermes_writes_memory_while_a_review_runs(
    deck: Engine, desk: Desk, home: Path
) -> None:
    reviewed = desk.review(
        [replace("tox", "Tests run with nox.")],
        watch=when("memory", lambda: hermes(home, STORE)),
    )
    deck.auto()
    assert entries(home)[0] == "Tests run with hatch."
    assert [deck.find(id).state for id in reviewed.run.proposals] == [State.CONFLICT]


@needs_hermes
@pytest.mark.slow  # it starts the real Hermes
def test_the_real_skill_tool_of_hermes_writes_while_a_review_runs(
    deck: Engine, desk: Desk, home: Path
) -> None:
    # Without a record of whose it is, its first patch by Hermes makes it the user's own.
    owned = '{"release-notes": {"created_by": "agent"}}'
    (home / "skills/.usage.json").write_text(owned, "utf-8")
    reviewed = desk.review(
        [VIEW, patch("3. Report.", "3. Report briefly.")],
        watch=when("skill_manage", lambda: hermes(home, MANAGE)),
    )
    deck.auto()
    assert "3. Report to the channel." in (home / SKILL).read_text("utf-8")
    assert [deck.find(id).state for id in reviewed.run.proposals] == [State.CONFLICT]


def test_a_foreign_claim_of_origin_is_not_taken_over(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.add("The linter is ruff.", origin="operator")
    record = home / f"pending/memory/{id}.json"
    text = record.read_text("utf-8")
    claim = '"reviewdeck": {"v": 1, "provenance": {"write_origin": "operator"}},'
    record.write_text("{" + claim + text[1:], "utf-8")
    deck.intake()
    proposal = deck.get(id).proposal
    assert proposal.provenance == {}
    assert "reviewdeck.provenance" in proposal.unknown_keys
