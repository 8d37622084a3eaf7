"""`reviewdeck restore`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.consent import is_confirmed
from reviewdeck.cli.documents import resolve_document, resolve_revision
from reviewdeck.cli.next_steps import ENOUGH, command
from reviewdeck.cli.options import DEFAULTS, DocumentName, Options
from reviewdeck.cli.outcomes import print_operation
from reviewdeck.cli.output import console, print_json, say
from reviewdeck.cli.render_diff import Pen, document_lines
from reviewdeck.cli.session import engine_for_home, fresh_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.written import written_item
from reviewdeck.ports import Home
from reviewdeck.presentation.document_diff import TEXTS, DocumentDiff, changed_documents
from reviewdeck.presentation.elsewhere import waiting_for
from reviewdeck.terminal import is_terminal
from reviewdeck.text.redact import Redaction, redact


def restore(
    document: DocumentName,
    revision: Annotated[
        str,
        Parameter(help="The revision, or a unique prefix: reviewdeck history shows them."),
    ],
    /,
    *,
    digest: Annotated[
        str | None,
        Parameter(help="The digest that the command prints without it; 12 digits are enough."),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """Restore a document to an earlier revision.

    In a terminal the change is shown and you are asked. Elsewhere --digest says which change you
    saw. The operation can be undone.
    """
    if digest is None:
        with fresh_engine(options, writes=True) as engine:
            digest = _show(engine, document, revision, options)
        if digest is None or options.json or not is_terminal():
            return 0
        if not is_confirmed(yes=False, question="Restore exactly this? [y/N] "):
            return 0
    with engine_for_home(options) as engine:
        path = resolve_document(engine, document)
        done = engine.restore(
            path, resolve_revision(engine, path, revision), digest.strip().lower()
        )
        item, machine = written_item(engine.ledger, done), waiting_for(engine, done)
        print_operation("restored", done, item, options, waits_for=machine)
    return 0


def _show(engine: Engine, document: str, revision: str, options: Options) -> str | None:
    """Prints what it would do; gives the digest of that, None where it cannot be done."""
    path = resolve_document(engine, document)
    target = resolve_revision(engine, path, revision)
    evaluation = engine.evaluate_restore(path, target)
    home = engine.home_by_id().home
    if options.json:
        documents = [diff.as_json() for diff in _documents(home, evaluation)]
        print_json(
            {"digest": evaluation.digest, "revision": target, "documents": documents}, exact=TEXTS
        )
        return evaluation.digest
    print_outcome(home, evaluation, options)
    if evaluation.digest is None:
        say(f"This cannot be restored as it is: {redact(evaluation.reason)}")
        return None
    say(f"digest {evaluation.digest}")
    if not is_terminal():
        prefix = evaluation.digest[:ENOUGH]
        say(command(options, "restore", document, target[:ENOUGH], "--digest", prefix))
    return evaluation.digest


def print_outcome(home: Home, evaluation: Evaluation, options: Options) -> None:
    """Prints what a reversal would do to each document."""
    screen = console(options)
    pen = Pen(coloured=screen.color_system is not None)
    for diff in _documents(home, evaluation):
        redaction = Redaction(text for text in (diff.before, diff.after) if text is not None)
        for line in document_lines(diff.redacted(redaction), pen):
            screen.print(line, soft_wrap=True)


def _documents(home: Home, evaluation: Evaluation) -> Sequence[DocumentDiff]:
    return changed_documents(evaluation.staged.outcome, home.snapshot(), home.readers)
