"""The rule about what a skill has carried out: not what it says, but what runs because of it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from reviewdeck.model import Severity, SkillWriteFile
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.front_matter import front_keys
from reviewdeck.policy.rules.rule import (
    AddedText,
    Destination,
    Hit,
    InstructionChange,
    Rule,
    RuleInput,
    SkillFolder,
    printable,
)
from reviewdeck.reading.agents import Agent
from reviewdeck.reading.discovery import is_skill_name
from reviewdeck.reading.frontmatter import read_text

_BEFORE_READING: Final = re.compile(r"(?<!`)!`[^`\n]+`|^[ \t]{0,3}`{3,}![^\n]{0,200}", re.MULTILINE)
"""Commands that Claude Code runs to put their output into the skill's text."""
_TOOLS_KEYS: Final = frozenset({"allowed-tools", "allowed_tools", "allowedtools", "tools"})
_TOOL: Final = re.compile(r"[A-Za-z_*][\w*:.-]{0,80}(?:\([^()\n]{0,200}\))?")
_READ_ONLY: Final = frozenset(
    {"read", "grep", "glob", "ls", "list", "search", "view", "todowrite", "todoread", "skill"}
)
_SHELLS: Final = re.compile(r"(?:bash|shell|sh|powershell|terminal|execute\w*|run\w*|\*)(?:\(|\Z)")
_PLUGIN: Final = re.compile(
    r"\.[a-z]{1,20}-plugin/.*|hooks/.*|\.mcp\.json|\.lsp\.json|monitors/.*", re.IGNORECASE
)
_MESSAGES: Final = {
    "hooks": "Registers hooks: commands that run by themselves once the skill is used.",
    "before": "Runs a command before the agent reads the skill.",
    "program": "Adds a program where no script is expected: its first line says what runs it.",
    "plugin": "Makes the skill a plugin, whose hooks and servers run without being asked for",
}


def _executes(subject: RuleInput) -> Iterator[Hit]:
    for edit, piece in zip(subject.edits, subject.texts, strict=False):
        match edit:
            case SkillWriteFile(file=file):
                yield from _of_file(piece, file)
                if is_skill_name(file):
                    yield from _of_skill(piece, subject.known.readers)
            case _ if piece.place is Destination.SKILL:
                yield from _of_skill(piece, subject.known.readers)
            case _:
                pass
    if subject.folder is not None:
        yield from _of_folder(subject.folder)
        for result in subject.folder.results:
            yield from _of_change(result, subject.known.readers)


def _of_skill(piece: AddedText, readers: Sequence[Agent]) -> Iterator[Hit]:
    for key in front_keys(piece.text, readers):
        name = key.key.strip().lower()
        if name == "hooks":
            yield Hit(_MESSAGES["hooks"], piece, *key.span)
        elif name in _TOOLS_KEYS:
            yield from _pre_approved(piece, key.value, key.span)
    for agent in readers:
        if reason := read_text(piece.text, agent).unknown:
            message = f"What its front matter grants cannot be known: {reason}."
            yield Hit(message, piece, 0, min(len(piece.text), 80))
            break
    for match in _BEFORE_READING.finditer(piece.text):
        yield Hit(_MESSAGES["before"], piece, *match.span())


def _of_change(change: InstructionChange, readers: Sequence[Agent]) -> Iterator[Hit]:
    """What a SKILL.md has carried out after a change and had not before.

    A patch brings lines alone: that they grant something shows in the whole file.
    """
    before = {(hit.message, hit.quote) for hit in _quoted(change.before, readers)}
    for hit in _quoted(change.after, readers):
        if (hit.message, hit.quote) not in before:
            yield hit


def _quoted(text: str, readers: Sequence[Agent]) -> Iterator[Hit]:
    for hit in _of_skill(AddedText(Destination.SKILL, text), readers):
        yield replace(hit, piece=None, quote=printable(text[hit.start : hit.end][:160]))


def _pre_approved(piece: AddedText, value: str, span: tuple[int, int]) -> Iterator[Hit]:
    """The tools that a skill lets the agent use without asking, but those that only look."""
    tools = [tool for tool in _TOOL.findall(value) if tool.lower() not in _READ_ONLY]
    if tools:
        has_shell = any(_SHELLS.match(tool.lower()) for tool in tools)
        severity = Severity.HIGH if has_shell else Severity.MEDIUM
        listed = printable(", ".join(tools)[:120])
        yield Hit(f"Lets tools run without asking: {listed}.", piece, *span, severity=severity)


def _of_file(piece: AddedText, file: str) -> Iterator[Hit]:
    if _PLUGIN.fullmatch(file):
        yield Hit(f"{_MESSAGES['plugin']}: {printable(file[:160])}.", piece, 0, len(piece.text))
    if piece.text.startswith("#!") and not file.startswith("scripts/"):
        end = piece.text.find("\n")
        span = 0, end if end >= 0 else len(piece.text)
        yield Hit(_MESSAGES["program"], piece, *span, severity=Severity.MEDIUM)


def _of_folder(folder: SkillFolder) -> Iterator[Hit]:
    for path, target in folder.links:
        if _leads_out(path, target):
            message = f"Has a link that leads out of the skill's folder: {printable(path[:160])}."
            yield Hit(message, quote=printable(target[:160]))
    for path in folder.executables:
        message = "Holds a file that may be executed."
        yield Hit(message, quote=printable(path[:160]), severity=Severity.MEDIUM)
    for path in folder.files:
        if _PLUGIN.fullmatch(path):
            yield Hit(f"{_MESSAGES['plugin']}.", quote=printable(path[:160]))
    for place in folder.shadows:
        message = "Another skill has this name: agents differ in which of them they use."
        yield Hit(message, quote=printable(place[:160]))


def _leads_out(path: str, target: str) -> bool:
    """Whether a link in a skill leads anywhere but into it, as it is written."""
    where = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return where.startswith("/") or where.split("/")[0] == ".."


RULES: Final = (
    Rule(
        name="executes",
        effect=RuleEffect.HOLD,
        severity=Severity.HIGH,
        reason="Hooks, commands in a text, granted tools and plugins run without approval.",
        looks_at="a skill: its front matter, its text, the names and the permissions of its files",
        check=_executes,
    ),
)
