"""The ledger: proposals, decisions, operations, revisions and the audit chain, in one database."""
