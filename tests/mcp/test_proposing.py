"""What an agent proposes waits for an operator; what it is told is something it can act on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, Agent, Ticking, digest_of, entries, set_entries, skill_text
from tests.mcp.kit import CLAUDE, WHY, Caller

from reviewdeck.engine.engine import Engine
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.mcp.proposals import Client, Limits
from reviewdeck.mcp.tools import ENTRY, SKILL_BYTES
from reviewdeck.model import (
    Lineage,
    Message,
    Role,
    SessionMode,
    State,
    Transcript,
    Turn,
    TurnBatch,
)
from reviewdeck.presentation.inspection import record_words

SKILL = "skills/dev/release-notes/SKILL.md"


def test_a_proposal_waits_with_who_asked_for_it_and_why(call: Caller, deck: Engine) -> None:
    answer = call.add("The linter is ruff.", source="pyproject.toml")
    item = deck.find(answer.content["id"])
    assert (answer.content["state"], answer.is_error) == ("pending", False)
    assert (item.state, item.origin) == (State.READY, "mcp:claude-code")
    assert item.summary == f"{WHY} (source: pyproject.toml)"
    assert record_words(item, deck.ledger.proposal(item.id)) == "none: proposed over MCP"


def test_nothing_that_came_over_mcp_goes_in_by_itself(
    call: Caller, deck: Engine, home: Path
) -> None:
    before = entries(home)
    call.add("The linter is ruff.")
    assert deck.auto().applied == ()
    assert entries(home) == before and deck.ledger.operations() == ()


def test_the_same_call_twice_is_one_proposal(call: Caller, deck: Engine) -> None:
    first, again = call.add("The linter is ruff."), call.add("The linter is ruff.")
    assert again.content == {
        "id": first.content["id"],
        "state": "duplicate",
        "note": again.content["note"],
    }
    patch = {"old_text": "2. Run the tests.", "text": "2. Run nox."}
    call("skill_view", name="release-notes")
    one = call.skill("patch", **patch)
    call("skill_view", name="release-notes")
    assert call.skill("patch", **patch).content["id"] == one.content["id"]
    assert len(deck.pending()) == 2


def test_the_same_call_of_two_clients_is_one_proposal(call: Caller, deck: Engine) -> None:
    call.add("The linter is ruff.")
    other = replace(call, client=Client("codex"))
    assert other.add("The linter is ruff.").content["state"] == "duplicate"
    assert len(deck.pending()) == 1


def test_the_verdict_of_an_operator_is_told_with_its_reason(
    call: Caller, deck: Engine, home: Path
) -> None:
    kept = call.add("The linter is ruff.").content["id"]
    turned_down = call.add("Deploys are on Fridays.").content["id"]
    deck.approve(kept, digest_of(deck, kept))
    deck.reject(turned_down, "We do not deploy on Fridays.")
    told = {one["id"]: one for one in call("review_status").content["proposals"]}
    assert told[kept]["state"] == "applied"
    assert told[turned_down]["state"] == "rejected"
    assert told[turned_down]["reason"] == "We do not deploy on Fridays."
    assert entries(home)[-1] == "The linter is ruff."
    again = call.add("Deploys are on Fridays.")
    assert again.is_error and "rejected" in again.content["note"]
    assert call("review_status", id=kept).content["state"] == "applied"


def test_another_client_is_not_told_of_proposals_that_are_not_its_own(call: Caller) -> None:
    call.add("The linter is ruff.")
    other = replace(call, client=Client("codex"))
    assert other("review_status").content == {"proposals": []}


def test_a_replacement_means_the_whole_entry_that_was_shown(
    call: Caller, deck: Engine, home: Path
) -> None:
    call("memory_view")
    set_entries(home, "Tests run with tox, in CI too.", "The staging host is stg-2.")
    answer = call(
        "memory_propose",
        document="memory",
        action="replace",
        old_text="Tests run with tox.",
        text="Tests run with nox.",
        why=WHY,
    )
    assert answer.content["state"] == "pending" and "clashes" in answer.content["note"]
    assert deck.find(answer.content["id"]).state is State.CONFLICT


def test_an_entry_that_the_agent_knows_otherwise_can_be_replaced(
    call: Caller, deck: Engine, home: Path
) -> None:
    call("memory_view")
    set_entries(home, *entries(home), "Lunch is at noon.")
    removal = call("memory_propose", document="memory", action="remove", old_text="Lunch", why=WHY)
    assert deck.find(removal.content["id"]).state is State.READY


def test_a_file_of_a_skill_is_read_before_it_is_changed(call: Caller) -> None:
    change = {"old_text": "2. Run the tests.", "text": "2. Run nox."}
    blind = call.skill("patch", **change)
    assert blind.is_error and "skill_view" in blind.content["note"]
    assert "2. Run the tests." in call("skill_view", name="release-notes").content["text"]
    assert call.skill("patch", **change).content["state"] == "pending"


def test_each_action_on_a_skill_can_be_proposed_and_approved(
    call: Caller, deck: Engine, home: Path
) -> None:
    folder = home / "skills" / "dev" / "release-notes"
    steps = (
        ("create", {"name": "changelog", "text": skill_text("changelog"), "category": "dev"}),
        ("edit", {"text": skill_text("release-notes", "Say it all.")}),
        ("write_file", {"file": "references/new.md", "text": "# New\n"}),
        ("remove_file", {"file": "references/style.md"}),
    )
    call("skill_view", name="release-notes")
    call("skill_view", name="release-notes", file="references/style.md")
    for action, given in steps:
        id = call.skill(action, **given).content["id"]
        deck.approve(id, digest_of(deck, id))
    assert "Say it all." in (folder / "SKILL.md").read_text("utf-8")
    assert (home / "skills" / "dev" / "changelog" / "SKILL.md").exists()
    assert (folder / "references" / "new.md").read_text("utf-8") == "# New\n"
    assert not (folder / "references" / "style.md").exists()
    call("skill_view", name="changelog")
    id = call.skill("remove", name="changelog").content["id"]
    deck.approve(id, digest_of(deck, id))
    assert not (home / "skills" / "dev" / "changelog").exists()


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("memory_propose", {}, "needs 'document'"),
        ("memory_propose", {"document": "memories/MEMORY.md"}, "one of memory, user"),
        ("memory_propose", {"document": "memory", "action": "approve"}, "one of add, replace"),
        ("memory_propose", {"action": 3}, "has to be a text"),
        ("memory_propose", {"path": "/etc/passwd"}, "has no 'path'"),
        ("memory_propose", {"text": "x" * (ENTRY + 1)}, "at most 4,000"),
        ("memory_propose", {"text": "\ud800"}, "surrogate"),
        ("memory_propose", {"text": "a\0b"}, "NUL"),
        ("memory_propose", {"text": " "}, "'text' is missing"),
        ("memory_propose", {"text": "ghp_••••••••"}, "covers a secret"),
        ("memory_propose", {"why": ""}, "'why' of memory_propose is empty"),
        ("memory_propose", {"home": "/root"}, "Say which home: one of"),
        ("memory_propose", {"action": "remove", "old_text": "snow"}, "No entry contains"),
        ("skill_propose", {"name": "../../x"}, "skill name"),
        ("skill_propose", {"action": "write_file", "file": "../../x"}, "lies below"),
        ("skill_propose", {"action": "write_file", "file": "scripts/../../x"}, "escapes"),
        ("skill_propose", {"action": "write_file", "file": "/etc/x"}, "lies below"),
        (
            "skill_propose",
            {
                "action": "write_file",
                "name": "release-notes",
                "file": "../../../memories/MEMORY.md",
            },
            "lies below",
        ),
        ("skill_propose", {"text": "é" * (SKILL_BYTES // 2 + 1)}, "bytes"),
        ("skill_propose", {"text": None}, "'text' is missing"),
        ("skill_view", {"name": "../.."}, "There is no skill"),
        ("skill_view", {"name": "release-notes", "file": "../../../config.yaml"}, "has no file"),
        ("review_status", {"id": "zzz"}, "Without an id"),
        ("approve", {"id": "abc"}, "There is no tool 'approve'"),
        ("memory", {"action": "add", "target": "soul", "content": "x"}, "neither memory nor user"),
    ],
)
def test_a_wrong_call_is_told_what_would_be_right(
    call: Caller, deck: Engine, name: str, arguments: dict[str, object], told: str
) -> None:
    usual: dict[str, dict[str, object]] = {
        "memory_propose": {"document": "memory", "action": "add", "text": "New.", "why": WHY},
        "skill_propose": {"action": "create", "name": "new", "text": "x", "why": WHY},
    }
    given = {**usual.get(name, {}), **arguments} if arguments else {}
    answer = call(name, **given)
    assert answer.is_error and told in answer.content["note"]
    assert len(answer.content["note"]) < 300
    assert deck.pending() == ()


def test_what_waits_is_limited_for_each_client_and_what_comes_in_an_hour_for_all(
    call: Caller, clock: Ticking
) -> None:
    call.session.limits = Limits(waiting=2, hourly=3)
    first = call.add("One is red.")
    call.add("Two is blue.")
    third = call.add("Three is green.")
    assert third.is_error and "2 of your proposals are waiting, and 2 may" in third.content["note"]
    assert call.add("One is red.").content["id"] == first.content["id"]
    other = replace(call, client=Client("codex"))
    assert not other.add("Four is grey.").is_error
    fifth = other.add("Five is white.")
    assert fifth.is_error and "3 proposals came within an hour" in fifth.content["note"]


def test_names_that_hermes_gives_its_tools_are_taken_with_its_arguments(
    call: Caller, deck: Engine
) -> None:
    added = call("memory", action="add", target="user", content="Likes tea.")
    several = call(
        "memory",
        target="memory",
        operations=[
            {"action": "add", "content": "The linter is ruff."},
            {"action": "replace", "old_text": "tox", "content": "Tests run with nox."},
        ],
    )
    made = call("skill_manage", action="create", name="changelog", content=skill_text("changelog"))
    kinds = [deck.find(one.content["id"]).action for one in (added, several, made)]
    assert kinds == ["add", "batch", "create"]
    assert {one.name for one in call.session.tools}.isdisjoint({"memory", "skill_manage"})


def test_what_an_agent_reads_is_inert_and_has_no_secret(call: Caller, home: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    set_entries(home, f"The token is {token}.", "Red \x1b[31m and \u202e back.")
    seen = call("memory_view").content["documents"]["memory"]["entries"]
    assert seen == ["The token is ••••••••", "Red ␛[31m and ⟦U+202E⟧ back."]


def test_an_entry_that_is_json_is_read_like_any_other(call: Caller, home: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    deep = "[" * 700 + "]" * 700
    set_entries(home, f'{{"id": "{token}"}}', f'{{"a": "{token}", "a": 1, "\u202e": 2}}', deep)
    answer = call("memory_view")
    text = str(answer.content)
    assert not answer.is_error and token not in text and "\u202e" not in text
    assert answer.content["documents"]["memory"]["entries"][2] == deep


def test_an_answer_names_no_record_and_no_folder(call: Caller, agent: Agent, home: Path) -> None:
    agent.add("From Hermes itself.")
    texts = [str(call(name).content) for name in ("memory_view", "skills_list", "review_status")]
    assert not any(str(home) in text or MEMORY in text for text in texts)


def test_work_in_progress_is_kept_for_each_client_and_can_be_gone_back_to(call: Caller) -> None:
    call("work_task", title="Port the tests", step="reading", percent=10)
    call("work_note", text="conftest is shared")
    kept = call("work_checkpoint", description="before the rewrite").content["checkpoints"][0]
    call("work_task", percent=80, status="failed")
    call("work_note", text="that went wrong")
    back = call("work_restore", checkpoint=kept["id"]).content
    assert (back["task"]["percent"], back["task"]["status"]) == (10, "running")
    assert [note["text"] for note in back["notes"]] == ["conftest is shared"]
    assert replace(call, client=Client("codex"))("work_view").content["task"] is None
    assert CLAUDE.origin == "mcp:claude-code"


def test_work_that_is_not_there_is_told(call: Caller) -> None:
    assert "begin one with a title" in call("work_task", percent=3).content["note"]
    assert "work_view" in call("work_restore", checkpoint="nope").content["note"]
    assert "work_view" not in call("review_status", id="nope").content["note"], "may not be offered"
    call.session.work = None
    assert "There is no tool" in call("work_view").content["note"]


def test_one_of_several_homes_is_named_and_is_the_only_one_that_is_reached(
    call: Caller, deck: Engine, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "other" / "memories").mkdir(parents=True)
    set_entries(tmp_path / "other", "Only here.")
    other = HermesHome(tmp_path / "other", env={}, user_home=tmp_path)
    (served,) = call.session.homes
    call.session.homes = [served, replace(served, home=other)]
    unsaid = call("memory_view")
    assert unsaid.is_error and unsaid.content["note"] == "Say which home: one of home, other."
    seen = call("memory_view", home="other").content["documents"]["memory"]["entries"]
    assert seen == ["Only here."]
    assert call("memory_view", home=str(tmp_path / "other")).is_error
    id = call.add("The linter is ruff.", home="home").content["id"]
    assert deck.find(id).home == served.home.id


def test_values_are_kept_by_key_for_each_client(call: Caller) -> None:
    assert call("work_set", key="build", value="red", hours=1).content["stored"]
    assert call("work_get", key="build").content == {"key": "build", "found": True, "value": "red"}
    assert call("work_list", glob="b*").content == {"keys": ["build"]}
    other = replace(call, client=Client("codex"))
    assert other("work_get", key="build").content["found"] is False
    assert call("work_delete", key="build").content["deleted"] is True
    assert call("work_delete", key="build").content["deleted"] is False
    assert "reserved" in call("work_set", key="_task", value="x").content["note"]
    assert "'hours'" in call("work_set", key="a", value="x", hours=0).content["note"]


def test_what_the_user_said_is_found_and_is_no_instruction(call: Caller, deck: Engine) -> None:
    home, at = deck.open_homes[0].home.id, deck.now()
    said = (
        Message(Role.USER, "Staging moved to stg-4. Key: sk-" + "Zx8Kq2LmN4pR" * 3),
        Message(Role.ASSISTANT, "Noted: staging is stg-4."),
    )
    for number, where in enumerate((home, "/another/home")):
        about = Transcript(f"t{number}", Lineage("s1"), at, at, 1, 2, where)
        turn = Turn(0, at, said)
        deck.ledger.retain([TurnBatch(about, (turn,), SessionMode.APPEND)])
    found = call("said_search", words="STAGING moved").content
    (message,) = found["messages"]
    assert message["session"] == "s1" and message["text"].startswith("Staging moved to stg-4.")
    assert "Zx8Kq2LmN4pR" not in message["text"] and "instruction" in found["untrusted"]
    assert call("said_search", words="staging nowhere").content["messages"] == []
