"""Where the program begins: the quick answers first, then the whole command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs one command and gives its exit code."""
    tokens = sys.argv[1:]
    if tokens[:1] == ["status"]:
        from reviewdeck.cli.quick import short_status

        if (line := short_status(tokens)) is not None:
            return _said(line)
    from reviewdeck.cli.main import main as run

    return run(tokens)


def _said(line: str) -> int:
    try:
        print(line, flush=True)
    except OSError:
        from reviewdeck.cli.main import main as run

        return run(sys.argv[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
