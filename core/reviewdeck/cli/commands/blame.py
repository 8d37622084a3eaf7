"""`reviewdeck blame`."""

from __future__ import annotations

from reviewdeck.cli.documents import resolve_document
from reviewdeck.cli.options import DEFAULTS, DocumentName, Options, Reveal
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.session import fresh_engine
from reviewdeck.clock import utc_now
from reviewdeck.presentation.changes import authors_of_observations, blamed_json
from reviewdeck.text.redact import Redaction


def blame(
    document: DocumentName,
    /,
    *,
    reveal: Reveal = False,
    options: Options = DEFAULTS,
) -> int:
    """Show the origin of each entry or line of a document."""
    with fresh_engine(options) as engine:
        parts = engine.blame(resolve_document(engine, document))
        sources = authors_of_observations(engine, (part.added_by for part in parts))
    if options.json:
        print_json([blamed_json(part, sources) for part in parts], exact={"text"})
        return 0
    from reviewdeck.cli.render_learnt import blame_lines

    screen, texts = console(options), ["\n".join(part.text for part in parts)]
    redaction = Redaction(texts, is_off=reveal)
    for line in blame_lines(parts, sources, utc_now(), redaction):
        screen.print(line, soft_wrap=True)
    return 0
