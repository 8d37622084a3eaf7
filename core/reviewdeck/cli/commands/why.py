"""`reviewdeck why`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options, Reveal
from reviewdeck.cli.output import console, print_json, say
from reviewdeck.cli.session import fresh_engine
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.why import Source, check_text, find_sources
from reviewdeck.presentation.changes import Author, authors_of_observations
from reviewdeck.presentation.sources import NO_SOURCE, redaction_of, source_json
from reviewdeck.presentation.words import home_words
from reviewdeck.text.redact import Redaction


def why(
    text: Annotated[str, Parameter(help="A sentence that the agent said.")],
    /,
    *,
    reveal: Reveal = False,
    options: Options = DEFAULTS,
) -> int:
    """Show which live entries and lines a sentence of the agent may come from.

    Each with the words that they share, who taught it, when and in which turn, and the command
    that takes it back.
    """
    text = check_text(text)
    with fresh_engine(options, everywhere=True) as engine:
        sources = find_sources(engine, text)
        redaction = redaction_of(engine, sources, is_off=reveal)
        if options.json:
            print_json({"sources": _json(engine, sources, redaction)}, exact={"text", "words"})
        else:
            _print(engine, sources, redaction, options)
    return 0


def _json(engine: Engine, sources: Sequence[Source], redaction: Redaction) -> list[dict[str, Any]]:
    authors = _authors(engine, sources)
    return [source_json(source, authors, redaction) for source in sources]


def _authors(engine: Engine, sources: Sequence[Source]) -> dict[str, Author]:
    known = (source.by for source in sources if source.by is not None)
    return authors_of_observations(engine, known)


def _print(
    engine: Engine, sources: Sequence[Source], redaction: Redaction, options: Options
) -> None:
    if not sources:
        say(NO_SOURCE)
        return
    from reviewdeck.cli.render_why import source_lines

    authors = _authors(engine, sources)
    names = {home.id: home_words(home.name, home.kind) for home in engine.homes}
    screen = console(options)
    for line in source_lines(sources, authors, utc_now(), names, redaction, options):
        screen.print(line, soft_wrap=True)
