"""`reviewdeck --candidates KIND [the words so far]`: what a shell may offer next.

It runs at each press of a key, so it loads neither the command line's parser nor an engine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from reviewdeck.ledger.glance import glance
from reviewdeck.locations import ledger_url
from reviewdeck.presentation.words import one_line

ASK: Final = "--candidates"
_ABOUT: Final = 72
_PASTABLE = re.compile(r"[\w./-]+")
"""Names that every shell takes as they are: an agent may have chosen a document's."""


def candidates(words: Sequence[str]) -> Iterator[str]:
    """One line each: what is inserted, a tab, and what it is. Nothing where nothing can be read."""
    kind, *typed = words or ("",)
    ledger = ledger_url(dict(pairwise(typed)).get("--ledger"), os.environ)
    if kind == "DOCUMENT":
        yield from ("memory\tthe agent's memory", "user\twhat it knows of the user")
    for value, about in glance(ledger, kind):
        if _PASTABLE.fullmatch(value):
            yield f"{value}\t{one_line(about)[:_ABOUT]}"
