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
    from reviewdeck.cli.exit_codes import INTERRUPTED
    from reviewdeck.cli.main import main as run  # loaded only once the process is hardened
    from reviewdeck.interruption import signal_received

    if is_heard:
        signal.signal(signal.SIGINT, interrupt)
    code = run(sys.argv[1:])
    if is_heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    ended_by = signal_received() or (signal.SIGINT if code == INTERRUPTED else 0)
    if ended_by and code == 128 + ended_by:
        # So a shell ends its loop too, and a service manager sees that it did as it was told.
        sys.stderr.flush()
        signal.signal(ended_by, signal.SIG_DFL)
        os.kill(os.getpid(), ended_by)
    # Spares the interpreter's last garbage collection: the process ends anyway.
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(main())
