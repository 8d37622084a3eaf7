"""Records of later versions become proposals, each judged by what it says itself."""

from __future__ import annotations

from typing import Any

import pytest
from tests.homes.later import MEMORY, skill_text
from tests.homes.test_pending_parse import accepted, parse, record, refused, refused_skill, skill

from reviewdeck.model import (
    Edit,
    MemoryAdd,
    MemoryEdit,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
    Quarantined,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)

ENTRY = "Deploys happen on Tuesdays, never on Fridays."


def batch(*operations: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"action": "batch", "operations": list(operations)} | more


@pytest.mark.parametrize(
    ("payload", "edits"),
    [
        (
            {"action": "replace", "target": "memory", "content": "c", "old_text": "Tuesdays",
             "matched_entry": ENTRY},
            (MemoryReplace(MEMORY, "Tuesdays", "c", ENTRY),),
        ),
        (
            {"action": "remove", "target": "memory", "content": None, "old_text": "Tuesdays",
             "matched_entry": ENTRY},
            (MemoryRemove(MEMORY, "Tuesdays", ENTRY),),
        ),
        (
            {"action": "remove", "old_text": "Tuesdays", "matched_entry": ""},
            (MemoryRemove(MEMORY, "Tuesdays", None),),
        ),
        (
            {"action": "replace", "old_text": "a", "new_text": "n", "matched_entry": "a b"},
            (MemoryReplace(MEMORY, "a", "n", "a b"),),
        ),
        (
            {"action": "replace", "old_text": "a", "content": "c", "new_text": "n"},
            (MemoryReplace(MEMORY, "a", "c"),),
        ),
        (
            {"action": "patch", "target": "memory", "old_text": " a", "content": "b ",
             "matched_entry": "a a c"},
            (MemoryPatch(MEMORY, " a", "b ", "a a c"),),
        ),
        (
            batch(
                {"action": "add", "new_text": "n", "target": "memory", "tags": ["x"]},
                {"action": "replace", "old_text": "a", "new_text": "n", "matched_entry": "a b"},
                {"action": "remove", "old_text": "c", "matched_entry": "c d"},
                target="memory",
            ),
            (
                MemoryAdd(MEMORY, "n"),
                MemoryReplace(MEMORY, "a", "n", "a b"),
                MemoryRemove(MEMORY, "c", "c d"),
            ),
        ),
    ],
)  # fmt: skip
def test_a_pinned_entry_and_the_other_name_of_a_text_are_understood(
    payload: dict[str, Any], edits: tuple[MemoryEdit, ...]
) -> None:
    assert accepted(record(payload)).edits == edits


def test_a_batch_of_skill_edits_is_one_proposal_over_several_skills() -> None:
    text = skill_text("a")
    proposal = skill(
        batch(
            {"name": "b", "action": "create", "content": text, "category": "dev"},
            {"name": "a", "action": "patch", "old_string": "x", "new_string": ""},
            {"name": "a", "action": "patch", "content": text},
            {"name": "b", "action": "write_file", "file_path": "scripts/x", "file_content": ""},
            {"name": "a", "action": "remove_file", "file_path": "references/x.md"},
        )
    )
    assert (proposal.action, proposal.target) == ("batch", "a, b")
    assert proposal.edits == (
        SkillCreate("b", text, "dev"),
        SkillPatch("a", "x", ""),
        SkillEdit("a", text),
        SkillWriteFile("b", "scripts/x", ""),
        SkillRemoveFile("a", "references/x.md"),
    )


@pytest.mark.parametrize(
    ("operation", "edit"),
    [
        ({"action": "delete", "absorbed_into": "b"}, SkillDelete("a", "b")),
        ({"action": "patch", "content": "c", "old_string": ""}, SkillEdit("a", "c")),
        (
            {"action": "patch", "old_string": "x", "new_string": "y", "file_path": "assets/x",
             "replace_all": True, "content": None},
            SkillPatch("a", "x", "y", "assets/x", replace_all=True),
        ),
    ],
)  # fmt: skip
def test_what_an_operation_of_a_batch_asks_for(operation: dict[str, Any], edit: Edit) -> None:
    assert skill(batch({"name": "a"} | operation)).edits == (edit,)
    assert skill(batch(operation, name="a")).edits == (edit,)


