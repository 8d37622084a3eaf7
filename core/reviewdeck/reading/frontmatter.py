"""Where a front matter begins and ends for an agent, and what is in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import islice
from typing import Final

from reviewdeck.reading.agents import Agent, Decoding, Newlines, Repair
from reviewdeck.reading.yaml import LONGEST, Refused, TooMuch, Value, is_text, load
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as one agent takes it."""

    fields: Mapping[str, Value] = field(default_factory=dict)
    """The keys of its front matter; empty without one."""
    front: str = ""
    """The text of its front matter, as the agent's library gets it."""
    body: str = ""
    """The text after the front matter."""
    has_front: bool = False
    problem: str = ""
    """Why the agent refuses the text, or cannot read its front matter."""
    line: int = 0
    """The line of the file that the problem is in, from 1; 0 where it is not known."""
    unknown: str = ""
    """Why we cannot say what the agent reads there: it may be anything."""


def decode(data: bytes, agent: Agent) -> str | None:
    """The characters of a file as the agent decodes it; None where it cannot."""
    try:
        return _prepared(data.decode("utf-8"), agent)
    except UnicodeDecodeError:
        if agent.decoding is not Decoding.REPLACING:
            return None
        return _prepared(data.decode("utf-8", "replace"), agent)


def _prepared(text: str, agent: Agent) -> str:
    for _ in range(agent.marks):
        text = text.removeprefix("\ufeff")
    match agent.newlines:
        case Newlines.KEPT:
            return text
        case Newlines.UNIVERSAL:
            return text.replace("\r\n", "\n").replace("\r", "\n")


def read(data: bytes, agent: Agent) -> Reading:
    """A file as an agent reads it. Never raises."""
    text = decode(data, agent)
    return Reading(problem="is not UTF-8") if text is None else _read(text, agent)


def read_text(text: str, agent: Agent) -> Reading:
    """The text of a file, with its byte order mark, as an agent reads it. Never raises."""
    return _read(_prepared(text, agent), agent)


def readings_of(text: str, readers: Sequence[Agent]) -> tuple[Reading, ...]:
    """A text as each agent reads it that finds a front matter there; the same reading once."""
    distinct: dict[tuple[str, str], Reading] = {}
    for agent in readers:
        reading = read_text(text, agent)
        if reading.front:
            distinct.setdefault((reading.front, repr(sorted(reading.fields))), reading)
    return tuple(distinct.values())


def front_span(text: str, front: str) -> tuple[int, int]:
    """The span of a front matter in a text; of the text's beginning where line ends differ."""
    at = text.find(front)
    return (at, at + len(front)) if at >= 0 else (0, min(len(text), 2 * len(front)))


def front_end(text: str, agents: Iterable[Agent]) -> int:
    """Where the first of these agents takes a text's front matter to end; 0 where none has one.

    What one of them reads as text is text, whatever the others take it for.
    """
    ends = [end for agent in agents if (end := _front_end(text, agent)) is not None]
    return min(ends, default=0)


def _front_end(text: str, agent: Agent) -> int | None:
    prepared = _prepared(text, agent)
    match = agent.match_front(prepared)
    if match is None or _is_foreign(match):
        return None
    end = match.end() if match["body"] is None else match.start("body")
    mark = min(agent.marks, len(text) - len(text.lstrip("\ufeff")))
    if agent.newlines is Newlines.KEPT:
        return end + mark
    lines = prepared.count("\n", 0, end)
    last = prepared.rfind("\n", 0, end) + 1
    starts = [mark, *(line.end() for line in islice(_LINE_END.finditer(text), lines))]
    return starts[-1] + end - last


_LINE_END: Final = re.compile(r"\r\n|\r|\n")


def _is_foreign(match: re.Match[str]) -> bool:
    """Whether the front matter is in a language that we do not read."""
    return _language(match) not in ("", "yaml", "json")


def _language(match: re.Match[str]) -> str:
    return (match.groupdict().get("language") or "").strip()


@lru_cache(maxsize=32)
def _read(text: str, agent: Agent) -> Reading:
    match = agent.match_front(text)
    if match is None:
        return Reading(body=text)
    front = (match["front"] or "").replace("\r\n", "\n")
    body = match["body"] or ""
    if _is_foreign(match):
        why = "its front matter is in another language"
        return Reading(front=front, body=text, problem=why)
    try:
        fields = _parse_json(front) if _language(match) == "json" else parse(front, agent)
    except Refused as refused:
        before = text[: match.start("front")].count("\n") if match["front"] else 0
        line = before + refused.line if refused.line else 0
        return Reading({}, front, body, has_front=True, problem=str(refused), line=line)
    except TooMuch as reason:
        return Reading({}, front, body, has_front=True, unknown=str(reason))
    return Reading(fields, front, body, has_front=True)


