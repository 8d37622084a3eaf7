"""Names and paths that a proposal may use: allow-lists, matched in full.

Hermes' own checks let a trailing newline, control characters and nested SKILL.md files through.
Whatever is not plainly a name of ours is refused here, before it becomes part of a path.
"""

from __future__ import annotations

import re

MAX_NAME = 64
SKILL_FILE = "SKILL.md"

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MEMORY = re.compile(r"[A-Z]{1,40}\.md")
ROOTS = ("references", "templates", "assets", "scripts")
_MAX_DEPTH = 4
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"}
    | {f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)}
)
_SKIPPED = frozenset({"venv", "node_modules", "site-packages"})
"""Directories that Hermes passes over when it looks for skills: one there would never be found."""


def check_skill_name(name: str) -> str | None:
    """What is wrong with this name of a skill, or None."""
    return _check_name(name, "skill name")


def check_category(category: str | None) -> str | None:
    """What is wrong with this category, or None. No category, or an empty one, is fine."""
    return _check_name(category, "category") if category else None


def check_support_path(path: str) -> str | None:
    """What is wrong with this path of a file within a skill, or None."""
    if path == SKILL_FILE:
        return None
    root, *parts = path.split("/")
    if root not in ROOTS:
        return f"A skill's file is {SKILL_FILE} or lies below {', '.join(ROOTS)}: {path!r}."
    if not 1 <= len(parts) <= _MAX_DEPTH:
        return f"A path has one to {_MAX_DEPTH} parts below {root}: {path!r}."
    return next((problem for part in parts if (problem := _check_part(part, path))), None)


def check_new_document(path: str) -> str | None:
    """What is wrong with this path of a document that is not there yet, or None."""
    top, *parts = path.split("/")
    if top == "memories" and len(parts) == 1 and _MEMORY.fullmatch(parts[0]):
        return None
    if top != "skills" or len(parts) < 2:
        return f"A document is a memory or lies below skills: {path!r}."
    end = next((at for at, part in enumerate(parts) if at and part in ROOTS), len(parts) - 1)
    *categories, name = parts[:end] or [""]
    problems = (check_category(one) for one in categories)
    within = "/".join(parts[end:])
    return next(filter(None, problems), check_skill_name(name) or check_support_path(within))


def _check_name(name: str, what: str) -> str | None:
    if not name:
        return f"The {what} is empty."
    if len(name) > MAX_NAME:
        return f"The {what} has {len(name)} characters; {MAX_NAME} is the limit."
    if not _NAME.fullmatch(name):
        return (
            f"The {what} {name!r} may hold only a-z, 0-9, dot, dash and underscore, "
            "and starts with a letter or digit."
        )
    if name.partition(".")[0] in _DEVICES or name.endswith("."):
        return f"Some systems have no directory called {name!r}: pick another {what}."
    if name in _SKIPPED:
        return f"Hermes passes over directories called {name!r}: pick another {what}."
    return None


def _check_part(part: str, path: str) -> str | None:
    if not _PART.fullmatch(part):
        return (
            "Parts of a path hold only letters, digits, dot, dash and underscore, start with a "
            f"letter or digit and have at most 100 characters: {path!r}."
        )
    if part.endswith("."):
        return f"No part of a path may end with a dot: {path!r}."
    if part.partition(".")[0].lower() in _DEVICES:
        return f"{part!r} is the name of a device on Windows: {path!r}."
    if part.casefold() == SKILL_FILE.casefold():
        return f"{SKILL_FILE} may only stand at the top of a skill: {path!r}."
    return None
