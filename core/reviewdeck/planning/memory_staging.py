"""Staging the edits of one memory document."""

from __future__ import annotations

from reviewdeck.model import (
    Base,
    Change,
    Dead,
    DeadReason,
    Document,
    Finding,
    MemoryAdd,
    MemoryEdit,
    Proposal,
    Severity,
)
from reviewdeck.planning.memory import MemoryResult, apply_memory
from reviewdeck.planning.parts import Part, base_findings, conflict_of, merged_finding
from reviewdeck.planning.pins import is_pinned, pin_findings, pinned_base
from reviewdeck.planning.rebase import Clash, Request, Rewrite, Settled, settle
from reviewdeck.ports import Snapshot
from reviewdeck.text.entries import BOM, parse, size
from reviewdeck.text.merge import merge_memory


def stage_memory(edits: tuple[MemoryEdit, ...], proposal: Proposal, snapshot: Snapshot) -> Part:
    """Works consecutive edits of one memory document out against what is live."""
    path = edits[0].document
    live, base, budget = snapshot.document(path), _base(edits, proposal), snapshot.budget(path)
    if shut := closed(path, snapshot):
        return Part(outcome=shut)
    is_addition = all(isinstance(edit, MemoryAdd) for edit in edits)
    results: list[MemoryResult] = []

    def rewrite(text: str | None) -> str | Dead:
        on_live = text == (live.data or b"").decode("utf-8")
        result = apply_memory(
            edits, text or "", budget if on_live else None, batch=proposal.action == "batch"
        )
        if isinstance(result, Dead):
            return result
        results.append(result)
        return result.text

    outcome = settle(
        Request(live, base, rewrite, merge_memory, is_addition=is_addition, absent_is_empty=True)
    )
    if isinstance(outcome, Dead) and outcome.reason is DeadReason.TARGET_GONE:
        outcome = _clash_at_pins(edits, live, rewrite, outcome)
    findings = () if is_pinned(edits) else base_findings(base, live, is_addition=is_addition)
    findings += _link_finding(live)
    findings += pin_findings(edits, pins_entries=snapshot.pins_entries)
    if results:
        findings += _lost_findings(results[-1])
    match outcome:
        case Dead():
            return Part(findings=findings, outcome=outcome)
        case Clash():
            return Part(findings=findings, outcome=conflict_of(outcome, proposal, live))
        case Settled(text, merged):
            if over := over_budget(text or "", live, budget):
                return Part(findings=findings, outcome=over)
            change = Change(path, live.data, marked(text or "", live).encode("utf-8"))
            return Part((change,), findings=findings + (merged_finding(path),) * merged)


def _base(edits: tuple[MemoryEdit, ...], proposal: Proposal) -> Base | None:
    base = proposal.bases.get(edits[0].document)
    if is_pinned(edits) and base is not None and not base.has_text:
        return None  # A hash alone tells less than the entries that are named.
    return base


def _clash_at_pins(
    edits: tuple[MemoryEdit, ...], live: Document, rewrite: Rewrite, dead: Dead
) -> Clash | Dead:
    """A named entry that is gone as a clash over it: its author saw that entry.

    Never a merge, however well the texts fit: that what is live came of it is a guess.
    """
    now = live.text
    base = pinned_base(edits, now)
    wanted = None if base is None else rewrite(base)
    if base is None or not isinstance(wanted, str) or parse(wanted) == parse(now):
        return dead
    return Clash(base.encode("utf-8"), wanted.encode("utf-8"), dead.message)


def closed(path: str, snapshot: Snapshot) -> Dead | None:
    """Why nothing is written to a memory: whoever switched it off would not look for it there."""
    why = snapshot.closed(path)
    return Dead(DeadReason.CLOSED, f"{path} takes no writes: {why}.") if why else None


def marked(text: str, live: Document) -> str:
    """The text with the byte order mark that the file has; a merge goes by entries alone."""
    mark = BOM if (live.data or b"").startswith(BOM.encode("utf-8")) else ""
    return mark + text.removeprefix(mark)


def over_budget(text: str, live: Document, budget: int | None) -> Dead | None:
    """Why a text is too long for its memory. One that shrinks is let through, as Hermes does."""
    if budget is None:
        return None
    wanted, now = size(parse(text)), size(parse((live.data or b"").decode("utf-8")))
    if wanted <= budget or wanted < now:
        return None
    return Dead(
        DeadReason.OVER_BUDGET,
        f"{live.path} would have {wanted:,} of {budget:,} characters (it has {now:,}).",
    )


def _link_finding(live: Document) -> tuple[Finding, ...]:
    if live.link is None:
        return ()
    message = f"{live.path} is a symbolic link: what is written is {live.link}."
    return (Finding("link", Severity.INFO, message),)


def _lost_findings(result: MemoryResult) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            "lost-text",
            Severity.MEDIUM,
            "The whole entry is replaced; this part of it would be lost.",
            quote=lost,
        )
        for lost in result.lost
    )