def parse(front: str, agent: Agent) -> Mapping[str, Value]:
    """The fields of a front matter, by the agent's library and its fallback. Raises Refused."""
    if len(front) > LONGEST:
        raise TooMuch(f"it has more than {LONGEST:,} characters")
    if agent.repair is Repair.LINES:
        return _lines_only(front)
    try:
        fields = _load(front, agent)
    except Refused as refused:
        repaired = _REPAIRS[agent.repair](front, agent)
        if repaired is None:
            raise refused
        fields = repaired
    return _with_lines(fields, front) if agent.repair is Repair.QUOTE_FREE else fields


def _parse_json(front: str) -> Mapping[str, Value]:
    """The fields of a front matter in JSON. Raises Refused, TooMuch."""
    if len(front) > LONGEST:
        raise TooMuch(f"it has more than {LONGEST:,} characters")
    try:
        value = json.loads(front)
    except RecursionError as error:
        raise TooMuch("it is nested too deeply") from error
    except ValueError as error:
        raise Refused("it is no JSON") from error
    if not isinstance(value, dict):
        raise Refused("it is no mapping")
    return value


def _load(front: str, agent: Agent) -> Mapping[str, Value]:
    """The fields, as the agent's types want them. Raises Refused."""
    if agent.repair is Repair.QUOTE_FREE:
        front = front.replace("\n\ufeff", "\n")
    value = load(front, agent.yaml, agent.fields)
    if not isinstance(value, dict):
        if agent.repair is Repair.SPLIT:
            return {}
        raise Refused("it is no mapping")
    asked = [value.get(key) for key in ("name", "description")]
    if agent.repair is Repair.SIMPLE and not all(is_text(each) for each in asked):
        raise Refused("its name or description is no text")
    if agent.repair is Repair.QUOTE_COLONS and any(isinstance(each, list | dict) for each in asked):
        raise Refused("its name or description is no text")
    if agent.repair is Repair.QUOTE_COLONS and isinstance(value.get("metadata"), str | list):
        raise Refused("its metadata are no mapping")
    return value


def _again(front: str, agent: Agent) -> Mapping[str, Value] | None:
    try:
        return _load(front, agent)
    except Refused:
        return None


def _split_lines(front: str, agent: Agent) -> Mapping[str, Value] | None:
    """Hermes: every line with a colon is a key and a text."""
    fields: dict[str, Value] = {}
    for line in front.strip().split("\n"):
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip()] = value.strip()
    return fields


_SPECIAL: Final = re.compile(r"[{}\[\]*&#!|>%@`]|: |^,")
"""What it puts into quotes, and the comma, with which Bun lets a value begin."""
_LINE: Final = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]+(\S.*)")


_ANY_KEY: Final = re.compile(r"([^\s:#\"'-][^:]*?)[ \t]*:[ \t]+(\S.*)")


def _quote_special(front: str, agent: Agent) -> Mapping[str, Value] | None:
    """Claude Code: values with characters that YAML reserves are put into quotes."""
    lines = []
    for line in front.split("\n"):
        match = _LINE.fullmatch(line.rstrip("\r"))
        if match and not _is_quoted(match[2].rstrip()) and _SPECIAL.search(match[2]):
            line = f"{match[1]}: {json.dumps(match[2].rstrip(), ensure_ascii=False)}"
        lines.append(line)
    return _again("\n".join([re.sub(r"^[ ]*\t+[ \t]*", "  ", line) for line in lines]), agent)


def _is_quoted(text: str) -> bool:
    return text[:1] in ("'", '"') and text[-1] == text[0]


def without_quotes(text: str) -> str:
    """A value without quotes around all of it, as the parsers of agents that read lines do."""
    return text[1:-1] if _is_quoted(text) else text


def _quote_colons(front: str, agent: Agent) -> Mapping[str, Value] | None:
    """Codex: values with a colon, or that begin with what no value begins with, are quoted."""
    lines = []
    for line in front.split("\n"):
        match = _ANY_KEY.fullmatch(line)
        value = match[2].partition(" #")[0].rstrip() if match else ""
        is_open = value[:1] in ("[", "{") and value[-1:] not in ("]", "}")
        if match and value[0] not in "\"'|>" and (": " in value or value[0] in "@`" or is_open):
            line = f"{match[1]}: '" + value.replace("'", "''") + "'"
        lines.append(line)
    return _again("\n".join(lines), agent)


_NAME: Final = re.compile(r"[\s\ufeff]*name:[\s\ufeff]*([^\r\u2028\u2029]*)")
_DESCRIPTION: Final = re.compile(r"[\s\ufeff]*description:[\s\ufeff]*([^\r\u2028\u2029]*)")


