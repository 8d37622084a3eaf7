"""Runs the migrations that are shipped with the package."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError

from reviewdeck.errors import LedgerUnavailable
from reviewdeck.ledger.database import engine_for, translated
from reviewdeck.ledger.versions import BEFORE_FIRST


def configuration() -> Config:
    """Alembic's settings; no file is read for them."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    return config


def upgrade(path: Path) -> None:
    """Brings an older ledger up to date, in one transaction: all of it or nothing."""
    engine = engine_for(path).execution_options(reviewdeck_begin="BEGIN IMMEDIATE")
    config = configuration()
    try:
        with translated(str(path)), engine.begin() as connection:
            config.attributes["connection"] = connection
            version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
            if version in BEFORE_FIRST:
                # There is no migration by that name: the first one begins with whatever is there.
                connection.exec_driver_sql("DELETE FROM alembic_version")
            command.upgrade(config, "head")
    except CommandError as error:
        raise LedgerUnavailable(
            f"The ledger {path} cannot be brought up to date: {error}",
            hint="It is as it was, and a copy is beside it.",
        ) from error
    finally:
        engine.dispose()
