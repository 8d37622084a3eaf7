"""Hermes' bookkeeping is done as Hermes does it, and can be taken back."""

from __future__ import annotations

import fcntl
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reviewdeck.errors import Busy
from reviewdeck.homes.hermes.writer import HermesWriter
from reviewdeck.model.plans import Effect, EffectKind

NOW = datetime(2026, 11, 21, 12, 0, 0, 5, tzinfo=UTC)
STAMP = "2026-11-21T12:00:00.000005+00:00"
KEYS = [
    "archived_at",
    "created_at",
    "created_by",
    "last_patched_at",
    "last_used_at",
    "last_viewed_at",
    "patch_count",
    "pinned",
    "state",
    "use_count",
    "view_count",
]


def usage(home: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((home / "skills/.usage.json").read_text("utf-8"))
    return loaded


def apply(home: Path, *effects: Effect) -> tuple[Effect, ...]:
    return HermesWriter(home).apply_effects(effects, NOW)


def test_a_patch_is_counted(hermes_home: Path) -> None:
    before = usage(hermes_home)
    inverse = apply(hermes_home, Effect(EffectKind.COUNT_PATCH, "log-triage"))
    after = usage(hermes_home)
    changed = {"patch_count": 2, "last_patched_at": STAMP}
    assert after == before | {"log-triage": before["log-triage"] | changed}
    assert apply(hermes_home, *inverse) != ()
    assert usage(hermes_home) == before


def test_the_file_is_written_as_hermes_writes_it(hermes_home: Path) -> None:
    path = hermes_home / "skills/.usage.json"
    original = path.read_bytes()
    inverse = apply(hermes_home, Effect(EffectKind.MARK_AGENT_CREATED, "naïve-skill"))
    assert '"naïve-skill": {\n    "archived_at": null,'.encode() in path.read_bytes()
    assert list(usage(hermes_home)["naïve-skill"]) == KEYS
    apply(hermes_home, *inverse)
    assert path.read_bytes() == original
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_new_skill_of_the_agent_is_marked(hermes_home: Path) -> None:
    apply(hermes_home, Effect(EffectKind.MARK_AGENT_CREATED, "new"))
    record = usage(hermes_home)["new"]
    assert (record["created_by"], record["created_at"]) == ("agent", STAMP)
    assert (record["state"], record["patch_count"], record["pinned"]) == ("active", 0, False)


@pytest.mark.parametrize("kind", [EffectKind.MARK_AGENT_CREATED, EffectKind.MARK_CREATED])
def test_a_new_skill_does_not_inherit_the_record_of_an_archived_one(
    hermes_home: Path, kind: EffectKind
) -> None:
    apply(
        hermes_home,
        Effect(EffectKind.COUNT_PATCH, "scan"),
        Effect(EffectKind.MARK_ARCHIVED, "scan"),
    )
    apply(hermes_home, Effect(kind, "scan"))
    record = usage(hermes_home)["scan"]
    assert (record["state"], record["archived_at"], record["patch_count"]) == ("active", None, 0)


def test_a_patch_counts_in_the_generation_of_a_later_hermes(hermes_home: Path) -> None:
    path = hermes_home / "skills/.usage.json"
    record = {"patch_count": 1, "patch_generation": 4}
    path.write_text("\ufeff" + json.dumps(usage(hermes_home) | {"scan": record}), "utf-8")
    apply(hermes_home, Effect(EffectKind.COUNT_PATCH, "scan"))
    record = usage(hermes_home)["scan"]
    assert (record["patch_count"], record["patch_generation"]) == (2, 5)


def test_a_deleted_skill_is_forgotten_and_can_be_remembered(hermes_home: Path) -> None:
    before = usage(hermes_home)
    inverse = apply(hermes_home, Effect(EffectKind.FORGET, "old-ci-fixes"))
    assert "old-ci-fixes" not in usage(hermes_home)
    apply(hermes_home, *inverse)
    assert usage(hermes_home) == before


def test_an_archived_skill_is_marked(hermes_home: Path) -> None:
    apply(hermes_home, Effect(EffectKind.MARK_ARCHIVED, "log-triage"))
    record = usage(hermes_home)["log-triage"]
    assert (record["state"], record["archived_at"]) == ("archived", STAMP)


def test_several_effects_on_one_skill_are_taken_back_in_turn(hermes_home: Path) -> None:
    before = usage(hermes_home)
    inverse = apply(
        hermes_home,
        Effect(EffectKind.MARK_AGENT_CREATED, "new"),
        Effect(EffectKind.COUNT_PATCH, "new"),
        Effect(EffectKind.COUNT_PATCH, "log-triage"),
        Effect(EffectKind.FORGET, "log-triage"),
        Effect(EffectKind.FORGET, "never-was"),
    )
    assert len(inverse) == 4
    apply(hermes_home, *inverse)
    assert usage(hermes_home) == before


def test_what_we_do_not_know_is_kept(hermes_home: Path) -> None:
    path = hermes_home / "skills/.usage.json"
    odd = {"x": {"patch_count": "many", "extra": [1.5, None]}, "y": "not a record", "z": {}}
    path.write_text(json.dumps(odd), "utf-8")
    inverse = apply(hermes_home, Effect(EffectKind.COUNT_PATCH, "x"))
    after = usage(hermes_home)
    assert after["x"]["extra"] == [1.5, None]
    assert after["x"]["patch_count"] == 1
    assert (after["y"], after["z"]) == ("not a record", {})
    apply(hermes_home, *inverse)
    assert usage(hermes_home) == odd


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b"\xff", b"", b"[" * 100_000, b'{"a": "\\ud800"}']
)
def test_a_file_that_makes_no_sense_is_left_alone(hermes_home: Path, content: bytes) -> None:
    path = hermes_home / "skills/.usage.json"
    path.write_bytes(content)
    assert apply(hermes_home, Effect(EffectKind.COUNT_PATCH, "log-triage")) == ()
    assert path.read_bytes() == content


