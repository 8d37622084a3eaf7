"""The program's entry point: the process is hardened before anything else is loaded."""

from __future__ import annotations

import gc
import sys

from reviewdeck.operators.hardening import harden_process


def main() -> int:
    """Runs one command and gives its exit code."""
    harden_process()  # An operator's key is decrypted into this process's memory later.
    import signal

    # A command makes many values and few cycles; a deck that stays open makes some.
    gc.set_threshold(20_000, 10, 10)
    interrupt = signal.getsignal(signal.SIGINT)
    # A shell may have it ignored. Nothing is begun while we load and end: Ctrl-C ends us at once,
    # not with a traceback through somebody's module.
    is_heard = interrupt is signal.default_int_handler
    if is_heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from reviewdeck.cli.main import main as run  # loaded only once the process is hardened

    if is_heard:
        signal.signal(signal.SIGINT, interrupt)
    code = run(sys.argv[1:])
    if is_heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Spares the interpreter's last garbage collection: the process ends anyway.
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(main())
