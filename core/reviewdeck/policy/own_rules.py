"""What a policy file makes of the findings of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviewdeck.model import Finding, Proposal, RuleResult, Severity
from reviewdeck.policy.tuning import Effect, OwnRule, Tuning


def tuned(
    proposal: Proposal, trail: tuple[RuleResult, ...], tuning: Tuning
) -> tuple[RuleResult, ...]:
    """The trail with other severities, with what is set aside, and with the file's own rules."""
    if not tuning.severities and not tuning.rules:
        return trail
    weighed = tuple(_weighed(result, tuning) for result in trail)
    allowing = [rule for rule in tuning.rules if _allows(rule, proposal)]
    for rule in allowing:
        weighed = tuple(_set_aside(result, rule) for result in weighed)
    return (*weighed, *_own(proposal, tuning))


def _weighed(result: RuleResult, tuning: Tuning) -> RuleResult:
    severity = tuning.severities.get(result.rule)
    if severity is None:
        return result
    return replace(
        result, findings=tuple(replace(found, severity=severity) for found in result.findings)
    )


def _allows(rule: OwnRule, proposal: Proposal) -> bool:
    return rule.effect is Effect.ALLOW and rule.scope.covers(proposal, wholly=True)


def _set_aside(result: RuleResult, rule: OwnRule) -> RuleResult:
    if result.rule not in rule.sets_aside or result.refuses:
        return result
    return replace(result, findings=tuple(_noted(found, rule) for found in result.findings))


def _noted(found: Finding, rule: OwnRule) -> Finding:
    said = f"{found.message} Set aside by {rule.name}: {rule.reason}"
    return replace(found, severity=Severity.INFO, message=said)


def _own(proposal: Proposal, tuning: Tuning) -> Iterator[RuleResult]:
    for rule in tuning.rules:
        if rule.effect is Effect.ALLOW:
            continue
        hits = rule.scope.covers(proposal, wholly=False)
        refuses = rule.effect is Effect.REFUSE
        severity = Severity.CRITICAL if refuses else rule.severity
        found = (Finding(rule.name, severity, rule.reason),) if hits else ()
        yield RuleResult(rule.name, rule.reason, found, refuses and hits)
