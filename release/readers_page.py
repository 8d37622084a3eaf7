"""Writes docs/internals/readers.md from table and recordings: `python -m release.readers_page`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from tests.reading import forms, import_forms
from tests.reading.recordings import recorded

from reviewdeck.reading.agents import (
    AGENTS,
    CLAUDE,
    HERMES,
    HERMES_22,
    Agent,
    Decoding,
    Newlines,
    Repair,
)
from reviewdeck.reading.imports import ALL_DEPTH, DEPTH

PAGE = Path(__file__).parents[1] / "docs" / "internals" / "readers.md"
_CELL = 34
_ANY_DEPTH = 1_000
_HEAD = (
    "One file, seven readers. Each agent ran without a screen against a stand-in for its model:",
    "what counts is the text that the model would get. This page is generated from the table by",
    "which reviewdeck itself judges and shows (`python -m release.readers_page`); `reviewdeck read",
    "PATH` and `reviewdeck skills check` apply it to your files.",
)
_SIDE = "What each model is shown; `–` where the agent does not list the skill. Long texts are cut."
_OF_IMPORTS = (
    "`@path` in a `CLAUDE.md` or a rule brings that file into Claude Code's prompt (seen in",
    f"{CLAUDE.versions[-1]}): relative to the importing file, {DEPTH} deep, each file once,",
    "without its front matter and comments; what a `MEMORY.md` names is not imported. From",
    "outside of a repository it is imported once somebody allowed that; for its own folder always.",
    "What little tells from an import counts as one here, so that nothing in the prompt is missed.",
    "",
    f"Gemini CLI 0.61.0 and Qwen Code 0.24.4 put the file in place of `@path`: {ALL_DEPTH} deep,",
    "with any suffix, in comments too (Gemini CLI also in `~~~` fences), and nothing from outside.",
    "Every `@path` of theirs counts as an import. Other agents were not asked. A ⏎ is a line end.",
)
_BYTES = {
    Decoding.REPLACING: "are read with U+FFFD in their place",
    Decoding.REFUSING: "are refused",
    Decoding.EMPTYING: "are listed under the folder's name, without a description",
}
_REPAIRS = {
    Repair.NONE: "nothing",
    Repair.SPLIT: "every line with a colon is a key and a text",
    Repair.QUOTE_SPECIAL: "values with characters that YAML reserves are put into quotes",
    Repair.QUOTE_COLONS: "values with a second colon are put into quotes",
    Repair.SIMPLE: "the lines of `name` and `description` are taken as text",
    Repair.BLOCKS: "values with a colon become block scalars",
    Repair.QUOTE_FREE: "`description`, `read_when` and `summary` are put into quotes",
    Repair.LINES: "there is no library: lines are keys and values",
}


def page() -> str:
    """The text of the page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# How agents read a SKILL.md"
    yield ""
    yield from _HEAD
    for agent in AGENTS:
        yield ""
        yield f"## {agent.name}"
        yield ""
        versions = ", ".join(agent.versions)
        yield f"Seen in {versions}, {agent.seen}. Folders of skills: {_code(agent.roots)}."
        yield ""
        for line in _facts(agent):
            yield f"- {line}"
        if agent is HERMES:
            yield from (f"- {line}" for line in _later())
    yield from _imports()
    yield ""
    yield "## The same forms, side by side"
    yield ""
    yield _SIDE
    yield ""
    yield f"| form | {' | '.join(agent.name for agent in AGENTS)} |"
    yield f"| --- |{' --- |' * len(AGENTS)}"
    shown = {agent.key: recorded(agent) for agent in AGENTS}
    for path in (*forms.A, *forms.B):
        cells = (_cell(shown[agent.key].get(path)) for agent in AGENTS)
        yield f"| `{path.removesuffix('/SKILL.md')}` | {' | '.join(cells)} |"


def _imports() -> Iterator[str]:
    yield from ("", "## Imports", "", *_OF_IMPORTS, "")
    yield from ("| imported | not imported |", "| --- | --- |")
    for taken, left in zip_longest(import_forms.IMPORTED.values(), import_forms.LEFT.values()):
        yield f"| {_form(taken)} | {_form(left)} |"


def _form(text: str | None) -> str:
    """A form in code, with a sign for each line end; some hold three back quotes."""
    if text is None:
        return ""
    return f"```` {text.strip(chr(10)).replace(chr(10), '⏎').replace('|', chr(92) + '|')} ````"


def _facts(agent: Agent) -> Iterator[str]:
    yield f"Front matter: {agent.bounds}."
    yield f"YAML: {agent.yaml.name}; what it refuses: {_REPAIRS[agent.repair]}."
    mark = "is taken out" if agent.marks else "hides the front matter"
    ends = "CR LF and CR are line ends" if agent.newlines is Newlines.UNIVERSAL else "CR is none"
    yield f"Bytes that are not UTF-8 {_BYTES[agent.decoding]}; a byte order mark {mark}; {ends}."
    search = agent.search
    hidden = "enters" if search.hidden else "does not enter"
    nested = "is a skill too" if search.nested else "is none"
    depth = f"{search.deepest} deep" if search.deepest < _ANY_DEPTH else "at any depth"
    yield f"Search: {depth}, {hidden} folders with a dot; a skill in a skill {nested}."
    if search.excluded:
        yield f"Never entered: {_code(tuple(sorted(search.excluded)))}."
    links = [
        f"links to folders {'count' if search.folder_links else 'do not count'}",
        f"links to files {'count' if search.file_links else 'do not count'}",
        *([] if search.leaves else ["a link out of the folder does not count"]),
    ]
    yield f"{'; '.join(links).capitalize()}."
    yield f"Two of one name: {agent.twins}."
    if agent.acts:
        yield f"Keys that act: {'; '.join(f'`{key}` {what}' for key, what in agent.acts.items())}."
    if agent.limit is not None:
        yield f"A body above {agent.limit.above:,} {agent.limit.unit}: {agent.limit.beyond}."
    yield from (f"Otherwise than specified: {each}." for each in agent.differs)
    yield from (f"Guessed, not seen: {each}." for each in agent.guessed)


def _later() -> Iterator[str]:
    """Where the later Hermes reads otherwise."""
    before, now = recorded(HERMES), recorded(HERMES_22)
    version = HERMES_22.versions[-1]
    excluded = tuple(sorted(HERMES_22.search.excluded - HERMES.search.excluded))
    forms_ = [path for path in before if before[path] != now.get(path)]
    yield (
        f"{version}, seen too, lists {len(before) - len(forms_)} of {len(before)} forms alike. Its"
        f" YAML is {HERMES_22.yaml.name}: `1e3` is a number, two escapes may make one character."
        f" {HERMES_22.marks} byte order marks are taken out, and"
        f" {_code(excluded)} never entered."
    )
    acts = HERMES_22.acts or {}
    more = (f"`{key}` {what}" for key, what in acts.items() if key not in (HERMES.acts or {}))
    yield f"Keys that act in {version} alone: {'; '.join(more)}."


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(line: str | None) -> str:
    if line is None:
        return "–"
    text = " ".join(line.split()).replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
