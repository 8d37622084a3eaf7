"""`reviewdeck report`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TextIO, assert_never

from cyclopts import Parameter

from reviewdeck.cli.moments import moment_of
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import answer
from reviewdeck.cli.session import fresh_engine
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.errors import BadInput, WriteFailed
from reviewdeck.interruption import uninterrupted
from reviewdeck.presentation.words import inert
from reviewdeck.terminal import is_terminal

if TYPE_CHECKING:
    from datetime import datetime

    from reviewdeck.engine.engine import Engine


class ReportFormat(StrEnum):
    """The form of a report."""

    HTML = "html"
    MD = "md"
    CSV = "csv"
    JSON = "json"


PAGE: Final = "reviewdeck-report.html"
"""Where the page goes in a terminal, which nobody could read it in."""


def report(
    *,
    since: Annotated[
        str, Parameter(help="A date, a time, or how long ago: 2h, 3d, 1w. By default 1w.")
    ] = "1w",
    format: Annotated[
        ReportFormat | None,
        Parameter(
            help="html, a page that needs no network and prints well; md, csv or json. By default"
            " as the file is named, else html."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        Parameter(
            help=f"The file to write. By default the output of the command; in a terminal the page"
            f" goes into {PAGE}."
        ),
    ] = None,
    force: Annotated[bool, Parameter(help="Replace a file that exists already.")] = False,
    options: Options = DEFAULTS,
) -> int:
    """What was learned with the user's own words beside, what was stopped, what waits, how full
    the memories are, who decided; each line with the command that takes it back.
    """
    form = _form_of(format, output, options)
    now = utc_now()
    start = moment_of(since, now)
    if start > now:
        raise UsageProblem(f"{since!r} has not come yet.", hint="A report is about the past.")
    if output is None and form is ReportFormat.HTML and is_terminal():
        output = Path(PAGE)
    with fresh_engine(options, everywhere=True) as engine:
        if output is None:
            _write(engine, form, start, now, options, sys.stdout)
            return 0
        _check_place(engine, output)
        with _new_file(output, force=force) as file:
            _write(engine, form, start, now, options, file)
    wrote = {"file": str(output), "format": str(form)}
    answer(options, wrote, f"Wrote {inert(str(output))}.")
    return 0


def _form_of(format: ReportFormat | None, output: Path | None, options: Options) -> ReportFormat:
    if options.json and format not in (None, ReportFormat.JSON):
        raise UsageProblem(f"Choose one of --json and --format {format}.", hint="Each is one form.")
    if options.json or format is not None:
        return format or ReportFormat.JSON
    if output is None:
        return ReportFormat.HTML
    suffix = output.suffix.lower().removeprefix(".")
    by_suffix = {"htm": ReportFormat.HTML, "markdown": ReportFormat.MD}
    by_suffix |= {str(form): form for form in ReportFormat}
    if suffix not in by_suffix:
        raise UsageProblem(
            f"{inert(output.name)} does not say which form it is to have.",
            hint="Name it .html, .md, .csv or .json, or add --format.",
        )
    return by_suffix[suffix]


def _write(
    engine: Engine,
    form: ReportFormat,
    since: datetime,
    now: datetime,
    options: Options,
    out: TextIO,
) -> None:
    # Each form loads what it needs when it is asked for: the page a template engine.
    from reviewdeck.presentation.report import every_row, facts_of, report_of

    match form:
        case ReportFormat.HTML:
            from reviewdeck.cli.report.html import write_html

            write_html(report_of(engine, since, now), options, out)
        case ReportFormat.MD:
            from reviewdeck.cli.report.markdown import write_markdown

            write_markdown(report_of(engine, since, now), options, out)
        case ReportFormat.CSV | ReportFormat.JSON:
            from reviewdeck.cli.report.csv import write_csv
            from reviewdeck.cli.report.json import write_json

            with engine.ledger.at_once():
                facts = facts_of(engine, since, now)
                rows = every_row(engine, since, facts.totals)
                write = write_csv if form is ReportFormat.CSV else write_json
                write(rows, facts, options, out)
        case _:
            assert_never(form)


def _check_place(engine: Engine, output: Path) -> None:
    """Refuses a place inside an agent's home: a look writes nothing there."""
    parent = output.absolute().parent.resolve()
    for home in engine.homes:
        if parent.is_relative_to(Path(home.where).resolve()):
            raise BadInput(
                f"{inert(str(output))} is inside the agent's home.",
                hint="Nothing was written. Name a file elsewhere: --output FILE.",
            )


@contextmanager
def _new_file(path: Path, *, force: bool) -> Iterator[TextIO]:
    """A file that only this account reads, in its place once it is whole. Raises WriteFailed."""
    taken = BadInput(
        f"{inert(str(path))} exists already.", hint="Nothing was written. --force replaces it."
    )
    if not force and os.path.lexists(path):
        raise taken
    name = ""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:64]}.", dir=path.parent)
        with open(handle, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123 - a descriptor
            yield file
        with uninterrupted():
            if force:
                Path(name).replace(path)
            else:
                os.link(name, path)  # fails where a file came meanwhile
                Path(name).unlink()
    except FileExistsError:
        raise taken from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise WriteFailed(
            f"{inert(str(path))} cannot be written: {reason}.", hint="Nothing was written."
        ) from error
    finally:
        if name:
            Path(name).unlink(missing_ok=True)
