"""The ledger in PostgreSQL, for several hosts: a hub."""
