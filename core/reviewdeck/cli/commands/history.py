"""`reviewdeck history`."""

from __future__ import annotations

from reviewdeck.cli.documents import resolve_document
from reviewdeck.cli.options import DEFAULTS, DocumentName, Options
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.session import fresh_engine
from reviewdeck.engine.history import mode_changes
from reviewdeck.presentation.items import observation_json


def history(
    document: DocumentName,
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """List the revisions of a document, oldest first, with author and reason."""
    with fresh_engine(options) as engine:
        observations = engine.history(resolve_document(engine, document))
    if options.json:
        print_json(
            [
                observation_json(observation) | ({"executable": mode} if mode else {})
                for observation, mode in zip(observations, mode_changes(observations), strict=True)
            ]
        )
        return 0
    from reviewdeck.cli.render_history import history_table

    console(options).print(history_table(observations))
    return 0
