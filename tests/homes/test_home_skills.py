"""Finding skills, and what the home's own records protect."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.model import Protection, Skill

NOW = datetime(2027, 1, 12, 10, tzinfo=UTC)

needs_permissions = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


def add_skill(directory: Path, name: str | None = None) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    text = f"---\nname: {name or directory.name}\ndescription: Something.\n---\nBody.\n"
    (directory / "SKILL.md").write_text(text)
    return directory


def find(home: Path, name: str, env: dict[str, str] | None = None) -> Skill | None:
    return HermesHome(home, env=env or {}, user_home=home.parent).snapshot().skill(name)


def found(home: Path, name: str, env: dict[str, str] | None = None) -> Skill:
    skill = find(home, name, env)
    assert skill is not None
    return skill


def write_usage(home: Path, **records: Any) -> None:
    (home / "skills").mkdir(exist_ok=True)
    (home / "skills" / ".usage.json").write_text(json.dumps(records))


def test_a_skill_is_known_by_its_directory_and_not_by_what_it_calls_itself(tmp_path: Path) -> None:
    add_skill(tmp_path / "skills" / "ops" / "tides", name="something-else")
    assert found(tmp_path, "tides").directory == "skills/ops/tides"
    assert find(tmp_path, "something-else") is None


def test_of_two_skills_with_one_name_the_first_path_counts(tmp_path: Path) -> None:
    for category in ("ops", "dev", "misc"):
        add_skill(tmp_path / "skills" / category / "tides")
    assert found(tmp_path, "tides").directory == "skills/dev/tides"


@pytest.mark.parametrize(
    "below",
    [
        ".archive/tides", ".git/tides", ".hub/tides", "venv/tides", "dev/node_modules/tides",
        "host/references/tides", "host/scripts/old/tides",
    ],
)  # fmt: skip
def test_what_lies_in_archives_caches_and_support_files_is_no_skill(
    tmp_path: Path, below: str
) -> None:
    add_skill(tmp_path / "skills" / "host")
    add_skill(tmp_path / "skills" / below)
    assert find(tmp_path, "tides") is None


def test_a_category_may_be_called_scripts(tmp_path: Path) -> None:
    add_skill(tmp_path / "skills" / "scripts" / "tides")
    assert found(tmp_path, "tides").directory == "skills/scripts/tides"


def test_a_skill_that_is_a_link_is_found_and_refused(tmp_path: Path) -> None:
    add_skill(tmp_path / "elsewhere" / "tides")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "tides").symlink_to(tmp_path / "elsewhere" / "tides")
    assert "symbolic link" in (found(tmp_path, "tides").problem or "")


def test_a_skill_below_a_linked_category_is_refused(tmp_path: Path) -> None:
    add_skill(tmp_path / "elsewhere" / "tides")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "ops").symlink_to(tmp_path / "elsewhere")
    skill = found(tmp_path, "tides")
    assert skill.directory == "skills/ops/tides"
    assert "symbolic link" in (skill.problem or "")


def test_skills_below_a_linked_root_are_refused_and_no_documents(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    add_skill(tmp_path / "elsewhere" / "tides")
    (home / "skills").symlink_to(tmp_path / "elsewhere")
    assert found(home, "tides").problem is not None
    assert HermesHome(home, env={}, user_home=tmp_path).documents() == ()


def test_a_plain_skill_comes_before_a_linked_one(tmp_path: Path) -> None:
    add_skill(tmp_path / "skills" / "zzz" / "tides")
    (tmp_path / "skills" / "aaa").symlink_to(tmp_path / "skills" / "zzz")
    skill = found(tmp_path, "tides")
    assert (skill.directory, skill.problem) == ("skills/zzz/tides", None)


def test_links_in_a_circle_come_to_an_end(tmp_path: Path) -> None:
    add_skill(tmp_path / "skills" / "ops" / "tides")
    (tmp_path / "skills" / "ops" / "round").symlink_to(tmp_path / "skills")
    assert found(tmp_path, "tides").directory == "skills/ops/tides"


def test_anything_but_plain_files_in_a_skill_is_named(tmp_path: Path) -> None:
    skill = add_skill(tmp_path / "skills" / "tides")
    (skill / "references").mkdir()
    (skill / "references" / "link.md").symlink_to("/etc/hosts")
    assert found(tmp_path, "tides").problem == "references/link.md is a symbolic link"
    (skill / "references" / "link.md").unlink()
    os.mkfifo(skill / "references" / "pipe")
    assert found(tmp_path, "tides").problem == "references/pipe is not a regular file"


@needs_permissions
def test_a_category_that_cannot_be_searched_may_hold_any_skill(tmp_path: Path) -> None:
    add_skill(tmp_path / "skills" / "ops" / "tides")
    (tmp_path / "skills" / "ops").chmod(0)
    try:
        skill = found(tmp_path, "tides")
        assert "ops cannot be listed" in (skill.problem or "")
        assert HermesHome(tmp_path, env={}, user_home=tmp_path).notes
    finally:
        (tmp_path / "skills" / "ops").chmod(0o755)


def test_a_category_whose_name_is_not_utf8_may_hold_any_skill(tmp_path: Path) -> None:
    try:
        add_skill(tmp_path / "skills" / os.fsdecode(b"caf\xe9") / "tides")
    except OSError:
        pytest.skip("this file system has no such names")
    home = HermesHome(tmp_path, env={}, user_home=tmp_path)
    assert "not UTF-8" in (found(tmp_path, "tides").problem or "")
    assert home.documents() == ()


@pytest.mark.parametrize("name", ["", "..", "a/b", "a\0b", "a\ud800b", "x" * 300])
def test_a_name_that_cannot_be_a_directory_is_no_skill(hermes_home: Path, name: str) -> None:
    snapshot = HermesHome(hermes_home, env={}, user_home=hermes_home).snapshot()
    assert snapshot.skill(name) is None
    assert snapshot.archive_directory(name)


@pytest.mark.parametrize("entry", ["${TEAM}/skills", "~/team/skills", "../team/skills"])
def test_external_skills_are_found_after_local_ones(tmp_path: Path, entry: str) -> None:
    home = tmp_path / "home"
    add_skill(home / "skills" / "tides")
    add_skill(tmp_path / "team" / "skills" / "tides")
    add_skill(tmp_path / "team" / "skills" / "ops" / "charts")
    (home / "config.yaml").write_text(f"skills: {{external_dirs: ['{entry}', /nowhere, skills]}}\n")
    env = {"TEAM": str(tmp_path / "team")}
    assert not found(home, "tides", env).external
    charts = found(home, "charts", env)
    assert charts.external
    assert charts.directory == str(tmp_path / "team" / "skills" / "ops" / "charts")
    snapshot = HermesHome(home, env=env, user_home=tmp_path).snapshot()
    assert "Body." in snapshot.document(charts.path_of("SKILL.md")).text


def test_external_directories_that_cannot_be_are_passed_over(tmp_path: Path) -> None:
    add_skill(tmp_path / "team" / "tides")
    (tmp_path / "loop").symlink_to("loop")
    entries = ['"a\\0b"', "loop", "'${NOBODY}/x'", "~nobody/x", "7", f"{'x' * 5000}", "team"]
    (tmp_path / "config.yaml").write_text(f"skills: {{external_dirs: [{', '.join(entries)}]}}\n")
    assert found(tmp_path, "tides").external


def test_an_external_file_is_read_only_below_its_root(tmp_path: Path) -> None:
    home = tmp_path / "home"
    add_skill(tmp_path / "team" / "charts")
    home.mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (home / "config.yaml").write_text(f"skills: {{external_dirs: {tmp_path / 'team'}}}\n")
    snapshot = HermesHome(home, env={}, user_home=tmp_path).snapshot()
    assert snapshot.document(f"{tmp_path}/team/../secret.md").data is None
    assert snapshot.document(f"{tmp_path}/secret.md").problem is not None


def test_bundled_skills_are_protected_in_both_versions_of_the_manifest(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        add_skill(tmp_path / "skills" / name)
    (tmp_path / "skills" / ".bundled_manifest").write_text("one\ntwo:0123456789abcdef\n\n")
    assert found(tmp_path, "one").protections == {Protection.BUNDLED}
    assert found(tmp_path, "two").protections == {Protection.BUNDLED}
    assert found(tmp_path, "three").protections == frozenset()


def test_hub_skills_are_protected_by_either_of_their_names(tmp_path: Path) -> None:
    for name in ("listed", "installed", "free"):
        add_skill(tmp_path / "skills" / name)
    (tmp_path / "skills" / ".hub").mkdir()
    lock = {"version": 1, "installed": {"listed": {}, "x": {"install_path": "installed"}}}
    (tmp_path / "skills" / ".hub" / "lock.json").write_text(json.dumps(lock))
    assert found(tmp_path, "listed").protections == {Protection.HUB}
    assert found(tmp_path, "installed").protections == {Protection.HUB}
    assert found(tmp_path, "free").protections == frozenset()


def test_the_name_in_the_front_matter_protects_as_well(tmp_path: Path) -> None:
    add_skill(tmp_path / "skills" / "renamed", name="tides")
    write_usage(tmp_path, tides={"created_by": "agent", "pinned": True})
    assert found(tmp_path, "renamed").protections == {Protection.PINNED}


def test_a_skill_with_a_record_that_is_not_the_agents_belongs_to_the_user(tmp_path: Path) -> None:
    for name in ("mine", "agents", "older", "unknown"):
        add_skill(tmp_path / "skills" / name)
    write_usage(
        tmp_path,
        mine={"created_by": None},
        agents={"created_by": "agent"},
        older={"agent_created": True},
    )
    assert found(tmp_path, "mine").protections == {Protection.USER_OWNED}
    for name in ("agents", "older", "unknown"):
        assert found(tmp_path, name).protections == frozenset()


def test_the_skill_that_plans_is_built_in(tmp_path: Path) -> None:
    add_skill(tmp_path / "skills" / "plan")
    assert found(tmp_path, "plan").protections == {Protection.BUILTIN}


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b"[" * 100_000])
def test_records_that_cannot_be_read_leave_a_note(tmp_path: Path, content: bytes) -> None:
    add_skill(tmp_path / "skills" / "tides")
    (tmp_path / "skills" / ".usage.json").write_bytes(content)
    assert found(tmp_path, "tides").protections == frozenset()
    notes = HermesHome(tmp_path, env={}, user_home=tmp_path).notes
    assert len(notes) == 1
    assert "skills/.usage.json" in notes[0]
