"""Rules about a skill: its front matter, as its agents read it, and what runs because of it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from reviewdeck.model import Severity, SkillCreate, SkillEdit, SkillWriteFile
from reviewdeck.planning.frontmatter import FrontValue, check_skill_text, parse_front, split_front
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.names import narrow_names
from reviewdeck.policy.rules.rule import (
    AddedText,
    Destination,
    Hit,
    InPieces,
    InstructionChange,
    Rule,
    RuleInput,
    SkillFolder,
    printable,
)
from reviewdeck.reading.agents import AGENTS, Agent
from reviewdeck.reading.discovery import is_skill_name
from reviewdeck.reading.frontmatter import Reading, front_span, read_text, readings_of
from reviewdeck.reading.yaml import strings_in
from reviewdeck.text.lazy import regex

_PLAIN_KEYS = frozenset({"name", "description", "license", "licence"})
_KEY = regex(r"^[ \t]*(?:-[ \t]+)?[\"']?([A-Za-z_][\w.-]{0,80})[\"']?[ \t]*:", re.MULTILINE)
_CLAIMS = regex(
    r"provenance|origin|write_?origin|created_?by|updated_?by|written_?by|approved(?:_?by)?"
    r"|approval|reviewed(?:_?by)?"
    r"|verified(?:_?by)?|verification|signed(?:_?by)?|signature|trust(?:ed|_?level|_?score)?"
    r"|pin(?:ned|s)?|protected"
    r"|locked|permissions?|granted?|grants|access|privileges?|capabilities|scopes?"
    r"|allow(?:ed)?|auto_?(?:approve|apply"
    r"|accept|load|run|invoke)(?:d)?|agent_?created|user_?approved|risk|scan(?:_?verdict)?"
    r"|verdict|status|state|priority"
    r"|always(?:_?apply|_?load|_?on)?|override|overrides|supersedes|bypass_?\w*|sandbox|sudo"
    r"|admin|owner|official|system"
)


_LABELS: Final = frozenset(
    {"origin", "risk", "scope", "scopes", "status", "state", "priority", "created_by", "owner"}
)
"""What catalogues write beside each skill: a lesser finding, unless the value vouches for it."""
_VOUCHES: Final = regex(
    r"user|operator|owner|system|human|admin|root|trust|approv|verif|official|review|sign|grant"
    r"|allow|always|high|critical|max|core|agent|internal|all\b|full|\*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Front:
    """The front matter of one text: its source, and its fields where YAML takes it."""

    start: int
    source: str
    fields: Mapping[str, FrontValue] | None

    def span_of(self, value: str) -> tuple[int, int]:
        """The span of a key or string; of all the front matter where it is written otherwise."""
        at = self.source.find(value) if value else -1
        if at < 0:
            return self.start, self.start + len(self.source)
        return self.start + at, self.start + at + len(value)


@lru_cache(maxsize=8)
def _front_of(text: str) -> _Front | None:
    plain = text.replace("\r\n", "\n")
    if (parts := split_front(plain)) is not None:
        parsed = parse_front(plain)
        return _Front(text.find("\n") + 1, parts[0], None if parsed is None else parsed.fields)
    # Some agent may find one all the same, as opencode in `---json`: YAML takes what stands there.
    readings = readings_of(text, AGENTS)
    if not readings:
        return None
    front = max(readings, key=lambda reading: len(reading.fields)).front
    parsed = parse_front("---\n{}\n---\n".format(front.strip("\n")))
    start, _ = front_span(text, front)
    return _Front(start, front, None if parsed is None else parsed.fields)


@dataclass(frozen=True, slots=True)
class FrontKey:
    """One key that an agent may take from a front matter."""

    key: str
    value: str
    """The text of its value."""
    span: tuple[int, int]


def front_keys(text: str, readers: Sequence[Agent] = AGENTS) -> Iterator[FrontKey]:
    """Each field of a front matter as any of the agents reads it, and where it stands.

    By lines, since an agent's reader may be more lenient than YAML; and by YAML, since a key may be
    written in escapes, or come from an anchor.
    """
    seen: set[tuple[str, str]] = set()
    for reading in readings_of(text, readers):
        start, end = front_span(text, reading.front)
        lines = [key for key in _line_keys(reading.front) if key.key not in reading.fields]
        for key in (*lines, *_yaml_keys(reading)):
            mark = (key.key, " ".join(key.value.split()))
            if mark not in seen:
                seen.add(mark)
                at, to = key.span
                is_exact = end - start == len(reading.front) and to
                yield replace(key, span=(start + at, start + to) if is_exact else (start, end))


def _line_keys(front: str) -> Iterator[FrontKey]:
    places = [match for match in _KEY.finditer(front) if match.group()[0] not in " \t-"]
    ends = [match.start() for match in places[1:]] + [len(front)]
    for match, end in zip(places, ends, strict=False):
        source = front[match.start() : end].rstrip("\n")
        span = (match.start(), match.start() + len(source))
        yield FrontKey(match.group(1), source[len(match.group()) :], span)


def _yaml_keys(reading: Reading) -> Iterator[FrontKey]:
    spans = {key.key: key.span for key in _line_keys(reading.front)}
    for key, value in reading.fields.items():
        yield FrontKey(key, "\n".join(strings_in(value)), spans.get(key, (0, 0)))


def _keys(value: FrontValue | Mapping[str, FrontValue]) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield key
            yield from _keys(each)
    elif isinstance(value, list):
        for each in value:
            yield from _keys(each)


def _values_of(value: FrontValue | Mapping[str, FrontValue], key: str | None) -> Iterator[str]:
    """The texts of a key, wherever it stands; below it, all of them."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _values_of(each, None if name == key else key)
    elif isinstance(value, list):
        for each in value:
            yield from _values_of(each, key)
    elif key is None:
        yield value


