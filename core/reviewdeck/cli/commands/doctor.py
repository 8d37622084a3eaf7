"""`reviewdeck doctor`."""

from __future__ import annotations

from collections.abc import Iterator

from reviewdeck.cli.checkup import (
    Check,
    Level,
    check_backups,
    check_home,
    check_ledger_file,
    check_log,
    check_policy,
    check_state,
    check_working,
)
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.session import looking, settings_of, utc_now
from reviewdeck.cli.situation import situations_of
from reviewdeck.cli.wholeness import advice_for
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.settings import Settings


def doctor(*, options: Options = DEFAULTS) -> int:
    """Whether the home, the ledger and the set-up are sound.

    The exit code is 1 when something is bad; a warning does not count.
    """
    checks = list(_checks(options))
    if options.json:
        print_json([check.as_json() for check in checks])
    else:
        from reviewdeck.cli.render_checkup import checkup_table

        console(options).print(checkup_table(checks))
    return 1 if any(check.level is Level.BAD for check in checks) else 0


def _checks(options: Options) -> Iterator[Check]:
    try:
        settings = settings_of(options)
        homes = [
            HermesHome(path, env=settings.env, user_home=settings.user_home)
            for path in settings.homes
        ]
    except ReviewdeckError as error:
        yield _failed("home", error, error.hint)
        return
    for home in homes:
        yield from check_home(home)
    yield from _ledger(options, settings)
    yield check_working(settings)


def _ledger(options: Options, settings: Settings) -> Iterator[Check]:
    try:
        yield from check_ledger_file(settings.ledger)
        with looking(options) as deck:
            yield check_log(deck)
            yield check_policy(deck.desk.policy(), settings.policy)
            for found in situations_of(deck, settings.ledger, utc_now()):
                yield from check_state(found)
        yield check_backups(settings.ledger)
    except ReviewdeckError as error:
        yield _failed("ledger", error, advice_for(error, settings.ledger))


def _failed(name: str, error: ReviewdeckError, hint: str) -> Check:
    return Check(name, Level.BAD, error.message, hint)
