"""The dangers in a skill, for its approval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewdeck.homes.skill_folder.contents import NodeKind, SkillContents
from reviewdeck.model import (
    SKILL_FILE,
    UNSAFE_NAME,
    Edit,
    Finding,
    Severity,
    SkillCreate,
    SkillWriteFile,
)
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.plain import EXECUTES, Rule, SkillFolder, check_plain


def findings_of(tree: SkillContents, shadows: Sequence[str] = ()) -> tuple[Finding, ...]:
    """The dangers in a skill, gravest first: executed code, and text that looks like an attack."""
    folder = SkillFolder(
        links=tuple((node.path, node.target) for node in tree.nodes if node.kind is NodeKind.LINK),
        executables=tuple(node.path for node in tree.nodes if node.is_executable),
        files=tuple(node.path for node in tree.nodes if node.text is None),
        shadows=tuple(shadows),
    )
    findings = [
        finding
        for check in check_plain(tuple(_edits(tree)), folder=folder)
        for finding in check.findings
        if check.rule.name == EXECUTES or _is_grave(check.rule)
    ]
    findings += [
        Finding("unread", _unread(node.path), f"No text that was looked into: {node.path}.")
        for node in tree.nodes
        if node.kind is NodeKind.FILE and node.text is None
    ]
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: -finding.severity.rank))


def _is_grave(rule: Rule) -> bool:
    """Whether a rule detects an attack. Unlike in Hermes, file paths are unrestricted here."""
    return rule.effect is RuleEffect.REFUSE and rule.name != UNSAFE_NAME


def _unread(path: str) -> Severity:
    """The severity of an unread file: high for a SKILL.md, which agents obey."""
    return Severity.HIGH if path == SKILL_FILE else Severity.MEDIUM


def _edits(tree: SkillContents) -> Iterator[Edit]:
    """The edits that would create the skill's texts."""
    for node in tree.nodes:
        if node.text is not None and node.path == SKILL_FILE:
            yield SkillCreate(tree.name, node.text)
        elif node.text is not None:
            yield SkillWriteFile(tree.name, node.path, node.text)
