"""The checks of `doctor`, one line each: a finding, and what to do about it.

They cover the homes, the operators and their keys, and the ledger.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from reviewdeck.bootstrap import open_working
from reviewdeck.cli.output import stretched_table
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.errors import NotVerified, ReviewdeckError
from reviewdeck.files.syscalls import Kernel, describe_weakness
from reviewdeck.homes.hermes import installation
from reviewdeck.homes.hermes.config import CONFIG, bypasses_in
from reviewdeck.homes.hermes.config_edits import PLUGIN, is_disabled
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.homes.hermes.installation import PluginState
from reviewdeck.homes.hermes.records import hermes_failure, provider_of
from reviewdeck.homes.hermes.traits import NEWEST_KNOWN_SCHEMA, NEWEST_OLD_SCHEMA, session_schema
from reviewdeck.homes.kinds import LocatedHome
from reviewdeck.homes.strict_json import parse_object
from reviewdeck.ledger.inspection import look_over, newest_backup
from reviewdeck.ledger.place import is_postgres
from reviewdeck.model import Kind, State
from reviewdeck.operators.authority import Operators
from reviewdeck.planning.documents import kind_of
from reviewdeck.policy.gate import describe_usage
from reviewdeck.presentation.elsewhere import logs_read
from reviewdeck.presentation.hosts import host_healths
from reviewdeck.presentation.proposal_words import local_time
from reviewdeck.presentation.situation import HomeStatus, budgets_of
from reviewdeck.presentation.words import count, home_words, one_line
from reviewdeck.reviewer.settings import load_settings
from reviewdeck.text.entries import round_trips

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.policy.in_force import Policy


class Level(StrEnum):
    """The result of a check."""

    OK = "ok"
    NOTE = "note"
    """Nothing is broken, and the operator may want it otherwise."""
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One check with its result."""

    name: str
    level: Level
    message: str
    hint: str = ""

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "check": self.name,
            "level": self.level.value,
            "message": self.message,
            "hint": self.hint,
        }


def check_home(home: LocatedHome) -> Iterator[DoctorCheck]:
    """Whether the home can be read and written, and whether its agent can read its documents."""
    yield DoctorCheck("home", Level.OK, f"{home_words(home.name, home.kind)}, {home.path}")
    yield from _check_access(home.path)
    yield from _check_documents(home)
    if isinstance(home, HermesHome):
        yield from _check_hermes(home)
    elif home.ungated:
        message = f"not reviewed before it is written: {', '.join(home.ungated)}"
        yield DoctorCheck(
            "gates", Level.WARN, message, "reviewdeck sees writes there only afterwards."
        )
    weaker = describe_weakness(Kernel().weaker)
    if weaker is None:
        yield DoctorCheck("writes", Level.OK, "a concurrent write is detected and kept")
    else:
        yield DoctorCheck(
            "writes", Level.WARN, weaker, "Another file system or kernel closes this gap."
        )


def _check_hermes(home: HermesHome) -> Iterator[DoctorCheck]:
    for note in home.notes:
        yield DoctorCheck("settings", Level.WARN, note, "Fix it: until then the default applies.")
    yield from _check_version(home)
    yield from check_gates(home)
    yield from _check_records(home)


def check_gates(home: HermesHome) -> Iterator[DoctorCheck]:
    """What of a Hermes home is governed: the gates, what bypasses them, the plugin."""
    yield from _check_gates(home)
    for bypass in bypasses_in(home.snapshot().document(CONFIG)):
        level = Level.WARN if bypass.is_chosen else Level.NOTE
        off = "''" if bypass.is_chosen else "false"
        hint = f"`{bypass.setting}: {off}` in config.yaml ends that"
        yield DoctorCheck("bypass", level, bypass.description, hint)
    yield _check_plugin(home)
    yield from _check_terminal(home)


def _check_access(path: Path) -> Iterator[DoctorCheck]:
    closed = [
        name or str(path)
        for name in ("", "memories", "skills", "pending")
        if (path / name).is_dir() and not os.access(path / name, os.W_OK | os.X_OK)
    ]
    if closed:
        message = f"not writable: {', '.join(closed)}"
        yield DoctorCheck("access", Level.BAD, message, "Run as the user who owns the home.")
    else:
        yield DoctorCheck("access", Level.OK, "readable and writable")


