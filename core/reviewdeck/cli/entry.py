"""Where the program begins: this process is closed to others before anything else is loaded."""

from __future__ import annotations

import gc
import sys

from reviewdeck.operators.hardening import shut


def main() -> int:
    """Runs one command and gives its exit code."""
    shut()  # A key that is opened later is in this memory.
    from reviewdeck.cli.main import main as run  # everything else

    code = run(sys.argv[1:])
    # The interpreter would look for garbage once more: all of it ends with the process.
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(main())
