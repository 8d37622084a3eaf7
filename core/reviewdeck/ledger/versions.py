"""Which versions of the ledger's schema there are."""

from __future__ import annotations

BEFORE_FIRST = ("0009", "0010", "0011")
"""Schemas from before the first release, oldest first, that are brought up to date."""

SHIPPED = (
    "0012",
    "0013",
    "0014",
    "0015",
    "0016",
    "0017",
    "0018",
    "0019",
    "0020",
    "0021",
    "0022",
    "0023",
    "0024",
    "0025",
)
"""The first schema and every later one, oldest first: one migration each."""

KNOWN = BEFORE_FIRST + SHIPPED
"""Every version that this program can read or bring up to date, oldest first."""

HEAD = KNOWN[-1]

APPLICATION_ID = 0x52444B31
"""Marks an SQLite file as one of ours (`RDK1`)."""

FIRST_HUB = "0025"
"""The first schema of a hub, that of release 0.2.0: earlier ones were files alone."""

RELEASED = "0025"
"""The last schema of the release before, which is 0.2.0. The first migration after a release sets
it to the newest number that there was until then."""

MIN_READER = MIN_WRITER = RELEASED
"""The oldest programs, by the schema that they were made for, that can read and write this one in a
hub: those of the release before, since hosts are not all updated in one moment."""
