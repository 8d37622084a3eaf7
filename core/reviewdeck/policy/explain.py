"""A judgement as plain rows, for whoever wants to know which rule said what."""

from __future__ import annotations

from dataclasses import dataclass

from reviewdeck.model import AutoApply, Judgement, Refuse, Review, RuleResult, Severity, Span


@dataclass(frozen=True, slots=True)
class Row:
    """What one rule said."""

    rule: str
    said: str
    """nothing, or the messages of its findings."""
    why: str
    """Why the rule exists."""
    effect: str
    """passes, notes, holds or refuses."""
    spans: tuple[Span, ...] = ()


def explain(judgement: Judgement) -> tuple[Row, ...]:
    """One row per rule, in the order in which they were asked."""
    return tuple(_row(result) for result in judgement.trail)


def summarise(judgement: Judgement) -> str:
    """The verdict in one line."""
    match judgement.verdict:
        case AutoApply(rule):
            return f"Applied without an operator: its shape is {rule}, and no rule objects."
        case Review(findings):
            return f"Held for review: {findings[0].message}" if findings else "Held for review."
        case Refuse(findings):
            return f"Refused: {findings[0].message}"


def _row(result: RuleResult) -> Row:
    return Row(
        rule=result.rule,
        said=" ".join(dict.fromkeys(finding.message for finding in result.findings)) or "nothing",
        why=result.reason,
        effect=_effect(result),
        spans=tuple(finding.span for finding in result.findings if finding.span is not None),
    )


def _effect(result: RuleResult) -> str:
    if result.refuses:
        return "refuses"
    if any(finding.severity.rank >= Severity.LOW.rank for finding in result.findings):
        return "holds"
    return "notes" if result.findings else "passes"
