"""What an agent's model is shown of a skill before it loads it: a name and a description."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final, TypeAlias

from reviewdeck.reading.agents import (
    CLAUDE,
    CODEX,
    GEMINI,
    HERMES,
    HERMES_22,
    LETTA,
    OPENCLAW,
    OPENCODE,
    Agent,
    Twins,
)
from reviewdeck.reading.frontmatter import Reading, read, without_quotes
from reviewdeck.reading.yaml import Value, is_text
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """A skill in the list that the model is given."""

    name: str
    description: str
    """Empty where the model is shown none."""
    hidden: bool = False
    """Whether it is only for the user's commands: the model is not shown it."""


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A skill that the agent does not list."""

    reason: str


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A skill that the agent may list: we cannot read its front matter."""

    reason: str


Listing: TypeAlias = Shown | Unlisted | Uncertain

_Rule: TypeAlias = Callable[[Reading, str], Listing]
_HERMES_CUT: Final = 60
_CODEX_NAME: Final = 64
_CODEX_CUT: Final = 1_024
_NO_DESCRIPTION: Final = "it has no description"


def listing(data: bytes, directory: str, agent: Agent) -> Listing:
    """What the model is shown of a SKILL.md. Never raises.

    `directory` is relative to the folder of skills, whose own name stands for itself.
    """
    if agent.largest is not None and len(data) > agent.largest:
        return Unlisted(f"it is larger than {agent.largest:,} bytes")
    reading = read(data, agent)
    if reading.unknown:
        return Uncertain(reading.unknown)
    folder = directory if agent is LETTA else directory.rpartition("/")[2]
    return _LISTINGS[agent.key](reading, folder)


def shown_in(agent: Agent, found: Iterable[tuple[str, Listing]]) -> dict[str, Shown]:
    """What the model is shown of a folder of skills, by the directory of each.

    Where chance or the file system chooses between skills of one name, all of them are given: each
    may be the one.
    """
    shown: dict[str, Shown] = {}
    by_name: dict[str, str] = {}
    for directory, each in found:
        if not isinstance(each, Shown) or each.hidden:
            continue
        if agent.twins is Twins.LAST and (other := by_name.get(each.name)) is not None:
            shown.pop(other)
        by_name[each.name] = directory
        shown[directory] = each
    return _without_second_aliases(shown) if agent is CLAUDE else shown


def _without_second_aliases(shown: dict[str, Shown]) -> dict[str, Shown]:
    """Claude Code shows a name beside the folder's only once."""
    taken = set(shown)
    for directory, each in shown.items():
        alias = each.name.removeprefix(f"{directory} (").removesuffix(")")
        if alias == each.name:
            continue
        if alias in taken:
            shown[directory] = replace(each, name=directory)
        taken.add(alias)
    return shown


def _hermes(reading: Reading, folder: str) -> Listing:
    name = str(reading.fields.get("name", folder))
    value = reading.fields.get("description")
    text = str(value).strip().strip("'\"") if value else ""
    cut = f"{text[: _HERMES_CUT - 3]}..." if len(text) > _HERMES_CUT else text
    return Shown(name, cut)


