"""`reviewdeck repair`."""

from __future__ import annotations

import os
import shlex
import tempfile
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from reviewdeck.cli.given import given_bytes
from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import answer
from reviewdeck.cli.session import engine_for_proposal
from reviewdeck.clock import utc_now
from reviewdeck.errors import BadInput
from reviewdeck.external_editor import edit_text
from reviewdeck.presentation.items import item_json
from reviewdeck.presentation.proposal_words import request_line
from reviewdeck.terminal import warn

if TYPE_CHECKING:
    from reviewdeck.engine.repair import Broken


def repair(
    id: Annotated[str, Parameter(help="The record: its id, or a unique prefix.")],
    /,
    *,
    file: Annotated[
        str | None,
        Parameter(help="The repaired record; - reads the standard input. By default, $EDITOR."),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """Repair a record that could not be read, and queue it.

    The broken record stays in place until the repaired one is decided.
    """
    with engine_for_proposal(options, id) as engine:
        broken = engine.broken(id)
        text = _edit(broken) if file is None else given_bytes(file)
        try:
            engine.repair(broken.id, text)
        except BadInput as error:
            if file is not None:
                raise
            raise BadInput(error.message, hint=_save_draft(broken, text, options)) from error
        item = engine.find(broken.id)
    answer(
        options,
        item_json(item, utc_now()),
        f"repaired {item.id}: {request_line(item)}",
        f"it is {item.state} now; to see it: {command(options, 'diff', item.id)}",
    )
    return 0


def _edit(broken: Broken) -> bytes:
    """The record as the operator's editor left it; bytes that are not UTF-8 are escaped in it."""
    if broken.data is None:
        raise BadInput(
            f"{broken.source} was never read: {broken.problem}.",
            hint="Give the record with --file FILE, or dismiss it with `reviewdeck reject`.",
        )
    warn(f"{broken.source} cannot be read: {broken.problem}.")
    start = broken.data.decode("utf-8", "backslashreplace")
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    text = edit_text(start, broken.source.rpartition("/")[2], editor)
    if text is None:
        raise BadInput("No editor could be started.", hint="Set VISUAL or EDITOR, or give --file.")
    if text == start:
        raise BadInput("You changed nothing.", hint="Nothing was queued.")
    return text.encode()


def _save_draft(broken: Broken, text: bytes, options: Options) -> str:
    place, name = tempfile.mkstemp(prefix="reviewdeck-", suffix=".json")
    with os.fdopen(place, "wb") as file:
        file.write(text)
    again = command(options, "repair", broken.id, "--file", shlex.quote(name))
    return f"Your text is kept: fix it and run `{again}`."
