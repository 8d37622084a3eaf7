"""Secrets are covered in a diff, and nothing else of it changes."""

from __future__ import annotations

from tests.tui.kit_deck import Cockpit

from reviewdeck.text.rows import Row
from reviewdeck.text.words import Mark
from reviewdeck_tui.keys import SECRETS
from reviewdeck_tui.proposal.diff import section_of
from reviewdeck_tui.proposal.diff_document import DiffDocument, Section
from reviewdeck_tui.proposal.redaction import redacted

TOKEN = "ghp_" + "a1B2" * 9
KEY = [
    "-----BEGIN RSA " + "PRIVATE KEY-----",
    "MIIEpAIBAAKCAQEAtesttest",
    "-----END RSA PRIVATE KEY-----",
]


def _document(before: str, after: str) -> DiffDocument:
    return DiffDocument("p", "add memory", (section_of("notes.md", before, after, None),))


def _said(section: Section) -> str:
    return "\n".join(row.right or "" for row in section.lines if isinstance(row, Row))


def test_a_token_is_covered_and_the_operator_is_told() -> None:
    shown = redacted(_document("a\n", f"a\nThe token is {TOKEN}.\n"))
    assert TOKEN[4:12] not in str(shown)
    assert "ctrl+p" in str(shown.sections[0].lines[-1])
    assert "a" in _said(shown.sections[0])


def test_a_key_is_covered_on_each_of_its_lines() -> None:
    shown = redacted(_document("", "\n".join(["x", *KEY, "y"])))
    assert KEY[1] not in str(shown)
    assert _said(shown.sections[0]).splitlines()[0] == "x"


def test_where_a_line_is_covered_no_words_of_it_are_marked() -> None:
    plain = _document("a\n", f"a\nThe token is {TOKEN}.\nb c\n")
    section = plain.sections[0]
    at = next(n for n, row in enumerate(section.lines) if TOKEN in str(row))
    is_flagged = DiffDocument(
        "p",
        "t",
        (Section(section.title, section.lines, flags={at: (Mark(0, 3),), at + 1: (Mark(0, 1),)}),),
    )
    assert set(redacted(is_flagged).sections[0].flags) == {at + 1}


def test_a_document_without_secrets_is_the_same_one() -> None:
    plain = _document("a\n", "Passwords are hashed with argon2id.\n")
    assert redacted(plain) is plain


async def test_the_palette_shows_secrets_and_covers_them_again(cockpit: Cockpit) -> None:
    cockpit.agent.add(f"The token is {TOKEN}.")
    cockpit.take_in()
    async with cockpit.open(size=(120, 40)) as deck:
        offered = [one.title for one in deck.app.get_system_commands(deck.app.screen)]
        assert SECRETS in offered
        assert TOKEN[4:12] not in deck.shown()
        deck.screen.action_secrets()
        await deck.settle()
        assert TOKEN in deck.shown()
        deck.screen.action_secrets()
        await deck.settle()
        assert TOKEN[4:12] not in deck.shown()


def test_a_key_whose_lines_are_looked_at_in_two_parts_is_covered_on_each() -> None:
    block = [KEY[0], *("MIIEpAIBAA" + f"{number:02d}" * 12 for number in range(24)), KEY[2]]
    lines = [f"step {number}: wait" for number in range(600)]
    for begins in (240, 250, 255, 500):
        text = "\n".join([*lines[:begins], *block, *lines[begins:]])
        (section,) = redacted(_document("", text)).sections
        shown = _said(section).splitlines()
        assert not [one for one in block[1:-1] if one in "\n".join(shown)]
        assert [line for line in shown if "step" in line] == lines


def test_a_short_line_of_a_key_that_looks_like_nothing_is_covered_far_from_its_beginning() -> None:
    block = [KEY[0], *["MIIEpAIBAAKCAQEAtesttest"] * 300, "plainend", KEY[2]]
    (section,) = redacted(_document("", "\n".join(block))).sections
    assert "plainend" not in _said(section)


def test_one_secret_among_thousands_of_lines_is_covered_and_no_other_line_moves() -> None:
    lines = [f"step {number}: see https://example.org/{number}" for number in range(3_000)]
    text = "\n".join([*lines[:1_500], f"The token is {TOKEN}.", *lines[1_500:]])
    plain = _document("", text).sections[0]
    shown = redacted(_document("", text)).sections[0]
    others = [at for at, line in enumerate(plain.lines) if shown.lines[at] != line]
    assert others == [1_500]
    assert TOKEN[4:] not in _said(shown)
