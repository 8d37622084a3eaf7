"""`reviewdeck hermes`: installs reviewdeck in Hermes homes, inspects and removes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter

from reviewdeck.cli.commands.service import (
    service_status,
    service_words,
    step_to,
    watched_by,
)
from reviewdeck.cli.consent import carry_out, check_caller
from reviewdeck.cli.options import DEFAULTS, DryRun, Options, Yes
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.program_name import program_command
from reviewdeck.cli.session import settings_of
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.environment import reviewer_file
from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes import installation
from reviewdeck.homes.hermes.config import CONFIG
from reviewdeck.homes.hermes.config_edits import PLUGIN
from reviewdeck.homes.hermes.installation import (
    ASK,
    Installation,
    PluginSettings,
    asks_in_terminal,
    read_installation,
    reviewer_of,
    shipped_plugin,
)
from reviewdeck.homes.hermes.reviewer_setup import ReviewerMode, reviewer_setup
from reviewdeck.homes.hermes.stamps import PENDING
from reviewdeck.homes.kinds import recognised_kind
from reviewdeck.ledger.place import address_of
from reviewdeck.model import Document
from reviewdeck.presentation.words import count
from reviewdeck.reviewer.settings import load_settings
from reviewdeck.user_service import UnitFile, by_hand

Reviewer = Annotated[
    Literal["replace", "typed", "off"] | None,
    Parameter(
        help="Replace Hermes' own review by reviewdeck's: of everything, or of memory from the"
        " user's typed words. Without it, the present reviewer stays."
    ),
]
BaseUrl = Annotated[
    str | None,
    Parameter(help="The address of the reviewer's model, if the settings do not name it."),
]
Terminal = Annotated[
    Literal["stage", "ask"] | None,
    Parameter(
        help="Stage what the agent remembers in Hermes' own terminal, too, or let Hermes ask there:"
        " no answer within a minute is a no. Without it, the present setting stays, at first stage."
    ),
]
WithoutService = Annotated[bool, Parameter(help="Leave the user's service alone.")]


def install(
    *,
    yes: Yes = False,
    dry_run: DryRun = False,
    without_service: WithoutService = False,
    reviewer: Reviewer = None,
    base_url: BaseUrl = None,
    terminal: Terminal = None,
    options: Options = DEFAULTS,
) -> int:
    """Install reviewdeck in a Hermes home: its gates, the plugin and the watch.

    Shows every change, and asks. Run it again to update the installation.
    """
    settings = settings_of(options)
    check_caller(settings, options, yes=yes, dry_run=dry_run)
    if base_url and reviewer not in ("replace", "typed"):
        raise UsageProblem("--base-url is the address of the reviewer's model: add --reviewer.")
    plugin, program = shipped_plugin(), program_command()
    ledger = watched_by(settings).ledger
    invocation = (*program, "--ledger", ledger) if ledger else program
    spool = str(address_of(settings.ledger).spool.absolute())
    plans = []
    for home in settings.homes:
        check_kind(home)
        installed = read_installation(home)
        section = _reviewer_section(installed, reviewer, base_url or "", quiet=options.json)
        asks = asks_in_terminal(installed) if terminal is None else terminal == ASK
        plugin_settings = PluginSettings(invocation, spool, section, asks)
        plans.append(installation.plan_install(installed, plugin_settings, plugin))
        if not options.json:
            say(f"{home}: {_TERMINAL_WORDS[asks]}.")
    service = None
    if not without_service:
        units = UnitFile.of(settings.env, settings.user_home).watched()
        service = step_to(settings, watched_by(settings, also=units))
    if carry_out(plans, options, yes=yes, dry_run=dry_run, service=service, has_service=True):
        say("Done. The gates are on at once; a running Hermes loads the plugin when it restarts.")
        say("`reviewdeck` opens the deck.")
    if service is not None and service.problem and not options.json:
        say(f"No service was installed: {service.problem}.")
        for line in by_hand(program, watched_by(settings)):
            say(line)
    return 0


_TERMINAL_WORDS: Final = {
    False: "what it remembers in its own terminal is staged, too; `--terminal ask` lets Hermes ask",
    True: "Hermes asks in its own terminal; no answer within a minute is a no (`--terminal stage`)",
}


def check_kind(home: Path) -> None:
    """Raises BadInput for the home of another agent: without Hermes, Claude Code's are default."""
    kind = recognised_kind(home)
    if kind is not None and kind.name != "hermes":
        raise BadInput(
            f"{home} is no home of Hermes, but of the kind {kind.name}.",
            hint="Name the home of Hermes with --home PATH.",
        )


