"""Taking back a line that was looked at a while ago: by what it says, wherever it stands now."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.kit import entries, set_entries

from reviewdeck.engine.decide import apply_own
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.why import LiveLine, find_sources, revert_line
from reviewdeck.errors import UnknownId

STAGING, MKDOCS, TOX = "The staging host is stg-2.", "Docs use mkdocs.", "Tests run with tox."
LATER = "Dana works from Porto."


def look(deck: Engine, text: str) -> LiveLine:
    deck.intake()
    return find_sources(deck, text)[0].line


def take_back(deck: Engine, line: LiveLine) -> None:
    apply_own(deck, revert_line(deck, line, "not so"), "revert")


def test_an_entry_that_moved_since_is_taken_back_and_no_other(deck: Engine, home: Path) -> None:
    line = look(deck, STAGING)
    set_entries(home, LATER, TOX, STAGING, MKDOCS)
    deck.intake()
    take_back(deck, line)
    assert entries(home) == [LATER, TOX, MKDOCS]


def test_what_changed_an_entry_that_moved_since_is_taken_back(deck: Engine, home: Path) -> None:
    deck.intake()
    set_entries(home, TOX, "The staging host is stg-3.", MKDOCS)
    line = look(deck, "The staging host is stg-3.")
    set_entries(home, LATER, TOX, "The staging host is stg-3.", MKDOCS)
    deck.intake()
    take_back(deck, line)
    assert entries(home) == [LATER, TOX, STAGING, MKDOCS]


def test_a_line_of_a_skill_that_moved_since_is_taken_back_and_no_other(
    deck: Engine, home: Path
) -> None:
    style = home / "skills" / "dev" / "release-notes" / "references" / "style.md"
    line = look(deck, "Plain words.")
    style.write_text("# Style\nShort sentences.\nPlain words.\n", "utf-8")
    deck.intake()
    take_back(deck, line)
    assert style.read_text("utf-8") == "# Style\nShort sentences.\n"


@pytest.mark.parametrize(
    "line", ["In a table:\fone row each.", "One.\u2028Two.", "One.\x85Two.", "One.\vTwo.", "A\rB"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_comes_back_with_every_byte_that_it_had(
    deck: Engine, home: Path, line: str, end: str
) -> None:
    style = home / "skills" / "dev" / "release-notes" / "references" / "style.md"
    before = f"# Style\r\n{line}{end}Plain words.\n"
    style.write_bytes(before.encode())
    deck.intake()
    style.write_bytes(before.replace(line, "Bananas ripen slowly.").encode())
    found = look(deck, "Bananas ripen slowly.")
    style.write_bytes(before.replace(line, "Bananas ripen slowly.").encode() + b"Later.\n")
    deck.intake()
    take_back(deck, found)
    assert style.read_bytes() == before.encode() + b"Later.\n"


def test_a_line_that_went_since_is_not_taken_back(deck: Engine, home: Path) -> None:
    line = look(deck, STAGING)
    set_entries(home, TOX, MKDOCS)
    deck.intake()
    with pytest.raises(UnknownId, match="no line"):
        revert_line(deck, line, "not so")
    assert entries(home) == [TOX, MKDOCS]
