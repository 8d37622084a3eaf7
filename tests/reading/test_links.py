"""What lies behind a link in a home is governed where it is, and named where that is outside."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.reading import forms

from reviewdeck.cli.main import main
from reviewdeck.clock import utc_now
from reviewdeck.engine.prompt import in_prompt
from reviewdeck.homes.kinds import HomeContext, kind_at
from reviewdeck.homes.watch import changed_homes
from reviewdeck.model import Loading
from reviewdeck.ports import Home
from reviewdeck.reading.agents import HERMES

TICKS = 20
"""The most looks of the watch, one a second where nothing happens."""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose instructions and one skill are links into it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    app = tmp_path / "app"
    (app / ".claude" / "skills").mkdir(parents=True)
    (app / "AGENTS.md").write_text("Use make.\n", "utf-8")
    (app / "CLAUDE.md").symlink_to("AGENTS.md")
    forms.write(app / "tools", {"tidy/SKILL.md": forms.skill("tidy", "Tidies up")})
    (app / "tools" / "tidy" / "notes.md").write_text("Notes.\n", "utf-8")
    (app / "tools" / "other.md").write_text("No skill.\n", "utf-8")
    (app / ".claude" / "skills" / "tidy").symlink_to("../../tools/tidy")
    return app


def open_home(path: Path) -> Home:
    return kind_at(path).home(path, HomeContext({}, path.parent, utc_now))


def ran(capsys: pytest.CaptureFixture[str], app: Path, *words: str) -> Any:
    capsys.readouterr()
    where = ("--home", str(app), "--ledger", str(app.parent / "ledger.db"), "--json")
    main([*words, *where])
    return json.loads(capsys.readouterr().out)


def test_what_a_link_leads_to_in_the_repository_is_a_document_there(app: Path) -> None:
    home = open_home(app)
    assert home.documents() == ("AGENTS.md", "tools/tidy/SKILL.md", "tools/tidy/notes.md")
    snapshot = home.snapshot()
    assert snapshot.document("AGENTS.md").text == "Use make.\n"
    assert snapshot.loading("AGENTS.md") is Loading.ALWAYS
    assert snapshot.loading("tools/tidy/SKILL.md") is Loading.EXECUTES
    assert snapshot.closed("tools/other.md") == "it is no document of this home"
    assert home.cautions == ()
    assert (home.skill_sight().live, home.skill_sight().seen) == (1, 1)


def test_a_folder_of_skills_that_is_a_link_is_governed_too(app: Path) -> None:
    forms.write(app / "shared", {"a/SKILL.md": forms.skill("a", "Purpose")})
    (app / ".claude" / "skills" / "tidy").unlink()
    (app / ".claude" / "skills").rmdir()
    (app / ".claude" / "skills").symlink_to("../shared")
    home = open_home(app)
    assert home.documents() == ("AGENTS.md", "shared/a/SKILL.md")
    assert [skill.problem for skill in home.skills()] == [None]
    assert home.skill_sight().seen == 1


def test_what_a_link_leads_to_is_watched(app: Path) -> None:
    watched = kind_at(app).watched(app)
    assert "tools/tidy" in watched.folders
    assert "AGENTS.md" in watched.settings
    assert watched.matters(("tools", "tidy", "SKILL.md"))
    assert not watched.matters(("tools", "other.md"))


def test_what_lies_outside_is_named_and_no_document(app: Path, tmp_path: Path) -> None:
    (app / "tools").rename(tmp_path / "tools")
    (app / ".claude" / "skills" / "tidy").unlink()
    (app / ".claude" / "skills" / "tidy").symlink_to(tmp_path / "tools" / "tidy")
    home = open_home(app)
    assert home.documents() == ("AGENTS.md",)
    (caution,) = home.cautions
    assert f"is reached through a link to {tmp_path / 'tools' / 'tidy'}" in caution
    assert (home.skill_sight().live, home.skill_sight().seen) == (1, 0)


@pytest.mark.parametrize("target", ["..", "../..", "tidy", "../../.git", "../../nowhere"])
def test_a_link_that_leads_above_itself_to_nothing_or_to_git_governs_nothing(
    app: Path, target: str
) -> None:
    (app / ".git").mkdir()
    forms.write(app / ".git", {"SKILL.md": forms.skill("git", "Purpose")})
    link = app / ".claude" / "skills" / "tidy"
    link.unlink()
    link.symlink_to(target)
    assert open_home(app).documents() == ("AGENTS.md",)


def test_a_change_behind_a_link_waits_and_its_revert_is_written_where_it_is(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(capsys, app, "auto")
    before = (app / "AGENTS.md").read_text("utf-8")
    (app / "AGENTS.md").write_text("Use make.\nNever run the tests.\n", "utf-8")
    grant = forms.skill("tidy", "Tidies up", "allowed-tools: Bash(make *)\n")
    (app / "tools" / "tidy" / "SKILL.md").write_bytes(grant)
    ran(capsys, app, "auto")
    waiting = {item["target"]: item for item in ran(capsys, app, "list")}
    assert set(waiting) == {"agents", "tidy"}
    assert "executes" in {finding["code"] for finding in waiting["tidy"]["findings"]}
    ran(capsys, app, "revert", waiting["agents"]["id"], "--yes")
    assert (app / "AGENTS.md").read_text("utf-8") == before
    assert (app / "CLAUDE.md").is_symlink()


def test_status_counts_what_is_live_seen_and_loaded_by_nobody(
    app: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = app / ".claude" / "skills"
    forms.write(root, {"own/SKILL.md": forms.skill("own", "P"), "deep/er/SKILL.md": b"x"})
    forms.write(tmp_path / "out", {"SKILL.md": forms.skill("out", "P")})
    (root / "out").symlink_to(tmp_path / "out")
    assert ran(capsys, app, "status")["skills"] == {"live": 3, "seen": 2, "unloaded": 1}
    main(["status", "--home", str(app), "--ledger", str(tmp_path / "ledger.db")])
    words = " ".join(capsys.readouterr().out.split())
    assert (
        "3 live, 1 of them not under review; 1 more look like skills, but no agent of this home "
        "loads" in words
    )


def test_adopt_starts_from_what_the_prompt_shows(
    app: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = app / ".claude" / "skills"
    forms.write(root, {"own/SKILL.md": forms.skill("own", "Purpose"), "deep/er/SKILL.md": b"x"})
    forms.write(tmp_path / "out", {"SKILL.md": forms.skill("out", "Purpose")})
    (root / "out").symlink_to(tmp_path / "out")
    parts = ran(capsys, app, "prompt")["parts"]
    shown = {part["path"] for part in parts}
    assert shown == {
        "AGENTS.md",
        *(f".claude/skills/{name}/SKILL.md" for name in ("own", "out", "tidy")),
    }
    judged = ran(capsys, app, "adopt")["possessions"]
    first = [item["document"] for item in judged if item["in_prompt"]]
    assert len(first) == len(shown)
    assert {path.replace("tools/", ".claude/skills/") for path in first} == shown
    rest = [item["document"] for item in judged if not item["in_prompt"]]
    assert rest == [".claude/skills/deep/er/SKILL.md"]


def test_what_a_link_leads_to_is_watched_from_the_moment_it_is_made(app: Path) -> None:
    (app / "CLAUDE.md").unlink()
    (app / "CLAUDE.md").write_text("Use just.\n", "utf-8")
    (app / ".claude" / "skills" / "tidy").unlink()
    stop = Event()
    changes = changed_homes(lambda: [kind_at(app).watched(app)], stop, print, Event())

    def wait_for_change() -> None:
        """Waits until the home is told to have changed, and then until all is quiet again."""
        assert any(islice(changes, TICKS))
        assert any(not told for told in islice(changes, TICKS))

    wait_for_change()  # What began before anybody watched.
    (app / ".claude" / "skills" / "tidy").symlink_to("../../tools/tidy")
    wait_for_change()
    (app / "tools" / "tidy" / "SKILL.md").write_bytes(forms.skill("tidy", "Tidies up more"))
    wait_for_change()
    (app / "CLAUDE.md").unlink()
    (app / "CLAUDE.md").symlink_to("AGENTS.md")
    wait_for_change()
    (app / "AGENTS.md").write_text("Use make, or just.\n", "utf-8")
    wait_for_change()
    stop.set()
    assert not any(changes)


@pytest.fixture
def hermes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of Hermes with skills behind links: of a folder, of a file, and out of it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    home = tmp_path / ".hermes"
    forms.write(
        home,
        {
            "skills/own/SKILL.md": forms.skill("own", "Purpose"),
            "shared/tidy/SKILL.md": forms.skill("tidy", "Tidies up"),
            "shared/tidy/notes.md": b"Notes.\n",
            "shared/file.md": forms.skill("filed", "Files"),
        },
    )
    (home / "memories").mkdir()
    (home / "skills" / "tidy").symlink_to("../shared/tidy")
    (home / "skills" / "again").symlink_to("own")
    (home / "skills" / "filed").mkdir()
    (home / "skills" / "filed" / "SKILL.md").symlink_to("../../shared/file.md")
    forms.write(tmp_path / "out", {"SKILL.md": forms.skill("out", "Purpose")})
    (home / "skills" / "out").symlink_to(tmp_path / "out")
    return home


def test_a_skill_behind_a_link_in_a_home_of_hermes_is_a_document_where_it_is(
    hermes: Path, tmp_path: Path
) -> None:
    home = open_home(hermes)
    behind = ("shared/file.md", "shared/tidy/SKILL.md", "shared/tidy/notes.md")
    assert home.documents() == (*behind, "skills/own/SKILL.md")
    assert (home.skill_sight().live, home.skill_sight().seen) == (5, 4)
    (caution,) = home.cautions
    assert f"is reached through a link to {tmp_path / 'out'}" in caution
    watched = kind_at(hermes).watched(hermes)
    assert "shared/tidy" in watched.folders
    assert "shared/file.md" in watched.settings
    parts = [part.path for part in in_prompt(home, HERMES)]
    names = ("again", "filed", "out", "own", "tidy")
    assert sorted(parts) == [f"skills/{name}/SKILL.md" for name in names]


def test_a_change_behind_a_link_in_a_home_of_hermes_waits_and_is_reverted(
    hermes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(capsys, hermes, "auto")
    before = {
        path: (hermes / path).read_bytes() for path in ("shared/file.md", "shared/tidy/SKILL.md")
    }
    for path in before:
        (hermes / path).write_bytes(
            forms.skill("tidy", "Tidies up", "allowed-tools: Bash(make *)\n")
        )
    ran(capsys, hermes, "auto")
    waiting = ran(capsys, hermes, "list")
    assert len(waiting) == 2
    for item in waiting:
        ran(capsys, hermes, "revert", item["id"], "--yes")
    assert {path: (hermes / path).read_bytes() for path in before} == before
    assert (hermes / "skills" / "tidy").is_symlink()
    assert (hermes / "skills" / "filed" / "SKILL.md").is_symlink()
