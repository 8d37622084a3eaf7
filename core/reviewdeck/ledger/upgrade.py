"""Runs the migrations that are shipped with the package."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from reviewdeck.errors import LedgerUnavailable
from reviewdeck.ledger.connecting import connect
from reviewdeck.ledger.faults import fault_of, translated
from reviewdeck.ledger.sqlite import prepared
from reviewdeck.ledger.versions import BEFORE_FIRST


def configuration() -> Config:
    """Alembic's settings; no file is read for them."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    return config


def upgrade(path: Path) -> None:
    """Brings an older ledger up to date, in one transaction: all of it or nothing."""
    engine = create_engine(
        "sqlite://",
        creator=lambda: prepared(connect(path, "mode=rw")),
        poolclass=NullPool,
        # An error must not carry what an agent wrote to a terminal or a log.
        hide_parameters=True,
    )
    event.listen(engine, "begin", lambda opened: opened.exec_driver_sql("BEGIN IMMEDIATE"))
    config = configuration()
    try:
        with translated(str(path)), engine.begin() as connection:
            config.attributes["connection"] = connection
            version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
            if version in BEFORE_FIRST:
                # There is no migration by that name: the first one begins with whatever is there.
                connection.exec_driver_sql("DELETE FROM alembic_version")
            command.upgrade(config, "head")
    except DBAPIError as error:
        raise fault_of(error.orig or error, str(path)) from error
    except CommandError as error:
        raise LedgerUnavailable(
            f"The ledger {path} cannot be brought up to date: {error}",
            hint="It is as it was, and a copy is beside it.",
        ) from error
    finally:
        engine.dispose()
