"""Into a pipe, and in a terminal that can do nothing, every command writes plain text alone."""

from __future__ import annotations

import re

import pytest
from tests.cli.site import Site
from tests.cli.test_interrupted import LOOKING

CONTROL = re.compile(r"[^\n\t\x20-\x7e\u00a0-\U0010ffff]")
PADDED = re.compile(r"^.*[^ +|-]  +$", re.M)
"""A line that was filled up: a wrapped text keeps the one space at which it was broken."""


@pytest.mark.parametrize("name", LOOKING)
def test_a_command_writes_no_control_character_and_fills_no_line_up(site: Site, name: str) -> None:
    site.restore()
    words = LOOKING[name](site)
    for where in ("", "terminal"):  # The site's terminal is a dumb one.
        ran = site.run(*words, to=where, typed="n")
        assert ran.code in (0, 1, 3, 4), ran
        assert CONTROL.findall(ran.out + ran.err) == []
        assert PADDED.findall(ran.out) == []
