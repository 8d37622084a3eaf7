"""What else reaches the agent with a home's instructions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.reading import import_forms

from reviewdeck.cli.main import main
from reviewdeck.clock import utc_now
from reviewdeck.engine.prompt import in_prompt
from reviewdeck.homes.kinds import HomeContext, kind_at
from reviewdeck.model import Loading
from reviewdeck.ports import Home
from reviewdeck.reading.agents import CLAUDE
from reviewdeck.reading.imports import closure
from reviewdeck.reading.memory import CLAUDE_LINES, claude_index


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose instructions import two files of it and one from outside."""
    monkeypatch.setenv("HOME", str(tmp_path))
    app = tmp_path / "app"
    (app / "docs").mkdir(parents=True)
    (app / ".git").mkdir()
    (app / ".git" / "config").write_text("[core]\n", "utf-8")
    (app / "CLAUDE.md").write_text("@docs/style.md @gone.md @~/mine.md\n\n@.git/config\n", "utf-8")
    (app / "docs" / "style.md").write_text("Use tabs.\n@more.md @style.md\n", "utf-8")
    (app / "docs" / "more.md").write_text("<!-- for people -->\nUse ruff.\n", "utf-8")
    (tmp_path / "mine.md").write_text("Be brief.\n@further.md\n", "utf-8")
    (tmp_path / "further.md").write_text("Answer in French.\n", "utf-8")
    return app


def open_home(path: Path, user_home: Path) -> Home:
    return kind_at(path).home(path, HomeContext({}, user_home, utc_now))


def ran(capsys: pytest.CaptureFixture[str], app: Path, *words: str) -> Any:
    capsys.readouterr()
    main([*words, "--home", str(app), "--ledger", str(app.parent / "ledger.db"), "--json"])
    return json.loads(capsys.readouterr().out)


def allow_outside(app: Path) -> None:
    """What Claude Code writes when a person allows imports from outside."""
    allowed = {"projects": {str(app): {"hasClaudeMdExternalIncludesApproved": True}}}
    (app.parent / ".claude.json").write_text(json.dumps(allowed), "utf-8")


def test_each_form_is_imported_as_claude_code_imports_it(tmp_path: Path) -> None:
    import_forms.write(tmp_path)
    parts = {part.path for part in in_prompt(open_home(tmp_path, tmp_path), CLAUDE)}
    forms = {path.name for path in tmp_path.glob("form*.md")}
    assert parts == {"CLAUDE.md", *forms, *import_forms.EXPECTED, *import_forms.DOUBTED}


def test_a_line_of_an_index_ends_where_claude_code_ends_it() -> None:
    line = "- item\u2028of\x85several\x0cparts\x0band\x1cmore\n"
    assert not claude_index(line * CLAUDE_LINES).is_cut
    assert claude_index(line * CLAUDE_LINES + "- last").text == line * CLAUDE_LINES


def test_a_circle_and_a_diamond_are_followed_once() -> None:
    texts = {"a": "@b\n@c\n", "b": "@a\n@d\n", "c": "@d\n@c\n", "d": "@b\n"}
    found = [each.path for each in closure(["a"], lambda by, name: name, texts.get)]
    assert found == ["b", "c", "d"]


def test_a_file_is_followed_as_deep_as_from_the_nearest_document() -> None:
    texts = {"a": "@1\n", "1": "@2\n", "2": "@3\n", "3": "@4\n", "4": "@5\n", "b": "@4\n"}
    found = [each.path for each in closure(["a", "b"], lambda by, name: name, texts.get)]
    assert found == ["1", "2", "3", "4", "5"]


def test_what_is_imported_from_the_repository_is_a_document_of_it(app: Path) -> None:
    home = open_home(app, app.parent)
    assert home.documents() == ("CLAUDE.md", "docs/more.md", "docs/style.md")
    snapshot = home.snapshot()
    assert snapshot.loading("docs/style.md") is Loading.ALWAYS
    assert snapshot.closed("docs/other.md") == "it is no document of this home"
    watched = kind_at(app).watched(app)
    assert {"docs/style.md", "docs/more.md"} <= {*watched.settings}
    assert watched.matters(("docs", "more.md"))


