"""The documentation lists the rules that there are and settings that can be read."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from reviewdeck.policy.config import read_policy
from reviewdeck.policy.notice_settings import NoticeSettings
from reviewdeck.policy.plain import RULES
from reviewdeck.policy.settings import DEFAULT, PolicySettings

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "policy.md").read_text("utf-8")
DETAILS = (DOCS / "internals" / "gate.md").read_text("utf-8")


def test_the_users_page_names_every_rule_under_what_it_does() -> None:
    refuses, holds = re.findall(r"^\| \*\*(?:refuses|holds)\*\*.*$", PAGE, re.MULTILINE)
    for effect, row in (("refuse", refuses), ("hold", holds)):
        assert re.findall(r"`([a-z-]+)`", row) == [r.name for r in RULES if r.effect == effect]


def test_the_page_has_one_row_for_every_rule_and_no_other() -> None:
    table = DETAILS.split("### The rules about plain form")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{rule.name}` | {rule.looks_at} | {rule.effect}s | {rule.reason} |" for rule in RULES
    ]


def test_the_page_shows_a_file_with_every_setting() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    settings = read_policy(example, "/home/dana")
    assert isinstance(settings, PolicySettings)
    assert settings.trust.said_folders == ("/home/dana/src/ours",)
    for field in ("memory", "skills", "unrecorded", "a_day", "a_conversation", "probation_days"):
        assert getattr(settings, field) == getattr(DEFAULT, field)
        assert re.search(rf"^{field} = ", example, re.MULTILINE)
    for notice in fields(NoticeSettings):
        assert notice.name == "command" or f"{notice.name} = " in example
