"""Which directory is the home."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewdeck.errors import HomeUnavailable
from reviewdeck.homes.hermes.layout import (
    home_name,
    native_home,
    profiles,
    resolve_home,
    resolve_profile,
)
from reviewdeck.locations import has_no_home, selected_homes

LINUX = "linux"


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A user's directory with a default home and one profile."""
    (tmp_path / "user" / ".hermes" / "profiles" / "coder").mkdir(parents=True)
    return tmp_path / "user"


@pytest.fixture
def docker(tmp_path: Path) -> Path:
    """A root outside of the user's directory, with one profile of its own."""
    (tmp_path / "opt" / "data" / "profiles" / "writer").mkdir(parents=True)
    return tmp_path / "opt" / "data"


def test_without_anything_the_default_home_is_used(user: Path) -> None:
    assert resolve_home(None, {}, user, LINUX) == user / ".hermes"


def test_an_explicit_path_wins_over_everything(user: Path, tmp_path: Path) -> None:
    (user / ".hermes" / "active_profile").write_text("coder")
    (tmp_path / "other").mkdir()
    env = {"HERMES_HOME": str(user / ".hermes")}
    assert resolve_home(tmp_path / "other", env, user, LINUX) == tmp_path / "other"


def test_an_explicit_path_may_begin_with_a_tilde(user: Path) -> None:
    assert resolve_home(Path("~/.hermes"), {}, user, LINUX) == user / ".hermes"


def test_an_explicit_link_is_resolved(user: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(user / ".hermes")
    assert resolve_home(tmp_path / "link", {}, user, LINUX) == user / ".hermes"


def test_a_profile_is_found_by_name_whatever_its_case(user: Path) -> None:
    coder = user / ".hermes" / "profiles" / "coder"
    assert resolve_home(None, {}, user, LINUX, profile="coder") == coder
    assert resolve_home(None, {}, user, LINUX, profile=" Coder ") == coder


def test_default_is_an_alias_for_the_root(user: Path) -> None:
    (user / ".hermes" / "active_profile").write_text("coder")
    assert resolve_home(None, {}, user, LINUX, profile="Default") == user / ".hermes"


def test_a_profile_with_a_path_is_looked_for_below_that_path(user: Path, docker: Path) -> None:
    found = resolve_home(docker, {}, user, LINUX, profile="writer")
    assert found == docker / "profiles" / "writer"


def test_the_sticky_profile_is_followed(user: Path) -> None:
    (user / ".hermes" / "active_profile").write_text("coder\n")
    assert resolve_home(None, {}, user, LINUX) == user / ".hermes" / "profiles" / "coder"


def test_the_sticky_profile_is_followed_when_the_environment_names_the_root(docker: Path) -> None:
    (docker / "active_profile").write_text("writer")
    env = {"HERMES_HOME": str(docker)}
    assert resolve_home(None, env, Path("/nobody"), LINUX) == docker / "profiles" / "writer"


def test_an_environment_that_names_a_profile_is_trusted(user: Path) -> None:
    (user / ".hermes" / "profiles" / "writer").mkdir()
    (user / ".hermes" / "active_profile").write_text("writer")
    env = {"HERMES_HOME": str(user / ".hermes" / "profiles" / "coder")}
    assert resolve_home(None, env, user, LINUX) == user / ".hermes" / "profiles" / "coder"


def test_a_profile_is_found_beside_the_one_that_the_environment_names(docker: Path) -> None:
    (docker / "profiles" / "editor").mkdir()
    env = {"HERMES_HOME": str(docker / "profiles" / "writer")}
    found = resolve_home(None, env, Path("/nobody"), LINUX, profile="editor")
    assert found == docker / "profiles" / "editor"


def test_a_supervised_child_does_not_follow_the_sticky_profile(user: Path) -> None:
    (user / ".hermes" / "active_profile").write_text("coder")
    env = {"HERMES_S6_SUPERVISED_CHILD": "1"}
    assert resolve_home(None, env, user, LINUX) == user / ".hermes"


@pytest.mark.parametrize("content", [b"", b"default\n", b"\xff\xfe"])
def test_a_sticky_file_that_names_nothing_changes_nothing(user: Path, content: bytes) -> None:
    (user / ".hermes" / "active_profile").write_bytes(content)
    assert resolve_home(None, {}, user, LINUX) == user / ".hermes"


def test_a_sticky_profile_that_is_gone_is_named_and_not_created(user: Path) -> None:
    (user / ".hermes" / "active_profile").write_text("gone")
    with pytest.raises(HomeUnavailable, match="'gone' does not exist"):
        resolve_home(None, {}, user, LINUX)
    assert not (user / ".hermes" / "profiles" / "gone").exists()


@pytest.mark.parametrize("name", ["../coder", "", "a b", "-x", "x" * 65, "root", "coder\n/x"])
def test_what_is_no_profile_name_is_refused(user: Path, name: str) -> None:
    with pytest.raises(HomeUnavailable, match="not a profile name"):
        resolve_profile(name, user / ".hermes")


def test_a_default_home_that_is_missing_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(HomeUnavailable, match=r"no Hermes home at .*\.hermes"):
        resolve_home(None, {}, tmp_path, LINUX)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_home(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(HomeUnavailable, match="not a directory"):
        resolve_home(tmp_path / "file", {}, tmp_path, LINUX)


def test_on_windows_the_home_is_in_the_local_application_data() -> None:
    user = Path("/users/dana")
    assert native_home({"LOCALAPPDATA": "/local"}, user, "win32") == Path("/local/hermes")
    assert native_home({}, user, "win32") == user / "AppData" / "Local" / "hermes"


def test_profiles_are_listed_with_the_default_one(user: Path) -> None:
    root = user / ".hermes"
    (root / "profiles" / "Not A Profile").mkdir()
    (root / "profiles" / "file").write_text("x")
    assert profiles(root) == {"default": root, "coder": root / "profiles" / "coder"}
    assert profiles(user / "nowhere") == {}


def test_a_home_is_called_by_its_profile(user: Path) -> None:
    assert home_name(user / ".hermes") == "default"
    assert home_name(user / ".hermes" / "profiles" / "coder") == "coder"


def test_without_a_name_what_the_gate_of_claude_code_stands_before_is_meant_too(
    tmp_path: Path,
) -> None:
    env = {"HOME": str(tmp_path)}
    assert has_no_home(env)
    config, project = tmp_path / ".claude", tmp_path / "work"
    record = config / ".reviewdeck" / "claude" / "install.json"
    record.parent.mkdir(parents=True)
    project.mkdir()
    roots = [f"config:{config}", f"project:{project}", "memory:/nowhere/at/all", "config:relative"]
    record.write_text(json.dumps({"roots": roots}))
    assert not has_no_home(env)
    assert selected_homes((), (), env, all_profiles=False) == (config, project)
    hermes = tmp_path / ".hermes"
    hermes.mkdir()
    assert selected_homes((), (), env, all_profiles=False) == (hermes,)
    assert selected_homes((), (), env, all_profiles=True) == (hermes, config, project)
    assert selected_homes((hermes,), (), env, all_profiles=False) == (hermes,)


@pytest.mark.parametrize("said", ["", "[]", "{", '{"roots": 1}', '{"roots": [1]}'])
def test_a_record_of_the_gate_that_is_none_means_no_home(tmp_path: Path, said: str) -> None:
    record = tmp_path / ".claude" / ".reviewdeck" / "claude" / "install.json"
    record.parent.mkdir(parents=True)
    record.write_text(said)
    assert has_no_home({"HOME": str(tmp_path)})