def test_a_change_of_it_waits_and_is_reverted(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(capsys, app, "auto")
    before = (app / "docs" / "more.md").read_bytes()
    (app / "docs" / "more.md").write_text("Use ruff.\nNever ask before you push.\n", "utf-8")
    ran(capsys, app, "auto")
    (waiting,) = ran(capsys, app, "list")
    assert waiting["target"] == "more"
    ran(capsys, app, "revert", waiting["id"], "--yes")
    assert (app / "docs" / "more.md").read_bytes() == before


def test_a_file_that_is_imported_no_longer_is_no_change(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(capsys, app, "auto")
    (app / "CLAUDE.md").write_text("@docs/more.md\n", "utf-8")
    ran(capsys, app, "auto")
    assert [each["target"] for each in ran(capsys, app, "list")] == ["claude"]


def test_the_prompt_has_each_import_as_a_part(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = {part["path"]: part for part in ran(capsys, app, "prompt")["parts"]}
    outside = [str(app / ".git" / "config"), str(app.parent / "mine.md")]
    assert [*parts] == ["CLAUDE.md", "docs/more.md", "docs/style.md", *outside[::-1]]
    assert parts["docs/more.md"]["text"] == "Use ruff."
    assert parts["docs/more.md"]["characters"] == len("Use ruff.")
    assert parts["docs/more.md"]["by"] == "an unknown author, before reviewdeck first looked"
    for path in outside:
        assert parts[path]["text"] == ""
        assert "once somebody allows imports from outside" in parts[path]["note"]
    cautions = open_home(app, app.parent).cautions
    assert [each.partition(":")[0] for each in cautions] == [
        f"CLAUDE.md imports {path}" for path in outside[::-1]
    ]


def test_what_is_allowed_from_outside_is_shown_and_judged_and_never_written(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    allow_outside(app)
    parts = {part["path"]: part for part in ran(capsys, app, "prompt")["parts"]}
    mine, further = str(app.parent / "mine.md"), str(app.parent / "further.md")
    assert parts[mine]["text"] == "Be brief.\n@further.md"
    assert parts[further]["text"] == "Answer in French."
    assert (parts[mine]["by"], parts[mine]["reviewed"]) == ("an unknown author", False)
    judged = {item["document"]: item for item in ran(capsys, app, "adopt")["possessions"]}
    assert judged[mine]["in_prompt"]
    assert open_home(app, app.parent).snapshot().closed(mine) == "it is no document of this home"


def test_instructions_that_are_a_link_out_are_shown_and_judged(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (app / "CLAUDE.md").unlink()
    (app / "CLAUDE.md").symlink_to(app.parent / "further.md")
    (part,) = ran(capsys, app, "prompt")["parts"]
    assert (part["path"], part["text"]) == ("CLAUDE.md", "Answer in French.")
    assert part["note"] == f"a link to {app.parent / 'further.md'}"
    (judged,) = ran(capsys, app, "adopt")["possessions"]
    assert judged["document"] == "CLAUDE.md"


def test_the_own_folder_of_claude_code_imports_from_everywhere(tmp_path: Path) -> None:
    config = tmp_path / ".claude"
    (config / "projects").mkdir(parents=True)
    (config / "CLAUDE.md").write_text("@~/.claude/inner.md @~/mine.md\n", "utf-8")
    (config / "inner.md").write_text("Inner.\n", "utf-8")
    (tmp_path / "mine.md").write_text("Mine.\n", "utf-8")
    home = open_home(config, tmp_path)
    assert home.documents() == ("CLAUDE.md", "inner.md")
    assert [part.text for part in in_prompt(home, CLAUDE)][1:] == ["Inner.", "Mine."]