def _check_documents(home: LocatedHome) -> Iterator[DoctorCheck]:
    snapshot, paths = home.snapshot(), home.documents()
    no_text = 0
    for path in paths:
        document = snapshot.document(path)
        is_bytes = document.problem is not None and document.data is not None
        if is_bytes and kind_of(path, snapshot) is Kind.SKILLS and not path.endswith("/SKILL.md"):
            no_text += 1
            continue
        if document.problem is not None:
            hint = "reviewdeck leaves it alone, and every proposal about it."
            yield DoctorCheck("documents", Level.BAD, f"{path}: {document.problem}", hint)
            continue
        if document.link is not None:
            message = f"{path} is a link to {document.link}"
            yield DoctorCheck(
                "documents", Level.WARN, message, "Writes go to the target of the link."
            )
        limit = snapshot.budget(path)
        if limit is not None and not round_trips(document.text, limit):
            message = f"{path} is not in Hermes' format"
            hint = "Hermes refuses to edit it: separate its entries by lines that hold § alone."
            yield DoctorCheck("documents", Level.WARN, message, hint)
    for budget in budgets_of(home):
        message = f"{budget.document}: {describe_usage(budget.allowance)}"
        full = budget.allowance.is_over
        hint = "Nothing can be added until something is removed." if full else ""
        yield DoctorCheck("budget", Level.WARN if full else Level.OK, message, hint)
    if no_text:
        are = "file of a skill is" if no_text == 1 else "files of skills are"
        yield DoctorCheck("documents", Level.OK, f"{no_text} {are} no text")
    yield DoctorCheck("documents", Level.OK, f"{count(len(paths), 'document')} checked")


def _check_records(home: HermesHome) -> Iterator[DoctorCheck]:
    """Records that end Hermes' own `/memory` with an error, or that a provider applies itself."""
    for file in home.pending():
        record = parse_object((file.data or b"").decode("utf-8", "replace"))
        if isinstance(record, str):
            continue
        if failure := hermes_failure(record):
            message = f"{file.source}: {failure}, and Hermes' own /memory fails because of it"
            hint = "reviewdeck repair mends it, reviewdeck reject dismisses it; then move it away."
            yield DoctorCheck("pending", Level.WARN, message, hint)
        if owner := provider_of(record):
            message = f"{file.source} waits for the memory provider {owner}"
            hint = (
                "Look whether it gives the agent a tool that applies what waits (mnemosyne does): "
                "reviewdeck cannot stop that one."
            )
            yield DoctorCheck("provider", Level.WARN, message, hint)


def _check_gates(home: HermesHome) -> Iterator[DoctorCheck]:
    config = home.snapshot().config
    memory, skills = config.memory_gate, config.skills_gate
    message = (
        f"memory.write_approval {_on_or_off(memory)}, skills.write_approval {_on_or_off(skills)}"
    )
    if memory and skills:
        yield DoctorCheck("gates", Level.OK, message)
        return
    closed = [name.partition(".")[0] for name in home.ungated]
    yield DoctorCheck(
        "gates",
        Level.WARN,
        f"{message}: what the agent writes to {' and '.join(closed)} is not held for review",
        f"reviewdeck hermes install --home {home.path}",
    )


def _check_version(home: HermesHome) -> Iterator[DoctorCheck]:
    schema = session_schema(home.path)
    if not schema:
        return
    if schema > NEWEST_KNOWN_SCHEMA:
        message = f"newer than reviewdeck knows: its sessions have schema {schema}"
        hint = "reviewdeck reads what it can, and leaves what it cannot: look for a newer one."
        yield DoctorCheck("hermes", Level.WARN, message, hint)
        return
    version = "0.19" if schema <= NEWEST_OLD_SCHEMA else "0.20 to 0.22"
    yield DoctorCheck(
        "hermes", Level.OK, f"version {version}, by the schema {schema} of its sessions"
    )


