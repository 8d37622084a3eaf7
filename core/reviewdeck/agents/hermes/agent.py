"""The state of the running Hermes, read by importing its modules."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

BACKGROUND = "background_review"
"""Hermes' origin of a call by a review or by its curator."""


def home() -> Path:
    """The home of the current call: a gateway may serve several in one process."""
    try:
        return Path(import_module("hermes_constants").get_hermes_home())
    except Exception:  # noqa: BLE001 - the home that this plugin is installed in
        return Path(__file__).resolve().parents[2]


def origin() -> str:
    """The origin of the current call, as Hermes writes it into its records."""
    try:
        origin: Any = import_module("tools.skill_provenance").get_current_write_origin()
    except Exception:  # noqa: BLE001 - another Hermes, without this module
        return ""
    return origin if isinstance(origin, str) else ""


def chat() -> str:
    """The platform and the account from which the current command was sent."""
    try:
        get_env = import_module("gateway.session_context").get_session_env
        sender = f"{get_env('HERMES_SESSION_PLATFORM')} {get_env('HERMES_SESSION_USER_ID')}"
    except Exception:  # noqa: BLE001 - another Hermes, without this module
        sender = ""
    return sender.strip()[:64] or "terminal"


def is_direct_message() -> bool:
    """Whether the current turn is of a gateway's chat with one person."""
    try:
        key = import_module("gateway.session_context").get_session_env("HERMES_SESSION_KEY")
        return str(key).split(":")[3:4] == ["dm"]  # agent:<profile>:<platform>:<kind of chat>:…
    except Exception:  # noqa: BLE001 - another Hermes, without this module
        return False


def approval_callback() -> Any:
    """What asks a person in Hermes' own terminal, in this thread; None where nobody is asked."""
    return import_module("tools.terminal_tool")._get_approval_callback()


def set_approval_callback(callback: Any) -> None:
    """Sets what asks a person, in this thread."""
    import_module("tools.terminal_tool").set_approval_callback(callback)


def notifications() -> str:
    """How much Hermes tells about memories: `off`, `on` or `verbose`."""
    try:
        settings = import_module("hermes_cli.config").load_config()
        mode = settings["display"]["memory_notifications"]
        if isinstance(mode, bool):  # YAML reads `on` and `off` so.
            return "on" if mode else "off"
        return str(mode or "on").lower()
    except Exception:  # noqa: BLE001 - another Hermes, or no such setting
        return "on"


def database() -> Path:
    """The session database of this process: several homes may share it."""
    try:
        return Path(import_module("hermes_state").DEFAULT_DB_PATH)
    except Exception:  # noqa: BLE001 - another Hermes: each home has its own
        return home() / "state.db"
