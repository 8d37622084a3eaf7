"""Keeping others of the same user out of this process' memory. Loads nothing else of ours.

The hardening goes as far as the system allows: `docs/security.md` says what remains.
"""

from __future__ import annotations

import ctypes
import resource
import sys
from contextlib import suppress

_PR_SET_DUMPABLE = 4


def shut() -> None:
    """No core dump, and on Linux no reading of our memory by others of the same user.

    `PR_SET_DUMPABLE 0` makes ptrace and `/proc/PID/mem` fail for everybody but root.
    """
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
