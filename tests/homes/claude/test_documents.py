"""Which files of a Claude Code home are documents."""

from __future__ import annotations

import pytest

from reviewdeck.agents.gated.documents import governed, holds_settings


@pytest.mark.parametrize(
    ("layout", "path"),
    [
        ("config", "CLAUDE.md"),
        ("config", "rules/style.md"),
        ("config", "rules/python/style.md"),
        ("config", "skills/deploy/SKILL.md"),
        ("config", "skills/deploy/scripts/run.sh"),
        ("config", "skills/deploy/.claude-plugin/plugin.json"),
        ("config", "agent-memory/reviewer/MEMORY.md"),
        ("config", "projects/-w-app/memory/MEMORY.md"),
        ("config", "projects/-w-app/memory/deep/er/fact.md"),
        ("project", "CLAUDE.md"),
        ("project", "CLAUDE.local.md"),
        ("project", ".claude/CLAUDE.md"),
        ("project", ".claude/rules/style.md"),
        ("project", ".claude/skills/deploy/SKILL.md"),
        ("project", ".claude/agent-memory/reviewer/MEMORY.md"),
        ("project", ".claude/agent-memory-local/reviewer/a.md"),
        ("memory", "MEMORY.md"),
        ("memory", "topics/a.md"),
    ],
)
def test_what_claude_code_remembers_is_a_document(layout: str, path: str) -> None:
    assert governed(layout, path)
    assert not holds_settings(layout, path)


@pytest.mark.parametrize(
    ("layout", "path"),
    [
        ("config", "settings.json"),
        ("config", "skills"),
        ("config", "rules/style.txt"),
        ("config", "rules/.md"),
        ("config", "projects/-w-app/memory.md"),
        ("config", "projects/-w-app/s.jsonl"),
        ("config", "projects/a/b/memory/x.md"),
        ("config", "plans/x.md"),
        ("config", "skills/a/.git/config"),
        ("config", "skills/../settings.json"),
        ("config", "skills//x"),
        ("config", "skills/a\0b"),
        ("config", ".reviewdeck/claude/x.md"),
        ("config", "skills/a/.reviewdeck-t-1.tmp"),
        ("project", "docs/CLAUDE.md"),
        ("project", "src/main.py"),
        ("memory", ".reviewdeck/x.md"),
        ("memory", "../x.md"),
        ("memory", "notes.txt"),
    ],
)
def test_anything_else_is_none(layout: str, path: str) -> None:
    assert not governed(layout, path)


def test_settings_are_never_documents() -> None:
    assert holds_settings("config", "settings.json")
    assert holds_settings("project", ".claude/settings.local.json")
    assert not holds_settings("project", "settings.json")