_DATE: Final = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
"""When somebody looked at it vouches for nothing."""


def _claims(piece: AddedText) -> Iterator[Hit]:
    if piece.place is not Destination.SKILL or piece.stands_at is not None:
        return
    front = _front_of(piece.text)
    if front is None:
        return
    keys = _KEY.findall(front.source) if front.fields is None else list(_keys(front.fields))
    for key in dict.fromkeys(keys):
        plain = key.strip().lower().replace("-", "_").replace(" ", "_")
        if any(_CLAIMS.fullmatch(part) for part in (plain, *plain.split("."))):
            message = f"The front matter claims {key[:60]!r} for itself."
            said = list(_values_of(front.fields or {}, key))
            is_label = plain in _LABELS and bool(said) and not any(map(_VOUCHES.search, said))
            is_dated = bool(said) and all(map(_DATE.fullmatch, said))
            severity = Severity.MEDIUM if is_label or is_dated else None
            yield Hit(message, piece, *front.span_of(key), severity=severity, is_refused=True)


def _front_matter(subject: RuleInput) -> Iterator[Hit]:
    yield from narrow_names(subject)
    for edit, piece in zip(subject.edits, subject.texts, strict=False):
        if not isinstance(edit, SkillCreate | SkillEdit):
            continue
        problem = check_skill_text(piece.text.replace("\r\n", "\n"))
        if problem is not None:
            yield Hit(problem, piece, 0, min(len(piece.text), 80))
        front = _front_of(piece.text)
        if front is not None and front.fields is not None:
            yield from _beyond(piece, front, edit.name)


def _beyond(piece: AddedText, front: _Front, name: str) -> Iterator[Hit]:
    fields = front.fields or {}
    for key, value in fields.items():
        if key not in _PLAIN_KEYS:
            message = f"The front matter sets {key[:60]!r} beyond name, description and licence."
            yield Hit(message, piece, *front.span_of(key))
        elif not isinstance(value, str):
            yield Hit(f"The front matter's {key!r} is no plain text.", piece, *front.span_of(key))
    title = fields.get("name")
    if isinstance(title, str) and title != name:
        message = "The front matter gives the skill another name."
        yield Hit(message, piece, *front.span_of(title))


CLAIMS_METADATA = Rule(
    name="claims-metadata",
    effect=RuleEffect.REFUSE,
    severity=Severity.HIGH,
    reason="The home records the origin and permissions of a skill; a skill must not claim them.",
    looks_at="the front matter of a skill",
    check=InPieces(_claims),
)
FRONT_MATTER = Rule(
    name="front-matter",
    effect=RuleEffect.HOLD,
    severity=Severity.MEDIUM,
    reason="Front matter can grant tools and hooks; a name says only which work comes again.",
    looks_at="the front matter and the name of a skill",
    check=_front_matter,
)


_BEFORE_READING: Final = regex(r"(?<!`)!`[^`\n]+`|^[ \t]{0,3}`{3,}![^\n]{0,200}", re.MULTILINE)
"""Commands that Claude Code runs to put their output into the skill's text."""
_TOOLS_KEYS: Final = frozenset({"allowed-tools", "allowed_tools", "allowedtools", "tools"})
_TOOL: Final = regex(r"[A-Za-z_*][\w*:.-]{0,80}(?:\([^()\n]{0,200}\))?")
_READ_ONLY: Final = frozenset(
    {"read", "grep", "glob", "ls", "list", "search", "view", "todowrite", "todoread", "skill"}
)
_EVERY: Final = regex(r"\*|\w+\(\*\)")
"""A grant of all that there is; many ordinary skills name the shell, and wait."""
_PLUGIN: Final = regex(
    r"\.[a-z]{1,20}-plugin/.*|hooks/.*|\.mcp\.json|\.lsp\.json|monitors/.*", re.IGNORECASE
)
_MESSAGES: Final = {
    "hooks": "Registers hooks: commands that run by themselves once the skill is used.",
    "deps": "Has programs installed when the skill is loaded.",
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
        elif name == "deps" and any("deps" in (agent.acts or {}) for agent in readers):
            yield Hit(_MESSAGES["deps"], piece, *key.span, severity=Severity.MEDIUM)
    for agent in readers:
        if reason := read_text(piece.text, agent).unknown:
            message = f"What its front matter grants cannot be known: {reason}."
            yield Hit(message, piece, 0, min(len(piece.text), 80))
            break
    for match in _BEFORE_READING.finditer(piece.text):
        line = piece.text.rfind("\n", 0, match.start()) + 1
        if piece.text.count("`", line, match.start()) % 2:
            continue  # its first mark closes a piece of code
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
        quote = printable(text[hit.start : hit.end][:160])
        yield Hit(hit.message, quote=quote, severity=hit.severity)


def _pre_approved(piece: AddedText, value: str, span: tuple[int, int]) -> Iterator[Hit]:
    """The tools that a skill lets the agent use without asking, but those that only look."""
    tools = [tool for tool in _TOOL.findall(value) if tool.lower() not in _READ_ONLY]
    if tools:
        listed = printable(", ".join(tools)[:120])
        message = f"Lets tools run without asking: {listed}."
        is_every = any(_EVERY.fullmatch(tool) for tool in tools)
        severity = Severity.HIGH if is_every else Severity.MEDIUM
        yield Hit(message, piece, *span, severity=severity)


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


EXECUTES = Rule(
    name="executes",
    effect=RuleEffect.HOLD,
    severity=Severity.HIGH,
    reason="Hooks, commands in a text, granted tools and plugins run without approval.",
    looks_at="a skill: its front matter, its text, the names and the permissions of its files",
    check=_executes,
)
