"""`reviewdeck read`: a file as an agent reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options, Reveal
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.readers import As, agents_of, chosen_agents
from reviewdeck.errors import BadInput
from reviewdeck.presentation.words import one_line
from reviewdeck.reading.account import Account, account, otherwise
from reviewdeck.reading.agents import AGENTS, CLAUDE, Agent
from reviewdeck.reading.discovery import Found, is_skill_name, loads
from reviewdeck.reading.memory import claude_index, without_comments
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import redact

_LARGEST = 16 * 1024 * 1024


def read(
    path: Annotated[Path, Parameter(name="PATH", help="A SKILL.md, a memory or an instruction.")],
    /,
    *,
    as_: As = (),
    reveal: Reveal = False,
    options: Options = DEFAULTS,
) -> int:
    """Show a file as an agent reads it: what its model is shown, what acts, what is loaded.

    Names each other agent that reads it otherwise. Without --as it is the agent in whose folder the
    file lies.
    """
    data = _data(path)
    place = path.absolute()
    chosen = chosen_agents(as_) if as_ else agents_of(place)
    if not is_skill_name(place.name):
        return _print_memory(place, data, chosen, reveal=reveal, options=options)
    directory = _directory(place)
    accounts = [account(data, directory, agent) for agent in AGENTS]
    main = [each for each in accounts if each.agent in chosen]
    if options.json:
        print_json({"path": str(path), "readings": [_json(each) for each in main]})
        return 0
    first = main[0]
    shown = [each for each in main if as_ or each is first or each.keys]
    for each in shown:
        _print_account(each, place)
    for each in otherwise(first, accounts):
        if each not in shown:
            say(f"{each.agent.name} {one_line(redact(each.words))}")
    say("")
    say(_safe(first.body, reveal=reveal))
    return 0


def _data(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise BadInput(f"There is no file {path}.", hint="Name a SKILL.md or a memory.")
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > _LARGEST:
        raise BadInput(f"{path} has more than {_LARGEST:,} bytes.")
    return data


def _directory(place: Path) -> str:
    """The skill's directory, relative to the folder of skills where the path shows that."""
    parts = place.parent.parts
    at = max((n for n, part in enumerate(parts) if part in ("skills", ".skills")), default=-1)
    return "/".join(parts[at + 1 :]) if 0 <= at < len(parts) - 1 else parts[-1]


def _print_account(each: Account, place: Path) -> None:
    agent = each.agent
    say(f"{agent.name} {agent.versions[-1]} {one_line(redact(each.words))}")
    if not loads(agent, Found(f"{_directory(place)}/{place.name}")):
        say("  It does not look for skills here.")
    for key, words in each.keys:
        value = " ".join(str(each.reading.fields[key]).split())[:120]
        say(f"  {one_line(key)}: {one_line(redact(value))}: {words}")
    if each.reading.problem:
        where = f" (line {each.reading.line})" if each.reading.line else ""
        say(f"  front matter: {one_line(each.reading.problem)}{where}")
    say(f"  body: {each.cut or f'{len(each.body):,} characters, all of it'}")


def _print_memory(
    place: Path, data: bytes, chosen: tuple[Agent, ...], *, reveal: bool, options: Options
) -> int:
    text = data.decode("utf-8", "replace")
    is_claude = CLAUDE in chosen
    is_index = is_claude and place.name == "MEMORY.md"
    loaded = claude_index(text).text if is_index else without_comments(text) if is_claude else text
    notes = []
    if is_index and claude_index(text).is_cut:
        index = claude_index(text)
        notes.append(f"cut: it has {index.lines:,} lines and {index.units:,} UTF-16 units")
    if is_claude and len(without_comments(text)) < len(text.strip()):
        notes.append("front matter and HTML comments are taken out")
    if options.json:
        print_json({"path": str(place), "loaded": loaded, "notes": notes}, exact={"path"})
        return 0
    for note in notes:
        say(f"{chosen[0].name}: {note}")
    say(_safe(loaded, reveal=reveal))
    return 0


def _safe(text: str, *, reveal: bool) -> str:
    return visible(text if reveal else redact(text))


def _json(each: Account) -> dict[str, Any]:
    return {
        "agent": each.agent.key,
        "words": each.words,
        "keys": dict(each.keys),
        "problem": each.reading.problem or each.reading.unknown or None,
        "line": each.reading.line or None,
        "body": each.body,
        "cut": each.cut or None,
    }
