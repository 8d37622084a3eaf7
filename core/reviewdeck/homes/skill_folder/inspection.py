"""The dangers in a skill, for its approval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from reviewdeck.homes.skill_folder.contents import Node, NodeKind, SkillContents
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
from reviewdeck.policy.plain import EXECUTES, KnownToHome, Rule, SkillFolder, check_plain, hosts_in
from reviewdeck.reading.agents import AGENTS, Agent
from reviewdeck.reading.discovery import is_skill_name

_LONGEST: Final = 200
_PICTURE, _FONT, _ARCHIVE = "A picture", "A font", "An archive, whose contents were not looked into"
_PROGRAM: Final = "A program in machine code"
_KINDS: Final = {
    b"\x89PNG": (_PICTURE, Severity.LOW),
    b"\xff\xd8\xff": (_PICTURE, Severity.LOW),
    b"GIF8": (_PICTURE, Severity.LOW),
    b"RIFF": ("A picture or a sound", Severity.LOW),
    b"\x00\x01\x00\x00": (_FONT, Severity.LOW),
    b"OTTO": (_FONT, Severity.LOW),
    b"wOFF": (_FONT, Severity.LOW),
    b"wOF2": (_FONT, Severity.LOW),
    b"%PDF": ("A PDF document, which was not looked into", Severity.MEDIUM),
    b"PK\x03\x04": (_ARCHIVE, Severity.MEDIUM),
    b"\x1f\x8b": (_ARCHIVE, Severity.MEDIUM),
    b"\x7fELF": (_PROGRAM, Severity.HIGH),
    b"MZ": (_PROGRAM, Severity.HIGH),
    b"\xcf\xfa\xed\xfe": (_PROGRAM, Severity.HIGH),
    b"\xca\xfe\xba\xbe": (_PROGRAM, Severity.HIGH),
}
"""What a file is by its first bytes."""


def findings_of(
    tree: SkillContents, shadows: Sequence[str] = (), readers: tuple[Agent, ...] = AGENTS
) -> tuple[Finding, ...]:
    """The dangers in a skill, gravest first: executed code, and text that looks like an attack.

    Every SKILL.md in it is read as the agents read it that load it.
    """
    folder = SkillFolder(
        links=tuple((node.path, node.target) for node in tree.nodes if node.kind is NodeKind.LINK),
        executables=tuple(node.path for node in tree.nodes if node.is_executable),
        files=tuple(node.path for node in tree.nodes if node.text is None),
        shadows=tuple(shadows),
    )
    findings = [
        finding
        for check in check_plain(tuple(_edits(tree)), KnownToHome(readers=readers), folder)
        for finding in check.findings
        if check.rule.name == EXECUTES or _is_grave(check.rule)
    ]
    unread = (node for node in tree.nodes if node.kind is NodeKind.FILE and node.text is None)
    findings += map(_unread, unread)
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: -finding.severity.rank))


def abilities_of(tree: SkillContents, readers: tuple[Agent, ...] = AGENTS) -> tuple[str, ...]:
    """What an agent can do because of a skill: tools, hooks, commands, links, hosts. In words."""
    edits = tuple(_edits(tree))
    executes = check_plain(edits, KnownToHome(readers=readers), _links_of(tree))
    found = [
        f"{finding.message.rstrip('.')}: {finding.quote}" if finding.quote else finding.message
        for check in executes
        if check.rule.name == EXECUTES
        for finding in check.findings
    ]
    texts = (node.text or "" for node in tree.nodes)
    hosts = sorted({host for text in texts for host in hosts_in(text)})
    return tuple(
        dict.fromkeys([*map(_one_line, found), *(f"Names the host {host}" for host in hosts)])
    )


def _links_of(tree: SkillContents) -> SkillFolder:
    links = tuple((node.path, node.target) for node in tree.nodes if node.kind is NodeKind.LINK)
    programs = tuple(node.path for node in tree.nodes if node.is_executable)
    return SkillFolder(links=links, executables=programs)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]


def _is_grave(rule: Rule) -> bool:
    """Whether a rule detects an attack. Unlike in Hermes, file paths are unrestricted here."""
    return rule.effect is RuleEffect.REFUSE and rule.name != UNSAFE_NAME


def _unread(node: Node) -> Finding:
    """The finding about a file that is no text: high where agents may obey it."""
    if is_skill_name(node.path):
        why = "its characters are not UTF-8" if node.data is not None else "it is too long"
        message = f"What {node.path} says is not known for every agent: {why}."
        return Finding("unread", Severity.HIGH, message)
    for mark, (kind, severity) in _KINDS.items():
        if (node.data or b"").startswith(mark):
            return Finding("unread", severity, f"{kind}: {node.path}.")
    return Finding("unread", Severity.MEDIUM, f"No text that was looked into: {node.path}.")


def _edits(tree: SkillContents) -> Iterator[Edit]:
    for node in tree.nodes:
        text = node.text
        if text is None and is_skill_name(node.path) and node.data is not None:
            text = node.data.decode("utf-8", "replace")  # as the agents that load it do
        if text is not None and node.path == SKILL_FILE:
            yield SkillCreate(tree.name, text)
        elif text is not None:
            yield SkillWriteFile(tree.name, node.path, text)
