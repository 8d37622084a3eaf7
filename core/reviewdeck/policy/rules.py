"""All rules, in the order in which an explanation lists them."""

from __future__ import annotations

from reviewdeck.policy import (
    characters,
    claims,
    commands,
    disguise,
    facts,
    injection,
    likeness,
    links,
    marks,
    near_names,
    passing,
    paths,
    reads_like,
    secrets,
    shape,
    skill_practice,
    skills,
    takeover,
    vocabulary,
)
from reviewdeck.policy.rule import Rule

RULES: tuple[Rule, ...] = (
    *shape.RULES,
    *paths.RULES,
    *characters.RULES,
    *disguise.RULES,
    *marks.RULES,
    *injection.RULES,
    *takeover.RULES,
    *secrets.RULES,
    *links.RULES,
    *near_names.RULES,
    *commands.RULES,
    *vocabulary.RULES,
    *claims.RULES,
    *facts.RULES,
    *passing.RULES,
    *skills.RULES,
    *skill_practice.RULES,
    *reads_like.RULES,
    *likeness.RULES,
)
