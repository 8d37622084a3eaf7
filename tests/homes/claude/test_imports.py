"""What else reaches the agent with a home's instructions."""

from __future__ import annotations

from pathlib import Path

from reviewdeck.homes.claude.imports import (
    closure,
    import_cautions,
    imported_by,
)
from reviewdeck.homes.claude.layout import ClaudeLayout
from reviewdeck.homes.syscalls import Kernel

PROJECT = ClaudeLayout("project")


def test_a_path_behind_an_at_is_imported_and_code_is_not() -> None:
    text = (
        "See @docs/style.md and @~/mine.md, @README.md.\n"
        "mail me@example.org, `@code.md`, ``a ` @code.md``\n"
        "```\n@fenced.md\n```\n~~~~\n```\n@fenced.md\n~~~\n@fenced.md\n~~~~\n"
        "@with\\ space/a.md\n@someone\n```\n@open-until-the-end.md\n"
    )
    assert imported_by(text) == ("docs/style.md", "~/mine.md", "README.md", "with space/a.md")


def test_imports_are_followed_four_deep_and_never_in_a_circle() -> None:
    texts = {f"d/{n}.md": f"@{n + 1}.md\n@0.md\n@../CLAUDE.md" for n in range(9)}
    texts["CLAUDE.md"] = "@d/0.md"
    found = [one.path for one in closure("CLAUDE.md", texts.get)]
    assert found == ["d/0.md", "d/1.md", "d/2.md", "d/3.md"]


def test_what_lies_outside_is_told_and_never_asked_for() -> None:
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return "@../up.md @/etc/passwd @~/a.md @b.md" if path == "CLAUDE.md" else None

    assert [one.path for one in closure("CLAUDE.md", read)] == [
        "../up.md", "/etc/passwd", "~/a.md", "b.md",
    ]  # fmt: skip
    assert asked == ["CLAUDE.md", "b.md"]


def test_a_person_is_told_of_what_is_imported_and_not_reviewed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "style.md").write_text("@more.md")
    (tmp_path / "docs" / "more.md").write_text("x")
    (tmp_path / "CLAUDE.local.md").write_text("y")
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    (tmp_path / "CLAUDE.md").write_text("@docs/style.md @CLAUDE.local.md @gone.md @link.md @/x.md")
    found = list(
        import_cautions(tmp_path, ["CLAUDE.md", "CLAUDE.local.md"], PROJECT.governs, Kernel())
    )
    assert [one.split(":")[0] for one in found] == [
        "CLAUDE.md imports docs/style.md",
        "CLAUDE.md imports /x.md",
        "CLAUDE.md imports docs/more.md",
    ]