def test_a_flat_patch_with_a_whole_text_alone_is_a_rewrite() -> None:
    proposal = skill({"action": "patch", "name": "a", "content": "c", "replace_all": False})
    assert (proposal.edits, proposal.action) == ((SkillEdit("a", "c"),), "patch")


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (batch({"action": "delete"}), "missing-field"),
        (batch({"name": "a"}), "missing-field"),
        (batch({"name": "a", "action": "edit", "content": "c"}), "unknown-action"),
        (batch({"name": "a", "action": "batch"}), "unknown-action"),
        (batch({"name": "a", "action": "patch", "old_string": "x"}), "missing-field"),
        (batch({"name": "a", "action": "write_file", "file_path": "x"}), "missing-field"),
        (
            batch({"name": "a", "action": "patch", "content": "c", "new_string": ""}),
            "two-texts",
        ),
        (batch({"name": "a", "action": "create", "mode": "x"}), "unknown-payload-key"),
        (batch({"name": "a", "action": "create"}, dry_run=True), "unknown-payload-key"),
        (batch({"name": 1, "action": "create"}), "wrong-type"),
        ({"action": "batch", "operations": {"name": "a"}}, "wrong-type"),
        ({"action": "batch", "operations": ["create"]}, "wrong-type"),
        ({"action": "batch", "operations": 1}, "wrong-type"),
        ({"action": "batch", "operations": True}, "wrong-type"),
    ],
)
def test_a_batch_that_is_not_fully_understood_is_quarantined(
    payload: dict[str, Any], reason: str
) -> None:
    assert refused_skill(payload) == reason


def test_a_batch_that_asks_for_nothing_is_a_proposal_that_cannot_be_applied() -> None:
    assert skill(batch()).edits == ()


def test_the_record_and_its_payload_must_both_say_that_it_is_a_batch() -> None:
    whole = record(batch(), subsystem="skills", action="create")
    assert refused(whole, "pending/skills/0123abcd.json") == "wrong-action"


def test_what_an_unattended_review_stages_keeps_its_summary_and_its_origin() -> None:
    summary = "background review consolidation (batch on memory): - remove: " + "x" * 130
    payload = batch({"action": "remove", "old_text": "x", "matched_entry": "x y"}, target="memory")
    proposal = accepted(record(payload, summary=summary, origin="background_review"))
    assert (proposal.summary, proposal.origin) == (summary, "background_review")
    assert proposal.action == "batch"


def test_keys_of_an_operation_that_hermes_ignores_are_named() -> None:
    operation = {"action": "add", "content": "c", "target": None, "content_type": "text", "n": 1}
    assert accepted(record(batch(operation, target="user"))).unknown_keys == ("content_type", "n")


@pytest.mark.parametrize(
    ("payload", "more"),
    [
        ({"action": "add", "target": "memory", "content": "Likes tea."}, {"provider": "mnemosyne"}),
        ({"tool": "mnemosyne_remember", "content": "Likes tea."}, {"provider": "mnemosyne"}),
        ({"action": "add", "target": "memory", "content": "Likes tea."}, {"tool": "remember"}),
        *(
            ({"action": "add", "target": "memory", "content": "Likes tea."}, more)
            for more in (
                {"provider": ""},
                {"provider": {"name": "mnemosyne"}},
                {"provider": False},
                {"Memory_Provider": "mnemosyne"},
                {"tool": ["remember"]},
                {"tool_name": "remember"},
            )
        ),
    ],
)
def test_a_record_of_a_memory_provider_is_its_own_whatever_its_shape(
    payload: dict[str, Any], more: dict[str, Any]
) -> None:
    quarantined = parse(record(payload, **more), "pending/memory/0123abcd.json")
    assert isinstance(quarantined, Quarantined)
    assert quarantined.reason == "provider"
    (value,) = more.values()
    name = value if isinstance(value, str) and value else "without a name"
    assert name in quarantined.message
    assert quarantined.message.endswith("only that applies it: Likes tea.")


def test_an_operation_of_a_memory_provider_is_its_own_too() -> None:
    operation = {"action": "add", "content": "Likes tea.", "provider": "mnemosyne"}
    quarantined = parse(record(batch(operation, target="memory")), "pending/memory/0123abcd.json")
    assert isinstance(quarantined, Quarantined) and quarantined.reason == "provider"


def test_a_record_that_names_no_provider_is_hermes_own() -> None:
    own = {"action": "add", "target": "memory", "content": "Likes tea."}
    assert accepted(record(own, provider=None, tool=None)).edits == (
        MemoryAdd(MEMORY, "Likes tea."),
    )
