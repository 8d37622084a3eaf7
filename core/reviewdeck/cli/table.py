"""The table of commands, and the parser built from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from cyclopts import App, CycloptsError, Group, Parameter

from reviewdeck.cli.deck_start import open_terminal
from reviewdeck.cli.options import COMMON, DEFAULTS, Options
from reviewdeck.cli.usage import problem_of, unexpected
from reviewdeck.terminal import is_terminal

LOOK: Final = Group("Look: nothing here changes a byte of the home", sort_key=1)
DECIDE: Final = Group("Decide", sort_key=2)
PAST: Final = Group("What happened, and back", sort_key=3)
CARE: Final = Group("Set-up and care", sort_key=4)

_HELP: Final = frozenset({"--help", "-h"})
COMMANDS: Final = (
    (
        "status",
        LOOK,
        "How many proposals are waiting, how full the memories are, what changed outside.",
    ),
    ("since", LOOK, "What the agent learnt: one diff per document, with who added each line."),
    ("list", LOOK, "The queue, newest first."),
    ("show", LOOK, "One proposal with its findings, its evidence and what can be done."),
    ("diff", LOOK, "What a proposal does, to the word, and the digest that stands for it."),
    ("adopt", LOOK, "What is in the agent's memory and skills right now, dangerous first."),
    ("auto", DECIDE, "Apply what is plainly safe, and report the rest."),
    (
        "approve",
        DECIDE,
        "Apply a proposal exactly as its diff showed it, or keep what is live.",
    ),
    ("merge", DECIDE, "Apply your own text in the place of what was proposed."),
    ("reject", DECIDE, "Turn a proposal down, for good, or take back what is live."),
    ("defer", DECIDE, "Put a proposal off until it changes or is decided."),
    ("repair", DECIDE, "Repair a record that could not be read, and take it in."),
    ("review", DECIDE, "Review a conversation, and stage what is worth keeping."),
    ("undo", PAST, "Take an operation back."),
    ("restore", PAST, "Make a document again what it was at a revision."),
    ("revert", PAST, "Take back what was written outside review: a session's, or since a moment."),
    ("reopen", PAST, "Take a rejection back: it is waiting again."),
    ("log", PAST, "The append-only log, and the operations that can be taken back."),
    ("history", PAST, "The revisions of a document, with who and why."),
    ("blame", PAST, "What added each entry or line of a document."),
    ("pause", CARE, "Stop what goes in without an operator, until resume."),
    ("resume", CARE, "Apply safe additions automatically again."),
    ("init", CARE, "Make an operator's key: from then on every decision is signed."),
    ("mcp", CARE, "Serve memory and skills to an agent over MCP: it proposes, you decide."),
    ("record", CARE, "Take the turns of an agent's conversation, as evidence."),
    ("recover", CARE, "Finish or take back what an interrupted run had begun."),
    ("doctor", CARE, "Whether the home, the ledger and the set-up are sound."),
    ("fsck", CARE, "Whether the ledger is whole, to the last byte."),
    ("purge", CARE, "Take a secret that got in out of the ledger, its log and its backups."),
    ("demo", CARE, "Take a tour of three minutes on a made-up home, or write such a home."),
    ("completion", CARE, "Print the completion of bash, zsh or fish, or the manual page."),
    ("serve", CARE, "Open the deck in a browser of this machine, read-only until unlocked."),
)


OPERATORS: Final = (
    ("list", "operators:show", "Whose signatures count, and whose counted once."),
    ("add", "operators:add", "Trust another operator."),
    ("rotate", "operators:rotate", "Replace your own key, and choose a new passphrase."),
    ("revoke", "operators:revoke", "Let an operator's keys count no longer."),
    ("export", "operators:export", "Print the public keys that count."),
)
HERMES: Final = (
    ("brief", "hermes_brief:brief", "What a review by Hermes has to know of this home."),
    ("chat", "hermes_chat:chat", "Take a decision that a person typed in Hermes' chat."),
    ("install", "hermes:install", "Put reviewdeck into a Hermes home, and show what that changes."),
    ("status", "hermes:status", "What of reviewdeck is in a Hermes home, and whether it works."),
    ("uninstall", "hermes:uninstall", "Take reviewdeck out of a Hermes home again."),
)
CLAUDE: Final = (
    ("install", "claude:install", "Put the gate before what Claude Code writes, and show how."),
    ("status", "claude:status", "Whether the gate stands, and what switches it off."),
    ("uninstall", "claude:uninstall", "Take the gate out of Claude Code's settings again."),
)
SKILLS: Final = (
    ("lock", "skills:lock", "Approve folders of skills as they are: skills.lock says so."),
    ("verify", "skills:verify", "Whether folders of skills are what was approved: for CI."),
    ("restore", "skills_restore:restore", "Make folders of skills again what was approved."),
)
SERVICE: Final = (
    ("install", "service:install", "Keep the watch running as a service of yours."),
    ("status", "service:status", "Whether the service is there, runs, and what it watches."),
    ("uninstall", "service:uninstall", "Stop the service, and take it away."),
)


def build_app() -> App:
    """The parser of the whole command line. A command's module is loaded when it runs."""
    app = App(
        name="reviewdeck",
        help="Review what an agent proposes to remember before it is written.",
        help_format="plaintext",
        version=_version,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    app.default(_start)
    for name, group, purpose in COMMANDS:
        app.command(
            f"reviewdeck.cli.commands.{name}:{name}",
            name=name,
            group=group,
            help=purpose,
            help_epilogue=COMMON,
        )
    policy = App(name="policy", help="What goes in without a person, and why.", group=LOOK)
    policy.command(
        "reviewdeck.cli.commands.policy:explain",
        name="explain",
        help="What the six checks answered for one proposal, and from which evidence.",
        help_epilogue=COMMON,
    )
    policy.command(
        "reviewdeck.cli.commands.policy_test:test",
        name="test",
        help="What the gate would have done with everything recorded, beside what was decided.",
        help_epilogue=COMMON,
    )
    policy.command(
        "reviewdeck.cli.commands.policy_check:check",
        name="check",
        help="Everything that is wrong with a policy file, with the line.",
        help_epilogue=COMMON,
    )
    policy.command(
        "reviewdeck.cli.commands.policy_migrate:migrate",
        name="migrate",
        help="A policy file in the form of today; without one, a new one.",
        help_epilogue=COMMON,
    )
    policy.command(
        "reviewdeck.cli.commands.policy_sign:sign",
        name="sign",
        help="Sign the policy that is there now.",
        help_epilogue=COMMON,
    )
    app.command(policy)
    app.command(_command_group("operators", "Whose signatures count.", OPERATORS))
    app.command(
        _command_group("hermes", "reviewdeck in a Hermes home: put in, look, take out.", HERMES)
    )
    app.command(_command_group("claude", "The gate before what Claude Code writes.", CLAUDE))
    app.command(_command_group("skills", "Folders of Agent Skills, approved and compared.", SKILLS))
    app.command(_command_group("service", "The watch as a service of the user.", SERVICE))
    return app


def _command_group(name: str, help_text: str, commands: Sequence[tuple[str, str, str]]) -> App:
    """A command with subcommands: each a name, the function that runs it, and its purpose."""
    group = App(name=name, help=help_text, group=CARE)
    for command, place, purpose in commands:
        path = f"reviewdeck.cli.commands.{place}"
        group.command(path, name=command, help=purpose, help_epilogue=COMMON)
    return group


def run_command(tokens: list[str]) -> object:
    """Runs one command and gives its result. Raises ReviewdeckError, UsageProblem."""
    app, names = build_app(), [name for name, _, _ in COMMANDS]
    try:
        if not _HELP.isdisjoint(tokens):
            _check_command(app, tokens, names)
        return app(tokens, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise problem_of(error, names) from error


def _check_command(app: App, tokens: list[str], names: list[str]) -> None:
    """Raises UsageProblem for `--help` of an unknown command.

    The parser itself would print the help of the whole program.
    """
    chain, apps, arguments = app.parse_commands(tokens)
    has_commands = any(not name.startswith("-") for name in apps[-1])
    if has_commands and arguments and not arguments[0].startswith("-"):
        raise unexpected(arguments[0], " ".join(chain), names)


def _start(
    *,
    plain: Annotated[
        bool, Parameter(help="The deck as lines of text, for a screen reader.", negative="")
    ] = False,
    options: Annotated[Options, Parameter(show=True)] = DEFAULTS,
) -> int:
    """Open the deck in a terminal; print the status without one."""
    if is_terminal() and not options.json:
        return open_terminal(options, plain=plain)
    from reviewdeck.cli.commands.status import status

    return status(options=options)


def _version() -> str:
    """The versions that a bug report needs: reviewdeck's, Python's and the dependencies'."""
    import platform
    import sqlite3
    from importlib.metadata import version

    packages = ("textual", "rich", "cyclopts", "sqlmodel", "sqlalchemy", "rapidfuzz")
    return (
        f"{version('reviewdeck')}\n"
        f"Python {platform.python_version()}, {platform.system()} {platform.release()}"
        f" {platform.machine()}, SQLite {sqlite3.sqlite_version}\n"
        f"{', '.join(f'{name} {version(name)}' for name in packages)}"
    )
