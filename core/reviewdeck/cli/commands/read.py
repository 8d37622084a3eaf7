"""`reviewdeck read`: a file as an agent reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options, Reveal
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.readers import As, agents_of, chosen_agents
from reviewdeck.errors import BadInput
from reviewdeck.presentation.reading import DocumentReading, read_prompt_file, read_skill
from reviewdeck.presentation.words import one_line
from reviewdeck.reading.account import Account, account
from reviewdeck.reading.agents import CLAUDE, Agent
from reviewdeck.reading.discovery import SkillFile, is_skill_name
from reviewdeck.reading.memory import loaded
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
        return _print_prompt_file(place, data, chosen, reveal=reveal, options=options)
    directory = _directory(place)
    if options.json:
        accounts = (account(data, directory, agent) for agent in chosen)
        print_json({"path": str(path), "readings": [_json(each) for each in accounts]})
        return 0
    file = SkillFile(f"{directory}/{place.name}")
    _print(read_skill(data, file, chosen, all_of_them=bool(as_)), reveal=reveal)
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


def _print_prompt_file(
    place: Path, data: bytes, chosen: tuple[Agent, ...], *, reveal: bool, options: Options
) -> int:
    # All of the agents read a folder that is none of theirs; Claude Code takes the most out.
    agent = CLAUDE if CLAUDE in chosen else chosen[0]
    text = data.decode("utf-8", "replace")
    if options.json:
        part = loaded(str(place), text, agent)
        found = {"path": str(place), "loaded": part.text, "notes": list(part.notes)}
        print_json(found, exact={"path"})
        return 0
    _print(read_prompt_file(str(place), text, (agent,)), reveal=reveal)
    return 0


def _print(reading: DocumentReading, *, reveal: bool) -> None:
    for line in reading.lines:
        say(f"{'  ' * line.is_detail}{one_line(line.text)}")
    say("")
    say(visible(reading.body if reveal else redact(reading.body)))


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