def test_a_link_is_left_alone(hermes_home: Path, tmp_path: Path) -> None:
    path = hermes_home / "skills/.usage.json"
    path.rename(tmp_path / "usage.json")
    path.symlink_to(tmp_path / "usage.json")
    assert apply(hermes_home, Effect(EffectKind.COUNT_PATCH, "log-triage")) == ()
    assert path.is_symlink()


def test_a_home_without_a_usage_file_gets_one(hermes_home: Path) -> None:
    (hermes_home / "skills/.usage.json").unlink()
    apply(hermes_home, Effect(EffectKind.COUNT_PATCH, "log-triage"))
    assert usage(hermes_home)["log-triage"]["patch_count"] == 1


def test_the_cached_list_of_skills_goes_away_with_no_effects_too(hermes_home: Path) -> None:
    (hermes_home / ".skills_prompt_snapshot.json").write_text("{}")
    assert apply(hermes_home) == ()
    assert not (hermes_home / ".skills_prompt_snapshot.json").exists()
    assert apply(hermes_home) == ()


def test_hermes_own_lock_is_taken(hermes_home: Path) -> None:
    before = usage(hermes_home)
    with (hermes_home / "skills/.usage.json.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        writer = HermesWriter(hermes_home, lock_wait=0.05)
        with pytest.raises(Busy):
            writer.apply_effects((Effect(EffectKind.COUNT_PATCH, "log-triage"),), NOW)
    assert usage(hermes_home) == before


def test_a_write_that_was_cut_short_does_not_stand_in_the_way(hermes_home: Path) -> None:
    (hermes_home / "skills/.reviewdeck-usage.tmp").write_bytes(b"half")
    apply(hermes_home, Effect(EffectKind.COUNT_PATCH, "log-triage"))
    assert usage(hermes_home)["log-triage"]["patch_count"] == 2
    assert not (hermes_home / "skills/.reviewdeck-usage.tmp").exists()
