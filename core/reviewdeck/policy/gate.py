"""The gate: six checks, and an addition goes in without a person when each of them says yes.

What is not known counts as no. `docs/policy.md` explains the checks; the reasons with figures are
in `docs/internals/gate.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from reviewdeck.model import (
    IN_YOUR_WORDS,
    Allowance,
    AutoApply,
    Check,
    CheckName,
    Conflict,
    Currency,
    Dead,
    DeadReason,
    Edit,
    Finding,
    Freshness,
    Hearing,
    Judgement,
    Kind,
    Likeness,
    MemoryAdd,
    Origin,
    OriginClass,
    Proposal,
    Ready,
    Refuse,
    Relation,
    Review,
    Room,
    Severity,
    SkillCreate,
    SkillWriteFile,
    Staged,
    StagedProposal,
    Verdict,
)
from reviewdeck.origin.lasting import is_wish
from reviewdeck.origin.said import hearings
from reviewdeck.policy.additions import (
    DEAD,
    TOO_LARGE,
    Addition,
    addition_of,
    intended_addition,
    non_additive_findings,
)
from reviewdeck.policy.own_rules import own_findings
from reviewdeck.policy.plain import (
    NOTHING_KNOWN,
    RULES,
    KnownToHome,
    RuleFindings,
    SkillFolder,
    check_plain,
)
from reviewdeck.policy.settings import DEFAULT, PolicySettings, Unrecorded
from reviewdeck.policy.statement import why_no_statement
from reviewdeck.text.terms import NEARLY_FROM

NOT_CURRENT = "not-current"
"""The finding that a document is not what its author saw any more."""
OVER_BUDGET = "over-budget"
"""The finding that a memory would have more characters than its agent allows."""
TWIN = "twin"
"""The planner's finding that a name differs from a live one in capitals or accents alone."""
_OF_ADDITIONS = frozenset(
    {
        "origin",
        OVER_BUDGET,
        NOT_CURRENT,
        "like-live",
        "like-pending",
        "like-removed",
        "like-rejected",
    }
)
"""The findings about whether a text may go in by itself."""
_BASE_UNKNOWN = "base-unknown"
"""The planner's finding that nobody knows the base: `current` answers that for an addition."""
_OWN_WORDS = "own-words"
"""The finding that the user's own words would not go in either."""
_ADDRESSED = "addressed"
"""The rule about requests of the reader."""
_POLITE = frozenset({"please", "Please", "bitte", "Bitte"})
_PLAIN = "No rule about its form matches."
_BUILT_IN = frozenset(rule.name for rule in RULES)
_FITS_NOT = frozenset({DeadReason.OVER_BUDGET, DeadReason.TOO_LARGE})
_NAMED = 3
"""Shared words that a sentence names."""


@dataclass(frozen=True, slots=True)
class Case:
    """One staged proposal with everything that the checks ask about."""

    staged: StagedProposal
    origin: Origin
    currency: tuple[Currency, ...] = ()
    """For each document that it touches: what its author saw beside what is live."""
    heard: tuple[Hearing, ...] = ()
    """For each added text what the typed words say about it."""
    similar: tuple[Likeness, ...] = ()
    """Texts about the same matter: live, waiting, removed or rejected."""
    unseen: tuple[Likeness, ...] = ()
    """Live entries that came after its author looked, and that share its matter."""
    known: KnownToHome = NOTHING_KNOWN
    room: Room = field(default_factory=Room)
    folder: SkillFolder | None = None
    """The folder of its skill, beside its texts."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that it would add."""
        return added_texts(self.staged.proposal.edits)


def added_texts(edits: Sequence[Edit]) -> tuple[str, ...]:
    """The texts that additions bring in; other edits never go in without a person."""
    return tuple(
        edit.content for edit in edits if isinstance(edit, MemoryAdd | SkillCreate | SkillWriteFile)
    )


