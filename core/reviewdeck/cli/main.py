"""The command `reviewdeck`: which commands there are, and what becomes of their errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Final

from cyclopts import App, CycloptsError, Group, Parameter

from reviewdeck.cli.options import DEFAULTS, Options, dashed, hoisted
from reviewdeck.cli.output import (
    has_terminal_app,
    is_terminal,
    prepare_streams,
    print_json,
    warn,
)
from reviewdeck.cli.usage import UsageProblem, problem_of
from reviewdeck.errors import ReviewdeckError

DONE, FAILED, USAGE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

DEBUG: Final = "REVIEWDECK_DEBUG"
"""The variable that lets a mistake of ours end in its trace."""

LOOK: Final = Group("Look: nothing here changes a byte of the home", sort_key=1)
DECIDE: Final = Group("Decide", sort_key=2)
PAST: Final = Group("What happened, and back", sort_key=3)
CARE: Final = Group("Set-up and care", sort_key=4)

COMMANDS: Final = (
    ("status", LOOK, "How many proposals wait, how full the memories are, what changed outside."),
    ("since", LOOK, "What the agent learnt: one diff per document, with who brought each line."),
    ("list", LOOK, "The queue, newest first."),
    ("show", LOOK, "One proposal with its findings, its evidence and what can be done."),
    ("diff", LOOK, "What a proposal does, to the word, and the digest that stands for it."),
    ("auto", DECIDE, "Apply what is plainly safe, and report the rest."),
    ("approve", DECIDE, "Apply a proposal exactly as its diff showed it."),
    ("merge", DECIDE, "Apply your own text in the place of what was proposed."),
    ("reject", DECIDE, "Turn a proposal down, for good, with a reason."),
    ("defer", DECIDE, "Put a proposal off until it changes or is decided."),
    ("review", DECIDE, "Review a conversation, and stage what is worth keeping."),
    ("undo", PAST, "Take an operation back."),
    ("restore", PAST, "Make a document again what it was at a revision."),
    ("reopen", PAST, "Take a rejection back: it waits again."),
    ("log", PAST, "The append-only log, and the operations that can be taken back."),
    ("history", PAST, "The revisions of a document, with who and why."),
    ("blame", PAST, "What brought each entry or line of a document."),
    ("init", CARE, "Make an operator's key: from then on every decision is signed."),
    ("record", CARE, "Take the turns of an agent's conversation, as evidence."),
    ("recover", CARE, "Finish or take back what an interrupted run had begun."),
    ("doctor", CARE, "Whether the home, the ledger and the set-up are sound."),
    ("fsck", CARE, "Whether the ledger is whole, to the last byte."),
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
        version=_version,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    app.default(_start)
    for name, group, words in COMMANDS:
        app.command(f"reviewdeck.cli.commands.{name}:{name}", name=name, group=group, help=words)
    policy = App(name="policy", help="What the rules say of a proposal.", group=LOOK)
    policy.command(
        "reviewdeck.cli.commands.policy:explain",
        name="explain",
        help="What the rules said of one proposal, and why they exist.",
    )
    policy.command(
        "reviewdeck.cli.commands.policy_test:test",
        name="test",
        help="What the policy would have done with everything recorded, beside what was decided.",
    )
    policy.command(
        "reviewdeck.cli.commands.policy_check:check",
        name="check",
        help="Everything that is wrong with a policy file, with the line.",
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


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code."""
    prepare_streams()
    tokens = hoisted(dashed(list(sys.argv[1:] if argv is None else argv)))
    try:
        code = _run(tokens)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _give_up_output()
        return PIPE_CLOSED
    except OSError as error:
        _give_up_output()
        warn(f"reviewdeck: The system refused: {error.strerror or error}.")
        return FAILED
    return code


def _give_up_output() -> None:
    """Nobody can read on: the interpreter must not complain when it flushes at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(tokens: list[str]) -> int:
    app = build_app()
    try:
        result = app(tokens, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        return _complain(problem_of(error, [name for name, _, _ in COMMANDS]), tokens, USAGE)
    except ReviewdeckError as error:
        return _complain(error, tokens, USAGE if isinstance(error, UsageProblem) else FAILED)
    except OSError:
        raise
    except Exception as error:
        # The last line of defence: a person gets a sentence, and no text of an agent in a trace.
        if os.environ.get(DEBUG):
            raise
        said = f"Something is wrong in reviewdeck itself: {type(error).__name__}."
        hint = f"Please report it, with what {DEBUG}=1 prints when you try again."
        return _complain(ReviewdeckError(said, hint=hint), tokens, FAILED)
    return result if isinstance(result, int) else DONE


def _complain(error: ReviewdeckError, tokens: list[str], code: int) -> int:
    """One line and a hint; with `--json`, an object on the standard output instead."""
    if "--json" in tokens:
        said = {"code": error.code, "message": error.message, "hint": error.hint}
        print_json({"error": said})
        sys.stdout.flush()
    else:
        sys.stdout.flush()
        warn(f"reviewdeck: {error.message}" + (f" {error.hint}" if error.hint else ""))
    return code


def _start(
    *,
    plain: Annotated[
        bool, Parameter(help="The deck as lines of text, for a screen reader.", negative="")
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Open the deck in a terminal; print the status without one."""
    if is_terminal() and not options.json:
        return _open_deck(options, plain=plain)
    from reviewdeck.cli.commands.status import status

    return status(options=options)


def _open_deck(options: Options, *, plain: bool) -> int:
    if has_terminal_app():
        from importlib import import_module

        from reviewdeck.cli.session import settings_of

        settings = settings_of(options, everywhere=True)
        # By name: the engine's side never depends on the terminal app.
        return int(import_module("reviewdeck_tui.app").run(settings, plain=plain))
    from reviewdeck.cli.commands.list import list as show_list

    return show_list(options=options)


def _version() -> str:
    from importlib.metadata import version

    return version("reviewdeck")


if __name__ == "__main__":
    sys.exit(main())
