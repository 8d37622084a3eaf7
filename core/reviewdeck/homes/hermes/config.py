"""What matters to us of a home's `config.yaml`: the memories, and where skills live."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from reviewdeck.model import Document

CONFIG = "config.yaml"
MEMORY_LIMIT = 2200
USER_LIMIT = 1375
LEDGER_LIMIT = 5 * 1024 * 1024

_TRUE = frozenset({"1", "true", "yes", "on"})

_BROKEN = object()
"""Stands for a tree that could not be read."""

_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:(?=\s|\Z)")
_BEFORE = re.compile(r"\s*(?:#|\Z)")
_BELOW = re.compile(r"[ #]|-(?!--)|\r?\Z")
_WANTED = frozenset({"memory", "skills"})

_VARIABLE = re.compile(r"\$(?:(\w+)|\{([^}]*)\})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Config:
    """The settings that decide how a home is read."""

    memory_limit: int = MEMORY_LIMIT
    user_limit: int = USER_LIMIT
    external_dirs: tuple[str, ...] = ()
    """As written, in order."""
    create_dir: str | None = None
    """As written; None for the home's own skills."""
    memory_enabled: bool = True
    user_enabled: bool = True
    memory_gate: bool = False
    """Whether Hermes stages what its agent writes to the memories."""
    skills_gate: bool = False
    """The same for skills."""
    ledger: bool = True
    """Whether changes of skills are noted in the curator's ledger."""
    ledger_limit: int = LEDGER_LIMIT
    """Bytes; 0 for no limit."""
    notes: tuple[str, ...] = ()
    """What could not be used, for people to see."""


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """The model that a home is set to. The agent can write that file."""

    name: str
    provider: str = ""
    base_url: str = ""


def tree_of(document: Document) -> Mapping[str, Any]:
    """Everything that a `config.yaml` says; nothing where it cannot be read."""
    tree = None if document.problem else _load(document.text)
    return tree if isinstance(tree, Mapping) else {}


def model_of(document: Document) -> ConfiguredModel | None:
    """The model of a `config.yaml`; None where it names none or cannot be read."""
    model = tree_of(document).get("model")
    if isinstance(model, str):
        return ConfiguredModel(model) if model else None
    if not isinstance(model, Mapping):
        return None
    name, provider, address = (
        value if isinstance(value := model.get(key), str) else ""
        for key in ("default", "provider", "base_url")
    )
    return ConfiguredModel(name, provider, address) if name else None


@dataclass(frozen=True, slots=True)
class Bypass:
    """A setting by which something is remembered or changed past the gates."""

    setting: str
    said: str
    is_chosen: bool
    """Whether somebody set it so; else it is the way that Hermes comes."""


def bypasses_in(document: Document) -> tuple[Bypass, ...]:
    """What a `config.yaml` lets past both gates, even where they are on."""
    tree = None if document.problem else _load(document.text)
    settings = tree if isinstance(tree, Mapping) else {}
    memory, curator = (
        found if isinstance(found := settings.get(name), Mapping) else {}
        for name in ("memory", "curator")
    )
    found = []
    if provider := str(memory.get("provider") or "").strip():
        said = f"the memory provider {provider!r} keeps what it is told where nobody reviews it"
        found.append(Bypass("memory.provider", said, True))
    if _flag(curator.get("enabled")):
        said = "Hermes' curator archives skills that nobody used for long, without asking"
        found.append(Bypass("curator.enabled", said, False))
    return tuple(found)


def config_of(document: Document) -> Config:
    """The settings of a `config.yaml`; defaults and a note where it cannot be used."""
    if document.problem is not None:
        return Config(notes=(f"config.yaml {document.problem}: defaults are used.",))
    return _config_of(document.text)


def config_problem(document: Document) -> str | None:
    """What is wrong with the parts of a `config.yaml` that `config_of` has no need to read."""
    if document.problem is None and _load(document.text) is _BROKEN:
        return "config.yaml is not valid YAML: Hermes itself uses its defaults."
    return None


@lru_cache(maxsize=8)
def _config_of(text: str) -> Config:
    tree = _sections(text)
    if tree is None:
        return Config()
    if not isinstance(tree, Mapping):
        return Config(notes=("config.yaml is not a YAML mapping: defaults are used.",))
    notes: list[str] = []
    memory = _section(tree, "memory", notes)
    skills = _section(tree, "skills", notes)
    return Config(
        memory_limit=_limit(memory, "memory.memory_char_limit", MEMORY_LIMIT, notes),
        user_limit=_limit(memory, "memory.user_char_limit", USER_LIMIT, notes),
        external_dirs=_directories(skills.get("external_dirs"), notes),
        create_dir=_path(skills.get("create_dir"), notes),
        memory_enabled=_flag(memory.get("memory_enabled")),
        user_enabled=_flag(memory.get("user_profile_enabled")),
        memory_gate=is_gate_on(memory.get("write_approval")),
        skills_gate=is_gate_on(skills.get("write_approval")),
        ledger=bool(skills.get("ledger", True)),
        ledger_limit=_limit(skills, "skills.ledger_max_bytes", LEDGER_LIMIT, notes),
        notes=tuple(notes),
    )