def _reviewer_section(
    installed: Installation,
    mode: Literal["replace", "typed", "off"] | None,
    base_url: str,
    *,
    quiet: bool,
) -> Mapping[str, Any] | None:
    """The plugin's settings for reviews; prints where they go if they are new. Raises BadInput."""
    if mode is None:
        return reviewer_of(installed)
    if mode == "off":
        return None
    config = Document(CONFIG, installed.file.data, problem=installed.file.problem)
    setup = reviewer_setup(config, ReviewerMode(mode), base_url)
    own = {"settings": str(reviewer_file())}
    if load_settings(reviewer_file()).names_model and not base_url:
        if not quiet:
            say(f"{installed.home}: reviews go to the model that {reviewer_file()} names.")
        return setup.section | own
    if setup.problem:
        raise BadInput(
            f"{installed.home}: {setup.problem}",
            hint="Nothing was changed. `--base-url URL` names the model's address.",
        )
    if not quiet:
        say(f"{installed.home}: reviews go to {setup.base_url}, with {setup.credentials}.")
    return setup.section | own


def uninstall(
    *,
    yes: Yes = False,
    dry_run: DryRun = False,
    without_service: WithoutService = False,
    options: Options = DEFAULTS,
) -> int:
    """Remove reviewdeck from a Hermes home, and restore its settings. Decisions are kept.

    Changes that somebody else made since are kept.
    """
    settings = settings_of(options)
    check_caller(settings, options, yes=yes, dry_run=dry_run)
    plans = [
        installation.plan_uninstall(read_installation(home), shipped_plugin())
        for home in settings.homes
    ]
    service = None
    watched = UnitFile.of(settings.env, settings.user_home).watched()
    if not without_service and watched.homes:
        removed = set(map(str, settings.homes))
        remaining = tuple(home for home in watched.homes if home not in removed)
        service = step_to(settings, replace(watched, homes=remaining))
    if carry_out(plans, options, yes=yes, dry_run=dry_run, service=service, has_service=True):
        say("Done. The ledger and past decisions are kept.")
        for home in settings.homes:
            _say_what_waits(home)
    return 0


def _say_what_waits(home: Path) -> None:
    names = (file.name for kind in PENDING for file in (home / kind).glob("*.json"))
    if waiting := sum(not name.startswith(".") for name in names):
        verb = "waits" if waiting == 1 else "wait"
        say(f"{home}: {count(waiting, 'proposal')} still {verb} in pending/; nobody looks there.")
        say("Decide with `reviewdeck`, or in Hermes with `/memory pending` and `/skills pending`.")


def status(*, options: Options = DEFAULTS) -> int:
    """Check the installation in a Hermes home. The exit code is 1 when a part is missing."""
    settings = settings_of(options)
    for path in settings.homes:
        check_kind(path)
    plugin = shipped_plugin()
    homes = [
        installation.describe_installation(read_installation(home), plugin)
        for home in settings.homes
    ]
    service = service_status(settings)
    is_watched = [home["home"] in service["homes"] for home in homes]
    if options.json:
        print_json({"homes": homes, "service": service})
    else:
        for home, watched in zip(homes, is_watched, strict=True):
            _print_status(home, is_watched=watched)
        say(service_words(service))
    is_whole = all(map(installation.is_complete, homes))
    return 0 if is_whole and all(is_watched) and service["running"] else 1


def _print_status(home: dict[str, Any], *, is_watched: bool) -> None:
    say(f"== {home['home']}")
    memory, skills = ("on" if home[f"{gate}_gate"] else "off" for gate in ("memory", "skills"))
    say(f"gates:   memory {memory}, skills {skills}")
    version = f" ({home['plugin_version']})" if home["plugin_version"] else ""
    state = {"absent": "not there", "current": "this program's", "other": "another version's"}
    enabled = "enabled" if home["enabled"] else "not enabled"
    if home["plugin"] == "absent":
        enabled = "`reviewdeck hermes install` puts it there"
    elif home["disabled"]:
        enabled = f"disabled: `hermes plugins enable {PLUGIN}`"
    say(f"plugin:  {state[home['plugin']]}{version}, {enabled}")
    say(f"program: {home['program'] or 'not found by the plugin'}")
    say(f"reviews: {'ours, ' + home['reviewer'] if home['reviewer'] else 'Hermes (built in)'}")
    if home["asks_in_terminal"]:
        say("terminal: Hermes asks before it saves a memory; no answer within a minute is a no")
    say(f"service: {'watching this home' if is_watched else 'not watching this home'}")
