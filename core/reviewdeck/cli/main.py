"""The command `reviewdeck`, and what becomes of its errors. The deck opens without a parser."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from reviewdeck.cli.output import prepare_streams, print_json, say
from reviewdeck.cli.program_name import called_here
from reviewdeck.cli.tokens import dashed, hoisted
from reviewdeck.errors import ReviewdeckError
from reviewdeck.policy.redact import redact
from reviewdeck.presentation.crash import sentence_of, trace_of
from reviewdeck.terminal import warn

DONE, FAILED, USAGE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141


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
        warn(f"reviewdeck: The system refused: {redact(error.strerror or str(error))}.")
        return FAILED
    return code


def _give_up_output() -> None:
    """Nobody can read on: the interpreter must not complain when it flushes at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(tokens: list[str]) -> int:
    try:
        result = _answered(tokens)
    except ReviewdeckError as error:
        return _complain(error, tokens, USAGE if error.code == "usage" else FAILED)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001
        # The last line of defence: a person gets a sentence, and no text of an agent in a trace.
        if trace := trace_of(error, os.environ):
            warn(trace, keep="\n\t")
        return _complain(sentence_of(error), tokens, FAILED)
    return result if isinstance(result, int) else DONE


def _answered(tokens: list[str]) -> object:
    if tokens and tokens[0] == "--candidates":
        from reviewdeck.cli.candidates import candidates  # at each press of a key: not the parser

        for line in candidates(tokens[1:]):
            say(line)
        return DONE
    if not tokens or tokens[0].startswith("--"):
        from reviewdeck.cli.deck_start import opened

        if (code := opened(tokens)) is not None:
            return code
    from reviewdeck.cli.table import answered  # loads the parser

    return answered(tokens)


def _complain(error: ReviewdeckError, tokens: list[str], code: int) -> int:
    """One line and a hint; with `--json`, an object on the standard output instead."""
    hint = called_here(error.hint)
    if "--json" in tokens:
        said = {"code": error.code, "message": error.message, "hint": hint}
        print_json({"error": said})
        sys.stdout.flush()
    else:
        sys.stdout.flush()
        warn("reviewdeck: " + redact(f"{error.message} {hint}".rstrip()))
    return code


if __name__ == "__main__":
    sys.exit(main())
