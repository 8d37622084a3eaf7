"""Where the program begins: the quick answers first, then the whole command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs one command and gives its exit code."""
    tokens = sys.argv[1:]
    if tokens[:1] in (["status"], ["list"]):
        from reviewdeck.cli.quick import quickly

        if (answer := quickly(tokens)) is not None:
            return _said(answer)
    # Before anything of ours is loaded: a key that is opened later is in this memory.
    from reviewdeck.operators.process import shut

    shut()
    from reviewdeck.cli.main import main as run

    return run(tokens)


def _said(answer: str) -> int:
    try:
        sys.stdout.write(answer)
        sys.stdout.flush()
    except (OSError, UnicodeError):
        # A closed pipe, or an encoding that lacks a character: known to the long way.
        from reviewdeck.cli.main import main as run

        return run(sys.argv[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
