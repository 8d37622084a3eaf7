"""Cases and answers as bytes, for the pipe between two processes of one program."""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Callable
from dataclasses import fields
from io import BytesIO
from operator import attrgetter
from typing import Any

from reviewdeck.judging import Case, Judged
from reviewdeck.model import (
    AutoApply,
    Change,
    Conflict,
    Dead,
    Finding,
    Judgement,
    Likeness,
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Plan,
    Proposal,
    Ready,
    Refuse,
    Restore,
    Review,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    Span,
    StagedProposal,
    Step,
)

HEAD = 4
"""Bytes that say how many follow."""

_VALUES = (
    *(Case, Judged, Judgement, StagedProposal, Likeness, Finding, Span, AutoApply, Review, Refuse),
    *(Ready, Plan, Step, Change, Conflict, Dead, MemoryAdd, MemoryRemove, MemoryReplace, Restore),
    *(SkillCreate, SkillDelete, SkillEdit, SkillPatch, SkillRemoveFile, SkillWriteFile),
)


def packed(value: object) -> bytes:
    """A value with its length before it."""
    stream = BytesIO()
    pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _TABLE
    pickler.dump(value)
    data = stream.getvalue()
    return len(data).to_bytes(HEAD, "big") + data


def unpacked(data: bytes) -> Any:
    """The value that these bytes, without the length, stand for. Both ends are ours."""
    return pickle.loads(data)  # noqa: S301 - from our own child or parent, through a private pipe


def _reducer(kind: type[Any]) -> Callable[[Any], tuple[type[Any], tuple[Any, ...]]]:
    """How a value is made anew. What a dataclass with slots does by itself takes far longer."""
    names = [field.name for field in fields(kind)]
    if len(names) == 1:
        (only,) = names
        return lambda value: (kind, (getattr(value, only),))
    values = attrgetter(*names)
    return lambda value: (kind, values(value))


def _told(proposal: Proposal) -> tuple[type[Proposal], tuple[Any, ...]]:
    """A proposal without what no rule looks at: what its author saw, and where it came from."""
    one = proposal
    names = (one.id, one.home, one.kind, one.action, one.target, one.edits, one.payload_sha)
    return Proposal, (*names, one.origin)


_TABLE = copyreg.dispatch_table | {kind: _reducer(kind) for kind in _VALUES} | {Proposal: _told}
