"""`reviewdeck why`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.consent import check_asking
from reviewdeck.cli.model_options import MODEL_DEFAULTS, ModelOptions
from reviewdeck.cli.numbers import whole
from reviewdeck.cli.options import DEFAULTS, Options, Reveal, Yes
from reviewdeck.cli.output import console, print_json, say
from reviewdeck.cli.session import fresh_engine
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.why import SourceLine, check_text, find_sources
from reviewdeck.presentation.changes import Author, authors_of_observations
from reviewdeck.presentation.sources import NO_SOURCE, redaction_of, source_json
from reviewdeck.presentation.words import home_words
from reviewdeck.text.redact import Redaction

if TYPE_CHECKING:
    from reviewdeck.cli.why_replay import ReplayRequest

LIMIT = 60
"""The most requests of a replay."""
_EXACT = frozenset({"text", "words", "needed", "together", "among", "line"})


def why(
    text: Annotated[str, Parameter(help="A sentence that the agent said.")],
    /,
    *,
    replay: Annotated[
        Path | None,
        Parameter(
            help="Ask a model what it says without parts of the memory. FILE is the conversation:"
            " a request, a session or a transcript, as `review` takes it."
        ),
    ] = None,
    hermes_session: Annotated[
        str | None,
        Parameter(help="The same over a session of the home's own state.db, by its id."),
    ] = None,
    limit: Annotated[
        int, Parameter(help="The most requests of a replay.", converter=whole(0, 10_000))
    ] = LIMIT,
    yes: Yes = False,
    model: ModelOptions = MODEL_DEFAULTS,
    reveal: Reveal = False,
    options: Options = DEFAULTS,
) -> int:
    """Show which live entries and lines a sentence of the agent may come from.

    Each with the words that they share, who taught it, when and in which turn, and the command
    that takes it back. A replay asks a model until the smallest set of them is found without which
    it no longer says the sentence; what that takes is shown first.
    """
    text = check_text(text)
    if replay is None and hermes_session is None:
        with fresh_engine(options, everywhere=True) as engine, engine.ledger.at_once():
            sources = find_sources(engine, text)
            redaction = redaction_of(engine, sources, is_off=reveal)
            if options.json:
                print_json({"sources": _json(engine, sources, redaction)}, exact=_EXACT)
            elif sources:
                _print(engine, sources, redaction, options)
            else:
                say(NO_SOURCE)
        return 0
    if replay is not None and hermes_session is not None:
        raise UsageProblem("One conversation is replayed: name one.")
    check_asking(options, yes=yes)
    from reviewdeck.cli.why_replay import ReplayRequest

    request = ReplayRequest(replay, hermes_session, limit, yes, model)
    return _replay(text, request, options, reveal=reveal)


def _replay(text: str, request: ReplayRequest, options: Options, *, reveal: bool) -> int:
    from reviewdeck.cli.why_replay import replay_json, result_lines, run_replay, usage_line

    with fresh_engine(options) as engine:
        replayed = run_replay(engine, text, request, is_quiet=options.json)
        if replayed is None:
            return 0
        redaction = redaction_of(engine, replayed.sources, is_off=reveal)
        if options.json:
            sources = _json(engine, replayed.sources, redaction)
            print_json({"sources": sources, "replay": replay_json(replayed)}, exact=_EXACT)
        else:
            for line in result_lines(replayed):
                say(line)
            _print(engine, replayed.sources, redaction, options)
            say(usage_line(replayed.result))
    return int(replayed.result.ending.exit_code)


def _json(
    engine: Engine, sources: Sequence[SourceLine], redaction: Redaction
) -> list[dict[str, Any]]:
    authors = _authors(engine, sources)
    return [source_json(source, authors, redaction) for source in sources]


def _authors(engine: Engine, sources: Sequence[SourceLine]) -> dict[str, Author]:
    known = (source.by for source in sources if source.by is not None)
    return authors_of_observations(engine, known)


def _print(
    engine: Engine, sources: Sequence[SourceLine], redaction: Redaction, options: Options
) -> None:
    from reviewdeck.cli.render_why import source_lines

    authors = _authors(engine, sources)
    names = {home.id: home_words(home.name, home.kind) for home in engine.homes}
    screen = console(options)
    for line in source_lines(sources, authors, utc_now(), names, redaction, options):
        screen.print(line, soft_wrap=True)
