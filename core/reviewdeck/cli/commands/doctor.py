"""`reviewdeck doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from reviewdeck.bootstrap import kind_for
from reviewdeck.cli.doctor import (
    DoctorCheck,
    Level,
    check_backups,
    check_deck,
    check_home,
    check_hosts,
    check_ledger_file,
    check_log,
    check_operators,
    check_policy,
    check_reviewer,
    check_state,
    check_working,
    closing_line,
    doctor_table,
)
from reviewdeck.cli.gate_checks import check_gates_of_hooks, check_openclaw
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import console, has_terminal_app, print_json, say
from reviewdeck.cli.session import fresh_engine, settings_of
from reviewdeck.cli.stale import stale_parts
from reviewdeck.clock import utc_now
from reviewdeck.engine.options import Settings
from reviewdeck.environment import reviewer_file
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.kinds import HomeContext
from reviewdeck.ledger.inspection import advice_for
from reviewdeck.presentation.situation import home_statuses


def doctor(*, options: Options = DEFAULTS) -> int:
    """Check the home, the ledger and the set-up.

    The exit code is 1 for a problem; a warning or a note does not count.
    """
    checks = list(_checks(options))
    if options.json:
        print_json([check.as_json() for check in checks])
    else:
        console(options).print(doctor_table(checks))
        say(closing_line(checks))
    return 1 if any(check.level is Level.BAD for check in checks) else 0


def _checks(options: Options) -> Iterator[DoctorCheck]:
    try:
        settings = settings_of(options, elsewhere=True)
        homes = [
            kind_for(path, settings).home(
                path, HomeContext(settings.env, settings.user_home, utc_now)
            )
            for path in settings.homes
        ]
    except ReviewdeckError as error:
        yield _failed_check("home", error, error.hint)
        yield from check_gates_of_hooks(())
        yield from check_openclaw(())
        return
    for home in homes:
        yield from check_home(home)
    if not homes:
        yield DoctorCheck("home", Level.OK, "none on this machine: each is looked after on its own")
    yield from check_gates_of_hooks(settings.homes)
    yield from check_openclaw(settings.homes)
    yield from _ledger(options, settings)
    yield check_working(settings)
    for sentence in stale_parts(settings):
        yield DoctorCheck("stale", Level.WARN, sentence, "reviewdeck setup")
    yield check_reviewer(reviewer_file())
    if has_terminal_app():
        # By name: this package must not depend on the terminal app.
        yield from check_deck(import_module("reviewdeck_tui.preferences").problems_here())


def _ledger(options: Options, settings: Settings) -> Iterator[DoctorCheck]:
    try:
        yield from check_ledger_file(settings.ledger)
        with fresh_engine(options, writes=True) as engine:
            yield check_log(engine)
            yield from check_operators(engine)
            yield from check_hosts(engine)
            yield check_policy(engine.policy(), settings.policy)
            for situation in home_statuses(engine, settings.ledger, utc_now()):
                yield from check_state(situation)
        yield check_backups(settings.ledger)
    except ReviewdeckError as error:
        yield _failed_check("ledger", error, advice_for(error, settings.ledger))


def _failed_check(name: str, error: ReviewdeckError, hint: str) -> DoctorCheck:
    return DoctorCheck(name, Level.BAD, error.message, hint)
