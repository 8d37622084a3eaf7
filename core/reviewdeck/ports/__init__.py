"""The seams of the engine: what it asks of a home, of a ledger, of the outside world.

Each Protocol has one contract suite in `tests/`, which every adapter passes.
"""

from reviewdeck.ports.authority import Authority, AuthorityReader, Head, Process, Sign, unsigned
from reviewdeck.ports.conversations import Conversations, Trust
from reviewdeck.ports.environment import Clock, NewId, Probe, Progress
from reviewdeck.ports.homes import (
    Home,
    HomeWriter,
    OpenHome,
    PendingFile,
    Refusals,
    Rescued,
    Snapshot,
)
from reviewdeck.ports.journal import Automatic, Claim, Fence, OpenBatch, Undone
from reviewdeck.ports.ledger import DirectoryIdentity, KnownHome, Ledger, LedgerReader
from reviewdeck.ports.passes import ANY_DOMAIN, RefreshStart, Sighting, Staging, Subject
from reviewdeck.ports.queue import Baseline, Counts, Filter, QueueReader, RevisionReader
from reviewdeck.ports.sessions import TurnReader, Turns, TurnSink

__all__ = [
    "ANY_DOMAIN",
    "Authority",
    "AuthorityReader",
    "Automatic",
    "Baseline",
    "Claim",
    "Clock",
    "Conversations",
    "Counts",
    "DirectoryIdentity",
    "Fence",
    "Filter",
    "Head",
    "Home",
    "HomeWriter",
    "KnownHome",
    "Ledger",
    "LedgerReader",
    "NewId",
    "OpenBatch",
    "OpenHome",
    "PendingFile",
    "Probe",
    "Process",
    "Progress",
    "QueueReader",
    "RefreshStart",
    "Refusals",
    "Rescued",
    "RevisionReader",
    "Sighting",
    "Sign",
    "Snapshot",
    "Staging",
    "Subject",
    "Trust",
    "TurnReader",
    "TurnSink",
    "Turns",
    "Undone",
    "unsigned",
]