def is_gate_on(value: object) -> bool:
    """A gate as Hermes reads it: off unless something says that it is on."""
    if isinstance(value, str):
        return value.strip().lower() in {"on", "true", "yes", "1", "approve", "enabled"}
    return value is True


def external_roots(
    config: Config, home: Path, env: Mapping[str, str], user_home: Path
) -> tuple[Path, ...]:
    """The external skill directories that exist, resolved, in order, without the local one."""
    local = (home / "skills").resolve()
    found: dict[Path, None] = {}
    made = create_root(config, home, env, user_home)
    if made is not None and not made.is_relative_to(local):
        found |= {made: None} if _directory(made) else {}
    for entry in config.external_dirs:
        path = _directory(home / _expand(entry, env, user_home))
        if path is not None and path != local:
            found[path] = None
    return tuple(found)


def create_root(config: Config, home: Path, env: Mapping[str, str], user_home: Path) -> Path | None:
    """Where new skills go, resolved, whether it exists or not; None for the home's own skills."""
    if config.create_dir is None:
        return None
    try:
        path = (home / _expand(config.create_dir, env, user_home)).resolve()
    except (OSError, ValueError, RuntimeError):
        return home / config.create_dir
    return None if path == (home / "skills").resolve() else path


def _directory(path: Path) -> Path | None:
    """The directory at this path, resolved; None when there is none to be had."""
    try:
        resolved = path.resolve()
        return resolved if resolved.is_dir() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _sections(text: str) -> Any:
    """The tree of a config, or of its two sections that matter.

    The parser takes half a second for eight hundred lines, so where every line at the left edge
    is plainly a key, the other sections are left out.
    """
    wanted = _cut(text)
    tree = _BROKEN if wanted is None else _load(wanted)
    return _load(text) if tree is _BROKEN else tree  # an alias may point to another section


def _cut(text: str) -> str | None:
    """The two sections; None when it takes a parser to tell where they are."""
    lines = text.split("\n")
    if len(text.splitlines()) not in {len(lines), len(lines) - 1}:
        return None  # YAML knows more line breaks than these
    kept: list[str] = []
    key = ""
    for line in lines:
        if match := _KEY.match(line):
            key = match[1]
        elif not _BELOW.match(line) if key else not _BEFORE.match(line):
            return None
        if key in _WANTED:
            kept.append(line)
    return "\n".join(kept)


def _load(text: str) -> Any:
    if not text.strip():
        return None
    from ruamel.yaml import YAML  # heavy: only when there is something to parse

    try:
        return YAML(typ="safe", pure=True).load(text)
    except Exception:  # noqa: BLE001 - the parser has no closed set of errors for broken input
        return _BROKEN


def _section(tree: Mapping[str, Any], name: str, notes: list[str]) -> Mapping[str, Any]:
    section = tree.get(name)
    if isinstance(section, Mapping):
        return section
    if section is not None:
        notes.append(f"config.yaml: {name} is not a mapping: its defaults are used.")
    return {}


def _limit(section: Mapping[str, Any], key: str, default: int, notes: list[str]) -> int:
    value = section.get(key.rpartition(".")[2], default)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    notes.append(f"config.yaml: {key} is not a whole number: {default} is used.")
    return default


def _flag(value: object) -> bool:
    """A switch as Hermes reads it: on unless something else is said."""
    if value is None:
        return True
    return value.strip().lower() in _TRUE if isinstance(value, str) else bool(value)


def _path(value: object, notes: list[str]) -> str | None:
    if value is None or isinstance(value, str):
        return (value or "").strip() or None
    notes.append("config.yaml: skills.create_dir is not a path: it is ignored.")
    return None


def _directories(value: object, notes: list[str]) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if value is None:
        return ()
    if not isinstance(value, list):
        notes.append("config.yaml: skills.external_dirs is not a list: it is ignored.")
        return ()
    return tuple(entry for entry in (str(item).strip() for item in value) if entry)


def _expand(entry: str, env: Mapping[str, str], user_home: Path) -> str:
    def put(match: re.Match[str]) -> str:
        return env.get(match[1] or match[2] or "", match[0])

    filled = _VARIABLE.sub(put, entry)
    if filled == "~" or filled.startswith("~/"):
        return str(user_home) + filled[1:]
    return filled
