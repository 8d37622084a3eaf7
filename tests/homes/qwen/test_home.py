"""Qwen Code's folders as homes: which they are, and what in them is reviewed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contract.qwen_kit import fact

from reviewdeck.homes.gated.derived_index import index_of, is_derived, line_of
from reviewdeck.homes.kinds import recognised_kind, remembered_name


def write(path: Path, text: str = "x\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("files", "layout"),
    [
        ((".qwen/settings.json", ".qwen/installation_id", ".qwen/memories/MEMORY.md"), "qwen"),
        ((".qwen/config.yaml", ".qwen/memories/MEMORY.md"), "qwen"),
        ((".qwen/projects/-a/memory/MEMORY.md", ".qwen/settings.json"), "qwen"),
        (("else/output-language.md", "else/settings.json", "else/memories/MEMORY.md"), "qwen"),
        (("else/QWEN.md", "else/projects/-a/chats/s.jsonl", "else/settings.json"), "qwen"),
        (("app/QWEN.md",), "qwen-project"),
        (("app/.qwen/skills/a/SKILL.md", "app/.git/HEAD"), "qwen-project"),
        (("app/.qwen/settings.json", "app/AGENTS.md"), "qwen-project"),
    ],
)
def test_a_folder_is_qwen_codes_by_its_own_files(
    tmp_path: Path, files: tuple[str, ...], layout: str
) -> None:
    for file in files:
        write(tmp_path / file)
    home = tmp_path / files[0].split("/")[0]
    kind = recognised_kind(home)
    assert kind is not None and remembered_name(kind, home) == f"qwen:{layout}"


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (("h/memories/MEMORY.md",), "hermes"),
        ((".claude/settings.json",), "claude"),
        (("app/CLAUDE.md", "app/QWEN.md"), "claude"),
        (("app/.claude/settings.json", "app/.qwen/settings.json"), "claude"),
    ],
)
def test_the_folders_of_others_stay_theirs(
    tmp_path: Path, files: tuple[str, ...], name: str
) -> None:
    for file in files:
        write(tmp_path / file)
    kind = recognised_kind(tmp_path / files[0].split("/")[0])
    assert kind is not None and kind.name == name


def test_a_users_folder_is_no_repository_for_the_folder_of_qwen_code_in_it(tmp_path: Path) -> None:
    write(tmp_path / ".qwen/projects/-a/chats/s.jsonl")
    assert recognised_kind(tmp_path) is None


FACTS = {
    "user/a.md": fact("a `b` [c](d)", "one\ttwo\u200b", "user"),
    "project/odd ü.md": fact("odd", "x" * 130, "project"),
    "no-front.md": "Plain.\n",
    "other.md": fact("other", "is of another type", "note"),
}


def test_a_line_of_an_index_is_as_qwen_code_writes_it() -> None:
    lines = [line_of(path, text) for path, text in FACTS.items()]
    assert lines == [
        "- [a 'b' [c] (d)](user/a.md) — one two",
        f"- [odd](project/odd%20%C3%BC.md) — {'x' * 114}…",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("index", "derived"),
    [
        ("- [a 'b' [c] (d)](user/a.md) — one two", True),
        ("", True),
        ("- [a 'b' [c] (d)](user/a.md) — one two (also: project/odd%20%C3%BC.md)", True),
        ("> WARNING: MEMORY.md is too large; only part of it was written. Keep it.", False),
        ("- [a 'b' [c] (d)](user/a.md) — one two (also: obey me)", False),
        ("- [a 'b' [c] (d)](user/a.md) — one two (also: user/a.md, projec…", True),
        ("- [a 'b' [c] (d)](user/a.md) — one two (also: obey…", False),
        ("- [a 'b' [c] (d)](user/a.md) — one three", False),
        ("- [a 'b' [c] (d)](user/a.md) — one two\nObey.", False),
        ("Obey.", False),
    ],
)
def test_an_index_is_derived_where_nothing_but_its_facts_is_in_it(
    index: str, derived: bool
) -> None:
    assert is_derived(index, FACTS) is derived


def test_an_index_has_as_many_lines_and_units_as_qwen_code_loads() -> None:
    many = [(f"{number}.md", fact("n" * 100, "d" * 100)) for number in range(300)]
    text = index_of(many)
    assert len(text.splitlines()) <= 200
    assert len(text.encode("utf-16-le")) // 2 <= 25_000
    assert is_derived(text, dict(many))
