"""Runs the migrations that are shipped with the package."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError

from reviewdeck.errors import LedgerUnavailable
from reviewdeck.ledger.database import engine_for, translated


def configuration() -> Config:
    """Alembic's settings; no file is read for them."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    return config


def upgrade(path: Path, version: str = "head") -> None:
    """Brings a ledger to a version, in one transaction: all of it or nothing."""
    engine = engine_for(path).execution_options(reviewdeck_begin="BEGIN IMMEDIATE")
    config = configuration()
    try:
        with translated(str(path)), engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, version)
    except CommandError as error:
        raise LedgerUnavailable(
            f"The ledger {path} cannot be brought up to date: {error}",
            hint="It is as it was, and a copy is beside it.",
        ) from error
    finally:
        engine.dispose()
