"""Which commands there are, as the command line's parser takes them."""

from __future__ import annotations

from typing import Annotated, Final

from cyclopts import App, CycloptsError, Group, Parameter

from reviewdeck.cli.deck_start import open_terminal
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.usage import problem_of
from reviewdeck.terminal import is_terminal

LOOK: Final = Group("Look: nothing here changes a byte of the home", sort_key=1)
DECIDE: Final = Group("Decide", sort_key=2)
PAST: Final = Group("What happened, and back", sort_key=3)
CARE: Final = Group("Set-up and care", sort_key=4)

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
    ("record", CARE, "Take the turns of an agent's conversation, as evidence."),
    ("recover", CARE, "Finish or take back what an interrupted run had begun."),
    ("doctor", CARE, "Whether the home, the ledger and the set-up are sound."),
    ("fsck", CARE, "Whether the ledger is whole, to the last byte."),
    ("purge", CARE, "Take a secret that got in out of the ledger, its log and its backups."),
    ("demo", CARE, "Take a tour of three minutes on a made-up home, or write such a home."),
    ("serve", CARE, "Open the deck in a browser of this machine, read-only until unlocked."),
)


OPERATORS: Final = (
    ("list", "Whose signatures count, and whose counted once."),
    ("add", "Trust another operator."),
    ("rotate", "Replace your own key, and choose a new passphrase."),
    ("revoke", "Let an operator's keys count no longer."),
    ("export", "Print the public keys that count."),
)


def build_app() -> App:
    """The whole command line. A command's module is loaded when it is asked for."""
    app = App(
        name="reviewdeck",
        help="Review what an agent proposes to remember before it is written.",
        help_format="plaintext",
        version=_version,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    app.default(_start)
    for name, group, words in COMMANDS:
        app.command(f"reviewdeck.cli.commands.{name}:{name}", name=name, group=group, help=words)
    policy = App(name="policy", help="What goes in without a person, and why.", group=LOOK)
    policy.command(
        "reviewdeck.cli.commands.policy:explain",
        name="explain",
        help="What the six checks answered for one proposal, and from which evidence.",
    )
    policy.command(
        "reviewdeck.cli.commands.policy_test:test",
        name="test",
        help="What the gate would have done with everything recorded, beside what was decided.",
    )
    policy.command(
        "reviewdeck.cli.commands.policy_check:check",
        name="check",
        help="Everything that is wrong with a policy file, with the line.",
    )
    policy.command(
        "reviewdeck.cli.commands.policy_migrate:migrate",
        name="migrate",
        help="A policy file in the form of today; without one, a new one.",
    )
    policy.command(
        "reviewdeck.cli.commands.policy_sign:sign",
        name="sign",
        help="Sign the policy that is there now.",
    )
    app.command(policy)
    app.command(_operators())
    return app


def _operators() -> App:
    operators = App(name="operators", help="Whose signatures count.", group=CARE)
    for name, words in OPERATORS:
        place = f"reviewdeck.cli.commands.operators:{'show' if name == 'list' else name}"
        operators.command(place, name=name, help=words)
    return operators


def answered(tokens: list[str]) -> object:
    """Runs one command and gives what it comes to. Raises ReviewdeckError, UsageProblem."""
    try:
        return build_app()(tokens, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise problem_of(error, [name for name, _, _ in COMMANDS]) from error


def _start(
    *,
    plain: Annotated[
        bool, Parameter(help="The deck as lines of text, for a screen reader.", negative="")
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Open the deck in a terminal; print the status without one."""
    if is_terminal() and not options.json:
        return open_terminal(options, plain=plain)
    from reviewdeck.cli.commands.status import status

    return status(options=options)


def _version() -> str:
    from importlib.metadata import version

    return version("reviewdeck")
