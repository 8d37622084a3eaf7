"""Hermes' own bookkeeping about its skills, done as Hermes does it.

The usage file is changed under its own lock and keeps every record and key that we do not know.
One that cannot be read is left alone: then nothing is done, and nothing has to be taken back.

Whoever asks stores what each record was and what it becomes before the file changes, so a repeat
after a crash compares and does not count a second time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
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

Keep: TypeAlias = Callable[[tuple[Effect, ...]], None]
"""Stores, durably, what takes the bookkeeping back."""

COUNTERS = frozenset({"patch_count", "use_count", "view_count"})
"""Fields that only ever grow: what we added is taken away again, and nothing else."""


def refresh_prompt(root: Path, steps: Steps) -> None:
    """Drops the cached list of skills, so that Hermes' next prompt is made from what is there."""
    with opened(root) as home:
        place = Place(home, SNAPSHOT)
        if not read_place(place).absent:
            steps.remove(place)


def apply_effects(
    root: Path, steps: Steps, effects: Sequence[Effect], now: datetime, wait: float, keep: Keep
) -> tuple[Effect, ...]:
    """Does the bookkeeping; gives back what would undo it, in the order to apply it in.

    `keep` is told the same before the file changes. Raises Busy when the usage file's lock is held
    for too long.
    """
    refresh_prompt(root, steps)
    if not effects:
        return ()
    with suppress(FileNotFoundError), _locked(root, steps, wait) as skills:
        return _rewrite(steps, skills, effects, now, keep)
    return ()


def repeat_effects(root: Path, steps: Steps, inverse: Sequence[Effect], wait: float) -> None:
    """Makes sure that bookkeeping is done of which `inverse` was kept, whoever was cut short in it.

    What Hermes wrote since then stays. Raises Busy.
    """
    refresh_prompt(root, steps)
    with suppress(FileNotFoundError), _locked(root, steps, wait) as skills:
        found = read_place(Place(skills, USAGE))
        records = parse_usage(found)
        if records is None:
            return
        was = dict(records)
        for effect in reversed(inverse):
            done = _repeated(records.get(effect.skill), effect)
            _set(records, effect.skill, done)
        if records != was:
            _write(steps, skills, found, records)


@contextmanager
def _locked(root: Path, steps: Steps, wait: float) -> Iterator[int]:
    """Holds the skills folder open, under the lock of the usage file."""
    with (
        opened(root) as home,
        directory_beneath(steps.kernel, home, ("skills",)) as skills,
        held([(f"skills/{USAGE}", Place(skills, USAGE_LOCK))], wait),
    ):
        yield skills


def _rewrite(
    steps: Steps, skills: int, effects: Sequence[Effect], now: datetime, keep: Keep
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
        inverse.insert(0, _restoring(effect.skill, old, new))
        _set(records, effect.skill, new)
    if inverse:
        keep(tuple(inverse))
        _write(steps, skills, found, records)
    return tuple(inverse)


def _set(records: Record, skill: str, record: Any) -> None:
    if record is None:
        records.pop(skill, None)
    else:
        records[skill] = record


def _restoring(skill: str, old: Any, new: Record | None) -> Effect:
    return Effect(EffectKind.RESTORE_RECORD, skill, _dumped(old), _dumped(new))


def _dumped(record: Any) -> str | None:
    if record is None:
        return None
    return json.dumps(record, sort_keys=True, ensure_ascii=False)


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
            return _restored(old, effect)
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


def _restored(live: Record | None, effect: Effect) -> Record | None:
    """The record as it was before us, with what Hermes wrote into it since."""
    was, ours = _parse_record(effect.record), _parse_record(effect.over)
    if was is None or ours is None or live is None or live == ours:
        return was
    restored = dict(live)
    for key in _changed(was, ours):
        if key in COUNTERS and all(type(one.get(key)) is int for one in (was, ours, live)):
            restored[key] = max(0, live[key] - ours[key] + was[key])
        elif live.get(key) != ours[key]:
            continue
        elif key in was:
            restored[key] = was[key]
        else:
            restored.pop(key, None)
    return restored


def _repeated(live: Any, effect: Effect) -> Any:
    """A record with what we wrote into it, whether it is in there already or not."""
    was, ours = _loaded(effect.record), _loaded(effect.over)
    if live == was:
        return ours
    if not (isinstance(live, dict) and isinstance(was, dict) and isinstance(ours, dict)):
        return live  # It is done, or somebody else wrote over it.
    missing = {key: ours[key] for key in _changed(was, ours) if live.get(key) == was.get(key)}
    return live | missing


def _changed(was: Record, ours: Record) -> list[str]:
    return [key for key in ours if key not in was or ours[key] != was[key]]


def _parse_record(text: str | None) -> Record | None:
    raw = _loaded(text)
    return raw if isinstance(raw, dict) else None


def _loaded(text: str | None) -> Any:
    return None if text is None else json.loads(text)
