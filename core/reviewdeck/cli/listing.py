"""The first page of the queue as `list` prints it, to a file or a pipe: text without colours."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.console import Console

from reviewdeck.cli.output import plain_console, width
from reviewdeck.cli.render_queue import queue_table
from reviewdeck.model import QueueItem


def page_in_words(
    items: Sequence[QueueItem], now: datetime, names: Mapping[str, str], *, limit: int
) -> str:
    """The table, and where it goes on."""
    if not items:
        return "Nothing waits.\n"
    page = io.StringIO()
    console: Console = plain_console(page)
    console.print(queue_table(items, now, width(), names))
    if len(items) == limit:
        page.write(f"More: --after {items[-1].position}\n")
    return page.getvalue()
