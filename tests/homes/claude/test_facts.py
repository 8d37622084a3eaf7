"""What Claude Code stamps into a fact: ignored in telling facts apart, added, and nothing lost."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reviewdeck.homes.claude.facts import is_same_fact, stamp_fact

AT = datetime(2026, 3, 2, 12, 0, 0, 7000, tzinfo=UTC)
SESSION = "252e9b98-3e2a-4afb-8b7f-f87efef75398"
MODIFIED = "modified: 2026-03-02T12:00:00.007Z\n"
STAMPS = f"  node_type: memory\n  originSessionId: {SESSION}\n  {MODIFIED}"
PLAIN = "---\nname: a\ndescription: d\ntype: project\n---\n\nBody\n"
TOP = f"---\nname: a\ntype: user\noriginSessionId: {SESSION}\n---\nBody\n"
WITHIN = "---\nname: a\nmetadata:\n  type: project\n---\nBody\n"
ODD = (
    '---\nname: "a"   # why\nmetadata: \n    # note\n    type: user\n    zeta: 1\n'
    "alpha: [a,  b]   \n---\n\n\nBody  \n\ntail"
)


def test_a_new_fact_gets_the_session_and_the_moment() -> None:
    assert stamp_fact(WITHIN, None, SESSION, AT) == (
        "---\nname: a\nmetadata:\n  type: project\n" + STAMPS + "---\nBody\n"
    )
    assert stamp_fact(PLAIN, None, SESSION, AT) == (
        "---\nname: a\ndescription: d\ntype: project\nmetadata:\n" + STAMPS + "---\n\nBody\n"
    )
    assert stamp_fact(TOP, None, SESSION, AT) == TOP.replace("---\nBody", f"{MODIFIED}---\nBody")


@pytest.mark.parametrize("text", [PLAIN, TOP, WITHIN, ODD, PLAIN.replace("\n", "\r\n")])
def test_lines_are_added_and_all_others_stay_as_they_are(text: str) -> None:
    made = stamp_fact(text, None, SESSION, AT)
    rest = iter(made.splitlines(keepends=True))
    assert all(line in rest for line in text.splitlines(keepends=True))
    assert is_same_fact(text, made)
    assert ("\r\n" in made) == ("\r\n" in text)
    assert stamp_fact(made, made, "another", AT) == made


@pytest.mark.parametrize(
    "text", ["Just a text\n", "", "---\nname: a\n", "---\nmetadata: {type: user}\n---\nBody\n"]
)
def test_what_has_no_front_matter_that_can_take_them_is_left_alone(text: str) -> None:
    assert stamp_fact(text, None, SESSION, AT) == text


def test_a_fact_that_is_rewritten_keeps_what_was_stamped_into_it() -> None:
    base = stamp_fact(WITHIN, None, SESSION, AT)
    later = datetime(2026, 4, 1, tzinfo=UTC)
    rewritten = WITHIN.replace("Body", "Another body")
    assert stamp_fact(rewritten, base, "another", later) == base.replace("Body", "Another body")
    edited = base.replace("Body", "Another body")
    assert stamp_fact(edited, base, "another", later) == edited


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (WITHIN, WITHIN.replace("Body", "Body.")),
        (WITHIN, WITHIN.replace("type: project", "type: user")),
        ("---\na: 1\n---\nB\n", "---\n---\nB\n"),
        ("modified: today\n", "modified: tomorrow\n"),
        (WITHIN, WITHIN.replace("Body", "modified: 1")),
    ],
)
def test_whatever_is_no_stamp_makes_another_fact(one: str, other: str) -> None:
    assert not is_same_fact(one, other)


def test_what_claude_code_writes_of_a_text_is_the_same_fact() -> None:
    on_disk = (
        "---\nname: a\nmetadata:\n  node_type: memory\n  type: project\n"
        f"  originSessionId: {SESSION}\n  modified: 2026-11-26T09:51:15.291Z\n---\n\nBody\n"
    )
    assert is_same_fact(WITHIN, on_disk)
    assert is_same_fact(
        "---\nname: s5\n---\nBody",
        on_disk.replace("name: a", "name: s5")
        .replace("  type: project\n", "")
        .replace("Body\n", "Body"),
    )
