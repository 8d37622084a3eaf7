"""Which versions of the ledger's schema there are."""

from __future__ import annotations

KNOWN = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010", "0011")
"""Every version that this program can read or bring up to date, oldest first."""

HEAD = KNOWN[-1]

APPLICATION_ID = 0x52444B31
"""Marks an SQLite file as one of ours (`RDK1`)."""
