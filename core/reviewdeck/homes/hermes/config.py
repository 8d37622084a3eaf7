"""The settings of a home's `config.yaml` that matter here: memories, gates, skill folders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import Any

from reviewdeck.agents.hermes.kit import members, text_at
from reviewdeck.model import Document
from reviewdeck.text import yaml
from reviewdeck.values import dataclass

CONFIG = "config.yaml"
MEMORY_LIMIT = 2200
USER_LIMIT = 1375
LEDGER_LIMIT = 5 * 1024 * 1024

_TRUE = frozenset({"1", "true", "yes", "on"})

_BROKEN = object()
"""The tree of a text that could not be parsed."""

_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:(?=\s|\Z)")
_BEFORE = re.compile(r"\s*(?:#|\Z)")
_BELOW = re.compile(r"[ #]|-(?!--)|\r?\Z")
_SECTIONS = frozenset({"memory", "skills"})

_PLAIN_SECTION = re.compile(r"(\w+):", re.ASCII)
_PLAIN_SETTING = re.compile(r"  ([a-z]\w*): (true|false|0|[1-9]\d{0,17}|\[\])", re.ASCII)
_PLAIN_VALUES = {"true": True, "false": False, "[]": []}
_COMMENT = re.compile(r" *(?:#.*)?")

_VARIABLE = re.compile(r"\$(?:(\w+)|\{([^}]*)\})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Config:
    """The settings that decide how a home is read."""

    memory_limit: int = MEMORY_LIMIT
    user_limit: int = USER_LIMIT
    external_dirs: tuple[str, ...] = ()
    """As written, in order."""
    create_dir: str | None = None
    """As written; None for the home's own skill folder."""
    memory_enabled: bool = True
    user_enabled: bool = True
    memory_gate: bool = False
    """Whether Hermes stages its agent's writes to memories."""
    skills_gate: bool = False
    """Whether Hermes stages its agent's writes to skills."""
    ledger: bool = True
    """Whether skill changes are recorded in the curator's ledger."""
    ledger_limit: int = LEDGER_LIMIT
    """Bytes; 0 for no limit."""
    notes: tuple[str, ...] = ()
    """One sentence for each setting that could not be used."""


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """The model that a home's settings name. The agent can write that file."""

    name: str
    provider: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)


def tree_of(document: Document) -> Mapping[str, Any]:
    """All settings of a `config.yaml`; empty where it cannot be read."""
    tree = None if document.problem else _load(document.text)
    return tree if isinstance(tree, Mapping) else {}


def model_of(document: Document) -> ConfiguredModel | None:
    """The model of a `config.yaml`; None where it names none or cannot be read."""
    model = tree_of(document).get("model")
    if isinstance(model, str):
        return ConfiguredModel(model) if model else None
    return _named_model(model, "default")


def review_model_of(document: Document) -> ConfiguredModel | None:
    """The model of `auxiliary.background_review`; None unless it names provider and model."""
    section = members(tree_of(document).get("auxiliary")).get("background_review")
    model = _named_model(section, "model")
    return model if model is not None and model.provider not in ("", "auto") else None


def _named_model(section: object, name_key: str) -> ConfiguredModel | None:
    if not isinstance(section, Mapping):
        return None
    fields = (text_at(section, key) for key in (name_key, "provider", "base_url", "api_key"))
    name, provider, address, key = fields
    return ConfiguredModel(name, provider, address, key) if name else None


@dataclass(frozen=True, slots=True)
class Bypass:
    """A setting that lets something be remembered or changed without review."""

    setting: str
    description: str
    is_chosen: bool
    """Whether it was set explicitly; else it is Hermes' default."""


def bypasses_in(document: Document) -> tuple[Bypass, ...]:
    """The settings that bypass both gates, even where they are on."""
    memory, curator = (members(tree_of(document).get(name)) for name in ("memory", "curator"))
    bypasses = []
    if provider := str(memory.get("provider") or "").strip():
        description = f"the memory provider {provider!r} stores memories without review"
        bypasses.append(Bypass("memory.provider", description, True))
    if _flag(curator.get("enabled")):
        description = "Hermes' curator archives skills that nobody used for long, without asking"
        bypasses.append(Bypass("curator.enabled", description, False))
    return tuple(bypasses)


