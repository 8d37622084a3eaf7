"""The verdict: what may be applied without an operator, what is held, what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from reviewdeck.model import (
    AutoApply,
    Finding,
    Judgement,
    Likeness,
    Refuse,
    Review,
    RuleResult,
    Severity,
    StagedProposal,
    Verdict,
)
from reviewdeck.policy.asking import chooser
from reviewdeck.policy.own_rules import tuned
from reviewdeck.policy.reads_like import reads_clear
from reviewdeck.policy.rule import Holds, Subject
from reviewdeck.policy.rules import RULES
from reviewdeck.policy.shape import shape_of
from reviewdeck.policy.tuning import DEFAULT, Tuning

MOST_SECONDS = 2.0
"""What takes longer to judge is held."""
_LOOKS_UP = 8
"""After so many rules the clock is looked at."""
_IN_ORDER = tuple(
    sorted(((rule, place) for place, rule in enumerate(RULES)), key=lambda one: not one[0].refuses)
)
"""The rules with their places in the explanation."""
_CHOOSE = chooser([rule for rule, _ in _IN_ORDER])
_SILENCE = tuple(rule.silence for rule in RULES)
_LAST = _IN_ORDER[-1][1]
_BY_HOLDS = {
    holds: frozenset(place for place, rule in enumerate(RULES) if rule.holds is holds)
    for holds in Holds
}
_READS_LIKE = next(place for place, rule in enumerate(RULES) if rule.name == "reads-like")
_LATE = Finding("too-slow", Severity.MEDIUM, "It took too long to judge: not every rule was asked.")


def classify(
    staged: StagedProposal,
    alike: Sequence[Likeness],
    *,
    live_text: str = "",
    skills: Mapping[str, str] | None = None,
    tuning: Tuning = DEFAULT,
    timer: Callable[[], float] | None = None,
) -> Judgement:
    """Judges a staged proposal by all rules.

    `alike` are texts about the same thing; `live_text` is what the home says already, so that a
    link or command that it knows is no news. `skills` has the live SKILL.md by
    name for files that are added to a skill. `tuning` is what a policy file says.
    `timer` counts seconds: rules that are not asked in time hold what is judged.
    """
    subject = Subject(
        edits=staged.proposal.edits,
        outcome=staged.outcome,
        noticed=staged.findings,
        alike=tuple(alike),
        live_text=live_text,
        limits=tuning.limits,
        skills=skills or {},
    )
    trail = _weighed(_ask(subject, timer), subject)
    trail = tuned(staged.proposal, trail, tuning)
    return Judgement(_verdict(subject, trail), trail)


def _ask(subject: Subject, timer: Callable[[], float] | None) -> tuple[RuleResult, ...]:
    """What the rules say, those that refuse first; what takes too long is held for that."""
    begun = timer() if timer else 0.0
    trail = list(_SILENCE)
    place = _LAST
    is_late = False
    for number, rank in enumerate(_CHOOSE(subject)):
        rule, place = _IN_ORDER[rank]
        # To ask for the time takes as long as a rule does.
        if timer and number % _LOOKS_UP == 0:
            is_late = timer() - begun > MOST_SECONDS
        if is_late:
            trail[place] = RuleResult(rule.name, rule.reason, (_LATE,))
        else:
            trail[place] = rule.apply(subject)
    if timer and not is_late and timer() - begun > MOST_SECONDS:
        last = trail[place]
        trail[place] = replace(last, findings=(*last.findings, _LATE))
    return tuple(trail)


def _weighed(trail: tuple[RuleResult, ...], subject: Subject) -> tuple[RuleResult, ...]:
    """What only tells what a text is about holds it where it reads like poison as a whole."""
    if trail[_READS_LIKE].findings:
        return trail
    light = _BY_HOLDS[Holds.WEIGHED]
    doubtful = _BY_HOLDS[Holds.UNLESS_CLEAR]
    if any(trail[place].findings for place in doubtful) and reads_clear(subject):
        light |= doubtful
    return tuple(
        _lighter(result) if place in light and result.findings else result
        for place, result in enumerate(trail)
    )


def _lighter(result: RuleResult) -> RuleResult:
    findings = (
        found if found.code == _LATE.code else replace(found, severity=Severity.INFO)
        for found in result.findings
    )
    return replace(result, findings=tuple(findings))


def _verdict(subject: Subject, trail: tuple[RuleResult, ...]) -> Verdict:
    spoke = [result for result in trail if result.findings]
    findings = _gravest_first(finding for result in spoke for finding in result.findings)
    if any(result.refuses for result in spoke):
        return Refuse(findings)
    shape = shape_of(subject)
    holds = any(finding.severity.rank >= Severity.LOW.rank for finding in findings)
    if shape is None or holds:
        return Review(findings)
    return AutoApply(shape)


def _gravest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: -finding.severity.rank))
