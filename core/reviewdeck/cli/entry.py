"""The program's entry point: the process is hardened before anything else is loaded."""

from __future__ import annotations

import gc
import os
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
    if code > 128:
        _end_by_signal(code - 128)
    # Spares the interpreter's last garbage collection: the process ends anyway.
    gc.freeze()
    return code


def _end_by_signal(number: int) -> None:
    """Ends this process by the signal that ended the command; returns where none did.

    So a shell ends its loop too, and a service manager sees that it did as it was told.
    """
    import signal

    from reviewdeck.interruption import signal_received

    if number in (signal_received(), signal.SIGINT):
        sys.stderr.flush()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


if __name__ == "__main__":
    sys.exit(main())
