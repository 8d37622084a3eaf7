"""What runs in a review and what is denied; whose skills are left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.kit import skill_text
from tests.reviewer.kit import TOOLS, Desk, add, answers, call, openai_request, talk

from reviewdeck.engine.engine import Engine
from reviewdeck.model import SkillPatch
from reviewdeck.reviewer.conversation import Json
from reviewdeck.reviewer.exchange import allowed_tools
from reviewdeck.reviewer.fork import Prompts
from reviewdeck.reviewer.models import tool_name

SKILL = "skills/dev/release-notes"
OTHERS = ("terminal", "write_file", "read_file", "memory_reset", "Memory", "mcp_x_memory", "")


def patch(**more: str) -> Json:
    """A patch of the one skill."""
    return call(
        "skill_manage",
        **{
            "action": "patch",
            "name": "release-notes",
            "old_string": "3. Report.",
            "new_string": "3. Report without emojis.",
        }
        | more,
    )


VIEW = call("skill_view", name="release-notes")


@pytest.mark.parametrize("name", OTHERS)
def test_denial_of_every_tool_that_is_not_listed(desk: Desk, deck: Engine, name: str) -> None:
    reviewed = desk.review([call(name, command="x"), call(name)])
    for answer in answers(reviewed):
        assert answer["denied"] is True and answer["tool"] == name
        assert repr(name) in answer["error"]
    assert deck.ledger.reviews()[0].denied == {name: 2}
    assert deck.ledger.review_totals().denied == 2
    (logged,) = (event for event in deck.log() if event.name == "reviewed")
    assert logged.detail["denied"] == f"{name} 2"


def test_denial_of_a_tool_that_is_offered(desk: Desk) -> None:
    offered = {tool_name(tool) for tool in TOOLS}
    runs = set(allowed_tools(memory=True, skills=True))
    for name in sorted(offered - runs):
        reviewed = desk.review([call(name)], talk(openai_request()))
        assert answers(reviewed)[0]["denied"] is True


@pytest.mark.parametrize(("memory", "skills"), [(True, False), (False, True), (True, True)])
def test_each_prompt_says_which_tools_run_and_that_others_are_denied(
    memory: bool, skills: bool
) -> None:
    runs = allowed_tools(memory=memory, skills=skills)
    said = Prompts().task(runs, memory=memory, skills=skills)
    assert all(f"`{name}`" in said for name in runs)
    assert "Every other tool is denied" in said
    assert "is staged for an operator" in said


def test_a_file_is_looked_at_before_it_is_changed(desk: Desk, deck: Engine) -> None:
    reviewed = desk.review([patch(), VIEW, patch()])
    first, _, second = answers(reviewed)
    assert first["read_before_write_required"] is True and "skill_view" in first["error"]
    assert second["staged"] is True
    (id,) = reviewed.run.proposals
    proposal = deck.ledger.proposal(id)
    assert isinstance(proposal.edits[0], SkillPatch)
    assert list(proposal.bases) == [f"{SKILL}/SKILL.md"]


def test_having_looked_at_one_file_opens_no_other(desk: Desk) -> None:
    other = patch(file_path="references/style.md", old_string="Plain", new_string="Short")
    reviewed = desk.review([VIEW, other])
    assert answers(reviewed)[1]["read_before_write_required"] is True


def test_what_another_review_looked_at_does_not_count(desk: Desk) -> None:
    desk.review([VIEW])
    assert answers(desk.review([patch()]))[0]["read_before_write_required"] is True


def test_a_new_support_file_needs_no_look(desk: Desk, deck: Engine) -> None:
    new = {"file_path": "references/emojis.md", "file_content": "None in release notes.\n"}
    reviewed = desk.review([call("skill_manage", action="write_file", name="release-notes", **new)])
    (id,) = reviewed.run.proposals
    assert deck.ledger.proposal(id).bases[f"{SKILL}/references/emojis.md"].revision == "absent"


def protect(home: Path, how: str) -> None:
    """Makes the one skill somebody else's, in Hermes' own records."""
    skills = home / "skills"
    match how:
        case "bundled":
            (skills / ".bundled_manifest").write_text("release-notes:abc\n", "utf-8")
        case "hub-installed":
            (skills / ".hub").mkdir()
            lock = {"version": 1, "installed": {"release-notes": {"install_path": "x"}}}
            (skills / ".hub/lock.json").write_text(json.dumps(lock), "utf-8")
        case "user-owned":
            usage: Json = {"release-notes": {"created_by": "user"}}
            (skills / ".usage.json").write_text(json.dumps(usage), "utf-8")
        case "pinned":
            usage = {"release-notes": {"created_by": "agent", "pinned": True}}
            (skills / ".usage.json").write_text(json.dumps(usage), "utf-8")
        case _:
            raise AssertionError(how)


@pytest.mark.parametrize("how", ["bundled", "hub-installed", "user-owned"])
def test_a_protected_skill_is_refused_at_once(desk: Desk, home: Path, how: str) -> None:
    protect(home, how)
    reviewed = desk.review([VIEW, patch()])
    assert how in answers(reviewed)[1]["error"]
    assert reviewed.run.proposals == ()
    assert "release-notes [protected: not yours to change]" in desk.final_message


def test_an_external_skill_is_refused_at_once(desk: Desk, home: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared" / "triage"
    shared.mkdir(parents=True)
    (shared / "SKILL.md").write_text(skill_text("triage"), "utf-8")
    (home / "config.yaml").write_text(f"skills:\n  external_dirs: [{shared.parent}]\n", "utf-8")
    edit = patch(name="triage")
    reviewed = desk.review([call("skill_view", name="triage"), edit])
    seen, refused = answers(reviewed)
    assert seen["success"] is True and "external" in refused["error"]


def test_a_pinned_skill_may_be_improved_and_never_deleted_or_merged_away(
    desk: Desk, home: Path
) -> None:
    protect(home, "pinned")
    (home / "skills/dev/triage").mkdir()
    (home / "skills/dev/triage/SKILL.md").write_text(skill_text("triage"), "utf-8")
    delete = {"action": "delete", "name": "release-notes"}
    reviewed = desk.review(
        [
            VIEW,
            patch(),
            call("skill_manage", **delete),
            call("skill_manage", **delete, absorbed_into="triage"),
        ]
    )
    _, improved, deleted, merged = answers(reviewed)
    assert improved["staged"] is True
    assert "pinned" in deleted["error"] and "pinned" in merged["error"]


def test_a_skill_is_deleted_only_into_another_one(desk: Desk) -> None:
    delete = {"action": "delete", "name": "release-notes"}
    reviewed = desk.review([VIEW, call("skill_manage", **delete)])
    assert "absorbed_into" in answers(reviewed)[1]["error"]


@pytest.mark.parametrize(
    "args",
    ["{", "[1]", "null", '{"action": "add", "target": 3, "content": "x"}', '{"action": "burn"}'],
)
def test_arguments_that_make_no_sense_are_answered_and_nothing_is_staged(
    desk: Desk, args: str
) -> None:
    reviewed = desk.review([{"call": [{"tool": "memory", "args": args}]}])
    assert answers(reviewed)[0]["success"] is False
    assert reviewed.run.proposals == () and reviewed.run.ending == "done"


def test_operations_that_go_together_are_one_proposal(desk: Desk, deck: Engine) -> None:
    operations = [
        {"action": "replace", "old_text": "tox", "content": "Tests run with nox."},
        {"action": "add", "content": "The linter is ruff."},
    ]
    reviewed = desk.review([call("memory", target="memory", operations=operations)])
    (id,) = reviewed.run.proposals
    assert len(deck.ledger.proposal(id).edits) == 2


def test_a_path_out_of_a_skill_is_not_read(desk: Desk) -> None:
    paths = ("../../../memories/USER.md", "/etc/passwd", "references/../../x")
    reviewed = desk.review([call("skill_view", name="release-notes", file_path=p) for p in paths])
    assert all(answer["success"] is False for answer in answers(reviewed))


def test_several_calls_of_one_answer_are_all_answered(desk: Desk) -> None:
    both = {"call": [*add("One fact here.")["call"], *call("terminal")["call"]]}
    reviewed = desk.review([both])
    assert [answer["success"] for answer in answers(reviewed)] == [True, False]
