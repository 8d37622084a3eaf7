"""Where a front matter ends in the characters of the file, whatever an agent makes of line ends."""

from __future__ import annotations

import pytest

from reviewdeck.reading.agents import AGENTS, CLAUDE, HERMES
from reviewdeck.reading.frontmatter import front_end, read_text

BODY = "Tables first.\n"
FRONT = "---\nname: x\ndescription: P\n---\n"


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.key)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["bare", "marked"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=ascii)
def test_a_body_begins_where_the_agent_says(agent: object, mark: str, ends: str) -> None:
    (reader,) = (one for one in AGENTS if one is agent)
    text = mark + (FRONT + BODY).replace("\n", ends)
    reading = read_text(text, reader)
    end = front_end(text, (reader,))
    if not reading.front:
        assert end == 0
        return
    assert text[end:].replace("\r\n", "\n").replace("\r", "\n") == reading.body.replace(
        "\r\n", "\n"
    )


def test_what_one_agent_reads_as_text_is_text() -> None:
    text = "---\nname: x\ndescription: a --- b\n---\nTables.\n"
    assert front_end(text, (CLAUDE,)) < front_end(text, (HERMES,))
    assert front_end(text, AGENTS) == front_end(text, (CLAUDE,))
    assert front_end("Tables.\n", AGENTS) == 0
