"""The operator's clipboard: how text reaches it, and why it may not; and a notice.

A program in a terminal has no clipboard: it asks the terminal for it (OSC 52), which works over SSH
too and is never answered. tmux does not pass such a request on unless configured to, so tmux itself
is asked. Terminals that are known to have no clipboard are listed.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import Final

PATIENCE: Final = 3.0
"""Seconds that tmux has for taking a text."""
_WITHOUT: Final = frozenset({"linux", "dumb", "vt100", "vt220"})
"""Terminals, by TERM, without a clipboard."""


def into_tmux(text: str, env: Mapping[str, str]) -> str:
    """Gives a text to the tmux around us, for its buffer and the clipboard of its terminal.

    Returns why it failed; empty for success. Blocks until tmux has answered.
    """
    try:
        process = subprocess.run(
            ["tmux", "load-buffer", "-w", "-"],  # noqa: S607 - the operator's own tmux
            input=text.encode("utf-8", "replace"),
            capture_output=True,
            timeout=PATIENCE,
            env=dict(env),
            cwd="/",  # An empty entry of PATH means the current folder, where agents write.
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"tmux does not answer ({type(error).__name__})"
    if process.returncode == 0:
        return ""
    return "this tmux cannot copy: 3.2 or later can"


def is_in_tmux(env: Mapping[str, str]) -> bool:
    """Whether this process runs in a tmux."""
    return bool(env.get("TMUX"))


def why_not(env: Mapping[str, str]) -> str:
    """Why the terminal takes no text; empty if it may take one."""
    term = env.get("TERM", "")
    if env.get("TERM_PROGRAM") == "Apple_Terminal":
        return "Apple's Terminal ignores copying by programs"
    if term in _WITHOUT:
        return f"a terminal of type {term} has no clipboard"
    if term.startswith(("screen", "tmux")):
        return "the tmux or screen around this terminal passes it on only with `set-clipboard on`"
    return ""


def notice(words: str, env: Mapping[str, str]) -> str:
    """What a terminal shows as a notice of the desktop (OSC 9), with a bell for those that do not.

    `words` are reviewdeck's own: nothing of an agent may be in them.
    """
    sequence = f"\x1b]9;{words}\a"
    if is_in_tmux(env):  # tmux passes it on where `allow-passthrough` is set.
        sequence = f"\x1bPtmux;{sequence.replace(chr(27), chr(27) * 2)}\x1b\\"
    return sequence + "\a"
