"""Whether the result of a merge could be drafted: its budget, its front matter, what is open."""

from __future__ import annotations

from dataclasses import dataclass

from reviewdeck.planning.frontmatter import check_skill_text
from reviewdeck.planning.merge import Decided, Merging
from reviewdeck.presentation.words import count
from reviewdeck.text import entries
from reviewdeck.text.conflicts import Take
from reviewdeck_tui.proposal.panes import Span

SKILL_FILE = "/SKILL.md"


@dataclass(frozen=True, slots=True)
class Checked:
    """What there is to say about a result."""

    said: Span
    """For the line over it: ``1620/2200 fits``, in its colour."""
    against: str = ""
    """Why it cannot be drafted as it is; empty when nothing speaks against it."""
    keeps_live: bool = False
    """Whether the result is what is live: then nothing is to be written, and it is a rejection."""


def check(merging: Merging, limit: int | None) -> Checked:
    """A memory by its budget, a skill by its front matter, anything by what is open."""
    result = merging.result
    text = result.text if isinstance(result, Decided) else None
    said, problem = _by_kind(merging, limit, text, is_decided=isinstance(result, Decided))
    if not isinstance(result, Decided):
        amount = len(merging.open)
        return Checked(said, f"{count(amount, 'place is', 'places are')} open")
    if merging.kept is not None:
        return Checked(said, "the markers in your text could not be read: e opens it again")
    if text == merging.sides.live:
        return Checked(said, keeps_live=True)
    return Checked(said, problem)


def _by_kind(
    merging: Merging, limit: int | None, text: str | None, *, is_decided: bool
) -> tuple[Span, str]:
    if is_decided and text is None:
        return ("the file goes away", "lost"), ""
    if limit is not None:
        return _budget(merging, limit)
    if merging.sides.path.endswith(SKILL_FILE):
        return _front(merging, text)
    return ("", "quiet"), ""


def _budget(merging: Merging, limit: int) -> tuple[Span, str]:
    """One that grows beyond its budget is not written; one that shrinks is, as Hermes does."""
    takes = [Take.OURS, Take.THEIRS, *([Take.BASE] if merging.sides.base_known else [])]
    sizes = {entries.size(entries.parse(merging.filled(take))) for take in takes}
    least, most = min(sizes), max(sizes)
    amount = f"{least}" if least == most else f"{least} to {most}"
    now = entries.size(entries.parse(merging.sides.live or ""))
    bearable = max(limit, now - 1)
    if least > bearable:
        return (f"{amount}/{limit} OVER", "dangerous"), f"it is over its budget of {limit}"
    if most > bearable:
        return (f"{amount}/{limit} may be over", "flag"), ""
    return (f"{amount}/{limit} fits", "ready"), ""


def _front(merging: Merging, text: str | None) -> tuple[Span, str]:
    """The front matter as it is, or as it may become with what is open."""
    if text is not None:
        problem = check_skill_text(text)
        if problem is None:
            return ("front matter valid", "ready"), ""
        return (f"INVALID: {problem}", "dangerous"), problem
    problems = [check_skill_text(merging.filled(take)) for take in (Take.OURS, Take.THEIRS)]
    if not any(problems):
        return ("front matter valid so far", "ready"), ""
    return ("may be invalid: " + next(one for one in problems if one), "flag"), ""
