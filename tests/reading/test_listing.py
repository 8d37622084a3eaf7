"""What each agent's model is shown of a skill, against recordings of the real agents."""

from __future__ import annotations

import pytest
from tests.reading import forms
from tests.reading.recordings import predicted, recorded

from reviewdeck.reading.agents import (
    AGENTS,
    CLAUDE,
    GEMINI,
    HERMES,
    HERMES_22,
    OPENCLAW,
    OPENCODE,
    READINGS,
    Agent,
)
from reviewdeck.reading.discovery import SkillFile, loaded_by
from reviewdeck.reading.listing import Shown, Uncertain, Unlisted, listing

CHOSEN_ELSEWHERE = {
    OPENCODE: {"a17-two/SKILL.md"},
    GEMINI: {
        "a17-two/SKILL.md",
        "c62-emptyname/SKILL.md",
        *(f"d{at}-alias/SKILL.md" for at in ("09", "11", "17", "18")),
    },
}
"""One of two skills of a name that chance, or the file system, did not choose in the recording."""
_CIRCLE, _PLATFORM = "f77/SKILL.md", "fl/SKILL.md"
OTHERWISE = {
    HERMES: {_CIRCLE, _PLATFORM},
    HERMES_22: {_CIRCLE, _PLATFORM, "c74-nel/SKILL.md", "g00085/SKILL.md"},
    CLAUDE: {_CIRCLE},
    GEMINI: {_CIRCLE},
    OPENCODE: {"e13/SKILL.md"},
    OPENCLAW: {_CIRCLE, "f41/SKILL.md", "fo/SKILL.md", "fp/SKILL.md"},
}
"""Known differences: js-yaml takes a mapping of an explicit key as a value on one line, and
ruamel.yaml goes on with a plain value behind U+0085 without an indentation. A value that holds
itself is not known to us, and whether a system is the one that a skill is for is not looked at,
nor what OpenClaw prints of bytes."""


@pytest.mark.parametrize("agent", READINGS, ids=lambda agent: agent.key)
def test_the_model_is_shown_what_the_real_agent_shows_it(agent: Agent) -> None:
    ours, real = predicted(agent, *forms.ALL), recorded(agent)
    for path in CHOSEN_ELSEWHERE.get(agent, set()) | OTHERWISE.get(agent, set()):
        assert ours.pop(path, None) != real.pop(path, None)
    assert ours == real


def test_a_front_matter_of_a_megabyte_is_uncertain_and_not_refused() -> None:
    text = (
        "---\nname: big\n" + "".join(f"key{at}: value\n" for at in range(80_000)) + "---\n\nBody\n"
    )
    assert isinstance(listing(text.encode(), "big", HERMES), Uncertain)


def test_a_description_that_aliases_expand_beyond_measure_is_uncertain() -> None:
    lines = ["x: &a [one, two]"]
    lines += [
        f"k{at}: &a{at} [*a{at - 1 if at else ''}, *a{at - 1 if at else ''}]" for at in range(40)
    ]
    text = "\n".join(("---", "name: many", *lines, "description: *a39", "---", "", "Body", ""))
    assert isinstance(listing(text.encode(), "many", CLAUDE), Uncertain)


def test_a_reason_says_why_an_agent_lists_a_skill_not() -> None:
    data = b"\xef\xbb\xbf" + forms.skill("marked", "Purpose")
    reasons = {agent.key: listing(data, "marked", agent) for agent in AGENTS}
    assert {key for key, each in reasons.items() if isinstance(each, Unlisted)} == {
        "codex",
        "gemini",
    }
    assert reasons["hermes"] == Shown("marked", "Purpose")


def test_a_skill_in_the_folder_of_skills_itself_is_the_only_one_for_openclaw() -> None:
    files = [SkillFile("SKILL.md"), SkillFile("other/SKILL.md")]
    loaded = {agent.key: [file.path for file in loaded_by(agent, files)] for agent in AGENTS}
    assert loaded.pop("openclaw") == ["SKILL.md"]
    assert loaded.pop("claude") == ["other/SKILL.md"]
    assert set(map(tuple, loaded.values())) == {("SKILL.md", "other/SKILL.md")}
