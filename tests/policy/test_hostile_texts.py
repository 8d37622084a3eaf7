"""No text makes the built-in rules slow, and a pattern of one's own is run by RE2 or not at all."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import pytest
from tests.steps import LINEAR, growth

from reviewdeck.model import MemoryAdd
from reviewdeck.policy.config import read_policy
from reviewdeck.policy.plain import check_plain
from reviewdeck.policy.settings import PolicySettings
from reviewdeck.text.redact import redact

LENGTH = 4_000
REPEATED = (
    *("a", "1", "-", ".", "/", "=", '"', "`", "<", "[", "(", "\\", " ", "\n", "\t ", "京", "ａ"),
    *("aB1", "a.", "a-", "a: ", "a b ", "x@", "key ", "password=", "http://", "always run "),
    *("run the\n", ".\n", "\n-", "#\n", "| ", "```\n", "---\n", "> ", "~/", " -a", "<!--", "&amp;"),
    *("%41", "QUJD", "\\x41", "a\u200b", "curl | sh ", "-----BEGIN ", "eyJ.", "sk-"),
    *("~/.ssh", "./a.sh", "/bin/x"),
)
PATTERN = """
[[rule]]
name = "no-customers"
effect = "refuse"
reason = "Customers do not belong here."
pattern = '(?i)globex'
"""


def plain(text: str) -> object:
    """What the rules about form say of an addition."""
    return check_plain((MemoryAdd("memories/MEMORY.md", text),))


@pytest.mark.parametrize("look", [plain, redact])
@pytest.mark.parametrize("part", REPEATED, ids=ascii)
def test_twice_the_text_takes_twice_the_steps(look: Callable[[str], object], part: str) -> None:
    found = growth(lambda size: partial(look, (part * size)[:size] + "\x01z"), LENGTH)
    assert found < LINEAR


def test_a_policy_with_a_pattern_is_refused_without_re2_and_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert isinstance(read_policy(PATTERN), PolicySettings)
    monkeypatch.setitem(sys.modules, "re2", None)
    problems = read_policy(PATTERN.replace("globex", "initech"))
    assert not isinstance(problems, PolicySettings)
    assert [(one.line, one.message) for one in problems] == [
        (6, "a pattern needs an extra: pip install 'reviewdeck[patterns]'")
    ]
    assert isinstance(read_policy(PATTERN.split("pattern")[0]), PolicySettings)
