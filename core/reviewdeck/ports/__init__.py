"""The seams of the engine: what it asks of a home and of the outside world.

Each Protocol has one contract suite in `tests/`, which every adapter passes.
"""

from reviewdeck.ports.authority import (
    Authority,
    Head,
    Heads,
    Process,
    Signer,
    SignerOf,
    nobody_signs,
)
from reviewdeck.ports.conversations import Conversations, Trust
from reviewdeck.ports.homes import (
    BatchJournal,
    Clock,
    ForeignBytes,
    Home,
    HomeWriter,
    LinkedSkill,
    NewId,
    OpenHome,
    OutsideText,
    PendingFile,
    Probe,
    Progress,
    Refusals,
    SkillSight,
    Snapshot,
    no_probe,
)
from reviewdeck.ports.sessions import TurnReader, Turns, TurnSink

__all__ = [
    "Authority",
    "BatchJournal",
    "Clock",
    "Conversations",
    "ForeignBytes",
    "Head",
    "Heads",
    "Home",
    "HomeWriter",
    "LinkedSkill",
    "NewId",
    "OpenHome",
    "OutsideText",
    "PendingFile",
    "Probe",
    "Process",
    "Progress",
    "Refusals",
    "Signer",
    "SignerOf",
    "SkillSight",
    "Snapshot",
    "Trust",
    "TurnReader",
    "TurnSink",
    "Turns",
    "no_probe",
    "nobody_signs",
]
