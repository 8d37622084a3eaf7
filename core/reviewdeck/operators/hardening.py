"""Keeps other processes of the same user out of this process' memory. Imports nothing of ours.

The hardening depends on the system: `docs/security.md` says what remains open.
"""

from __future__ import annotations

import ctypes
import resource
import sys
from contextlib import suppress

_PR_SET_DUMPABLE = 4


def harden_process() -> None:
    """Disables core dumps, and on Linux reading our memory from other processes of the same user.

    `PR_SET_DUMPABLE 0` makes ptrace and `/proc/PID/mem` fail for everybody but root.
    """
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
