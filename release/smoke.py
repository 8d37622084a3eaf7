"""What a stranger does first with an installed wheel: in an empty folder, without a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAM = Path(sys.executable).with_name("reviewdeck")


def main() -> int:
    """Runs the commands in order; the first that fails ends it."""
    with TemporaryDirectory() as place:
        there = ("--home", "home", "--ledger", "ledger.db")
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        for words, codes in (
            (("--version",), {0}),
            (("--help",), {0}),
            (("demo", "home"), {0}),
            (("auto", *there), {3}),
            (("list", *there), {0}),
            (("since", *there), {0}),
            (("doctor", *there), {0, 1}),
            (("completion", "bash"), {0}),
            (("completion", "man"), {0}),
        ):
            done = subprocess.run(  # noqa: S603  # our own program
                [PROGRAM, *words],
                cwd=place,
                env=kept | {"HOME": place},
                capture_output=True,
                text=True,
                check=False,
            )
            is_sound = done.returncode in codes and "wrong in reviewdeck itself" not in done.stderr
            sys.stdout.write(f"{'ok' if is_sound else 'FAILED'}  reviewdeck {' '.join(words)}\n")
            if not is_sound:
                sys.stderr.write(done.stdout + done.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