def judge(case: Case, settings: PolicySettings = DEFAULT) -> Judgement:
    """Asks all six checks and says what follows from the answers."""
    plain, refuses = _plain(case, settings)
    origin = _only_answered(case, _origin(case.staged.proposal, case.origin, case.heard, settings))
    said = next((heard.said for heard in case.heard if heard.said), "")
    closest = next((heard.closest for heard in case.heard if not heard.said), "")
    own = _own_words(case.staged.proposal, case.heard)
    return _judgement(case, (plain, origin, _new(case)), said, closest, own, refuses=refuses)


def _own_words(proposal: Proposal, heard: Sequence[Hearing]) -> tuple[str, ...]:
    """What is written in the user's own words; empty where that is what is proposed, or nothing.

    A change outside review is live already, in the agent's words, and what does more than add
    never goes in by itself.
    """
    is_addition = intended_addition(proposal.edits) is not None
    if proposal.outside or not is_addition or not any(each.own for each in heard):
        return ()
    if not all(each.said or each.own for each in heard):
        return ()
    texts = added_texts(proposal.edits)
    return tuple(each.own or text for each, text in zip(heard, texts, strict=True))


def in_own_words(proposed: Judgement, own: Judgement) -> Judgement:
    """The judgement of an addition of which the user's own words are written.

    A check says yes where it does about what the agent proposed and about what is written. What
    the rules of form hold in the user's words is, in the agent's, still what nobody typed so.
    """
    *others, _ = proposed.checks
    judgement = replace(proposed, checks=(*others, own.checks[-1]), room=own.room)
    for check in own.checks:
        if not check.ok:
            name = CheckName.ORIGIN if check.name is CheckName.PLAIN else check.name
            message = f"Your own words do not go in instead. {check.reason}"
            quote = check.findings[0].quote if check.findings else None
            finding = _low_finding(_OWN_WORDS, message, quote)
            judgement = with_failed_check(judgement, name, finding)
    return judgement


def judge_documents(case: Case, last: Judgement) -> Judgement:
    """The judgement of a case of which only the documents differ from the one last judged.

    What was answered about its text, its origin and similar texts stands.
    """
    by_name = {check.name: check for check in last.checks}
    standing = by_name[CheckName.PLAIN], by_name[CheckName.ORIGIN], by_name[CheckName.NEW]
    refuses = isinstance(last.verdict, Refuse)
    return _judgement(case, standing, last.said, last.closest, last.own, refuses=refuses)


def _judgement(
    case: Case,
    of_text: tuple[Check, Check, Check],
    said: str,
    closest: str,
    own: tuple[str, ...],
    *,
    refuses: bool,
) -> Judgement:
    plain, origin, new = of_text
    current = _only_answered(case, _current(case))
    checks = _adds(case), plain, origin, current, new, _room(case)
    verdict = _verdict(case.staged, checks, refuses=refuses)
    if own and isinstance(verdict, AutoApply):
        verdict = AutoApply(IN_YOUR_WORDS, own)
    return Judgement(verdict, checks, case.origin, case.currency, said, case.room, closest, own)


def with_failed_check(judgement: Judgement, name: CheckName, finding: Finding) -> Judgement:
    """The judgement with one check that says no after all."""
    checks = tuple(
        Check(name, False, finding.message, (*check.findings, finding))
        if check.name is name
        else check
        for check in judgement.checks
    )
    verdict = judgement.verdict
    if isinstance(verdict, AutoApply):
        verdict = Review(_findings(checks))
    return replace(judgement, verdict=verdict, checks=checks)


