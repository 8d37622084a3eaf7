"""`reviewdeck service`: the watch as a service of the user."""

from __future__ import annotations

from typing import Any

from reviewdeck.cli.consent import ServiceStep, check_caller, is_confirmed
from reviewdeck.cli.options import DEFAULTS, DryRun, Options, Yes
from reviewdeck.cli.output import answer, print_json, say
from reviewdeck.cli.program_name import program_command
from reviewdeck.cli.session import settings_of
from reviewdeck.engine.options import Settings
from reviewdeck.errors import BadInput
from reviewdeck.interruption import uninterrupted
from reviewdeck.ledger.place import address_of, refuse_password
from reviewdeck.locations import default_ledger
from reviewdeck.user_service import (
    UNIT,
    UnitFile,
    Watched,
    by_hand,
    is_running,
    unit_text,
    why_no_systemd,
)


def watched_by(settings: Settings, *, also: Watched | None = None) -> Watched:
    """The homes that a service for these settings watches, and those of `also`."""
    homes = dict.fromkeys([*(also.homes if also else ()), *map(str, settings.homes)])
    address = address_of(settings.ledger)
    refuse_password(address.url, "a file that starts reviewdeck")
    policy = settings.policy
    return Watched(
        tuple(homes),
        None if address.url == address_of(default_ledger()).url else address.url,
        str(policy.path.absolute()) if policy is not None and policy.is_named else None,
        address.is_shared,
    )


def step_to(settings: Settings, watched: Watched) -> ServiceStep:
    """The change after which exactly this is watched; no homes, no service."""
    unit = UnitFile.of(settings.env, settings.user_home)
    after = unit_text(program_command(), watched) if watched.homes else ""
    return ServiceStep(unit, unit.read(), after, why_no_systemd())


def install(*, yes: Yes = False, dry_run: DryRun = False, options: Options = DEFAULTS) -> int:
    """Keep `auto --watch` running as a systemd service of this user; on a hub, `worker`."""
    settings = settings_of(options)
    check_caller(settings, options, yes=yes, dry_run=dry_run)
    return keep_watched(settings, watched_by(settings), options, yes=yes, dry_run=dry_run)


def keep_watched(
    settings: Settings, watched: Watched, options: Options, *, yes: bool, dry_run: bool
) -> int:
    """Shows the service that watches exactly this, asks, and starts it; or says it by hand."""
    step = step_to(settings, watched)
    if step.problem and not options.json:
        say(f"No service was installed: {step.problem}.")
        for line in by_hand(program_command(), watched):
            say(line)
    return _carry_out(step, options, yes=yes, dry_run=dry_run)


def uninstall(*, yes: Yes = False, dry_run: DryRun = False, options: Options = DEFAULTS) -> int:
    """Stop and remove the service."""
    settings = settings_of(options)
    check_caller(settings, options, yes=yes, dry_run=dry_run)
    step = step_to(settings, Watched())
    if step.before and not step.unit.watched().homes:
        raise BadInput(
            f"{step.unit.path} is not the unit that reviewdeck wrote.",
            hint=f"Nothing was changed. `systemctl --user disable --now {UNIT}` stops it.",
        )
    if step.problem and not options.json:
        say(f"There is no service: {step.problem}.")
    return _carry_out(step, options, yes=yes, dry_run=dry_run)


def _carry_out(step: ServiceStep, options: Options, *, yes: bool, dry_run: bool) -> int:
    if not options.json:
        step.show()
        if not step.is_change and not step.problem:
            say("Nothing needs to change.")
    is_done = step.is_change and not dry_run and is_confirmed(yes=yes)
    if is_done:
        with uninterrupted():
            step.do()
    if options.json:
        print_json({**step.as_json(), "done": is_done})
    elif is_done:
        say(f"Done. `journalctl --user -u {UNIT}` shows its output." if step.after else "Done.")
    return 1 if step.problem else 0


def status(*, options: Options = DEFAULTS) -> int:
    """Show whether the service runs, and what it watches. The exit code is 1 when it does not run.

    It counts as running once it has reported that it is ready.
    """
    status = service_status(settings_of(options))
    homes = (f"  {home}" for home in status["homes"])
    answer(options, status, service_words(status), *homes)
    return 0 if status["running"] else 1


def service_status(settings: Settings) -> dict[str, Any]:
    """The state of the service, for `--json`."""
    unit = UnitFile.of(settings.env, settings.user_home)
    text = unit.read()
    problem = why_no_systemd()
    return {
        "unit": str(unit.path),
        "installed": bool(text),
        "current": bool(text) and text == unit_text(program_command(), unit.watched()),
        "running": not problem and bool(text) and is_running(),
        "homes": [*unit.watched().homes],
        "problem": problem or None,
    }


def service_words(status: dict[str, Any]) -> str:
    """The service in one line."""
    if status["running"]:
        return "service: running" + ("" if status["current"] else "; the unit is an older one")
    if status["installed"]:
        return f"service: installed, not running: {status['problem'] or 'see journalctl --user'}"
    if status["problem"]:
        return f"service: none ({status['problem']})"
    return "service: none; `reviewdeck service install --all-profiles` makes one"