def _simple(front: str, agent: Agent) -> Mapping[str, Value] | None:
    """Gemini CLI: the lines of the two keys, with the indented lines after a description."""
    lines = re.split(r"\r?\n", front)
    fields: dict[str, Value] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if (match := _NAME.fullmatch(line)) is not None:
            fields["name"] = match[1].strip()
        elif (match := _DESCRIPTION.fullmatch(line)) is not None:
            parts = [match[1].strip()]
            while at < len(lines) and re.match(r"[ \t]+\S", lines[at]):
                parts.append(lines[at].strip())
                at += 1
            fields["description"] = " ".join(part for part in parts if part)
    return fields if len(fields) == len(("name", "description")) else None


_PAIR: Final = re.compile(r"([a-zA-Z_][a-zA-Z0-9_]*)\s*:\s*(.*)")


def _block_scalars(front: str, agent: Agent) -> Mapping[str, Value] | None:
    """opencode: values with a colon become block scalars."""
    lines = []
    for line in re.split(r"\r?\n", front):
        match = None if re.match(r"\s*#|\s", line) else _PAIR.fullmatch(line)
        value = match[2].strip() if match else ""
        if match is None or value in ("", ">", "|") or value[0] in "\"'" or ":" not in value:
            lines.append(line)
        else:
            lines += [f"{match[1]}: |-", f"  {value}"]
    return _again("\n".join(lines), agent)


_FREE: Final = re.compile(r"(description|read_when|summary):[ \t]+(\S.*)")
_FLAT: Final = re.compile(r"([\w-]+):\s*(.*)")


def _quote_free(front: str, agent: Agent) -> Mapping[str, Value] | None:
    """OpenClaw: the free texts are put into quotes, one after the other."""
    lines = front.split("\n")
    for at, line in enumerate(lines):
        match = _FREE.fullmatch(line)
        value = match[2].strip() if match else ""
        if match and value and not re.fullmatch(r"[|>](?:[1-9][+-]?|[+-][1-9]?)?", value):
            value = without_quotes(value)
            if match[1] == "description" or ": " in value:
                lines[at] = f"{match[1]}: {json.dumps(value, ensure_ascii=False)}"
    return _again("\n".join(lines), agent)


def _with_lines(fields: Mapping[str, Value], front: str) -> Mapping[str, Value]:
    """OpenClaw: what YAML has no value for is taken from the lines."""
    flat = {
        match[1]: match[2].strip() for line in front.split("\n") if (match := _FLAT.match(line))
    }
    result = dict(fields)
    for key, text in flat.items():
        value = fields.get(key)
        if text and (value is None or (isinstance(value, list | dict) and ":" in text)):
            result[key] = without_quotes(text)
    return result


def _lines_only(front: str) -> Mapping[str, Value]:
    """letta-code: keys by lines, lists and block scalars by indentation."""
    fields: dict[str, Value] = {}
    pending, items = "", list[Value]()
    lines = front.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        indent = len(line) - len(line.lstrip())
        if indent:
            if indent <= 2 and line.strip().startswith("-") and pending:
                items.append(line.strip()[1:].strip())
            continue
        if pending:
            fields[pending] = items or ""
            pending, items = "", []
        key, colon, rest = line.partition(":")
        value = rest.strip()
        if not (colon and key):
            continue
        if (block := re.fullmatch(r"([|>])([+-]?)", value)) is not None:
            end = at
            while end < len(lines) and not (
                lines[end].strip() and lines[end] == lines[end].lstrip()
            ):
                end += 1
            fields[key.strip()] = _block(lines[at:end], block[1], block[2])
            at = end
        elif value:
            fields[key.strip()] = value
        else:
            pending = key.strip()
    if pending:
        fields[pending] = items or ""
    return fields


def _block(lines: list[str], style: str, chomping: str) -> str:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    margin = min(indents, default=0)
    plain = [line[margin:] if line.strip() else "" for line in lines]
    text = "\n".join(plain) if style == "|" else _fold(plain)
    if chomping == "+":
        return f"{text}\n"
    return text.rstrip("\n") + ("" if chomping == "-" else "\n")


def _fold(lines: list[str]) -> str:
    text, breaks = "", 0
    for line in lines:
        if not line:
            breaks += 1
            continue
        text += ("\n" * breaks if breaks else " " if text else "") + line
        breaks = 0
    return text + "\n" * breaks


def _nothing(front: str, agent: Agent) -> Mapping[str, Value] | None:
    return None


_REPAIRS: Final[Mapping[Repair, Callable[[str, Agent], Mapping[str, Value] | None]]] = {
    Repair.NONE: _nothing,
    Repair.SPLIT: _split_lines,
    Repair.QUOTE_SPECIAL: _quote_special,
    Repair.QUOTE_COLONS: _quote_colons,
    Repair.SIMPLE: _simple,
    Repair.BLOCKS: _block_scalars,
    Repair.QUOTE_FREE: _quote_free,
    Repair.LINES: _nothing,
}
