"""Strict intake: what becomes a proposal, what is quarantined, and that nothing ever fails."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.steps import LINEAR, Work, growth

from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.homes.hermes.records import parse_record
from reviewdeck.model import (
    ABSENT,
    Base,
    BaseSource,
    Edit,
    Kind,
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Quarantined,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    revision_of,
)
from reviewdeck.ports import PendingFile

NOW = datetime(2027, 1, 12, 10, tzinfo=UTC)
MEMORY = "memories/MEMORY.md"
ADD = {"action": "add", "target": "memory", "content": "A fact.", "old_text": None}


def record(payload: Any = ADD, /, **changes: Any) -> dict[str, Any]:
    """A record as Hermes writes them, with something changed."""
    whole = {
        "id": "0123abcd",
        "subsystem": "memory",
        "action": payload.get("action") if isinstance(payload, dict) else "add",
        "summary": "add to memory: A fact.",
        "origin": "background_review",
        "created_at": NOW.timestamp() - 60,
        "payload": payload,
    }
    return whole | changes


def parse(content: Any, source: str = "pending/memory/0123abcd.json") -> Proposal | Quarantined:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return parse_record("/home", PendingFile(source, data), NOW)


def accepted(content: Any, source: str = "pending/memory/0123abcd.json") -> Proposal:
    parsed = parse(content, source)
    assert isinstance(parsed, Proposal), parsed
    return parsed


def refused(content: Any, source: str = "pending/memory/0123abcd.json") -> str:
    parsed = parse(content, source)
    assert isinstance(parsed, Quarantined), parsed
    assert parsed.message
    return parsed.reason


def skill(payload: dict[str, Any]) -> Proposal:
    whole = record(payload, subsystem="skills")
    return accepted(whole, "pending/skills/0123abcd.json")


def refused_skill(payload: dict[str, Any]) -> str:
    return refused(record(payload, subsystem="skills"), "pending/skills/0123abcd.json")


def test_a_record_of_hermes_becomes_a_proposal() -> None:
    whole = record()
    data = json.dumps(whole).encode()
    sha = hashlib.sha256(data).hexdigest()
    source = "pending/memory/0123abcd.json"
    assert accepted(data) == Proposal(
        id=hashlib.sha256(f"/home\0{source}\0{sha}".encode()).hexdigest()[:12],
        home="/home",
        kind=Kind.MEMORY,
        action="add",
        target="memory",
        edits=(MemoryAdd(MEMORY, "A fact."),),
        payload_sha=sha,
        origin="background_review",
        source=source,
        source_id="0123abcd",
        summary="add to memory: A fact.",
        created_at=NOW - timedelta(minutes=1),
        ingested_at=NOW,
    )


def test_the_same_record_is_the_same_proposal_and_another_content_another() -> None:
    first, again = accepted(record()), accepted(record())
    other = accepted(record(ADD | {"content": "Another fact."}))
    assert first.id == again.id
    assert first.source_id == other.source_id
    assert first.id != other.id


def test_every_record_of_the_real_hermes_is_a_proposal(hermes_home: Path) -> None:
    home = HermesHome(hermes_home, env={}, user_home=hermes_home.parent)
    parsed = [home.parse(file, NOW) for file in home.pending()]
    assert len(parsed) == 50
    assert all(isinstance(one, Proposal) for one in parsed)
    assert len({one.id for one in parsed}) == 50
    assert not [one for one in parsed if isinstance(one, Proposal) and one.unknown_keys]


MEMORY_PAYLOADS: list[tuple[dict[str, Any], tuple[Edit, ...]]] = [
    ({"action": "add", "content": " kept as it is\n"}, (MemoryAdd(MEMORY, " kept as it is\n"),)),
    ({"action": "add", "target": None, "content": "x"}, (MemoryAdd(MEMORY, "x"),)),
    (
        {"action": "add", "target": "user", "content": "x"},
        (MemoryAdd("memories/USER.md", "x"),),
    ),
    (
        {"action": "replace", "old_text": "a", "content": "b", "matched_entry": "abc"},
        (MemoryReplace(MEMORY, "a", "b", "abc"),),
    ),
    ({"action": "remove", "old_text": "a", "content": None}, (MemoryRemove(MEMORY, "a"),)),
    ({"action": "replace", "content": "b"}, (MemoryReplace(MEMORY, "", "b"),)),
    (
        {
            "action": "batch",
            "operations": [
                {"action": "remove", "old_text": "a", "matched_entry": "aa"},
                {"action": "replace", "content": "no old text"},
                {"action": "add", "new_text": "alias"},
                {"action": "add", "new_text": "alias", "content": "wins"},
            ],
        },
        (
            MemoryRemove(MEMORY, "a", "aa"),
            MemoryReplace(MEMORY, "", "no old text"),
            MemoryAdd(MEMORY, "alias"),
            MemoryAdd(MEMORY, "wins"),
        ),
    ),
    ({"action": "batch", "operations": []}, ()),
    ({"action": "batch", "operations": None}, ()),
]


@pytest.mark.parametrize(("payload", "edits"), MEMORY_PAYLOADS)
def test_what_memory_payloads_ask_for(payload: dict[str, Any], edits: tuple[Edit, ...]) -> None:
    assert accepted(record(payload)).edits == edits


SKILL_PAYLOADS: list[tuple[dict[str, Any], Edit]] = [
    ({"action": "create", "content": "c", "category": " ops "}, SkillCreate("x", "c", "ops")),
    ({"action": "create", "content": "c", "category": ""}, SkillCreate("x", "c")),
    ({"action": "edit", "content": "c"}, SkillEdit("x", "c")),
    (
        {"action": "patch", "old_string": "a", "new_string": "", "replace_all": True},
        SkillPatch("x", "a", "", replace_all=True),
    ),
    (
        {"action": "patch", "old_string": "a", "new_string": "b", "file_path": "references/r.md"},
        SkillPatch("x", "a", "b", "references/r.md"),
    ),
    (
        {"action": "write_file", "file_path": "../../evil", "file_content": ""},
        SkillWriteFile("x", "../../evil", ""),
    ),
    ({"action": "remove_file", "file_path": "scripts/x.sh"}, SkillRemoveFile("x", "scripts/x.sh")),
    ({"action": "delete"}, SkillDelete("x")),
    ({"action": "delete", "absorbed_into": ""}, SkillDelete("x", "")),
    ({"action": "patch", "new_string": "b"}, SkillPatch("x", "", "b")),
    ({"action": "write_file", "file_content": "c"}, SkillWriteFile("x", "", "c")),
]


@pytest.mark.parametrize(("payload", "edit"), SKILL_PAYLOADS)
def test_what_skill_payloads_ask_for(payload: dict[str, Any], edit: Edit) -> None:
    proposal = skill({"name": "x"} | payload)
    assert (proposal.edits, proposal.target, proposal.kind) == ((edit,), "x", Kind.SKILLS)


def test_a_hostile_name_is_carried_and_not_judged_here() -> None:
    assert skill({"action": "delete", "name": "../..\n"}).target == "../..\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"{", "not-json"),
        (b"{'id': 1}", "not-json"),
        (b"{} {}", "not-json"),
        (b"\xef\xbb\xbf\xef\xbb\xbf{}", "not-json"),
        (b'{"a": "line\nbreak"}', "not-json"),
        (b'{"a": "\xff"}', "not-utf8"),
        (b"{\0}", "nul"),
        (b'{"a": "\\u0000"}', "nul"),
        (b'{"\\u0000": 1}', "nul"),
        (b'{"a": ["\\ud800"]}', "surrogate"),
        (b'{"a": 1, "a": 1}', "duplicate-key"),
        (b'{"payload": {"a": 1, "a": 2}}', "duplicate-key"),
        (b'{"a": NaN}', "bad-number"),
        (b'{"a": -Infinity}', "bad-number"),
        (b'{"a": 1e999}', "bad-number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "bad-number"),
        (b'{"a": ' + b"[" * 100_000, "too-deep"),
        (b'{"a": ' + b"[" * 33 + b"]" * 33 + b"}", "too-deep"),
        (b"[]", "not-an-object"),
        (b"null", "not-an-object"),
        (b'"text"', "not-an-object"),
    ],
)
def test_what_is_not_one_plain_json_object_is_quarantined(content: bytes, reason: str) -> None:
    assert refused(content) == reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({}, "foreign"),
        ({"id": "0123abcd", "type": "memory_candidate", "text": "x"}, "foreign"),
        (record(id="0123ABCD"), "bad-id"),
        (record(id="0123abc"), "bad-id"),
        (record(id=123), "bad-id"),
        (record(id="0123abcd\n"), "bad-id"),
        (record(id="0123abce"), "wrong-id"),
        (record(subsystem="skills"), "wrong-subsystem"),
        (record(subsystem=None), "wrong-subsystem"),
        (record(action="remove"), "wrong-action"),
        (record(action=7), "wrong-type"),
        (record(summary=["x"]), "wrong-type"),
        (record(origin=1), "wrong-type"),
        (record(created_at=True), "wrong-type"),
        (record(created_at="yesterday"), "wrong-type"),
        (record(["add"]), "wrong-type"),
        (record({"content": "x"}, action="add"), "missing-field"),
        (record({"action": "append", "content": "x"}), "unknown-action"),
        (record(ADD | {"target": "soul"}), "unknown-target"),
        (record(ADD | {"target": ["memory"]}), "wrong-type"),
        (record(ADD | {"content": 7}), "wrong-type"),
        (record(ADD | {"force": True}), "unknown-payload-key"),
        (record({"action": "batch", "operations": "all"}), "wrong-type"),
        (record({"action": "batch", "operations": ["add"]}), "wrong-type"),
        (record({"action": "batch", "operations": [{"content": "x"}]}), "missing-field"),
        (record({"action": "batch", "operations": [{"action": "sort"}]}), "unknown-action"),
        (
            record({"action": "batch", "operations": [ADD | {"target": "user"}]}),
            "two-targets",
        ),
    ],
)
def test_a_record_that_is_not_fully_understood_is_quarantined(content: Any, reason: str) -> None:
    assert refused(content) == reason


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ({"action": "create", "content": "c"}, "missing-field"),
        ({"action": "publish", "name": "x"}, "unknown-action"),
        ({"action": "patch", "name": "x", "old_string": "all of it"}, "missing-field"),
        ({"action": "write_file", "name": "x", "file_path": "references/a.md"}, "missing-field"),
        ({"action": "create", "name": "x", "content": {}}, "wrong-type"),
        ({"action": "delete", "name": "x", "category": 3}, "wrong-type"),
        ({"action": "delete", "name": "x", "absorbed_into": 0}, "wrong-type"),
        (
            {"action": "patch", "name": "x", "new_string": "b", "replace_all": "yes"},
            "wrong-type",
        ),
        ({"action": "create", "name": "x", "content": "c", "mode": 511}, "unknown-payload-key"),
    ],
)
def test_a_skill_record_that_is_not_fully_understood_is_quarantined(
    payload: dict[str, Any], reason: str
) -> None:
    assert refused_skill(payload) == reason


def test_a_record_without_an_action_of_its_own_takes_the_payloads() -> None:
    whole = record()
    del whole["action"], whole["summary"], whole["origin"], whole["created_at"]
    proposal = accepted(whole)
    assert (proposal.action, proposal.origin, proposal.created_at) == ("add", "unknown", None)
    assert proposal.unknown_keys == ()


def test_unknown_keys_of_a_record_are_named_and_ignored() -> None:
    proposal = accepted(record(zeal=1, attended={"x": [None]}))
    assert proposal.unknown_keys == ("attended", "zeal")


@pytest.mark.parametrize("created_at", [-1, 1e300, NOW.timestamp() + 301])
def test_an_impossible_time_is_no_time_and_is_named(created_at: float) -> None:
    proposal = accepted(record(created_at=created_at))
    assert proposal.created_at is None
    assert proposal.unknown_keys == ("created_at",)


@pytest.mark.parametrize("created_at", [0, int(NOW.timestamp()), NOW.timestamp() + 299])
def test_a_possible_time_is_kept(created_at: float) -> None:
    proposal = accepted(record(created_at=created_at))
    assert proposal.created_at == datetime.fromtimestamp(created_at, UTC)
    assert proposal.unknown_keys == ()


def base(text: str) -> dict[str, str]:
    return {"sha256": hashlib.sha256(text.encode()).hexdigest(), "text": text}


def test_a_record_that_knows_its_base_gives_it() -> None:
    known = {
        "v": 1,
        "bases": {MEMORY: base("old é")},
        "session": "s",
        "turn": "t",
        "tool_call": "c",
    }
    proposal = accepted(record(reviewdeck=known))
    data = "old é".encode()
    assert proposal.bases == {MEMORY: Base(revision_of(data), data, BaseSource.GIVEN)}
    assert (proposal.session, proposal.turn, proposal.tool_call) == ("s", "t", "c")
    assert proposal.unknown_keys == ()


def test_a_base_may_be_known_by_its_hash_alone() -> None:
    sha = hashlib.sha256(b"x").hexdigest()
    proposal = accepted(record(reviewdeck={"v": 1, "bases": {MEMORY: {"sha256": sha}}}))
    assert proposal.bases[MEMORY] == Base(revision_of(b"x"), None, BaseSource.GIVEN, has_text=False)


def test_a_base_may_be_that_there_was_no_file() -> None:
    proposal = accepted(record(reviewdeck={"v": 1, "bases": {MEMORY: {"sha256": "absent"}}}))
    assert proposal.bases[MEMORY] == Base(ABSENT, None, BaseSource.GIVEN)


@pytest.mark.parametrize(
    "bases",
    [
        {MEMORY: base("x") | {"text": "y"}},
        {MEMORY: {"text": "x"}},
        {MEMORY: {"sha256": "123"}},
        {MEMORY: {"sha256": "absent", "text": ""}},
        {MEMORY: "x"},
        {"memories/USER.md": base("x")},
        {"memories/../memories/MEMORY.md": base("x")},
        ["x"],
        None,
    ],
)
def test_a_base_that_cannot_be_true_is_dropped_and_named(bases: Any) -> None:
    proposal = accepted(record(reviewdeck={"v": 1, "bases": bases, "turn": "t"}))
    assert proposal.bases == {}
    assert proposal.turn == "t"
    assert proposal.unknown_keys == ("reviewdeck.bases",)


@pytest.mark.parametrize("value", [None, 1, [], "x", {}, {"v": 2}, {"v": True}, {"v": "1"}])
def test_provenance_of_an_unknown_version_is_ignored_and_named(value: Any) -> None:
    proposal = accepted(record(reviewdeck=value))
    assert proposal.bases == {}
    assert proposal.unknown_keys == ("reviewdeck",)


def test_provenance_of_the_wrong_type_is_ignored_and_named() -> None:
    proposal = accepted(record(reviewdeck={"v": 1, "session": 7, "turn": "t", "mood": "good"}))
    assert (proposal.session, proposal.turn) == (None, "t")
    assert proposal.unknown_keys == ("reviewdeck.mood", "reviewdeck.session")


@pytest.mark.parametrize(
    ("payload", "path", "kept"),
    [
        ({"action": "patch"}, "skills/ops/x/SKILL.md", True),
        ({"action": "patch"}, "skills/x/SKILL.md", True),
        ({"action": "patch"}, "skills/ops/y/SKILL.md", False),
        ({"action": "patch"}, "skills/ops/x/references/a.md", False),
        ({"action": "patch"}, "ops/x/SKILL.md", False),
        ({"action": "patch"}, "skills/../x/SKILL.md", False),
        ({"action": "patch", "file_path": "references/a.md"}, "skills/x/references/a.md", True),
        ({"action": "write_file", "file_path": "../a"}, "skills/x/../a", False),
        ({"action": "delete"}, "skills/x/references/a.md", True),
        ({"action": "delete"}, "skills/y/references/a.md", False),
    ],
)
def test_a_base_is_kept_for_a_document_that_the_edit_may_touch(
    payload: dict[str, Any], path: str, kept: bool
) -> None:
    whole = record(
        {"name": "x", "new_string": "b", "file_content": "c"} | payload,
        subsystem="skills",
        reviewdeck={"v": 1, "bases": {path: base("text")}},
    )
    proposal = accepted(whole, "pending/skills/0123abcd.json")
    assert (path in proposal.bases) is kept


def test_a_truncated_record_is_quarantined_wherever_it_ends(hermes_home: Path) -> None:
    files = sorted((hermes_home / "pending").rglob("*.json"), key=lambda path: path.stat().st_size)
    whole, source = files[0].read_bytes(), str(files[0].relative_to(hermes_home))
    accepted(whole, source)
    for end in range(len(whole)):
        assert refused(whole[:end], source) in {"empty", "not-json", "not-utf8"}


@pytest.mark.parametrize(
    ("begin", "part", "end"),
    [
        (b'"', b'\\"', b""),
        (b'{"a": "', b"[", b'"}'),
        (b"", b'["', b""),
        (b"{", b'"a":{', b""),
        (b'{"a": "', b"\\\\", b'"}'),
    ],
)
def test_a_record_twice_as_long_takes_no_more_than_twice_the_steps(
    begin: bytes, part: bytes, end: bytes
) -> None:
    def parsing(length: int) -> Work:
        return partial(parse, begin + part * (length // len(part)) + end)

    assert growth(parsing, 120_000) < LINEAR


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)

SOURCES = st.sampled_from(["pending/memory/0123abcd.json", "pending/skills/0123abcd.json", "x", ""])


@given(data=st.binary(), source=SOURCES)
@example(data=b'{"a":' * 20_000, source="x")
def test_no_bytes_make_intake_fail(data: bytes, source: str) -> None:
    parse_record("/home", PendingFile(source, data), NOW)


@given(value=JSON, source=SOURCES)
def test_no_json_makes_intake_fail(value: Any, source: str) -> None:
    parse(json.dumps(value).encode(), source)


KEYS = st.sampled_from([*record(), *ADD, "operations", "matched_entry", "reviewdeck", "bases", "v"])


@given(
    outer=st.dictionaries(KEYS, JSON, max_size=3),
    inner=st.dictionaries(KEYS, JSON, max_size=3),
    known=st.dictionaries(KEYS, JSON, max_size=3),
)
def test_no_change_to_a_good_record_makes_intake_fail(
    outer: dict[str, Any], inner: dict[str, Any], known: dict[str, Any]
) -> None:
    parse(record(ADD | inner, reviewdeck={"v": 1, "bases": {}} | known) | outer)


def test_what_was_not_read_says_why() -> None:
    file = PendingFile("pending/skills/ab.json", None, "too-large: the file is too large")
    parsed = parse_record("/home", file, NOW)
    assert isinstance(parsed, Quarantined)
    assert (parsed.kind, parsed.reason, parsed.message) == (
        Kind.SKILLS,
        "too-large",
        "the file is too large",
    )