def replay_checks(
    proposal: Proposal, judgement: Judgement, heard: tuple[Hearing, ...], settings: PolicySettings
) -> tuple[Check, ...]:
    """The answers of a stored judgement under other settings.

    Plain and origin depend on settings and are asked again; the other answers stand. So are both
    about the user's own words, in a home of which nothing is known.
    """
    if judgement.origin is None or len(judgement.checks) != len(CheckName):
        return judgement.checks
    by_name = {check.name: check for check in judgement.checks}
    built_in = [
        finding for finding in by_name[CheckName.PLAIN].findings if finding.code in _BUILT_IN
    ]
    by_name[CheckName.PLAIN] = _answer(
        CheckName.PLAIN, _PLAIN, [*built_in, *_own_findings(proposal, settings)]
    )
    if own := _own_words(proposal, heard):
        written = proposal.saying(own)
        heard_again = hearings(written.edits, judgement.origin.typed)
        rules = [
            *_built_in_findings(written, heard_again, check_plain(written.edits)),
            *_own_findings(written, settings),
        ]
        is_said = all(each.said for each in heard_again)
        if not is_said or not _answer(CheckName.PLAIN, "", rules).ok:
            heard = tuple(replace(each, own="") for each in heard)
    by_name[CheckName.ORIGIN] = _origin(proposal, judgement.origin, heard, settings)
    return tuple(by_name[name] for name in CheckName)


def _verdict(staged: StagedProposal, checks: Sequence[Check], *, refuses: bool) -> Verdict:
    untold = frozenset() if staged.proposal.outside else _untold(staged.outcome)
    findings = tuple(finding for finding in _findings(checks) if finding.code not in untold)
    if refuses:
        # What is refused cannot be applied either: that is said once.
        return Refuse(
            tuple(finding for finding in findings if finding.code not in (DEAD, TOO_LARGE))
        )
    addition = addition_of(staged)
    if addition is not None and all(check.ok for check in checks):
        return AutoApply(str(addition))
    return Review(findings)


def _untold(outcome: Staged) -> frozenset[str]:
    """Findings that would only repeat why a proposal cannot be applied as it is."""
    match outcome:
        case Ready():
            return frozenset()
        case Conflict():
            return frozenset({NOT_CURRENT})
        case Dead():
            return _OF_ADDITIONS
        case _:
            assert_never(outcome)


def _findings(checks: Iterable[Check]) -> tuple[Finding, ...]:
    """The findings of these checks, gravest first, each once."""
    findings = dict.fromkeys(finding for check in checks for finding in check.findings)
    return tuple(sorted(findings, key=lambda finding: -finding.severity.rank))


def _answer(name: CheckName, yes: str, findings: Iterable[Finding]) -> Check:
    """No with the gravest reason when a finding weighs anything, else yes."""
    ordered = tuple(sorted(findings, key=lambda finding: -finding.severity.rank))
    if ordered and ordered[0].severity is not Severity.INFO:
        return Check(name, False, ordered[0].message, ordered)
    return Check(name, True, yes, ordered)


def _only_answered(case: Case, check: Check) -> Check:
    """The answer without findings where a person decides in any case: they would only distract."""
    if intended_addition(case.staged.proposal.edits) is not None:
        return check
    return replace(check, findings=())


def _adds(case: Case) -> Check:
    addition = addition_of(case.staged)
    findings = list(non_additive_findings(case.staged))
    for finding in case.staged.findings:
        if finding.code == TWIN or (finding.code == _BASE_UNKNOWN and addition is not None):
            continue
        findings.append(finding)
    match addition:
        case Addition.MEMORY:
            yes = "Only adds memory entries."
        case Addition.SKILL:
            yes = "Only adds a skill that is not there yet."
        case Addition.SUPPORT_FILE:
            yes = "Only adds a file that is not there yet."
        case None:
            yes = ""
            if not any(finding.severity is not Severity.INFO for finding in findings):
                findings.append(
                    Finding("not-additive", Severity.MEDIUM, "Does more than add text.")
                )
        case _:
            assert_never(addition)
    return _answer(CheckName.ADDS, yes, findings)


def _plain(case: Case, settings: PolicySettings) -> tuple[Check, bool]:
    """The answer, and whether a rule refuses."""
    proposal = case.staged.proposal
    spoke = check_plain(proposal.edits, case.known, case.folder)
    own = tuple(own_findings(proposal, settings.rules))
    refuses = any(match.refuses for match in spoke) or any(rule.effect.refuses for rule, _ in own)
    results = _built_in_findings(proposal, case.heard, spoke)
    results += [finding for _, findings in own for finding in findings]
    return _answer(CheckName.PLAIN, _PLAIN, results), refuses


