"""Hermes' own bookkeeping about its skills, done as Hermes does it.

The usage file is changed under its own lock and keeps every record and key that we do not know.
One that cannot be read is left alone: then nothing is done, and nothing has to be taken back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias, assert_never

from reviewdeck.homes.files import Found, directory_beneath, opened, read_place
from reviewdeck.homes.locks import held
from reviewdeck.homes.steps import Steps, owner_of
from reviewdeck.homes.syscalls import Place
from reviewdeck.model.plans import Effect, EffectKind

SNAPSHOT = ".skills_prompt_snapshot.json"
USAGE = ".usage.json"
USAGE_LOCK = ".usage.json.lock"
TEMP = ".reviewdeck-usage.tmp"

Record: TypeAlias = dict[str, Any]
"""One skill's usage, as Hermes stores it; it may hold keys that we do not know."""


def refresh_prompt(root: Path, steps: Steps) -> None:
    """Drops the cached list of skills, so that Hermes' next prompt is made from what is there."""
    with opened(root) as home:
        place = Place(home, SNAPSHOT)
        if not read_place(place).absent:
            steps.remove(place)


def apply_effects(
    root: Path, steps: Steps, effects: Sequence[Effect], now: datetime, wait: float
) -> tuple[Effect, ...]:
    """Does the bookkeeping; gives back what would undo it, in the order to apply it in.

    Raises Busy when the usage file's lock is held for too long.
    """
    refresh_prompt(root, steps)
    if not effects:
        return ()
    with (
        suppress(FileNotFoundError),
        opened(root) as home,
        directory_beneath(steps.kernel, home, ("skills",)) as skills,
        held([(f"skills/{USAGE}", Place(skills, USAGE_LOCK))], wait),
    ):
        return _rewrite(steps, skills, effects, now)
    return ()


def _rewrite(
    steps: Steps, skills: int, effects: Sequence[Effect], now: datetime
) -> tuple[Effect, ...]:
    found = read_place(Place(skills, USAGE))
    records = parse_usage(found)
    if records is None:
        return ()
    inverse: list[Effect] = []
    for effect in effects:
        old = records.get(effect.skill)
        new = record_after(old if isinstance(old, dict) else None, effect, now)
        if new == old:
            continue
        inverse.insert(0, _restoring(effect.skill, old))
        if new is None:
            del records[effect.skill]
        else:
            records[effect.skill] = new
    if inverse:
        _write(steps, skills, found, records)
    return tuple(inverse)


def _restoring(skill: str, old: Any) -> Effect:
    record = None if old is None else json.dumps(old, sort_keys=True, ensure_ascii=False)
    return Effect(EffectKind.RESTORE_RECORD, skill, record)


def _write(steps: Steps, skills: int, found: Found, records: Record) -> None:
    text = json.dumps(records, indent=2, sort_keys=True, ensure_ascii=False)
    temp = Place(skills, TEMP)
    if not read_place(temp).absent:
        steps.remove(temp)
    mode = 0o600 if found.mode is None else found.mode
    steps.write_file(temp, text.encode("utf-8"), mode, owner_of(skills, found))
    steps.replace(temp, Place(skills, USAGE))


def parse_usage(found: Found) -> Record | None:
    """All usage records; None when the file is there and makes no sense to us."""
    if found.absent:
        return {}
    if found.data is None:
        return None
    try:
        raw = json.loads(found.data.decode("utf-8"))
        json.dumps(raw, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) else None


def record_after(old: Record | None, effect: Effect, now: datetime) -> Record | None:
    """What a skill's record becomes; None for no record."""
    moment = now.astimezone(UTC).isoformat()
    match effect.kind:
        case EffectKind.MARK_AGENT_CREATED:
            return _known(old, moment) | {"created_by": "agent"}
        case EffectKind.COUNT_PATCH:
            record = _known(old, moment)
            count = record.get("patch_count")
            before = count if isinstance(count, int) else 0
            return record | {"patch_count": before + 1, "last_patched_at": moment}
        case EffectKind.MARK_ARCHIVED:
            return _known(old, moment) | {"state": "archived", "archived_at": moment}
        case EffectKind.FORGET:
            return None
        case EffectKind.RESTORE_RECORD:
            return _parse_record(effect.record)
        case _:
            assert_never(effect.kind)


def _known(old: Record | None, moment: str) -> Record:
    if old is not None:
        return old
    return {
        "archived_at": None,
        "created_at": moment,
        "created_by": None,
        "last_patched_at": None,
        "last_used_at": None,
        "last_viewed_at": None,
        "patch_count": 0,
        "pinned": False,
        "state": "active",
        "use_count": 0,
        "view_count": 0,
    }


def _parse_record(text: str | None) -> Record | None:
    if text is None:
        return None
    raw = json.loads(text)
    return raw if isinstance(raw, dict) else None
