"""The settings of an agent that switch the gate off, for the hook and for `doctor`."""

from __future__ import annotations

from reviewdeck.agents.hermes.kit import items, members, objects, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MARK = "reviewdeck-gate"
"""The argument that marks an entry in the settings as ours."""
NAME = "reviewdeck"
"""The name of our hooks, where hooks have one."""
VARIABLES = {
    "claude": ("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"),
    "qwen": ("QWEN_CODE_SIMPLE", "QWEN_CODE_SAFE_MODE"),
    "gemini": (),
}
"""Variables with which an agent starts without hooks."""
_OFF = {"", "0", "false", "no", "off"}


def switched_off_by(settings: Mapping[str, Any], agent: str, scope: str = "managed") -> list[str]:
    """The keys of a settings file that stop an agent from running the user's hooks.

    The scope is `managed`, `user` or `project`; not every key counts in each.
    """
    if agent == "gemini":
        return _switched_off_in_gemini(settings)
    keys = ["disableAllHooks", "allowManagedHooksOnly"][: 2 if scope == "managed" else 1]
    env = {} if scope == "project" else members(settings.get("env"))
    return [key for key in keys if settings.get(key) is True] + variables_set(env, agent)


def _switched_off_in_gemini(settings: Mapping[str, Any]) -> list[str]:
    """The same for Gemini CLI, which can disable a hook by its name or command."""
    hooks = members(settings.get("hooksConfig"))
    off = ["hooksConfig.enabled"] if hooks.get("enabled") is False else []
    names = [name for name in items(hooks.get("disabled")) if isinstance(name, str)]
    is_named = any(name == NAME or MARK in name.split() for name in names)
    return [*off, "hooksConfig.disabled"] if is_named else off


def variables_set(env: Mapping[str, Any], agent: str) -> list[str]:
    """The variables of `VARIABLES` that are set and not off."""
    return [name for name in VARIABLES[agent] if str(env.get(name, "")).strip().lower() not in _OFF]


def our_handlers(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The hooks in a settings file that start the gate."""
    groups = [
        group for groups in members(settings.get("hooks")).values() for group in objects(groups)
    ]
    handlers = (handler for group in groups for handler in objects(group.get("hooks")))
    return [handler for handler in handlers if is_ours(handler)]


def is_ours(handler: Mapping[str, Any]) -> bool:
    """Whether a hook starts the gate."""
    return MARK in items(handler.get("args")) or MARK in text_at(handler, "command").split()
