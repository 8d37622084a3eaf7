"""`reviewdeck since`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from reviewdeck.cli.moments import moment_of
from reviewdeck.cli.options import DEFAULTS, Options, Reveal
from reviewdeck.cli.output import console, print_json, say
from reviewdeck.cli.prompts import admit
from reviewdeck.cli.session import fresh_engine
from reviewdeck.clock import utc_now
from reviewdeck.engine.probation import on_probation
from reviewdeck.presentation.changes import authors_of, change_json, redaction_of_changes
from reviewdeck.presentation.situation import direct_writes_warnings
from reviewdeck.presentation.words import home_words, inert

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from rich.text import Text

    from reviewdeck.engine.engine import Engine
    from reviewdeck.model.changes import DocumentChanges
    from reviewdeck.presentation.changes import Author


def since(
    time: Annotated[
        str | None,
        Parameter(
            help="A date, a time, or how long ago: 2h, 3d, 1w. By default the last --mark, or"
            " else the time when reviewdeck first looked at the home."
        ),
    ] = None,
    /,
    *,
    mark: Annotated[
        bool,
        Parameter(help="Mark everything until now as seen. Without it, nothing is marked."),
    ] = False,
    reveal: Reveal = False,
    options: Options = DEFAULTS,
) -> int:
    """Show what the agent learned: one diff per document, with the author of each line."""
    moment = None if time is None else moment_of(time, utc_now())
    if not mark:
        with fresh_engine(options, everywhere=True) as engine:
            _show(engine, moment, options, reveal=reveal)
        return 0
    with fresh_engine(options, everywhere=True, writes=True) as engine:
        admit(engine)
        # A later write is not shown, so the mark must not cover it.
        moment_looked = engine.now()
        _show(engine, moment, options, reveal=reveal)
        engine.mark_seen(moment_looked)
    return 0


def _show(engine: Engine, moment: datetime | None, options: Options, *, reveal: bool) -> None:
    """Reads all before it prints any: who reads the output may take longer than a hub waits."""
    with engine.ledger.at_once():
        documents = engine.since(moment)
        authors = authors_of(engine, documents)
        lines = () if options.json else _lines(engine, documents, authors, reveal=reveal)
        warnings = () if options.json else direct_writes_warnings(engine, utc_now())
    if options.json:
        entries = [change_json(document, authors, engine.actor) for document in documents]
        print_json(entries, exact={"text", "pair"})
        return
    screen = console(options)
    for line in lines:
        screen.print(line, soft_wrap=True)
    if not documents:
        say("The agent learned nothing since then.")
    for warning in warnings:
        say(inert(warning))


def _lines(
    engine: Engine,
    documents: Sequence[DocumentChanges],
    authors: dict[str, Author],
    *,
    reveal: bool,
) -> Iterator[Text]:
    from reviewdeck.cli.render_learnt import learnt_lines

    names = {home.id: home_words(home.name, home.kind) for home in engine.homes}
    redaction = redaction_of_changes(engine, documents, is_off=reveal)
    unsettled = {operation.id for home in engine.homes for operation in on_probation(engine, home)}
    return learnt_lines(documents, authors, utc_now(), names, redaction, engine.actor, unsettled)
