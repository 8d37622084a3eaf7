"""Whether the result of a merge can be drafted: its budget, its front matter, its open places."""

from __future__ import annotations

from dataclasses import dataclass

from reviewdeck.planning.frontmatter import check_skill_text
from reviewdeck.planning.merge import Decided, MergeProgress
from reviewdeck.presentation.words import count
from reviewdeck.text import entries
from reviewdeck.text.conflicts import Take
from reviewdeck_tui.proposal.panes import Span

SKILL_FILE = "/SKILL.md"


@dataclass(frozen=True, slots=True)
class ResultCheck:
    """The check of a merge's result."""

    summary: Span
    """A summary for the line over the result, as ``1620/2200 fits``, in its colour."""
    against: str = ""
    """Why the result cannot be drafted; empty if it can."""
    keeps_live: bool = False
    """Whether the result is the live text, so that a draft of it is a rejection."""


def check(merging: MergeProgress, limit: int | None) -> ResultCheck:
    """Checks a memory's budget, a skill's front matter, and for open places."""
    result = merging.result
    text = result.text if isinstance(result, Decided) else None
    summary, problem = _check_kind(merging, limit, text, is_decided=isinstance(result, Decided))
    if not isinstance(result, Decided):
        amount = len(merging.open)
        return ResultCheck(summary, f"{count(amount, 'conflict is', 'conflicts are')} unresolved")
    if merging.unparsed is not None:
        return ResultCheck(summary, "the markers in your text could not be read: e opens it again")
    if text == merging.sides.live:
        return ResultCheck(summary, keeps_live=True)
    return ResultCheck(summary, problem)


def _check_kind(
    merging: MergeProgress, limit: int | None, text: str | None, *, is_decided: bool
) -> tuple[Span, str]:
    if is_decided and text is None:
        return ("the file is deleted", "lost"), ""
    if limit is not None:
        return _check_budget(merging, limit)
    if merging.sides.path.endswith(SKILL_FILE):
        return _check_front_matter(merging, text)
    return ("", "quiet"), ""


def _check_budget(merging: MergeProgress, limit: int) -> tuple[Span, str]:
    """The budget. As in Hermes, a memory over its budget may be written if it shrinks."""
    takes = [take for take in Take if take is not Take.BASE or merging.sides.base_known]
    sizes = {entries.size(entries.parse(merging.text_with(take))) for take in takes}
    least, most = min(sizes), max(sizes)
    amount = f"{least}" if least == most else f"{least} to {most}"
    current = entries.size(entries.parse(merging.sides.live or ""))
    allowed = max(limit, current - 1)
    if least > allowed:
        return (f"{amount}/{limit} OVER", "dangerous"), f"it is over its budget of {limit}"
    if most > allowed:
        return (f"{amount}/{limit} may be over", "flag"), ""
    return (f"{amount}/{limit} fits", "ready"), ""


def _check_front_matter(merging: MergeProgress, text: str | None) -> tuple[Span, str]:
    """The front matter of the result, or of what open places may make of it."""
    if text is not None:
        problem = check_skill_text(text)
        if problem is None:
            return ("front matter valid", "ready"), ""
        return (f"INVALID: {problem}", "dangerous"), problem
    problems = [check_skill_text(merging.text_with(take)) for take in (Take.OURS, Take.THEIRS)]
    if not any(problems):
        return ("front matter valid so far", "ready"), ""
    return ("may be invalid: " + next(problem for problem in problems if problem), "flag"), ""
