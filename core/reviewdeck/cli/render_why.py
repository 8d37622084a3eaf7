"""The live lines that a sentence may come from, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from rich.text import Text

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import Options
from reviewdeck.cli.render_learnt import credit_words
from reviewdeck.engine.why import SourceLine
from reviewdeck.presentation.changes import Author
from reviewdeck.presentation.sources import said_words, share_words, shared_words
from reviewdeck.presentation.words import age_of, inert, one_line
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import Redaction, redact


def source_lines(
    sources: Sequence[SourceLine],
    authors: Mapping[str, Author],
    now: datetime,
    names: Mapping[str, str],
    redaction: Redaction,
    options: Options,
) -> Iterator[Text]:
    """Each line with what it shares, who taught it, and the command that takes it back."""
    for source in sources:
        line = source.line
        home = f"{one_line(names.get(line.home, line.home))}: " if len(names) > 1 else ""
        yield Text(f"-- {home}{one_line(redact(line.place))}", style="bold cyan")
        for text in visible(redaction.text(line.text)).split("\n"):
            yield Text(f"  {text}")
        if source.shared.words:
            words = inert(", ".join(shared_words(source, redaction)))
            yield Text(f"    {share_words(source)}: {words}", style="dim")
        if source.by is not None:
            credit = redact(credit_words(source.by, dict(authors)))
            yield Text(f"    {credit}, {age_of(source.by.at, now)} ago", style="dim")
        if said := said_words(source):
            yield Text(f"    {redact(said)}", style="dim")
        yield Text(f"    to take it back: {command(options, 'revert', '--line', line.id)}")
