"""Alembic's entry point: runs on the connection that it is handed."""

from __future__ import annotations

from alembic import context

from reviewdeck.ledger.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # The connection is in a transaction of ours, which covers the changes of the schema too.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
