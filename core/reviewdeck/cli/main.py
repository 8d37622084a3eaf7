"""The command `reviewdeck`: dispatch, and errors turned into messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from reviewdeck.cli.deck_start import try_open_deck
from reviewdeck.cli.exit_codes import DONE, FAILED, PIPE_CLOSED, USAGE, WAITING
from reviewdeck.cli.output import prepare_streams, print_json, say
from reviewdeck.cli.program_name import with_program_name
from reviewdeck.cli.tokens import empty_option, join_dashes, move_options_last
from reviewdeck.errors import ReviewdeckError
from reviewdeck.interruption import Ended, has_begun, heeding_signals, signal_received
from reviewdeck.presentation.crash import crash_error, crash_traceback
from reviewdeck.terminal import warn
from reviewdeck.text.redact import redact


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code."""
    tokens = list(sys.argv[1:] if argv is None else argv)
    try:
        prepare_streams()
        with heeding_signals():
            code = _run(tokens)
            sys.stdout.flush()
    except KeyboardInterrupt:
        with suppress(OSError):  # The terminal may be gone.
            _report_error(Ended(_how_ended(), hint=_what_stays() or "Nothing was changed."), tokens)
        return _interrupted()
    except BrokenPipeError:
        _discard_output()
        if told := _what_stays():
            _tell(f"The reader of the output went away. {told}")
        return PIPE_CLOSED
    except OSError as error:
        _discard_output()
        _tell(f"The system refused: {redact(error.strerror or str(error))}. {_what_stays()}")
        return FAILED
    if not signal_received():
        return code
    if "--json" not in tokens:
        _tell(f"{_how_ended()} {'What was begun is done.' if code in (DONE, WAITING) else ''}")
    return _interrupted()


def _how_ended() -> str:
    number = signal_received() or signal.SIGINT
    name = signal.Signals(number).name
    return "Interrupted." if number == signal.SIGINT else f"Ended by {name}."


def _interrupted() -> int:
    return 128 + (signal_received() or signal.SIGINT)


def _what_stays() -> str:
    """What an operator has to know of a command whose outcome could not be printed."""
    return "What was done before stays: `reviewdeck log` lists it." if has_begun() else ""


def _tell(text: str) -> None:
    with suppress(OSError, ValueError):
        warn(with_program_name(f"reviewdeck: {text}".rstrip()))


def _discard_output() -> None:
    """Points standard output at the null device, so that the interpreter's last flush succeeds."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(tokens: list[str]) -> int:
    try:
        result = _dispatch(tokens)
    except ReviewdeckError as error:
        _report_error(error, tokens)
        return USAGE if error.code == "usage" else FAILED
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001
        if isinstance(error.__cause__, KeyboardInterrupt):  # A class that was being made wraps it.
            raise error.__cause__ from None
        # The last line of defence: the operator gets a sentence, never a traceback that quotes an
        # agent's text.
        if trace := crash_traceback(error, os.environ):
            warn(trace, keep="\n\t")
        _report_error(crash_error(error), tokens)
        return FAILED
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
    if (option := empty_option(tokens)) is not None:
        from reviewdeck.cli.usage import needs_value  # loads the parser

        raise needs_value(option, "Leave it out for the default.")
    is_for_deck = not tokens or tokens[0].startswith("--")
    if is_for_deck and (code := try_open_deck(tokens)) is not None:
        return code
    from reviewdeck.cli.table import run_command  # loads the parser

    return run_command(tokens)


def _report_error(error: ReviewdeckError, tokens: list[str]) -> None:
    """Prints the message and its hint; with `--json`, an object on standard output instead."""
    hint = with_program_name(error.hint)
    if "--json" in tokens:
        report = {"code": error.code, "message": error.message, "hint": hint}
        print_json({"error": report})
        sys.stdout.flush()
    else:
        sys.stdout.flush()
        warn("reviewdeck: " + redact(f"{error.message} {hint}".rstrip()))


if __name__ == "__main__":
    sys.exit(main())
