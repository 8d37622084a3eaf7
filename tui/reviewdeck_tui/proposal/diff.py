"""A proposal as a document for the diff view. Pure: no widget, no I/O.

A memory is shown by whole entries, anything else by lines; a conflict with its base, its live
and its proposed text; a dead proposal with its request and the nearest live text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, assert_never

from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.model import Change, Conflict, Dead, Ready
from reviewdeck.planning.losses import lost_rules
from reviewdeck.presentation.document_diff import (
    conflicted_merge,
    lost_if_proposed,
    resolved_as_live,
)
from reviewdeck.presentation.requests import edit_parts
from reviewdeck.text import diff
from reviewdeck.text.conflicts import Conflicted
from reviewdeck.text.conflicts import ConflictRegion as Clash
from reviewdeck.text.lines import decoded
from reviewdeck_tui.proposal.diff_document import (
    Authors,
    DiffDocument,
    Line,
    Notice,
    Quote,
    Section,
    Tone,
    without_padding,
)
from reviewdeck_tui.proposal.flags import with_flags
from reviewdeck_tui.proposal.memory import (
    budget_words,
    lost_notices,
    lost_of_entries,
    lost_rule_notices,
    memory_lines,
)

__all__ = ["DiffDocument", "Section", "compose_diff", "present", "section_of"]

Budget = Callable[[str], int | None]
"""The character limit of the document at a path; None for no limit."""

Reading = Callable[[Change], Sequence[str]]
"""Where a change is not for the model what it is in the file, a sentence for each case."""

_MEMORIES: Final = "memories/"
_LANGUAGES: Final = {
    "md": "markdown",
    "markdown": "markdown",
    "py": "python",
    "sh": "bash",
    "bash": "bash",
    "zsh": "bash",
    "js": "javascript",
    "mjs": "javascript",
    "ts": "typescript",
    "json": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "ini": "ini",
    "cfg": "ini",
    "rb": "ruby",
    "pl": "perl",
    "sql": "sql",
    "ps1": "powershell",
}


def present(
    evaluation: Evaluation,
    *,
    budget: Budget | None = None,
    authors: Mapping[str, str] | None = None,
    live_author: Callable[[str], str] | None = None,
    reading: Reading | None = None,
) -> DiffDocument:
    """The diff of a proposal, one section for each document.

    `budget` is the snapshot's; `authors` describes who wrote ``base``, ``live`` and ``proposed``;
    `live_author` names the author of a live text, or returns ""; `reading` says where a change is
    not for the model what it is in the file.
    """
    limit = budget or _no_limit
    author_words = dict(authors or {})
    match evaluation.staged.outcome:
        case Ready(plan):
            sections = [
                _with_notes(_change_section(change, limit), reading(change) if reading else ())
                for change in plan.changes
            ]
        case Conflict() as conflict:
            by_text = live_author or (lambda text: "")
            sections = list(_conflict_sections(conflict, evaluation, limit, author_words, by_text))
        case Dead() as dead:
            sections = [_dead_section(dead, evaluation, author_words)]
        case _:
            assert_never(evaluation.staged.outcome)
    proposal = evaluation.proposal
    is_flagged = with_flags(sections, proposal.edits, evaluation.findings)
    folded = tuple(map(without_padding, is_flagged))
    return DiffDocument(proposal.id, f"{proposal.action} {proposal.target}", folded)


def _with_notes(section: Section, notes: Sequence[str]) -> Section:
    return replace(section, lines=(*(Notice(each, Tone.OPEN) for each in notes), *section.lines))


def compose_diff(id: str, title: str, changes: list[Change], *, budget: Budget) -> DiffDocument:
    """Composed changes, for the summary or for what was applied."""
    return DiffDocument(id, title, tuple(_change_section(change, budget) for change in changes))


def section_of(path: str, before: str | None, after: str | None, limit: int | None) -> Section:
    """A document as it is and as it becomes."""
    if limit is not None or path.startswith(_MEMORIES):
        lines = tuple(memory_lines(before or "", after or "", limit))
        return Section(path, lines, _fate(before, after))
    rows = diff.unified(before or "", after or "", context=None)
    same = (before or "") == (after or "")
    return Section(
        title=path,
        lines=(Notice(_unchanged_words(before, after)), *rows)
        if same
        else (*rows, *lost_rule_notices(path, before, after)),
        note=_fate(before, after),
        language=language_of(path),
        numbered=True,
    )


def lost_words(path: str, before: str | None, after: str | None) -> Sequence[str]:
    """What a document no longer says in any words: by entry for a memory, else by rule."""
    if path.startswith(_MEMORIES):
        return lost_of_entries(before or "", after or "")
    return lost_rules(path, before, after)


def language_of(path: str) -> str:
    """The language by which the lines of a file are coloured."""
    name = path.rpartition("/")[2]
    return _LANGUAGES.get(name.rpartition(".")[2].lower(), "") if "." in name else ""


def _no_limit(path: str) -> int | None:
    return None


def _change_section(change: Change, budget: Budget) -> Section:
    limit = budget(change.path)
    section = section_of(change.path, decoded(change.before), decoded(change.after), limit)
    return replace(section, note=change.became) if change.became else section


def _fate(before: str | None, after: str | None) -> str:
    if before is None:
        return "new"
    return "deleted" if after is None else ""


def _unchanged_words(before: str | None, after: str | None) -> str:
    """A sentence for a change that leaves the text the same."""
    if before is None:
        return "An empty file." if after is not None else "Nothing."
    return "An empty file is deleted." if after is None else "The text stays as it is."


def _conflict_sections(
    conflict: Conflict,
    evaluation: Evaluation,
    budget: Budget,
    author_words: Mapping[str, str],
    live_author: Callable[[str], str],
) -> Iterator[Section]:
    live, proposed = decoded(conflict.live) or "", decoded(conflict.proposed) or ""
    merged = conflicted_merge(conflict, evaluation.proposal)
    entire = Clash(decoded(conflict.base), live, proposed)
    places = merged.hunks if merged is not None else (entire,)
    lines: list[Line] = []
    starts = []
    for number, place in enumerate(places, 1):
        starts.append(len(lines))
        if len(places) > 1:
            lines.append(Notice(f"conflict {number} of {len(places)}", Tone.HEADING))
        live_words = {"live": author} if (author := live_author(place.ours)) else {}
        lines += _place_lines(place, conflict, {**author_words, **live_words})
    limit, lost = budget(conflict.path), lost_if_proposed(places)
    if limit is not None or lost:
        aside = "" if limit is None else budget_words(proposed, limit)
        lines += lost_notices(lost, aside, "LOST if taken as proposed")
    yield Section(
        title=conflict.path,
        lines=tuple(lines),
        note=f"# conflict: {conflict.reason}",
        language=language_of(conflict.path),
        conflicts=tuple(starts),
    )
    yield from _merged_sections(conflict.path, live, merged, limit)
    for change in conflict.others:
        yield _change_section(change, budget)


def _merged_sections(
    path: str, live: str, merged: Conflicted | None, limit: int | None
) -> Iterator[Section]:
    """The changes of the live text that remain even if every place keeps it."""
    if merged is not None and (text := resolved_as_live(merged)) not in (None, live):
        yield replace(section_of(path, live, text, limit), note="merged automatically")


def _place_lines(
    place: Clash, conflict: Conflict, author_words: Mapping[str, str]
) -> Iterator[Line]:
    if not conflict.base_known:
        yield Notice("base unknown", Tone.QUIET)
        yield Authors(_side_words("live", author_words), _side_words("proposed", author_words))
        yield from _side_lines(place.ours, place.theirs)
        return
    base_words = (
        _side_words("base", author_words) if place.base is not None else "base: no such file"
    )
    yield Authors(base_words, _side_words("proposed", author_words))
    yield from _side_lines(place.base or "", place.theirs)
    yield Authors(base_words, _side_words("live", author_words))
    yield from _side_lines(place.base or "", place.ours)


def _side_lines(before: str, after: str) -> Iterator[Line]:
    if before == after:
        yield from _quotes(after or "(nothing)")
        return
    if not (before and after):  # How the only text ends (an entry has no newline) says nothing.
        before, after = (text and text.removesuffix("\n") + "\n" for text in (before, after))
    yield from diff.unified(before, after, context=None)


def _side_words(name: str, author_words: Mapping[str, str]) -> str:
    return f"{name}: {author_words[name]}" if author_words.get(name) else name


def _dead_section(dead: Dead, evaluation: Evaluation, author_words: Mapping[str, str]) -> Section:
    lines: list[Line] = [Notice(dead.message, Tone.OVER)]
    for edit in evaluation.proposal.edits:
        for label, text in edit_parts(edit):
            lines.append(Notice(label, Tone.QUIET))
            lines += _quotes(text) if text else ()
    if dead.candidate is not None:
        lines.append(Notice("nearest live text", Tone.HEADING))
        lines += _quotes(dead.candidate)
    title = ", ".join(evaluation.paths) or evaluation.proposal.target
    return Section(
        title, tuple(lines), f"x cannot be applied: {dead.reason.value.replace('-', ' ')}"
    )


def _quotes(text: str) -> Iterator[Line]:
    for line in text.replace("\r\n", "\n").rstrip("\n").split("\n"):
        yield Quote(line)
