"""`reviewdeck --candidates KIND [words so far]`: the candidates that a shell completes from.

It runs on every Tab, so it loads neither the command line's parser nor the engine.
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
_MAX_DESCRIPTION: Final = 72
_PASTABLE = re.compile(r"[\w./-]+")
"""Names that no shell interprets: an agent may have chosen the name of a document."""


def candidates(words: Sequence[str]) -> Iterator[str]:
    """Lines of value, tab, description; none if the ledger cannot be read."""
    kind, *typed = words or ("",)
    ledger = ledger_url(dict(pairwise(typed)).get("--ledger"), os.environ)
    if kind == "DOCUMENT":
        yield from ("memory\tthe agent's memory", "user\tits notes about the user")
    for value, about in glance(ledger, kind):
        if _PASTABLE.fullmatch(value):
            yield f"{value}\t{one_line(about)[:_MAX_DESCRIPTION]}"