def _own_findings(proposal: Proposal, settings: PolicySettings) -> list[Finding]:
    found = own_findings(proposal, settings.rules)
    return [finding for _, findings in found for finding in findings]


def _built_in_findings(
    proposal: Proposal, heard: Sequence[Hearing], spoke: Iterable[RuleFindings]
) -> list[Finding]:
    """What the built-in rules find; a wish as the user typed it may say "please" once.

    That was said to the agent by the user: it is not an author's of some text.
    """
    results = [finding for match in spoke for finding in match.findings]
    texts = added_texts(proposal.edits)
    if heard and all(
        text.rstrip(".") in each.said and is_wish(text)
        for each, text in zip(heard, texts, strict=True)
    ):
        polite = [each for each in results if each.code == _ADDRESSED and each.quote in _POLITE]
        return [each for each in results if len(polite) > 1 or each not in polite]
    return results


def _origin(
    proposal: Proposal, origin: Origin, heard: tuple[Hearing, ...], settings: PolicySettings
) -> Check:
    because = _why_origin_holds(proposal, origin, heard, settings)
    if because:
        return _answer(CheckName.ORIGIN, "", [_low_finding("origin", because)])
    if origin.kind is OriginClass.UNRECORDED:
        because = (
            "This home keeps no conversations: judged on form alone "
            '(setting `unrecorded = "form"`).'
        )
        return Check(CheckName.ORIGIN, True, because)
    if any(each.own for each in heard):
        return Check(CheckName.ORIGIN, True, "Your own sentence goes in instead of the agent's.")
    if origin.kind is OriginClass.WORKSPACE:
        return Check(CheckName.ORIGIN, True, f"You said it. {origin.reason}")
    return Check(CheckName.ORIGIN, True, origin.reason)


def _why_origin_holds(
    proposal: Proposal, origin: Origin, heard: tuple[Hearing, ...], settings: PolicySettings
) -> str:
    """The reason why additions of this conversation wait; empty where they go in."""
    allowed = settings.allowed(proposal.kind)
    match origin.kind:
        case OriginClass.UNRECORDED:
            return _why_form_holds(proposal, settings)
        case OriginClass.OUTSIDE | OriginClass.UNKNOWN:
            return origin.reason
        case OriginClass.USER | OriginClass.WORKSPACE:
            pass
        case _:
            assert_never(origin.kind)
    if not allowed:
        return f'The setting `{proposal.kind} = "off"` holds every addition of this kind.'
    if origin.kind not in allowed:
        return origin.reason
    if not origin.is_settled:
        return "Its conversation may still be written down: judged again within a minute."
    if heard and all(each.said or (each.own and not proposal.outside) for each in heard):
        return ""
    unsaid = "You did not say this in so many words."
    objection = next((each.objection for each in heard if each.objection), unsaid)
    return f"{objection} {origin.reason}" if origin.kind is OriginClass.WORKSPACE else objection


def _why_form_holds(proposal: Proposal, settings: PolicySettings) -> str:
    if settings.unrecorded is Unrecorded.HOLD:
        return 'This home keeps no conversations, and the setting `unrecorded = "hold"` holds.'
    if proposal.kind is not Kind.MEMORY or not settings.allowed(Kind.MEMORY):
        return (
            "This home keeps no conversations: only plain memory entries are applied automatically."
        )
    for text in added_texts(proposal.edits):
        if why := why_no_statement(text):
            return f"This home keeps no conversations, and this is no plain statement. {why}"
    return ""


def _current(case: Case) -> Check:
    findings = [finding for document in case.currency if (finding := _not_current(document, case))]
    seen = [document for document in case.currency if document.seen is not None]
    if len(seen) == len(case.currency):
        yes = "Its author saw what is live now."
        if any(document.standing is Freshness.APPENDED for document in case.currency):
            yes = "All that its author saw is still live; what was added since is unlike this."
    else:
        yes = "Not known what its author saw; no change since then is known."
    return _answer(CheckName.CURRENT, yes, findings)


