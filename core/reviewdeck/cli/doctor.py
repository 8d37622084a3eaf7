"""The checks of `doctor`, one line each: what was found, and what to do about it.

They cover the homes, who decides here and whether the agent is kept apart, and whether the ledger
is whole.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from reviewdeck.clock import utc_now
from reviewdeck.engine.options import Settings
from reviewdeck.errors import LedgerDamaged, NotVerified, ReviewdeckError
from reviewdeck.homes.hermes import installation
from reviewdeck.homes.hermes.config import CONFIG, bypasses_in
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.homes.hermes.installation import PluginState
from reviewdeck.homes.kinds import FoundHome
from reviewdeck.homes.syscalls import Kernel, describe_weakness
from reviewdeck.ledger.place import backups_of, is_lost, path_of
from reviewdeck.model import State
from reviewdeck.policy.gate import used_of
from reviewdeck.policy_location import PolicyPlace
from reviewdeck.presentation.proposal_words import at_local
from reviewdeck.presentation.situation import Situation, budgets_of
from reviewdeck.presentation.words import count, home_words, one_line
from reviewdeck.text.entries import round_trips

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck
    from reviewdeck.operators.separation import SeparationPaths
    from reviewdeck.policy.in_force import Policy


EMPTY: Final = "There is nothing in it: whatever it held is gone."


@dataclass(frozen=True, slots=True)
class Wholeness:
    """What a thorough look at a ledger found."""

    path: Path
    damage: tuple[str, ...]
    """One sentence each; empty when all is well."""
    backups: tuple[Path, ...]
    """Copies beside it, the newest last."""

    @property
    def advice(self) -> tuple[str, ...]:
        """How to go on; empty when all is well."""
        return way_back(self.path, self.backups) if self.damage else ()

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "ledger": str(self.path),
            "whole": not self.damage,
            "damage": [*self.damage],
            "advice": [*self.advice],
            "backups": [str(copy) for copy in self.backups],
        }


def look_through(url: str) -> Wholeness:
    """Reads everything that the ledger at this URL holds. Raises LedgerUnavailable, Busy."""
    path = path_of(url)
    damage = (EMPTY,) if is_nothing(path) else tuple(_damage(url))
    return Wholeness(path, damage, backups_of(path))


def is_nothing(path: Path) -> bool:
    """Whether there is a file in the place of a ledger with nothing in it, or none but its copy."""
    return is_lost(path) or (path.is_file() and not path.stat().st_size)


def _damage(url: str) -> Sequence[str]:
    from reviewdeck.ledger.audit import SqlAudit
    from reviewdeck.ledger.database import Database
    from reviewdeck.ledger.integrity import find_damage

    try:
        found = find_damage(url)
        storage = Database(path_of(url), utc_now)
        try:
            broken = SqlAudit(storage).verify()
        finally:
            storage.close()
    except LedgerDamaged as damaged:
        return (damaged.message,)
    except (TypeError, ValueError) as error:
        return (f"Something that is stored is not what it should be: {error}.",)
    if broken is None:
        return found
    return (*found, f"Line {broken} of the log does not fit the line before it.")


def way_back(path: Path, backups: Sequence[Path]) -> tuple[str, ...]:
    """How to go on with a damaged ledger. The homes have nothing to do with it."""
    said = (
        "The homes are intact: what was applied is in their own files.",
        "Stop what uses the ledger, then move it away, with the files -wal and -shm beside it.",
    )
    if backups:
        copy = f"Put the newest backup in its place: cp {backups[-1]} {path}"
        return (*said, copy, "Then `reviewdeck recover` and `reviewdeck status` go on from there.")
    return (
        *said,
        "There is no backup beside it: `reviewdeck status` begins a new one. Earlier decisions,"
        " history and undo stay behind in the damaged file.",
    )


def advice_for(error: ReviewdeckError, url: str) -> str:
    """What `doctor` says when the ledger cannot be used."""
    if not isinstance(error, LedgerDamaged):
        return error.hint
    path = path_of(url)
    return " ".join(way_back(path, backups_of(path)))


class Level(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class DoctorCheck:
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


def check_home(home: FoundHome) -> Iterator[DoctorCheck]:
    """Whether the home can be read and written, and whether its agent agrees with what is in it."""
    yield DoctorCheck("home", Level.OK, f"{home_words(home.name, home.kind)}, {home.path}")
    yield from _access(home.path)
    yield from _documents(home)
    if isinstance(home, HermesHome):
        yield from _of_hermes(home)
    elif home.ungated:
        said = f"not reviewed before it is written: {', '.join(home.ungated)}"
        yield DoctorCheck(
            "gates", Level.WARN, said, "What is written past them is seen afterwards."
        )
    weaker = describe_weakness(Kernel().weaker)
    if weaker is None:
        yield DoctorCheck("writes", Level.OK, "a foreign write in the last moment is never lost")
    else:
        yield DoctorCheck(
            "writes", Level.WARN, weaker, "Another file system or kernel gives the rest."
        )


def _of_hermes(home: HermesHome) -> Iterator[DoctorCheck]:
    for note in home.notes:
        yield DoctorCheck("settings", Level.WARN, note, "Mend it: until then the default holds.")
    yield from _gates(home)
    yield from _bypasses(home)
    yield _plugin(home)


def _access(path: Path) -> Iterator[DoctorCheck]:
    closed = [
        name or str(path)
        for name in ("", "memories", "skills", "pending")
        if (path / name).is_dir() and not os.access(path / name, os.W_OK | os.X_OK)
    ]
    if closed:
        said = f"not writable: {', '.join(closed)}"
        yield DoctorCheck("access", Level.BAD, said, "Run as the user who owns the home.")
    else:
        yield DoctorCheck("access", Level.OK, "readable and writable")


def _documents(home: FoundHome) -> Iterator[DoctorCheck]:
    snapshot, paths = home.snapshot(), home.documents()
    for path in paths:
        document = snapshot.document(path)
        if document.problem is not None:
            hint = "It is left alone, and so is every proposal about it."
            yield DoctorCheck("documents", Level.BAD, f"{path}: {document.problem}", hint)
            continue
        if document.link is not None:
            said = f"{path} is a link to {document.link}"
            yield DoctorCheck("documents", Level.WARN, said, "What is written is written there.")
        limit = snapshot.budget(path)
        if limit is not None and not round_trips(document.text, limit):
            said = f"{path} is not laid out as Hermes writes it"
            hint = "Hermes refuses to edit it: one entry, then a line with § alone, and so on."
            yield DoctorCheck("documents", Level.WARN, said, hint)
    for budget in budgets_of(home):
        said = f"{budget.document}: {used_of(budget.allowance)}"
        full = budget.allowance.is_over
        hint = "Nothing can be added until something goes." if full else ""
        yield DoctorCheck("budget", Level.WARN if full else Level.OK, said, hint)
    yield DoctorCheck("documents", Level.OK, f"{count(len(paths), 'document')} looked at")


def _gates(home: HermesHome) -> Iterator[DoctorCheck]:
    config = home.snapshot().config
    memory, skills = config.memory_gate, config.skills_gate
    said = f"memory.write_approval {_on(memory)}, skills.write_approval {_on(skills)}"
    if memory and skills:
        yield DoctorCheck("gates", Level.OK, said)
        return
    closed = [name.partition(".")[0] for name in home.ungated]
    yield DoctorCheck(
        "gates",
        Level.WARN,
        f"{said}: what the agent writes to {' and '.join(closed)} is not held for review",
        f"reviewdeck hermes install --home {home.path}",
    )


def _bypasses(home: HermesHome) -> Iterator[DoctorCheck]:
    for one in bypasses_in(home.snapshot().document(CONFIG)):
        level = Level.WARN if one.is_chosen else Level.OK
        off = "''" if one.is_chosen else "false"
        hint = f"hermes config set {one.setting} {off} ends that"
        yield DoctorCheck("bypass", level, one.said, hint)


def _plugin(home: HermesHome) -> DoctorCheck:
    """Whether the plugin is in the home, enabled, and the one that this program brings."""
    hint = f"reviewdeck hermes install --home {home.path}"
    try:
        found, ours = installation.installed_in(home.path), installation.shipped()
        standing = installation.standing_of(found, ours)
    except ReviewdeckError as error:
        return DoctorCheck("plugin", Level.WARN, error.message, "Mend it, then: " + hint)
    if standing["plugin"] == PluginState.ABSENT:
        said = "not installed: proposals come without their conversation at hand"
        return DoctorCheck("plugin", Level.OK, said, hint)
    version = standing["plugin_version"]
    if standing["plugin"] == PluginState.OTHER:
        said = f"version {version} is there, this program brings {installation.version_of(ours)}"
        if version == installation.version_of(ours):
            said = f"version {version}, with files that are not those of this program"
        return DoctorCheck("plugin", Level.WARN, said, hint)
    if not standing["enabled"]:
        return DoctorCheck("plugin", Level.WARN, f"version {version}, not enabled in Hermes", hint)
    if standing["program"] is None:
        said = "it names no program that can be run, so the chat can show nothing"
        return DoctorCheck("plugin", Level.WARN, said, hint)
    return DoctorCheck("plugin", Level.OK, f"version {version}, enabled")


def _on(value: bool) -> str:
    return "on" if value else "off"


def check_ledger_file(url: str) -> Iterator[DoctorCheck]:
    """Where the ledger is, who can read it, and whether the database holds together."""
    path = path_of(url)
    if is_lost(path) and not path.exists():
        yield _gone(path)
        return
    if not path.exists():
        yield DoctorCheck("ledger", Level.OK, f"{path} does not exist yet")
        return
    yield DoctorCheck("ledger", Level.OK, str(path))
    open_to_others = [
        str(place) for place in (path, path.parent) if stat.S_IMODE(place.stat().st_mode) & 0o077
    ]
    # A directory that others may list is common where somebody named the place; the file is not.
    if str(path) in open_to_others:
        yield DoctorCheck("ledger", Level.WARN, f"others can read {path}", f"chmod 600 {path}")
    yield _gone(path) if is_nothing(path) else _quick_check(path)


def _gone(path: Path) -> DoctorCheck:
    """A ledger that was to be made is empty too, so without a backup this is no more than odd."""
    backups = backups_of(path)
    level = Level.BAD if backups else Level.WARN
    return DoctorCheck("ledger", level, EMPTY, " ".join(way_back(path, backups)))


def _quick_check(path: Path) -> DoctorCheck:
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=10)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        found = str(error)  # SQLite quotes broken bytes in what it says of them.
    if found == "ok":
        return DoctorCheck("ledger", Level.OK, "the database holds together")
    hint = " ".join(way_back(path, backups_of(path)))
    return DoctorCheck("ledger", Level.BAD, f"the database is damaged: {found}", hint)


def check_backups(url: str) -> DoctorCheck:
    """The newest copy of the ledger."""
    copies = backups_of(path_of(url))
    if copies:
        made = datetime.fromtimestamp(copies[-1].stat().st_mtime, UTC)
        return DoctorCheck("backup", Level.OK, f"the newest is {copies[-1]}, of {at_local(made)}")
    return DoctorCheck("backup", Level.OK, "there is none", "reviewdeck fsck --backup makes one")


def check_working(settings: Settings) -> DoctorCheck:
    """Where work in progress is kept, and whether that answers."""
    from reviewdeck.bootstrap import open_working

    try:
        storage = open_working(settings)
    except ReviewdeckError as error:
        return DoctorCheck("working", Level.BAD, error.message, error.hint)
    try:
        if storage.is_using_fallback:
            said = "the working memory does not answer: it is kept in each process alone"
            hint = "The deck works on, and forgets its place when it ends."
            return DoctorCheck("working", Level.WARN, said, hint)
        storage.check()
        took = storage.timings()["check"].longest * 1e3
        said = f"work in progress is kept: {storage.name}, which answers in {took:.1f} ms"
        return DoctorCheck("working", Level.OK, said)
    finally:
        storage.close()


def check_log(deck: Deck) -> DoctorCheck:
    """Whether the log is whole."""
    broken = deck.ledger.verify()
    if broken is None:
        return DoctorCheck("log", Level.OK, "every line fits the line before it")
    said = f"line {broken} does not fit the line before it"
    return DoctorCheck("log", Level.BAD, said, "Somebody changed the ledger: compare a backup.")


def check_policy(policy: Policy, place: PolicyPlace | None) -> DoctorCheck:
    """Which policy holds, and whether its file can be used."""
    if policy.problem:
        hint = "Until it is fixed nothing is applied automatically."
        return DoctorCheck("policy", Level.BAD, policy.problem, hint)
    if place is None or not policy.mark:
        return DoctorCheck("policy", Level.OK, "the built-in rules, without a file")
    return DoctorCheck("policy", Level.OK, f"{place.path}, SHA-256 {policy.mark[:12]}")


def check_state(found: Situation) -> Iterator[DoctorCheck]:
    """What the ledger knows of a home that somebody should look at."""
    if found.unfinished:
        said = f"{count(found.unfinished, 'interrupted run')} to be ended"
        yield DoctorCheck("recovery", Level.BAD, said, "reviewdeck recover")
    else:
        yield DoctorCheck("recovery", Level.OK, "nothing was left half done")
    for one in found.outside:
        said = f"{one.path} was changed without reviewdeck"
        yield DoctorCheck(
            "outside", Level.WARN, said, "reviewdeck since shows it; --mark accepts it"
        )
    if unread := found.counts.by_state.get(State.QUARANTINED, 0):
        said = f"{count(unread, 'pending record')} cannot be read"
        yield DoctorCheck("pending", Level.WARN, said, "reviewdeck list --state quarantined")


MOST_BREACHES = 12


def check_operators(deck: Deck) -> Iterator[DoctorCheck]:
    """Which tier holds, whose signatures count, and whether the policy is signed."""
    from reviewdeck.operators.authority import Operators

    authority = deck.context.authority
    if not authority.signs or not isinstance(authority, Operators):
        said = f"{authority.standing}: whoever runs programs as this user can decide"
        yield DoctorCheck(
            "decisions", Level.OK, said, "reviewdeck init makes a key to sign them with"
        )
        return
    try:
        ring = authority.trusted()
    except NotVerified as error:
        yield DoctorCheck("decisions", Level.BAD, error.message, error.hint)
        return
    names = ", ".join(key.name for key in ring.current)
    said = f"signed (tier 1), {count(len(ring.current), 'operator')}: {names}"
    yield DoctorCheck("decisions", Level.OK, said, "reviewdeck doctor --separate is the next step")
    for at in ring.restarts:
        said = f"somebody began again without an old key, {at_local(at)}"
        yield DoctorCheck("decisions", Level.WARN, said, "That was you, or it was somebody else.")
    why = authority.why_nothing_is_automatic()
    if why is None:
        yield DoctorCheck("policy", Level.OK, "the policy is the one that was signed")
    else:
        yield DoctorCheck(
            "policy", Level.WARN, f"auto-apply is off: {why}", "reviewdeck policy sign"
        )


def check_separation(settings: Settings, user: str) -> Iterator[DoctorCheck]:
    """Whether an agent that runs as another user can write into `pending/` and nowhere else."""
    from reviewdeck.operators import separation

    agent = separation.account_of(user)
    for home in settings.homes:
        places = places_of(settings, home)
        if agent is None:
            said = f"there is no user {user}: the agent is not kept apart (tier 2 does not hold)"
            yield DoctorCheck("separate", Level.BAD, said, "The commands below make it so.")
            found = []
        else:
            found = list(separation.breaches(places, agent))
        for breach in found[:MOST_BREACHES]:
            yield DoctorCheck("separate", Level.BAD, f"{breach.path}: {breach.said}")
        if len(found) > MOST_BREACHES:
            yield DoctorCheck(
                "separate", Level.BAD, f"and {len(found) - MOST_BREACHES} more like these"
            )
        if agent is not None and not found:
            said = f"{user} can write into pending/ and change nothing else (tier 2) of {home}"
            yield DoctorCheck("separate", Level.OK, said)
            continue
        for line in separation.commands(places, user):
            yield DoctorCheck("command", Level.OK, line)


def places_of(settings: Settings, home: Path) -> SeparationPaths:
    """What of this set-up has to be out of the agent's reach."""
    from reviewdeck.operators.separation import SeparationPaths

    ours = Path(__file__).resolve().parents[1]
    policy = settings.policy.path if settings.policy is not None else None
    return SeparationPaths(
        home=home,
        ledger=path_of(settings.ledger).absolute(),
        operators=settings.operators or Path(os.devnull),
        policy=policy,
        programs=(Path(sys.executable), ours),
    )


_STYLES: Final = {Level.OK: "green", Level.WARN: "yellow", Level.BAD: "bold red"}


def checkup_table(checks: Sequence[DoctorCheck]) -> Table:
    """One line per check, with what to do below it."""
    table = Table(box=None, pad_edge=False, expand=True, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(ratio=1, overflow="fold")
    for check in checks:
        said = Text(one_line(check.said))
        hint = Text(f"-> {one_line(check.hint)}", style="cyan")
        shown = Group(said, hint) if check.hint else said
        table.add_row(Text(check.level.value, style=_STYLES[check.level]), Text(check.name), shown)
    return table
