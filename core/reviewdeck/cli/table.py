"""The table of commands, and the parser built from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, TypeAlias

from cyclopts import App, CycloptsError, Group, Parameter

from reviewdeck.cli.deck_start import open_terminal
from reviewdeck.cli.help_page import HelpPage, description_of, epilogue_of, usage_of
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.usage import UsageProblem, problem_of, unexpected
from reviewdeck.terminal import is_terminal

LOOK: Final = Group("Look: nothing here changes a byte of the home", sort_key=1)
DECIDE: Final = Group("Decide", sort_key=2)
PAST: Final = Group("History and undo", sort_key=3)
CARE: Final = Group("Set-up and maintenance", sort_key=4)

_HELP: Final = frozenset({"--help", "-h"})
CommandGroup: TypeAlias = tuple[str, Group, str, tuple[tuple[str, str, str], ...]]
"""A command with subcommands: each of these its name, the function that runs it, its purpose."""
COMMANDS: Final = (
    ("status", LOOK, "Show the backlog, how full the memories are, and changes outside review."),
    (
        "since",
        LOOK,
        "Show what the agent learned: one diff per document, with the author of each line.",
    ),
    (
        "report",
        LOOK,
        "Write what was learned, stopped and waits into one page that can be passed on.",
    ),
    ("list", LOOK, "List the queue, newest first."),
    ("show", LOOK, "Show one proposal with its findings, its evidence and the possible decisions."),
    ("diff", LOOK, "Show what a proposal changes, word by word, and the digest of exactly that."),
    ("read", LOOK, "Show a file as an agent reads it, and who reads it otherwise."),
    ("prompt", LOOK, "Show what of the home is in front of the model at the next start."),
    ("adopt", LOOK, "Review what is in the agent's memory and skills now, most dangerous first."),
    ("auto", DECIDE, "Apply the additions that pass all six checks, and report the rest."),
    (
        "approve",
        DECIDE,
        "Apply a proposal exactly as its diff showed it, or keep a change that is live.",
    ),
    ("merge", DECIDE, "Apply your own text instead of the proposed one."),
    ("reject", DECIDE, "Reject a proposal, or revert a change that is live."),
    ("defer", DECIDE, "Defer a proposal until it changes."),
    ("withdraw", DECIDE, "Take back your vote where two operators have to approve."),
    ("repair", DECIDE, "Repair a record that could not be read, and queue it."),
    ("room", DECIDE, "Propose what to remove so that an entry fits into a full memory."),
    ("review", DECIDE, "Review a conversation, and propose what is worth keeping."),
    ("undo", PAST, "Undo an operation."),
    ("restore", PAST, "Restore a document to an earlier revision."),
    ("revert", PAST, "Revert changes made outside review: a burst, a session's, or since a time."),
    ("reopen", PAST, "Reopen a rejected proposal: it is waiting again."),
    ("log", PAST, "Show the append-only log, and the operations that can be undone."),
    ("history", PAST, "List the revisions of a document, with author and reason."),
    ("blame", PAST, "Show the origin of each entry or line of a document."),
    ("why", PAST, "Show which entries a sentence of the agent comes from, and who taught them."),
    ("pause", CARE, "Apply nothing automatically until resume."),
    ("resume", CARE, "Apply safe additions automatically again."),
    ("init", CARE, "Create an operator's key: from then on every decision is signed."),
    ("mcp", CARE, "Serve memory and skills to an agent over MCP: it proposes, you decide."),
    ("record", CARE, "Record the turns of an agent's conversation as evidence."),
    ("worker", CARE, "Apply on this host what is decided for its homes, on whichever machine."),
    ("recover", CARE, "Finish or roll back what an interrupted run began."),
    ("setup", CARE, "Find the agents on this machine, and put a gate before each."),
    ("config", CARE, "Show every setting with where it comes from, and check the files."),
    ("doctor", CARE, "Check the home, the ledger and the set-up."),
    ("fsck", CARE, "Check the integrity of the ledger, byte by byte."),
    ("purge", CARE, "Remove a leaked secret from the ledger, its log and its backups."),
    ("demo", CARE, "Take a tour of three minutes on a sample home, or write such a home."),
    ("completion", CARE, "Print shell completions or the man page."),
    ("serve", CARE, "Open the deck in your browser (local only; read-only until unlocked)."),
)


POLICY: Final = (
    (
        "explain",
        "policy:explain",
        "Show the answers of the six checks for one proposal, with their evidence.",
    ),
    ("test", "policy_test:test", "Replay recorded decisions under other settings, and compare."),
    ("suggest", "policy_suggest:suggestions", "Offer rules for what you rejected again and again."),
    ("check", "policy_check:check", "List every error of a policy file, with its line."),
    ("sign", "policy_sign:sign", "Sign the current policy."),
)
OPERATORS: Final = (
    ("list", "operators:show", "List the trusted operators, and the revoked ones."),
    ("add", "operators:add", "Trust another operator."),
    ("rotate", "operators:rotate", "Replace your own key, and choose a new passphrase."),
    ("revoke", "operators:revoke", "Revoke an operator's keys."),
    ("export", "operators:export", "Print the trusted public keys."),
)
HERMES: Final = (
    ("brief", "hermes_brief:brief", "Print what a review by Hermes needs to know about this home."),
    ("chat", "hermes_chat:chat", "Carry out a decision that a person typed in Hermes' chat."),
    (
        "install",
        "hermes:install",
        "Install reviewdeck in a Hermes home, after showing every change.",
    ),
    ("status", "hermes:status", "Check the installation in a Hermes home."),
    ("uninstall", "hermes:uninstall", "Remove reviewdeck from a Hermes home."),
    ("gate", "hermes_gate:gate", "Turn the gates of a Hermes home on or off."),
)
SKILLS: Final = (
    ("lock", "skills:lock", "Approve folders of skills as they are, in skills.lock."),
    ("verify", "skills:verify", "Check folders of skills against what was approved, for CI."),
    ("check", "skills_check:check", "Check skills as the agents read them, for who writes them."),
    ("restore", "skills_restore:restore", "Restore folders of skills to what was approved."),
)
SERVICE: Final = (
    ("install", "service:install", "Run the watch as a service of your user."),
    ("status", "service:status", "Show whether the service runs, and what it watches."),
    ("uninstall", "service:uninstall", "Stop and remove the service."),
)


def _gate_group(name: str, agent: str) -> CommandGroup:
    """The commands of the gate for one agent: each module has the same three."""
    install = f"Install the gate for {agent}'s writes, after showing every change."
    commands = (
        ("install", f"{name}:install", install),
        ("status", f"{name}:status", "Check the gate, and what switches it off."),
        ("uninstall", f"{name}:uninstall", f"Remove the gate from {agent}'s settings."),
    )
    return name, CARE, f"The gate for {agent}'s writes.", commands


LEDGER: Final = (
    ("create", "ledger:create", "Make a ledger that several hosts share, on a server."),
    ("add-host", "ledger:add_host", "Add a machine with homes to a ledger on a server."),
    ("add-operator", "ledger:add_operator", "Add a person who decides to a ledger on a server."),
    ("remove", "ledger:remove", "Take the rights of a host or an operator."),
    ("upgrade", "ledger:upgrade", "Bring a ledger on a server up to date."),
    ("copy", "ledger:copy", "Copy a whole ledger between a file and a server."),
)


GROUPS: Final[tuple[CommandGroup, ...]] = (
    ("policy", LOOK, "The policy: what is applied automatically, and why.", POLICY),
    ("operators", CARE, "The operators whose signatures are trusted.", OPERATORS),
    ("hermes", CARE, "Set up reviewdeck for Hermes.", HERMES),
    _gate_group("claude", "Claude Code"),
    _gate_group("qwen", "Qwen Code"),
    _gate_group("gemini", "Gemini CLI"),
    _gate_group("openclaw", "OpenClaw"),
    ("skills", CARE, "Lock and verify skill folders.", SKILLS),
    ("ledger", CARE, "Set up a ledger for several hosts, on a server.", LEDGER),
    ("service", CARE, "Run the watcher as a user service.", SERVICE),
)
"""The commands with subcommands."""


def build_app() -> App:
    """The parser of the whole command line. A command's module is loaded when it runs."""
    app = App(
        name="reviewdeck",
        help="Review what an agent proposes to remember before it is written. Without a command it"
        " opens the deck; without a terminal it prints the status.",
        help_format="plaintext",
        help_formatter=HelpPage(),
        default_parameter=Parameter(negative=(), show_default=False),
        version=_version,
        version_flags=("--version", "-V"),
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    app.default(_start)
    for name, group, purpose in COMMANDS:
        _add(app, (name,), f"{name}:{name}", purpose, group)
    for group_name, group, purpose, commands in GROUPS:
        subcommands = App(name=group_name, help=purpose, group=group)
        for name, function, does in commands:
            _add(subcommands, (group_name, name), function, does)
        app.command(subcommands)
    return app


def _add(
    app: App, words: tuple[str, ...], function: str, purpose: str, group: Group | None = None
) -> None:
    path = f"reviewdeck.cli.commands.{function}"
    epilogue = epilogue_of(" ".join(words))
    app.command(path, name=words[-1], group=group, help=purpose, help_epilogue=epilogue)


def run_command(tokens: list[str]) -> object:
    """Runs one command and gives its result. Raises ReviewdeckError, UsageProblem."""
    if tokens[:1] == ["help"]:
        tokens = [*tokens[1:], "--help"]
    app, names = build_app(), [name for name, _, _ in COMMANDS]
    groups = {name: [word for word, _, _ in below] for name, _, _, below in GROUPS}
    names += groups
    try:
        if not _HELP.isdisjoint(tokens):
            _prepare_help(app, tokens, names, groups)
        return app(tokens, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise problem_of(error, names, groups) from error
    except UsageProblem as problem:
        if problem.hint == problem.default_hint and (words := app.parse_commands(tokens)[0]):
            problem.hint = f"See `reviewdeck {' '.join(words)} --help`."
        raise


def _prepare_help(
    app: App, tokens: list[str], names: list[str], groups: Mapping[str, Sequence[str]]
) -> None:
    """Words the first line of a command's help. Raises UsageProblem for an unknown command.

    The parser itself would print the help of the whole program.
    """
    chain, apps, arguments = app.parse_commands(tokens)
    has_commands = any(not name.startswith("-") for name in apps[-1])
    if has_commands and arguments and not arguments[0].startswith("-"):
        raise unexpected(arguments[0], " ".join(chain), names, groups)
    words = tuple(word for word in chain if not word.startswith("-"))
    if words and apps[len(words)].default_command is not None:
        command = apps[len(words)]
        command.usage = usage_of(words, command)
        command.help = description_of(str(command.help), command.default_command.__doc__ or "")


def _start(
    *,
    plain: Annotated[
        bool, Parameter(help="The deck as lines of text, for a screen reader.")
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
