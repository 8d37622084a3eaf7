"""The command `reviewdeck`: dispatch, and errors turned into messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from reviewdeck.cli.deck_start import try_open_deck
from reviewdeck.cli.exit_codes import DONE, FAILED, INTERRUPTED, PIPE_CLOSED, USAGE
from reviewdeck.cli.output import prepare_streams, print_json, say
from reviewdeck.cli.program_name import with_program_name
from reviewdeck.cli.tokens import join_dashes, move_options_last
from reviewdeck.errors import ReviewdeckError
from reviewdeck.presentation.crash import crash_error, crash_traceback
from reviewdeck.terminal import warn
from reviewdeck.text.redact import redact


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code."""
    try:
        prepare_streams()
        tokens = list(sys.argv[1:] if argv is None else argv)
        code = _run(tokens)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED
    except OSError as error:
        _discard_output()
        warn(f"reviewdeck: The system refused: {redact(error.strerror or str(error))}.")
        return FAILED
    return code


def _discard_output() -> None:
    """Points standard output at the null device, so that the interpreter's last flush succeeds."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(tokens: list[str]) -> int:
    try:
        result = _dispatch(tokens)
    except ReviewdeckError as error:
        return _report_error(error, tokens, USAGE if error.code == "usage" else FAILED)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001
        if isinstance(error.__cause__, KeyboardInterrupt):  # A class that was being made wraps it.
            raise error.__cause__ from None
        # The last line of defence: the operator gets a sentence, never a traceback that quotes an
        # agent's text.
        if trace := crash_traceback(error, os.environ):
            warn(trace, keep="\n\t")
        return _report_error(crash_error(error), tokens, FAILED)
    return result if isinstance(result, int) else DONE


def _dispatch(tokens: list[str]) -> object:
    if tokens and tokens[0] == "--candidates":
        from reviewdeck.cli.candidates import candidates  # runs on every Tab: no parser

        for line in candidates(tokens[1:]):
            say(line)
        return DONE
    if any(token.partition("=")[0] == "--host" for token in tokens):
        from reviewdeck.cli.remote import run_there, take_host  # for this option alone

        host, rest = take_host(tokens)
        if host is not None:
            return run_there(host, rest)
    tokens = move_options_last(join_dashes(tokens))
    is_for_deck = not tokens or tokens[0].startswith("--")
    if is_for_deck and (code := try_open_deck(tokens)) is not None:
        return code
    from reviewdeck.cli.table import run_command  # loads the parser

    return run_command(tokens)


def _report_error(error: ReviewdeckError, tokens: list[str], code: int) -> int:
    """Prints the message and its hint; with `--json`, an object on standard output instead."""
    hint = with_program_name(error.hint)
    if "--json" in tokens:
        report = {"code": error.code, "message": error.message, "hint": hint}
        print_json({"error": report})
        sys.stdout.flush()
    else:
        sys.stdout.flush()
        warn("reviewdeck: " + redact(f"{error.message} {hint}".rstrip()))
    return code


if __name__ == "__main__":
    sys.exit(main())