def _check_plugin(home: HermesHome) -> DoctorCheck:
    """Whether the plugin is installed, enabled and of this program's version."""
    hint = f"reviewdeck hermes install --home {home.path}"
    try:
        installed, shipped = (
            installation.read_installation(home.path),
            installation.shipped_plugin(),
        )
        status = installation.describe_installation(installed, shipped)
    except ReviewdeckError as error:
        return DoctorCheck("plugin", Level.WARN, error.message, "Fix it, then: " + hint)
    if status["plugin"] == PluginState.ABSENT:
        message = "not installed: proposals arrive without their conversation"
        return DoctorCheck("plugin", Level.NOTE, message, hint)
    version = status["plugin_version"]
    if status["plugin"] == PluginState.OTHER:
        message = (
            f"version {version} is installed, this program ships {installation.version_of(shipped)}"
        )
        if version == installation.version_of(shipped):
            message = f"version {version}, with files that are not those of this program"
        return DoctorCheck("plugin", Level.WARN, message, hint)
    if not status["enabled"]:
        message = f"version {version}, not enabled in Hermes"
        return DoctorCheck("plugin", Level.WARN, message, _enabling(installed, hint))
    if status["program"] is None:
        message = "it names no program that can be run, so the chat can show nothing"
        return DoctorCheck("plugin", Level.WARN, message, hint)
    return DoctorCheck("plugin", Level.OK, f"version {version}, enabled")


def _check_terminal(home: HermesHome) -> Iterator[DoctorCheck]:
    """What Hermes does in its own terminal, where it asks about a memory."""
    try:
        installed = installation.read_installation(home.path)
        status = installation.describe_installation(installed, installation.shipped_plugin())
    except ReviewdeckError:
        return  # The check of the plugin says it.
    if status["asks_in_terminal"]:
        message = "Hermes asks in its own terminal, where no answer within a minute is a no"
        hint = f"reviewdeck hermes install --terminal stage --home {home.path}"
        yield DoctorCheck("terminal", Level.OK, message, hint)


def _enabling(installed: installation.Installation, hint: str) -> str:
    """What enables the plugin: an installation does not overrule its owner."""
    is_off = is_disabled(installed.text or "")
    return f"hermes plugins enable {PLUGIN}" if is_off else hint


def _on_or_off(value: bool) -> str:
    return "on" if value else "off"


def check_ledger_file(url: str) -> Iterator[DoctorCheck]:
    """Where the ledger is, who can read it, and whether the database is intact."""
    for remark in look_over(url):
        yield DoctorCheck("ledger", Level(remark.level), remark.message, remark.hint)


def check_backups(url: str) -> DoctorCheck:
    """The newest copy of the ledger."""
    if is_postgres(url):
        return DoctorCheck("backup", Level.NOTE, "is the business of the ledger's server")
    newest = newest_backup(url)
    if newest is None:
        hint = "reviewdeck fsck --backup makes one"
        return DoctorCheck("backup", Level.NOTE, "there is none", hint)
    where, moment = newest
    return DoctorCheck("backup", Level.OK, f"the newest is {where}, of {local_time(moment)}")


def check_working(settings: Settings) -> DoctorCheck:
    """Where the working memory is stored, and whether the storage answers."""
    try:
        storage = open_working(settings)
    except ReviewdeckError as error:
        return DoctorCheck("working", Level.BAD, error.message, error.hint)
    try:
        if storage.is_using_fallback:
            message = "the working memory does not answer: it is kept in each process alone"
            hint = "The deck still works, but forgets its position when it ends."
            return DoctorCheck("working", Level.WARN, message, hint)
        started = time.perf_counter()
        storage.check()
        took = (time.perf_counter() - started) * 1e3
        message = f"draft storage: {storage.name}, responding in {took:.1f} ms"
        return DoctorCheck("working", Level.OK, message)
    finally:
        storage.close()


def check_log(engine: Engine) -> DoctorCheck:
    """Whether the hash chain of the log is intact."""
    broken = engine.ledger.verify()
    if broken is None:
        chain = "the hash chain of the log is intact"
        words = chain if (read := logs_read(engine)) is None else f"{chain}: {read}"
        return DoctorCheck("log", Level.OK, words)
    message = f"the hash chain of the log breaks at {broken}"
    return DoctorCheck("log", Level.BAD, message, "Somebody changed the ledger: compare a backup.")


def check_policy(policy: Policy, place: PolicyPlace | None) -> DoctorCheck:
    """Which policy is in force, and whether its file is valid."""
    if policy.problem:
        hint = "Until it is fixed nothing is applied automatically."
        return DoctorCheck("policy", Level.BAD, policy.problem, hint)
    if place is None or not policy.mark:
        return DoctorCheck("policy", Level.OK, "the built-in rules, without a file")
    return DoctorCheck("policy", Level.OK, f"{place.path}, SHA-256 {policy.mark[:12]}")