def _not_current(document: Currency, case: Case) -> Finding | None:
    match document.standing:
        case Freshness.CURRENT | Freshness.UNCHANGED:
            return None
        case Freshness.APPENDED:
            unseen = next((like for like in case.unseen if like.where == document.path), None)
            if unseen is None:
                return None
            grew = "changed" if document.path.startswith("skills/") else "gained an entry"
            message = (
                f"{document.path} {grew} after its author looked, and it {_how_alike(unseen)}."
            )
            return _low_finding(NOT_CURRENT, message, unseen.text)
        case Freshness.STALE:
            message = f"Its author saw text in {document.path} that has changed or gone since."
        case Freshness.CHANGED:
            message = (
                f"{document.path} changed since its author began, and what it saw is not known."
            )
        case Freshness.UNKNOWN:
            message = f"Not known what its author saw of {document.path}, nor when."
            return _low_finding(NOT_CURRENT, message)
        case _:
            assert_never(document.standing)
    return _low_finding(NOT_CURRENT, message, "\n".join(document.gone[:3]) or None)


def _low_finding(code: str, message: str, quote: str | None = None) -> Finding:
    return Finding(code, Severity.LOW, message, None, quote)


def _new(case: Case) -> Check:
    findings = [_alike(likeness) for likeness in case.similar]
    findings += [finding for finding in case.staged.findings if finding.code == TWIN]
    yes = "No similar entry, past or pending."
    return _answer(CheckName.NEW, yes, findings)


def _how_alike(likeness: Likeness) -> str:
    """What a similar text has in common with a proposed one."""
    if likeness.exact:
        return "says the same"
    if likeness.score >= NEARLY_FROM:
        return f"says nearly the same ({likeness.score:.0f}% alike)"
    if not likeness.shared:
        return "is about the same thing"
    words = ", ".join(f"`{word}`" for word in likeness.shared[:_NAMED])
    more = len(likeness.shared) - _NAMED
    plural = "s" if len(likeness.shared) > 1 else ""
    return f"shares the word{plural} {words}" + (f" and {more} more" if more > 0 else "")


def _alike(likeness: Likeness) -> Finding:
    """The finding about a similar text."""
    alike = _how_alike(likeness)
    severity = Severity.MEDIUM
    match likeness.relation:
        case Relation.LIVE:
            message = _alike_live(likeness, alike)
        case Relation.PENDING:
            severity = Severity.LOW
            other = f"Another proposal in the queue ({likeness.where})"
            message = f"{other} {alike}: decide on them together."
        case Relation.REMOVED:
            message = f"A text that {alike} was removed or replaced before."
        case Relation.REJECTED:
            message = f"A text that {alike} was rejected before."
        case _:
            assert_never(likeness.relation)
    return Finding(f"like-{likeness.relation}", severity, message, None, likeness.text)


def _alike_live(likeness: Likeness, alike: str) -> str:
    if likeness.exact:
        return f"{likeness.where} says this already."
    if likeness.score >= NEARLY_FROM:
        return f"{likeness.where} {alike}: a duplicate, or an update of it."
    if likeness.where.startswith("skills/"):
        return f"{likeness.where} {alike}: it may repeat or contradict it."
    return f"{likeness.where} has an entry that {alike}: it may update or contradict it."


def _room(case: Case) -> Check:
    findings = [
        Finding(OVER_BUDGET, Severity.MEDIUM, f"{path} would have {describe_usage(budget)}.")
        for path, budget in case.room.budgets
        if budget.is_over
    ]
    outcome = case.staged.outcome
    if isinstance(outcome, Dead) and outcome.reason in _FITS_NOT:
        findings.append(Finding(OVER_BUDGET, Severity.MEDIUM, outcome.message))
    budgets = [f"{path}: {describe_usage(budget)}." for path, budget in case.room.budgets]
    return _answer(CheckName.ROOM, " ".join(budgets) or "No limit applies.", findings)


def describe_usage(budget: Allowance) -> str:
    """The used part of a document's budget: `1,200 of 2,200 characters`."""
    return f"{budget.used:,} of {budget.limit:,} {budget.unit}"
