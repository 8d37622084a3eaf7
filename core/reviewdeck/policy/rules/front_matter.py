"""Rules about the front matter of a skill, read as YAML with every string as the text it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from reviewdeck.model import Severity, SkillCreate, SkillEdit, Span
from reviewdeck.planning.frontmatter import FrontValue, check_skill_text, parse_front, split_front
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.rule import AddedText, Destination, Hit, Rule, RuleInput, in_pieces
from reviewdeck.reading.agents import AGENTS, Agent
from reviewdeck.reading.frontmatter import Reading, read_text
from reviewdeck.reading.yaml import strings_in

_PLAIN_KEYS = frozenset({"name", "description", "license", "licence"})
_KEY = re.compile(r"^[ \t]*(?:-[ \t]+)?[\"']?([A-Za-z_][\w.-]{0,80})[\"']?[ \t]*:", re.MULTILINE)
_CLAIMS = re.compile(
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
    parts = split_front(text.replace("\r\n", "\n"))
    if parts is None:
        return None
    parsed = parse_front(text.replace("\r\n", "\n"))
    start = text.find("\n") + 1
    return _Front(start, parts[0], None if parsed is None else parsed.fields)


def strings_of(piece: AddedText, readers: Sequence[Agent] = AGENTS) -> Iterator[AddedText]:
    """The strings of a skill's front matter that its source does not show as they are."""
    if piece.place is not Destination.SKILL:
        return
    seen: set[str] = set()
    for reading in readings_of(piece.text, readers):
        for value in strings_in(dict(reading.fields)):
            if value not in seen and value not in piece.text:
                seen.add(value)
                yield AddedText(
                    Destination.SKILL, value, Span(*_span_of(piece.text, reading.front))
                )


def readings_of(text: str, readers: Sequence[Agent]) -> tuple[Reading, ...]:
    """A text as each agent reads it that finds a front matter there; the same reading once."""
    distinct: dict[tuple[str, str], Reading] = {}
    for agent in readers:
        reading = read_text(text, agent)
        if reading.front:
            distinct.setdefault((reading.front, repr(sorted(reading.fields))), reading)
    return tuple(distinct.values())


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
        start, end = _span_of(text, reading.front)
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


def _span_of(text: str, front: str) -> tuple[int, int]:
    """The span of a front matter in a text; of the text's beginning where line ends differ."""
    at = text.find(front)
    return (at, at + len(front)) if at >= 0 else (0, min(len(text), 2 * len(front)))


def _keys(value: FrontValue | Mapping[str, FrontValue]) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield key
            yield from _keys(each)
    elif isinstance(value, list):
        for each in value:
            yield from _keys(each)


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
            yield Hit(message, piece, *front.span_of(key))


def _front_matter(subject: RuleInput) -> Iterator[Hit]:
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
    check=in_pieces(_claims),
)
FRONT_MATTER = Rule(
    name="front-matter",
    effect=RuleEffect.HOLD,
    severity=Severity.MEDIUM,
    reason="Front matter can grant tools, start hooks and load itself; a name needs none of that.",
    looks_at="the front matter of a skill",
    check=_front_matter,
)
