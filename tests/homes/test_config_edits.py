"""Settings in a `config.yaml` are changed in place, and taken out again."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as example_settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes.config_edits import add_settings, is_enabled, remove_settings

WRITTEN = (
    "",
    "# nothing yet\n",
    "{}\n",
    "model: gpt  # no newline at the end",
    "memory:\n  memory_char_limit: 2200  # as it was\n  write_approval: false  # for now\n# tail\n",
    "memory:\nskills:   ~  # none\nplugins:\n  enabled:\n  - a\n  # between\n  - b\n",
    "memory: {write_approval: no, nudge_interval: 3}\nplugins: {enabled: [a, b], x: {}}\n",
    "plugins:\n  enabled: []\n  disabled: [loud]\nskills: {}\n",
    "plugins:\n  enabled:\nmodel: {default: a, provider: b}\n",
    "memory:\r\n  memory_enabled: true\r\nagent:\r\n  name: é\r\n",
    "\ufeffskills:\n  write_approval: off\n",
    "---\nprompt: |\n  memory:\n    write_approval: false\n\nmemory:\n    # deep\n    x: ''\n",
    "{memory: {}, a: 1}\n",
    "  memory:\n    x: 1\n",
)


OURS = {"write_approval", "enabled"}


def tree(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text) or {}


@pytest.mark.parametrize("text", WRITTEN)
def test_the_gates_and_the_plugin_are_switched_on_and_nothing_else_changes(text: str) -> None:
    after = add_settings(text, plugin=True)

    found, before = tree(after), tree(text)
    assert found["memory"].pop("write_approval") is True
    assert found["skills"].pop("write_approval") is True
    assert "reviewdeck" in found["plugins"]["enabled"]
    assert is_enabled(after)
    assert add_settings(after, plugin=True) == after
    for word in ("# as it was", "# for now", "# between", "# deep", "# none", "# tail"):
        assert after.count(word) == text.count(word)
    for name, section in before.items():
        kept = section if isinstance(section, dict) else {}
        assert all(found[name][key] == kept[key] for key in kept.keys() - OURS)
        if not isinstance(section, dict | None):
            assert found[name] == section


@pytest.mark.parametrize("text", WRITTEN)
def test_what_was_put_in_is_taken_out_beside_what_somebody_added_since(text: str) -> None:
    after = add_settings(text, plugin=True)
    assert settings(remove_settings(after, text)) == settings(text)
    if text.startswith("{") or text.startswith("  "):
        return
    later = after if after.endswith("\n") else after + "\n"
    later += "added:\n  since: 1\n"
    assert settings(remove_settings(later, text)) == {**settings(text), "added": {"since": 1}}


def settings(text: str) -> Any:
    """What a config says; what is empty says nothing."""
    found = {}
    for name, section in tree(text.lstrip("\ufeff")).items():
        said = section
        if isinstance(section, dict):
            said = {key: value for key, value in section.items() if value not in (None, [])}
        if said:
            found[name] = said
    return found


def test_every_line_that_was_there_is_still_there_as_it_was() -> None:
    text = "# my settings\nmodel:\n    default:   'gpt'   # big\n\nmemory:\n  provider: ''\n"
    after = add_settings(text, plugin=True)
    rest = iter(after.splitlines())
    assert all(line in rest for line in text.splitlines())
    assert remove_settings(after, text) == text


def test_a_gate_that_somebody_switched_off_again_stays_off() -> None:
    gate = "skills:\n  write_approval: "
    after = add_settings("a: 1\n", plugin=True).replace(f"{gate}true", f"{gate}false")
    found = remove_settings(after, "a: 1\n")
    assert settings(found) == {"a": 1, "skills": {"write_approval": False}}


def test_a_gate_that_was_on_before_stays_on() -> None:
    text = "memory:\n  write_approval: 'on'\n"
    after = add_settings(text, plugin=False)
    assert "write_approval: 'on'" in after
    assert remove_settings(after, text) == text


@pytest.mark.parametrize(
    "text",
    [
        "memory: [\n",
        "- a\n",
        "memory: loud\n",
        "a: 1\n...\n",
        "plugins:\n  enabled: all\n",
        "x: &m {provider: a}\nmemory: *m\n",
        "a: 1\na: 2\n",
    ],
)
def test_what_cannot_be_changed_in_place_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        add_settings(text, plugin=True)


KEYS = st.sampled_from(["memory", "skills", "plugins", "model", "write_approval", "enabled", "x y"])
VALUES = st.recursive(
    st.sampled_from([None, True, 7, "", "yes", "a: b", "#c", "- d", "reviewdeck"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@example_settings(max_examples=40)
@given(st.dictionaries(KEYS, VALUES, max_size=4), st.sampled_from([None, False, True]))
def test_whatever_a_config_says_an_edit_says_that_and_ours_or_is_refused(
    meant: dict[str, Any], flow: bool | None
) -> None:
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = flow
    out = StringIO()
    yaml.dump(meant, out)
    text = out.getvalue()
    try:
        after = add_settings(text, plugin=True)
        back = remove_settings(after, text)
    except BadInput:
        return
    assert is_enabled(after) or "reviewdeck" in ((meant.get("plugins") or {}).get("disabled") or ())
    assert settings(back) == settings(text)
