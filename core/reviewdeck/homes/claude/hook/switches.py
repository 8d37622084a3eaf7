"""What in Claude Code's settings switches the gate off. The hook and `doctor` read it here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MARK = "reviewdeck-gate"
"""The argument by which an entry in the settings is known as ours."""
VARIABLES = ("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE")
"""Variables with which Claude Code starts without hooks."""
_OFF = {"", "0", "false", "no", "off"}


def switched_off_by(settings: Mapping[str, Any], scope: str = "managed") -> list[str]:
    """The keys of a settings file with which Claude Code runs no hook of the user.

    Not every key counts in every scope, which is `managed`, `user` or `project`.
    """
    keys = ["disableAllHooks", "allowManagedHooksOnly"][: 2 if scope == "managed" else 1]
    env = None if scope == "project" else settings.get("env")
    found = [key for key in keys if settings.get(key) is True]
    return found + (variables_set(env) if isinstance(env, dict) else [])


def variables_set(env: Mapping[str, Any]) -> list[str]:
    """Those of the variables that are set to something."""
    return [name for name in VARIABLES if str(env.get(name, "")).strip().lower() not in _OFF]


def our_handlers(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The hooks in a settings file that start the gate."""
    hooks = settings.get("hooks")
    groups = [
        group
        for listed in (hooks.values() if isinstance(hooks, dict) else ())
        for group in (listed if isinstance(listed, list) else ())
        if isinstance(group, dict)
    ]
    handlers = [
        handler
        for group in groups
        for handler in (group["hooks"] if isinstance(group.get("hooks"), list) else ())
    ]
    return [one for one in handlers if isinstance(one, dict) and is_ours(one)]


def is_ours(handler: Mapping[str, Any]) -> bool:
    """Whether a hook starts the gate."""
    arguments = handler.get("args")
    return isinstance(arguments, list) and MARK in arguments
