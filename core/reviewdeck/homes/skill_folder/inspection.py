"""What there is to know of a skill before it is approved: its dangers, and a name that is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from reviewdeck.homes.skill_folder.contents import LOOSE, SKILL_FILE, Kind, SkillContents
from reviewdeck.model import Edit, Finding, Severity, SkillCreate, SkillWriteFile
from reviewdeck.planning.frontmatter import parse_front
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.plain import EXECUTES, UNSAFE_NAME, Rule, SkillFolder, check_plain

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME: Final = 64


def findings_of(tree: SkillContents, shadows: Sequence[str] = ()) -> tuple[Finding, ...]:
    """The dangers in a skill, gravest first: what it executes, and what looks like an attack."""
    folder = SkillFolder(
        links=tuple((node.path, node.target) for node in tree.nodes if node.kind is Kind.LINK),
        executables=tuple(node.path for node in tree.nodes if node.is_executable),
        files=tuple(node.path for node in tree.nodes if node.text is None),
        shadows=tuple(shadows),
    )
    found = [
        finding
        for one in check_plain(tuple(_edits(tree)), folder=folder)
        for finding in one.findings
        if one.rule.name == EXECUTES or _is_grave(one.rule)
    ]
    found += [
        Finding("unread", Severity.MEDIUM, f"Nobody looked into it: {node.path}.")
        for node in tree.nodes
        if node.kind is Kind.FILE and node.text is None
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda one: -one.severity.rank))


def _is_grave(rule: Rule) -> bool:
    """Whether a rule speaks of an attack. Paths of files are free here, other than in Hermes."""
    return rule.effect is RuleEffect.REFUSE and rule.name != UNSAFE_NAME


def name_problem(tree: SkillContents) -> str | None:
    """Why this is no name of a skill by the specification; None when it is one."""
    if tree.directory == LOOSE:
        return None
    name = tree.name
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        return "not a name by the specification: a-z, 0-9 and single hyphens, at most 64"
    front = parse_front((tree.text_of(SKILL_FILE) or "").replace("\r\n", "\n"))
    named = None if front is None else front.fields.get("name")
    if isinstance(named, str) and named != name:
        return f"its SKILL.md calls it {named[:_LONGEST_NAME]}"
    return None


def shadowing(places: Iterable[tuple[str, SkillContents]]) -> dict[str, tuple[str, ...]]:
    """Where else a skill of the same name is, for each place that has such a twin."""
    by_name: dict[str, list[str]] = {}
    for place, tree in places:
        if tree.directory != LOOSE:
            by_name.setdefault(tree.name.casefold(), []).append(place)
    return {
        place: tuple(other for other in twins if other != place)
        for twins in by_name.values()
        for place in twins
        if len(twins) > 1
    }


def _edits(tree: SkillContents) -> Iterator[Edit]:
    """The edits that would have made the skill's texts."""
    for node in tree.nodes:
        if node.text is not None and node.path == SKILL_FILE:
            yield SkillCreate(tree.name, node.text)
        elif node.text is not None:
            yield SkillWriteFile(tree.name, node.path, node.text)