def config_of(document: Document) -> Config:
    """The parsed settings of a `config.yaml`; defaults and a note where it cannot be used."""
    if document.problem is not None:
        return Config(notes=(f"config.yaml {document.problem}: defaults are used.",))
    return _config_of(document.text)


def config_problem(document: Document) -> str | None:
    """The syntax error in a part of `config.yaml` that `config_of` does not parse, if any."""
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
    """Whether a gate is on, as Hermes reads it: off by default."""
    if isinstance(value, str):
        return value.strip().lower() in {"on", "true", "yes", "1", "approve", "enabled"}
    return value is True


def external_roots(
    config: Config, home: Path, env: Mapping[str, str], user_home: Path
) -> tuple[Path, ...]:
    """The external skill directories that exist, resolved, in order, without the local one."""
    local = (home / "skills").resolve()
    roots: dict[Path, None] = {}
    created = create_root(config, home, env, user_home)
    if created is not None and not created.is_relative_to(local):
        roots |= {created: None} if _directory(created) else {}
    for entry in config.external_dirs:
        path = _directory(home / _expand(entry, env, user_home))
        if path is not None and path != local:
            roots[path] = None
    return tuple(roots)


def create_root(config: Config, home: Path, env: Mapping[str, str], user_home: Path) -> Path | None:
    """The folder for new skills, resolved, existing or not; None for the home's own folder."""
    if config.create_dir is None:
        return None
    try:
        path = (home / _expand(config.create_dir, env, user_home)).resolve()
    except (OSError, ValueError, RuntimeError):
        return home / config.create_dir
    return None if path == (home / "skills").resolve() else path


def _directory(path: Path) -> Path | None:
    """The directory at this path, resolved; None when there is none."""
    try:
        resolved = path.resolve()
        return resolved if resolved.is_dir() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _sections(text: str) -> Any:
    """The tree of a config, or of the two sections that matter.

    The parser takes half a second for eight hundred lines, so the other sections are cut out
    where every line at the left margin is plainly a key.
    """
    sections = _extract_sections(text)
    if sections and (plain := _plain_tree(sections)):
        return plain
    tree = _BROKEN if sections is None else _load(sections)
    return _load(text) if tree is _BROKEN else tree  # an alias may point to another section


def _extract_sections(text: str) -> str | None:
    """The text of the two sections; None when only a parser could find them."""
    lines = text.split("\n")
    if len(text.splitlines()) not in {len(lines), len(lines) - 1}:
        return None  # YAML has more line breaks than LF
    section_lines: list[str] = []
    key = ""
    for line in lines:
        if match := _KEY.match(line):
            key = match[1]
        elif not _BELOW.match(line) if key else not _BEFORE.match(line):
            return None
        if key in _SECTIONS:
            section_lines.append(line)
    return "\n".join(section_lines)


def _plain_tree(text: str) -> Mapping[str, Any] | None:
    """The tree of sections of nothing but switches and numbers; None where a parser has to look.

    Loading the parser takes longer than all else that `list` does.
    """
    tree: dict[str, dict[str, Any]] = {}
    settings: dict[str, Any] = {}
    for line in text.split("\n"):
        if section := _PLAIN_SECTION.fullmatch(line):
            name, into = section[1], tree
            value: Any = (settings := {})
        elif setting := _PLAIN_SETTING.fullmatch(line):
            name, into = setting[1], settings
            value = _PLAIN_VALUES[setting[2]] if setting[2] in _PLAIN_VALUES else int(setting[2])
        elif _COMMENT.fullmatch(line):
            continue
        else:
            return None
        if name in into:
            return None
        into[name] = value
    return tree if all(tree.values()) else None


def _load(text: str) -> Any:
    if not text.strip():
        return None
    try:
        return yaml.load(text)
    except yaml.Unparsable:
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
    """Whether a switch is on, as Hermes reads it: on by default."""
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
    def substitute(match: re.Match[str]) -> str:
        return env.get(match[1] or match[2] or "", match[0])

    filled = _VARIABLE.sub(substitute, entry)
    if filled == "~" or filled.startswith("~/"):
        return str(user_home) + filled[1:]
    return filled
