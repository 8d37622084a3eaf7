"""Showing the changes that a command is about to make outside the ledger, and asking first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewdeck.cli.hook_lines import hook_lines
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.engine.authorisation import admitted
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotPermitted, WriteFailed
from reviewdeck.homes.installer import HomePlan, apply
from reviewdeck.interruption import uninterrupted
from reviewdeck.terminal import ask
from reviewdeck.text.redact import redact
from reviewdeck.user_service import UNIT, UnitFile, systemctl


def check_caller(settings: Settings, options: Options, *, yes: bool, dry_run: bool) -> None:
    """Raises DescendsFromAgent below a known agent, UsageProblem if nobody could be asked."""
    admitted(settings.ancestry(), settings.agents)
    check_asking(options, yes=yes or dry_run, hint="Add --yes or --dry-run.")


def check_asking(options: Options, *, yes: bool, hint: str = "Add --yes.") -> None:
    """Raises UsageProblem where a question is needed, and the output is JSON."""
    if options.json and not yes:
        raise UsageProblem(
            "--json cannot ask for confirmation.", hint=f"Nothing was changed. {hint}"
        )


def is_confirmed(
    *, yes: bool, question: str = "Do this? [y/N] ", otherwise: str = "Nothing was changed."
) -> bool:
    """Whether the operator says yes. Raises UsageProblem where nobody can be asked."""
    if yes:
        return True
    try:
        answer = ask(question)
    except NotPermitted as error:
        raise UsageProblem(error.message, hint=f"{otherwise} Add --yes.") from None
    if answer.strip().lower() in {"y", "yes"}:
        return True
    say(otherwise)
    return False


def carry_out(
    plans: Sequence[HomePlan],
    options: Options,
    *,
    yes: bool,
    dry_run: bool,
    service: ServiceStep | None = None,
    has_service: bool = False,
) -> bool:
    """Shows all changes, asks once, applies them. Whether they were applied, and are to be told.

    With `--json` it prints everything itself; `has_service`: the service too, also where there is
    none.
    """
    is_change = any(plan.changes for plan in plans) or (service is not None and service.is_change)
    if not options.json:
        for plan in plans:
            _show_plan(plan, whole=dry_run)
        if service is not None:
            service.show()
        if not is_change:
            say("Nothing needs to change.")
    is_done = is_change and not dry_run and is_confirmed(yes=yes)
    if is_done:
        with uninterrupted():
            for plan in plans:
                apply(plan)
            if service is not None:
                service.do()
    if options.json:
        told = {"service": service and service.as_json()} if has_service else {}
        homes = [_plan_json(plan) for plan in plans]
        print_json({"homes": homes, **told, "done": is_done})
    return is_done and not options.json


def _show_plan(plan: HomePlan, *, whole: bool) -> None:
    """Prints the changes to a home: settings as a diff, files of reviewdeck by their size.

    Where only hooks differ, they are described; `whole` adds the diff.
    """
    say(f"== {plan.home}")
    files: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for change in plan.changes:
        before, after = change.before, change.after
        if "/" not in change.path:
            _show_settings(change.path, _decode(before), _decode(after), plan.home, whole=whole)
        else:
            size = len((before if after is None else after) or b"")
            folder = change.path.rpartition("/")[0]
            files.setdefault((change.action, folder), []).append((change.path, size))
    for (action, folder), sizes in files.items():
        path, total = sizes[0][0], sum(size for _, size in sizes)
        one_or_all = path if len(sizes) == 1 else f"{folder}/ ({len(sizes)} files)"
        say(f"{action:<7} {one_or_all}, {total:,} bytes")
    for sentence in plan.remarks:
        say(sentence)


def _show_settings(
    path: str, before: str | None, after: str | None, home: Path, *, whole: bool
) -> None:
    described = hook_lines(before, after, str(home))
    if described is None:
        show_change(path, before, after)
        return
    say(path)
    for line in described:
        say(f"  {redact(line)}")
    if whole:
        show_change(path, before, after)
    else:
        say("  --dry-run shows every line.")


def _plan_json(plan: HomePlan) -> dict[str, Any]:
    changes = [{"path": change.path, "action": change.action} for change in plan.changes]
    return {"home": str(plan.home), "changes": changes, "left": [*plan.remarks]}


def _decode(data: bytes | None) -> str | None:
    return None if data is None else data.decode()


def show_change(path: str, before: str | None, after: str | None) -> None:
    """Prints one file as a diff, with secrets redacted."""
    from reviewdeck.text.diff import unified, unified_lines

    say(f"{path}{' (new)' if before is None else ' (removed)' if after is None else ''}")
    for line in unified_lines(unified(redact(before or ""), redact(after or ""))):
        say(f"  {line}")


@dataclass(frozen=True, slots=True)
class ServiceStep:
    """A change to the user's service that is still to be made."""

    unit: UnitFile
    before: str
    after: str
    """Empty when it is to go."""
    problem: str = ""
    """Why nothing can be done: there is no systemd."""

    @property
    def is_change(self) -> bool:
        """Whether there is anything to do."""
        return not self.problem and self.before != self.after

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "unit": str(self.unit.path),
            "changes": self.is_change,
            "homes": [*self.unit.watched().homes],
            "problem": self.problem or None,
        }

    def show(self) -> None:
        """Prints what would change."""
        if self.is_change:
            show_change(str(self.unit.path), self.before or None, self.after or None)
            if self.after:
                say(f"  then: systemctl --user enable and restart {UNIT}")
            else:
                say(f"  before: systemctl --user disable --now {UNIT}")

    def do(self) -> None:
        """Makes the change. Raises WriteFailed with systemd's complaint."""
        if not self.is_change:
            return
        if self.after:
            self.unit.write(self.after)
            complaint = (
                systemctl("daemon-reload")
                or systemctl("enable", UNIT)
                or systemctl("restart", UNIT)
            )
            hint = f"The unit is written. `journalctl --user -u {UNIT}` shows more."
        else:
            complaint = systemctl("disable", "--now", UNIT)
            self.unit.remove()
            systemctl("daemon-reload")
            hint = "The unit was removed nevertheless."
        if complaint:
            raise WriteFailed(f"systemd refused: {complaint.rstrip('.')}.", hint=hint)
