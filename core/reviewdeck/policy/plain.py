"""The plain-form check of the gate: at most twenty rules about how an added text is written."""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.model import Edit, SkillCreate
from reviewdeck.policy.rules import (
    characters,
    claims,
    commands,
    encoding,
    executes,
    front_matter,
    links,
    names,
    orders,
    secrets,
    size,
)
from reviewdeck.policy.rules.links import hosts_in as hosts_in
from reviewdeck.policy.rules.rule import NOTHING_KNOWN as NOTHING_KNOWN
from reviewdeck.policy.rules.rule import InstructionChange as InstructionChange
from reviewdeck.policy.rules.rule import KnownToHome as KnownToHome
from reviewdeck.policy.rules.rule import Rule as Rule
from reviewdeck.policy.rules.rule import RuleFindings as RuleFindings
from reviewdeck.policy.rules.rule import RuleInput as RuleInput
from reviewdeck.policy.rules.rule import SkillFolder as SkillFolder

_STRUCTURE, _LOOK_ALIKE, _LAYOUT = characters.RULES
EXECUTES = executes.RULES[0].name
"""The finding that a skill has something carried out."""
_ASKING = (*links.RULES, commands.SENSITIVE_PATH, commands.COMMAND)
"""The rules that look at what the home knows."""

RULES: tuple[Rule, ...] = (
    *names.RULES,
    _STRUCTURE,
    orders.OVERRIDE,
    orders.EXFILTRATION,
    commands.FETCH_AND_RUN,
    front_matter.CLAIMS_METADATA,
    *executes.RULES,
    _LOOK_ALIKE,
    _LAYOUT,
    *encoding.RULES,
    *secrets.RULES,
    *links.RULES,
    commands.SENSITIVE_PATH,
    commands.COMMAND,
    claims.AUTHORITY,
    claims.OWN_MEMORY,
    front_matter.FRONT_MATTER,
    *size.RULES,
    claims.OBEYS_CONTENT,
    *orders.RULES,
)


def depends_on_home(edits: Sequence[Edit]) -> bool:
    """Whether a proposal names what a rule excuses where the home knows it already."""
    subject = RuleInput(tuple(edits))
    if any(isinstance(edit, SkillCreate) and edit.category for edit in edits):
        return True
    return any(rule.findings(subject) for rule in _ASKING)


def check_plain(
    edits: Sequence[Edit], known: KnownToHome = NOTHING_KNOWN, folder: SkillFolder | None = None
) -> tuple[RuleFindings, ...]:
    """The rules that speak about a proposal, with what they found; every text to its end."""
    subject = RuleInput(tuple(edits), known, folder)
    speaking = ((rule, rule.findings(subject)) for rule in RULES)
    return tuple(RuleFindings(rule, findings) for rule, findings in speaking if findings)