_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_TERMINAL: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]).*?(?:\x07|\x1b\\|\x9c|\Z)|\x1b.?",
    re.DOTALL,
)
"""What a terminal would obey."""
_IGNORABLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""What is not shown, beside what Unicode counts as a control, a format or no character."""
_HEADING: Final = re.compile(r"#+\s+")
_CLAUDE_LINE: Final = 100
_CLAUDE_CUT: Final = 1_536


def _claude(reading: Reading, folder: str) -> Listing:
    fields = {} if reading.problem else reading.fields
    described = _scalar(fields.get("description"))
    text = described if described is not None and described.strip() else _first_line(reading.body)
    extra = _string(fields.get("when_to_use"))
    text = f"{_trimmed(text)} - {extra}" if extra else _trimmed(text)
    alias = _scalar(fields.get("name"))
    named = alias if alias and alias != folder and all(map(_is_of_alias, alias)) else ""
    shown = _visible(text)
    shown = f"{shown[: _CLAUDE_CUT - 1]}…" if len(shown) > _CLAUDE_CUT else shown
    shown = shown.replace("<", "&lt;").replace(">", "&gt;")
    is_off = _is_true(fields.get("disable-model-invocation"))
    hidden = is_off or _waits_for_files(fields.get("paths"))
    return Shown(f"{folder} ({named})" if named else folder, shown, hidden)


def _waits_for_files(paths: Value) -> bool:
    """Whether Claude Code lists a skill only once a file of these patterns is read."""
    written = paths.split(",") if isinstance(paths, str) else paths
    each = written if isinstance(written, list) else []
    patterns = {item.strip() for item in each if isinstance(item, str)} - {""}
    return bool(patterns - {"**"})


def _visible(text: str) -> str:
    """A text without what a terminal would obey, and with spaces for what nobody sees."""
    if text.isascii() and "\x1b" not in text:
        return _CONTROLS.sub(" ", text)
    plain = _IGNORABLE.sub(" ", _CONTROLS.sub(" ", _TERMINAL.sub("", text)))
    return "".join(
        " " if unicodedata.category(sign) in ("Cf", "Co", "Cn", "Cs") else sign for sign in plain
    )


def _is_of_alias(sign: str) -> bool:
    return sign in "._-" or unicodedata.category(sign)[0] in "LMN"


def _trimmed(text: str) -> str:
    """Without the white space around it, to which JavaScript counts the byte order mark."""
    return text.strip(" \t\n\v\f\r\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff")


def _first_line(body: str) -> str:
    """The first line with text, without the marks of a heading."""
    line = _trimmed(next((line for line in body.split("\n") if _trimmed(line)), "Skill"))
    line = line[match.end() :] if (match := _HEADING.match(line)) else line
    return f"{line[: _CLAUDE_LINE - 3]}..." if len(line) > _CLAUDE_LINE else line


def _codex(reading: Reading, folder: str) -> Listing:
    if not reading.has_front:
        why = reading.problem or "it has no front matter between two lines of ---"
        return Unlisted(why)
    if reading.problem:
        return Unlisted(f"its front matter is refused: {reading.problem}")
    name = " ".join(_plain(reading.fields.get("name")).split()) or " ".join(folder.split())
    text = " ".join(_plain(reading.fields.get("description")).split())
    if len(name) > _CODEX_NAME:
        return Unlisted(f"its name is longer than {_CODEX_NAME} characters")
    if not text:
        return Unlisted(_NO_DESCRIPTION)
    return Shown(name, f"{text[: _CODEX_CUT - 3]}..." if len(text) > _CODEX_CUT else text)


def _gemini(reading: Reading, folder: str) -> Listing:
    if not reading.has_front:
        return Unlisted("it has no front matter at its first character")
    if reading.problem:
        return Unlisted("its front matter has no name and description")
    name = re.sub(r"[:\\/<>*?\"|]", "-", str(reading.fields["name"]))
    return Shown(name, str(reading.fields["description"]))


def _opencode(reading: Reading, folder: str) -> Listing:
    if reading.problem:
        return Unlisted(f"its front matter is refused: {reading.problem}")
    name, text = reading.fields.get("name"), reading.fields.get("description")
    if not is_text(name):
        return Unlisted("it has no name that is text")
    if text is not None and not is_text(text):
        return Unlisted("its description is no text")
    if text is None:
        return Unlisted(_NO_DESCRIPTION)
    return Shown(str(name), str(text))


def _openclaw(reading: Reading, folder: str) -> Listing:
    if reading.problem:
        return Unlisted(f"its front matter is refused: {reading.problem}")
    name = (_json(reading.fields.get("name")) or folder).strip()
    text = _json(reading.fields.get("description")).strip()
    if not text:
        return Unlisted(_NO_DESCRIPTION)
    return Shown(name, text, _is_true(reading.fields.get("disable-model-invocation")))


def _letta(reading: Reading, folder: str) -> Listing:
    fields = reading.fields
    name = _unquoted(fields.get("id")) or _unquoted(fields.get("name")) or folder
    described = _unquoted(fields.get("description"))
    text = _trimmed(described or reading.body).split("\n")[0]
    shown = text or ("" if described else "No description available")
    hidden = _unquoted(fields.get("disable-model-invocation")).lower() == "true"
    return Shown(name, shown, hidden)


def _unquoted(value: Value) -> str:
    return without_quotes(value.strip()) if isinstance(value, str) else ""


def _scalar(value: Value) -> str | None:
    """A scalar as JavaScript prints it; None for none, and for collections."""
    match value:
        case None | list() | dict():
            return None
        case bool():
            return "true" if value else "false"
        case int() if abs(value) >= _LARGEST:
            return str(value)
        case float() | int():
            return _number(float(value))
        case _:
            return str(value)


_LARGEST: Final = 10**300
"""From there on a whole number is none of JavaScript's."""


def _number(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        plain = f"{Decimal(repr(value)):f}"
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    return re.sub(r"(\.0)?e([-+])0*", r"e\2", repr(value))


def _string(value: Value) -> str:
    match value:
        case None:
            return ""
        case list():
            return ",".join(map(_string, value))
        case dict():
            return "[object Object]"
        case _:
            return _scalar(value) or ""


def _plain(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _json(value: Value) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_date)
    return _scalar(value) or ""


def _date(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _is_true(value: Value) -> bool:
    return (_scalar(value) or "").strip().lower() in ("true", "yes", "on", "1")


_LISTINGS: Final[Mapping[str, _Rule]] = {
    HERMES.key: _hermes,
    HERMES_22.key: _hermes,
    CLAUDE.key: _claude,
    CODEX.key: _codex,
    GEMINI.key: _gemini,
    OPENCODE.key: _opencode,
    OPENCLAW.key: _openclaw,
    LETTA.key: _letta,
}
