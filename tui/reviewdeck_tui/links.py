"""The links in the evidence of a proposal, and the browser that opens one."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final

MOST: Final = 9
"""Links that are offered: one for each digit."""
LONGEST: Final = 2_000
PATIENCE: Final = 5.0
_LINK: Final = re.compile(r"""https?://[A-Za-z0-9.:-]+(?:[/?#][!#-&*-;=?-_a-z~]*)?""")


def links_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The first links of the texts, each once. Plain ASCII: a look-alike letter ends one."""
    found = dict.fromkeys(
        link
        for text in texts
        for match in _LINK.finditer(text)
        if len(link := match.group().rstrip(".,;:!?")) <= LONGEST
    )
    return tuple(found)[:MOST]


def browser_for(env: Mapping[str, str], platform: str = sys.platform) -> str:
    """The program that opens a link in a window; empty where there is no screen for one."""
    if platform == "darwin":
        return "open"
    return "xdg-open" if env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") else ""


def open_link(browser: str, link: str) -> str:
    """Opens a link. Returns why that failed; empty for success. Blocks for a few seconds."""
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, and a link never begins with a dash
            [browser, link],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",  # An empty entry of PATH means the current folder, where agents write.
            start_new_session=True,
        )
    except OSError as error:
        return f"{browser} cannot be run: {error.strerror}"
    with suppress(subprocess.TimeoutExpired):  # Some wait until their window is closed.
        if process.wait(PATIENCE):
            return f"{browser} ended with {process.returncode}"
    return ""
