"""What `doctor` looks at. Each check is one line: what was found, and what to do about it."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewdeck.cli.situation import Situation, budgets_of
from reviewdeck.cli.wholeness import EMPTY, is_nothing, way_back
from reviewdeck.cli.words import at_local, count
from reviewdeck.engine.options import Settings
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.homes.hermes.writer import HermesWriter
from reviewdeck.ledger.place import backups_of, is_lost, path_of
from reviewdeck.model import State
from reviewdeck.policy_location import PolicyPlace
from reviewdeck.text.entries import round_trips

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck
    from reviewdeck.policy.in_force import Policy


class Level(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    level: Level
    said: str
    hint: str = ""

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "check": self.name,
            "level": self.level.value,
            "message": self.said,
            "hint": self.hint,
        }


def check_home(home: HermesHome) -> Iterator[Check]:
    """Whether the home can be read and written, and whether Hermes agrees with what is in it."""
    yield Check("home", Level.OK, f"{home.name}, {home.path}")
    yield from _access(home.path)
    yield from _documents(home)
    for note in home.notes:
        yield Check("settings", Level.WARN, note, "Mend it: until then the default holds.")
    yield from _gates(home)
    weaker = HermesWriter(home.path).weaker_guarantee()
    if weaker is None:
        yield Check("writes", Level.OK, "a foreign write in the last moment is never lost")
    else:
        yield Check("writes", Level.WARN, weaker, "Another file system or kernel gives the rest.")


def _access(path: Path) -> Iterator[Check]:
    closed = [
        name or str(path)
        for name in ("", "memories", "skills", "pending")
        if (path / name).is_dir() and not os.access(path / name, os.W_OK | os.X_OK)
    ]
    if closed:
        said = f"not writable: {', '.join(closed)}"
        yield Check("access", Level.BAD, said, "Run as the user who owns the home.")
    else:
        yield Check("access", Level.OK, "readable and writable")


def _documents(home: HermesHome) -> Iterator[Check]:
    snapshot, paths = home.snapshot(), home.documents()
    for path in paths:
        document = snapshot.document(path)
        if document.problem is not None:
            hint = "It is left alone, and so is every proposal about it."
            yield Check("documents", Level.BAD, f"{path}: {document.problem}", hint)
            continue
        if document.link is not None:
            said = f"{path} is a link to {document.link}"
            yield Check("documents", Level.WARN, said, "What is written is written there.")
        limit = snapshot.budget(path)
        if limit is not None and not round_trips(document.text, limit):
            said = f"{path} is not laid out as Hermes writes it"
            hint = "Hermes refuses to edit it: one entry, then a line with § alone, and so on."
            yield Check("documents", Level.WARN, said, hint)
    for budget in budgets_of(home):
        said = f"{budget.document}: {budget.used:,} of {budget.limit:,} characters"
        full = budget.used > budget.limit
        hint = "Nothing can be added until something goes." if full else ""
        yield Check("budget", Level.WARN if full else Level.OK, said, hint)
    yield Check("documents", Level.OK, f"{count(len(paths), 'document')} looked at")


def _gates(home: HermesHome) -> Iterator[Check]:
    memory, skills = gates_of(home)
    said = f"memory.write_approval {_on(memory)}, skills.write_approval {_on(skills)}"
    if memory and skills:
        yield Check("gates", Level.OK, said)
        return
    closed = [name for name, on in (("memory", memory), ("skills", skills)) if not on]
    yield Check(
        "gates",
        Level.WARN,
        f"{said}: what the agent writes to {' and '.join(closed)} is not held for review",
        "; ".join(f"hermes config set {name}.write_approval true" for name in closed),
    )


def gates_of(home: HermesHome) -> tuple[bool, bool]:
    """Whether Hermes stages what its agent writes: memories, skills. As Hermes reads it."""
    document = home.snapshot().document("config.yaml")
    if document.problem is not None or not document.text.strip():
        return False, False
    from ruamel.yaml import YAML

    try:
        tree = YAML(typ="safe", pure=True).load(document.text)
    except Exception:  # noqa: BLE001 - the parser has no closed set of errors for broken input
        return False, False
    return _gate(tree, "memory"), _gate(tree, "skills")


def _gate(tree: object, name: str) -> bool:
    section = tree.get(name) if isinstance(tree, dict) else None
    value = section.get("write_approval") if isinstance(section, dict) else None
    if isinstance(value, str):
        return value.strip().lower() in {"on", "true", "yes", "1", "approve", "enabled"}
    return value is True


def _on(value: bool) -> str:
    return "on" if value else "off"


def check_ledger_file(url: str) -> Iterator[Check]:
    """Where the ledger is, who can read it, and whether the database holds together."""
    path = path_of(url)
    if is_lost(path) and not path.exists():
        yield _gone(path)
        return
    if not path.exists():
        yield Check("ledger", Level.OK, f"{path} does not exist yet")
        return
    yield Check("ledger", Level.OK, str(path))
    open_to_others = [
        str(place) for place in (path, path.parent) if stat.S_IMODE(place.stat().st_mode) & 0o077
    ]
    # A directory that others may list is common where somebody named the place; the file is not.
    if str(path) in open_to_others:
        yield Check("ledger", Level.WARN, f"others can read {path}", f"chmod 600 {path}")
    yield _gone(path) if is_nothing(path) else _quick_check(path)


def _gone(path: Path) -> Check:
    """A ledger that was to be made is empty too, so without a backup this is no more than odd."""
    backups = backups_of(path)
    level = Level.BAD if backups else Level.WARN
    return Check("ledger", level, EMPTY, " ".join(way_back(path, backups)))


def _quick_check(path: Path) -> Check:
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=10)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        found = str(error)  # SQLite quotes broken bytes in what it says of them.
    if found == "ok":
        return Check("ledger", Level.OK, "the database holds together")
    hint = " ".join(way_back(path, backups_of(path)))
    return Check("ledger", Level.BAD, f"the database is damaged: {found}", hint)


def check_backups(url: str) -> Check:
    """The newest copy of the ledger."""
    copies = backups_of(path_of(url))
    if copies:
        made = datetime.fromtimestamp(copies[-1].stat().st_mtime, UTC)
        return Check("backup", Level.OK, f"the newest is {copies[-1]}, of {at_local(made)}")
    return Check("backup", Level.OK, "there is none", "reviewdeck fsck --backup makes one")


def check_working(settings: Settings) -> Check:
    """Where work in progress is kept, and whether that answers."""
    from reviewdeck.bootstrap import open_working

    try:
        storage = open_working(settings)
    except ReviewdeckError as error:
        return Check("working", Level.BAD, error.message, error.hint)
    try:
        if storage.is_using_fallback:
            said = "the working memory does not answer: it is kept in each process alone"
            hint = "The deck works on, and forgets its place when it ends."
            return Check("working", Level.WARN, said, hint)
        storage.check()
        took = storage.timings()["check"].longest * 1e3
        said = f"work in progress is kept: {storage.name}, which answers in {took:.1f} ms"
        return Check("working", Level.OK, said)
    finally:
        storage.close()


def check_log(deck: Deck) -> Check:
    """Whether the log is whole."""
    broken = deck.ledger.verify()
    if broken is None:
        return Check("log", Level.OK, "every line fits the line before it")
    said = f"line {broken} does not fit the line before it"
    return Check("log", Level.BAD, said, "Somebody changed the ledger: compare a backup.")


def check_policy(policy: Policy, place: PolicyPlace | None) -> Check:
    """Which policy holds, and whether its file can be used."""
    if policy.problem:
        hint = "Until it is mended nothing goes in by itself."
        return Check("policy", Level.BAD, policy.problem, hint)
    if place is None or not policy.mark:
        return Check("policy", Level.OK, "the built-in rules, without a file")
    return Check("policy", Level.OK, f"{place.path}, SHA-256 {policy.mark[:12]}")


def check_state(found: Situation) -> Iterator[Check]:
    """What the ledger knows of a home that somebody should look at."""
    if found.unfinished:
        said = f"{count(found.unfinished, 'interrupted run')} to be ended"
        yield Check("recovery", Level.BAD, said, "reviewdeck recover")
    else:
        yield Check("recovery", Level.OK, "nothing was left half done")
    for one in found.outside:
        said = f"{one.path} was changed without reviewdeck"
        yield Check("outside", Level.WARN, said, "reviewdeck since shows it; --mark accepts it")
    if unread := found.counts.by_state.get(State.QUARANTINED, 0):
        said = f"{count(unread, 'pending record')} cannot be read"
        yield Check("pending", Level.WARN, said, "reviewdeck list --state quarantined")
