"""OpenClaw's folder of state, and the workspaces of its agents. Nothing here is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.hermes.kit import members, objects, parsed, path_text, text_at
from reviewdeck.reading.agents import OPENCLAW_UNITS

CONFIG: Final = "openclaw.json"
RECORD: Final = ".reviewdeck/openclaw/install.json"
"""The record of an installation, in OpenClaw's folder of state."""
_LARGEST: Final = 4 * 1024 * 1024
_UNSET: Final = frozenset({"", "undefined", "null"})
"""What OpenClaw takes for a variable that is not set."""


def default_state(env: Mapping[str, str], user_home: Path) -> Path:
    """OpenClaw's folder of state in this environment."""
    if (state := _value(env, "OPENCLAW_STATE_DIR")) is not None:
        return Path(state).expanduser()
    home = _value(env, "OPENCLAW_HOME")
    profile = _value(env, "OPENCLAW_PROFILE")
    name = ".openclaw" if profile in (None, "default") else f".openclaw-{profile}"
    return (user_home if home is None else Path(home).expanduser()) / name


def state_of(home: Path, env: Mapping[str, str], user_home: Path) -> Path:
    """The folder of state that a home belongs to: around it, else the default one.

    A workspace lies in it; an agent's own folder three levels below.
    """
    around = (above for above in [*home.parents][:3] if (above / CONFIG).is_file())
    return next(around, None) or default_state(env, user_home)


def settings_in(state: Path) -> Mapping[str, Any]:
    """OpenClaw's settings; empty where they cannot be read."""
    # Imported late: every command, and completion, asks for the folder of state alone.
    from reviewdeck.files.reads import open_directory, read_place
    from reviewdeck.files.syscalls import NameIn

    try:
        with open_directory(state) as folder:
            return members(parsed(read_place(NameIn(folder, CONFIG), _LARGEST).data))
    except OSError:
        return {}


def workspaces_in(settings: Mapping[str, Any], state: Path, user_home: Path) -> Mapping[str, Path]:
    """The workspace of each agent, by the agent's id. One that is relative is so to OpenClaw."""
    named = _named(_defaults(settings), "workspace")
    default = _path(named, user_home) if named else state / "workspace"
    agents = agents_in(settings)
    marked = [agent for agent, entry in agents.items() if entry.get("default") is True]
    owner = next(iter(agents)) if len(agents) == 1 else marked[0] if len(marked) == 1 else None
    found: dict[str, Path] = {}
    for agent, entry in agents.items():
        if own := _named(entry, "workspace"):
            found[agent] = _path(own, user_home)
        elif agent == owner:
            found[agent] = default
        else:
            found[agent] = default / agent if named else state / f"workspace-{agent}"
    return found


def workshops_in(settings: Mapping[str, Any], state: Path, user_home: Path) -> Mapping[str, Path]:
    """The own folder of each agent, with its sessions and its Workshop, by the agent's id."""
    return {
        agent: _path(named, user_home)
        if (named := _named(entry, "agentDir"))
        else state / "agents" / agent / "agent"
        for agent, entry in agents_in(settings).items()
    }


def agents_in(settings: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """The settings of each agent, by its id as OpenClaw writes it."""
    agents = members(settings.get("agents"))
    named = members(agents.get("entries"))
    if "entries" not in agents:
        named = {text_at(entry, "id"): entry for entry in objects(agents.get("list"))}
    return {_id(agent): members(entry) for agent, entry in named.items()} or {"main": {}}


def _id(agent: str) -> str:
    """An agent's id as OpenClaw writes it: its folders are named by it."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", agent.strip().lower())
    return re.sub(r"^-+|-+$", "", plain)[:64] or "main"


def loaded_characters(settings: Mapping[str, Any]) -> int:
    """How much OpenClaw loads of each document but `USER.md`."""
    chosen = _defaults(settings).get("bootstrapMaxChars")
    return chosen if isinstance(chosen, int) and chosen > 0 else OPENCLAW_UNITS


def _defaults(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    return members(members(settings.get("agents")).get("defaults"))


def _named(fields: Mapping[str, Any], key: str) -> str:
    return path_text(fields.get(key)).strip()


def _path(text: str, user_home: Path) -> Path:
    return user_home / text[2:] if text.startswith("~/") else Path(text)


def _value(env: Mapping[str, str], name: str) -> str | None:
    value = env.get(name, "").strip()
    return None if value in _UNSET else value
