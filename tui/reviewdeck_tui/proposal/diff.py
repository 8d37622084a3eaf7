"""A proposal as a document that the diff view shows. Pure: no widget, no I/O.

A memory is shown by whole entries, anything else by lines; a conflict with its base, what is live
and what is proposed; one that is dead with what it wanted and the nearest thing that is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, assert_never

from reviewdeck.model import Change, Conflict, Dead, Ready
from reviewdeck.planning.losses import overwritten
from reviewdeck.planning.rebase import merge_for
from reviewdeck.presentation.requests import requested
from reviewdeck.text import diff
from reviewdeck.text.conflicts import Clean, Conflicted, Take, resolve
from reviewdeck.text.conflicts import ConflictRegion as Clash
from reviewdeck_tui.proposal.diff_document import (
    Authors,
    DiffDocument,
    Line,
    Notice,
    Quote,
    Section,
    Tone,
)
from reviewdeck_tui.proposal.flags import with_flags
from reviewdeck_tui.proposal.memory import budget_words, lost_notices, memory_lines
from reviewdeck_tui.proposal.padding import without_padding

if TYPE_CHECKING:
    from reviewdeck.engine.evaluate import Evaluation  # loads all of the policy: not for one name

__all__ = ["DiffDocument", "Section", "composed", "present", "section_of"]

Budget = Callable[[str], int | None]
"""How many characters the document at a path may have; None for no limit."""

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
) -> DiffDocument:
    """What a proposal does, one section for each document.

    `budget` is the snapshot's; `authors` says in words what is known of ``base``, ``live`` and
    ``proposed``; `live_author` who brought a text that is live, where it can tell.
    """
    limit = budget or _no_limit
    known = dict(authors or {})
    match evaluation.staged.outcome:
        case Ready(plan):
            sections = [_of_change(change, limit) for change in plan.changes]
        case Conflict() as conflict:
            by_text = live_author or (lambda text: "")
            sections = list(_of_conflict(conflict, evaluation, limit, known, by_text))
        case Dead() as dead:
            sections = [_of_dead(dead, evaluation, known)]
        case _:
            assert_never(evaluation.staged.outcome)
    proposal = evaluation.proposal
    flagged = with_flags(sections, proposal.edits, evaluation.findings)
    folded = tuple(map(without_padding, flagged))
    return DiffDocument(proposal.id, f"{proposal.action} {proposal.target}", folded)


def composed(id: str, title: str, changes: list[Change], *, budget: Budget) -> DiffDocument:
    """Changes worked out together, for the summary or for what was applied."""
    return DiffDocument(id, title, tuple(_of_change(change, budget) for change in changes))


def section_of(path: str, before: str | None, after: str | None, limit: int | None) -> Section:
    """One document from what it is to what it becomes."""
    if limit is not None or path.startswith(_MEMORIES):
        lines = tuple(memory_lines(before or "", after or "", limit))
        return Section(path, lines, _fate(before, after))
    rows = diff.unified(before or "", after or "", context=None)
    same = (before or "") == (after or "")
    return Section(
        title=path,
        lines=(Notice(_same(before, after)), *rows) if same else tuple(rows),
        note=_fate(before, after),
        language=language_of(path),
        numbered=True,
    )


def language_of(path: str) -> str:
    """What the lines of a file are coloured as."""
    name = path.rpartition("/")[2]
    return _LANGUAGES.get(name.rpartition(".")[2].lower(), "") if "." in name else ""


def _no_limit(path: str) -> int | None:
    return None


def _of_change(change: Change, budget: Budget) -> Section:
    limit = budget(change.path)
    section = section_of(change.path, _text(change.before), _text(change.after), limit)
    return replace(section, note=change.became) if change.became else section


def _fate(before: str | None, after: str | None) -> str:
    if before is None:
        return "new"
    return "goes away" if after is None else ""


def _same(before: str | None, after: str | None) -> str:
    """What a change is that changes no text."""
    if before is None:
        return "An empty file." if after is not None else "Nothing."
    return "An empty file goes away." if after is None else "The text stays as it is."


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", errors="replace")


def _of_conflict(
    conflict: Conflict,
    evaluation: Evaluation,
    budget: Budget,
    known: Mapping[str, str],
    live_author: Callable[[str], str],
) -> Iterator[Section]:
    live, proposed = _text(conflict.live) or "", _text(conflict.proposed) or ""
    merged = _merged(conflict, evaluation)
    whole = Clash(_text(conflict.base), live, proposed)
    places = merged.hunks if merged is not None else (whole,)
    lines: list[Line] = []
    starts = []
    for number, place in enumerate(places, 1):
        starts.append(len(lines))
        if len(places) > 1:
            lines.append(Notice(f"place {number} of {len(places)}", Tone.HEADING))
        of_it = {"live": said} if (said := live_author(place.ours)) else {}
        lines += _place_lines(place, conflict, {**known, **of_it})
    limit = budget(conflict.path)
    if limit is not None:
        aside = budget_words(proposed, limit)
        lines += lost_notices(_lost(places), aside, "LOST if taken as proposed")
    yield Section(
        title=conflict.path,
        lines=tuple(lines),
        note=f"# conflict: {conflict.reason}",
        language=language_of(conflict.path),
        conflicts=tuple(starts),
    )
    yield from _besides(conflict.path, live, merged, limit)
    for change in conflict.others:
        yield _of_change(change, budget)


def _merged(conflict: Conflict, evaluation: Evaluation) -> Conflicted | None:
    """The three texts merged; None when the whole document is the place."""
    live, proposed = _text(conflict.live), _text(conflict.proposed)
    if live is None or proposed is None:
        return None
    base = _text(conflict.base) if conflict.base_known else None
    merged = merge_for(evaluation.proposal, conflict.path)(base, live, proposed)
    return merged if isinstance(merged, Conflicted) else None


def _besides(
    path: str, live: str, merged: Conflicted | None, limit: int | None
) -> Iterator[Section]:
    """What changes in the live text even when every place stays as it is live."""
    if merged is None:
        return
    kept = resolve(merged, dict.fromkeys(range(len(merged.hunks)), Take.OURS))
    if isinstance(kept, Clean) and kept.text != live:
        yield replace(section_of(path, live, kept.text, limit), note="merged automatically")


def _lost(places: Sequence[Clash]) -> list[str]:
    """What came into the live text since and is not in the proposed one."""
    return [
        clause for place in places for clause in overwritten(place.ours, place.base, place.theirs)
    ]


def _place_lines(place: Clash, conflict: Conflict, known: Mapping[str, str]) -> Iterator[Line]:
    if not conflict.base_known:
        yield Notice("base unknown", Tone.QUIET)
        yield Authors(_side("live", known), _side("proposed", known))
        yield from _against(place.ours, place.theirs)
        return
    seen = _side("base", known) if place.base is not None else "base: no such file"
    yield Authors(seen, _side("proposed", known))
    yield from _against(place.base or "", place.theirs)
    yield Authors(seen, _side("live", known))
    yield from _against(place.base or "", place.ours)


def _against(before: str, after: str) -> Iterator[Line]:
    """What one side did to a text: each is shown against what it started from."""
    if before == after:
        yield from _quoted(after or "(nothing)")
    else:
        yield from diff.unified(before, after, context=None)


def _side(name: str, known: Mapping[str, str]) -> str:
    return f"{name}: {known[name]}" if known.get(name) else name


def _of_dead(dead: Dead, evaluation: Evaluation, known: Mapping[str, str]) -> Section:
    lines: list[Line] = [Notice(dead.message, Tone.OVER)]
    for edit in evaluation.proposal.edits:
        for label, text in requested(edit):
            lines.append(Notice(label, Tone.QUIET))
            lines += _quoted(text) if text else ()
    if dead.candidate is not None:
        lines.append(Notice("nearest thing that is live", Tone.HEADING))
        lines += _quoted(dead.candidate)
    title = ", ".join(evaluation.paths) or evaluation.proposal.target
    return Section(title, tuple(lines), f"x dead: {dead.reason.value.replace('-', ' ')}")


def _quoted(text: str) -> Iterator[Line]:
    for line in text.replace("\r\n", "\n").rstrip("\n").split("\n"):
        yield Quote(line)