def check_reviewer(file: Path) -> DoctorCheck:
    """Whether the settings of the reviewer can be used."""
    try:
        settings = load_settings(file)
    except ReviewdeckError as error:
        return DoctorCheck("reviewer", Level.WARN, error.message, error.hint)
    words = f"{file}, {settings.model or 'without a model'}" if file.exists() else "no settings"
    return DoctorCheck("reviewer", Level.OK, words)


def check_state(situation: HomeStatus) -> Iterator[DoctorCheck]:
    """Interrupted runs, outside changes and unreadable records of a home."""
    if situation.unfinished:
        message = f"{count(situation.unfinished, 'interrupted run')} to recover"
        yield DoctorCheck("recovery", Level.BAD, message, "reviewdeck recover")
    else:
        yield DoctorCheck("recovery", Level.OK, "no interrupted run")
    for observation in situation.outside:
        message = f"{observation.path} was changed without reviewdeck"
        yield DoctorCheck(
            "outside", Level.WARN, message, "reviewdeck since shows it; --mark accepts it"
        )
    if unread := situation.counts.by_state.get(State.QUARANTINED, 0):
        message = f"{count(unread, 'pending record')} cannot be read"
        yield DoctorCheck("pending", Level.WARN, message, "reviewdeck list --state quarantined")


def check_hosts(engine: Engine) -> Iterator[DoctorCheck]:
    """Whether the workers of a shared ledger are alive."""
    for host in host_healths(engine):
        level = Level.WARN if host.is_alarming else Level.OK
        hint = "Start it there: reviewdeck worker" if host.is_alarming else ""
        yield DoctorCheck("worker", level, host.words, hint)


def check_operators(engine: Engine) -> Iterator[DoctorCheck]:
    """The tier of authorisation, the trusted operators, and whether the policy is signed."""
    authority = engine.authority
    if not authority.signs or not isinstance(authority, Operators):
        message = f"{authority.authorisation}: any program of this user can decide"
        yield DoctorCheck(
            "decisions", Level.NOTE, message, "reviewdeck init makes a key to sign them with"
        )
        return
    try:
        ring = authority.trusted()
    except NotVerified as error:
        yield DoctorCheck("decisions", Level.BAD, error.message, error.hint)
        return
    names = ", ".join(key.name for key in ring.current)
    message = f"signed (tier 1), {count(len(ring.current), 'operator')}: {names}"
    hint = "docs/security.md shows the next step, a separate user for the agent"
    yield DoctorCheck("decisions", Level.OK, message, hint)
    for at in ring.restarts:
        message = f"somebody started over without an old key, {local_time(at)}"
        yield DoctorCheck(
            "decisions", Level.WARN, message, "If that was not you, somebody else did it."
        )
    problem = authority.why_nothing_is_automatic()
    if problem is None:
        yield DoctorCheck("policy", Level.OK, "the policy is the one that was signed")
    else:
        yield DoctorCheck(
            "policy", Level.WARN, f"automatic approval is off: {problem}", "reviewdeck policy sign"
        )


_STYLES: Final = {
    Level.OK: "green",
    Level.NOTE: "cyan",
    Level.WARN: "yellow",
    Level.BAD: "bold red",
}


def check_deck(problems: Sequence[str]) -> Iterator[DoctorCheck]:
    """The settings of the deck that could not be used."""
    for problem in problems:
        yield DoctorCheck("deck", Level.WARN, problem, "The deck goes on without this setting.")


def closing_line(checks: Sequence[DoctorCheck]) -> str:
    """The number of checks that are not ok, by level."""
    levels = Counter(check.level for check in checks)
    nouns = ((Level.BAD, "problem"), (Level.WARN, "warning"), (Level.NOTE, "note"))
    return ", ".join(count(levels[level], noun) for level, noun in nouns)


def doctor_table(checks: Sequence[DoctorCheck]) -> Table:
    """One line a check, with its hint below it."""
    table = stretched_table(headed=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(ratio=1, overflow="fold")
    for check in checks:
        message = Text(one_line(check.message))
        hint = Text(f"-> {one_line(check.hint)}", style="cyan")
        content = Group(message, hint) if check.hint else message
        table.add_row(
            Text(check.level.value, style=_STYLES[check.level]), Text(check.name), content
        )
    return table
