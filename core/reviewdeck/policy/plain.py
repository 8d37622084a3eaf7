"""The plain-form check of the gate: at most twenty rules about how an added text is written."""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.model import Edit
from reviewdeck.policy.rules import characters, commands, names, orders, skills, values
from reviewdeck.policy.rules.rule import NOTHING_KNOWN as NOTHING_KNOWN
from reviewdeck.policy.rules.rule import InPieces
from reviewdeck.policy.rules.rule import InstructionChange as InstructionChange
from reviewdeck.policy.rules.rule import KnownToHome as KnownToHome
from reviewdeck.policy.rules.rule import Rule as Rule
from reviewdeck.policy.rules.rule import RuleFindings as RuleFindings
from reviewdeck.policy.rules.rule import RuleInput as RuleInput
from reviewdeck.policy.rules.rule import SkillFolder as SkillFolder
from reviewdeck.policy.rules.values import hosts_in as hosts_in
from reviewdeck.reading.agents import Agent

EXECUTES = skills.EXECUTES.name
"""The finding that a skill has something carried out."""
_ASKING = (values.ADDRESS, commands.SENSITIVE_PATH, commands.COMMAND)
"""The rules that look at what the home knows."""

RULES: tuple[Rule, ...] = (
    names.UNSAFE_NAME_RULE,
    characters.STRUCTURE,
    orders.OVERRIDE,
    orders.EXFILTRATION,
    commands.FETCH_AND_RUN,
    skills.CLAIMS_METADATA,
    skills.EXECUTES,
    characters.LOOK_ALIKE,
    characters.LAYOUT,
    characters.ENCODED,
    values.SECRET,
    values.ADDRESS,
    commands.SENSITIVE_PATH,
    commands.COMMAND,
    orders.AUTHORITY,
    orders.OWN_MEMORY,
    skills.FRONT_MATTER,
    names.LENGTH,
    orders.OBEYS_CONTENT,
    orders.ADDRESSED,
)


_CHECKS_OF_TEXT = tuple(rule.check for rule in RULES if isinstance(rule.check, InPieces))


def depends_on_home(edits: Sequence[Edit], readers: tuple[Agent, ...]) -> bool:
    """Whether a proposal names what a rule excuses where the home knows it already."""
    subject = RuleInput(tuple(edits), KnownToHome(readers=readers))
    return any(rule.speaks(subject) for rule in _ASKING)


def check_plain(
    edits: Sequence[Edit], known: KnownToHome = NOTHING_KNOWN, folder: SkillFolder | None = None
) -> tuple[RuleFindings, ...]:
    """The rules that speak about a proposal, with what they found; every text to its end."""
    subject = RuleInput(tuple(edits), known, folder)
    for piece in subject.pieces:  # each by itself: a skill has many files
        for check in _CHECKS_OF_TEXT:
            check.found_in(piece)
        piece.close()
    return tuple(found for rule in RULES if (found := rule.answer(subject)) is not None)
