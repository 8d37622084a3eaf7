"""What this plugin asks of the Hermes that it runs in: nothing else here imports any of it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

BACKGROUND = "background_review"
"""Hermes' word for a call of a review, or of its curator."""


def home() -> Path:
    """The home of the current call: a gateway may serve several in one process."""
    try:
        return Path(import_module("hermes_constants").get_hermes_home())
    except Exception:  # noqa: BLE001 - then it is the home that this plugin is installed in
        return Path(__file__).resolve().parents[2]


def origin() -> str:
    """Who asked for the current call, in the word that Hermes puts into its records."""
    try:
        found: Any = import_module("tools.skill_provenance").get_current_write_origin()
    except Exception:  # noqa: BLE001 - another Hermes: then nobody says so
        return ""
    return found if isinstance(found, str) else ""


def chat() -> str:
    """Where the current command was typed, and by which account of that place, in two words."""
    try:
        known = import_module("gateway.session_context").get_session_env
        said = f"{known('HERMES_SESSION_PLATFORM')} {known('HERMES_SESSION_USER_ID')}"
    except Exception:  # noqa: BLE001 - another Hermes: then nobody says so
        said = ""
    return said.strip()[:64] or "terminal"


def database() -> Path:
    """Where the sessions of this process are kept: several homes may share it."""
    try:
        return Path(import_module("hermes_state").DEFAULT_DB_PATH)
    except Exception:  # noqa: BLE001 - another Hermes: each home has its own
        return home() / "state.db"
