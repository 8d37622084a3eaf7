"""What commands answer to the shell, and what `--help` says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
"""The command line makes no sense."""
WAITING: Final = 3
"""It is done, and something waits: for a person, or for another machine to write it."""
DIFFERS: Final = 3
"""A folder of skills is not as it was approved."""
UNREADABLE: Final = 4
OUTSIDE: Final = 4
"""The log and all decisions are consistent; documents were changed without review."""
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141

USUAL_CODES: Final = "0 done, 1 failed, 2 invalid command line"
EXIT_CODES: Final[Mapping[str, str]] = {
    "approve": f"{USUAL_CODES}, 3 --wait: approved, and not written in time",
    "auto": f"{USUAL_CODES}, 3 done and something waits for a person",
    "doctor": "0 no problem, 1 a problem, 2 invalid command line",
    "fsck": "0 whole, 1 damaged, 2 invalid command line",
    "config": "0 no error in the files, 1 an error, 2 invalid command line",
    "hermes status": "0 complete, 1 a part is missing, 2 invalid command line",
    "openclaw status": "0 complete, 1 a part is missing or off, 2 invalid command line",
    "claude status": "0 complete, 1 a part is missing or off, 2 invalid command line",
    "qwen status": "0 complete, 1 a part is missing or off, 2 invalid command line",
    "gemini status": "0 complete, 1 a part is missing or off, 2 invalid command line",
    "service status": "0 it runs, 1 it does not, 2 invalid command line",
    "policy check": "0 valid, 1 an error in the file, 2 invalid command line",
    "review": f"{USUAL_CODES}, 5 try again later, 6 it ended early",
    "why": f"{USUAL_CODES}; of a replay: 5 try again later, 6 it ended early",
    "skills check": "0 nothing of high severity, 1 something, 2 invalid command line",
    "log": f"{USUAL_CODES}, 4 --verify: only documents changed without review",
    "skills verify": "0 as approved, 1 failed, 2 invalid command line, 3 something differs,"
    " 4 something cannot be read",
}
"""Where they say more than usual."""
