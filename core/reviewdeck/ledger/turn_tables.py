"""The tables of recorded conversations. SQLModel classes, like those of `tables`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Text
from sqlmodel import Field

from reviewdeck.ledger.columns import Json, Moment, Number, Words
from reviewdeck.ledger.tables import Row


class TranscriptRow(Row, table=True):
    """One document of turns: a session from when it was entered to when it was left."""

    __tablename__ = "transcript"
    __table_args__ = (
        Index("transcript_session", "session", "sequence"),
        Index("transcript_last", "last_at"),
        {"sqlite_autoincrement": True},
    )

    sequence: int | None = Field(default=None, primary_key=True, sa_type=Number)
    id: str = Field(unique=True, sa_type=Words)
    home: str = Field(sa_type=Words)
    session: str = Field(sa_type=Words)
    parent: str | None = Field(default=None, sa_type=Words)
    began: str = Field(sa_type=Text)
    platform: str = Field(sa_type=Words)
    started_at: datetime = Field(sa_type=Moment)
    last_at: datetime = Field(sa_type=Moment)
    turns: int = Field(sa_type=Number)
    messages: int = Field(sa_type=Number)


class TurnRow(Row, table=True):
    """One turn of a transcript."""

    __tablename__ = "turn"

    transcript: int = Field(primary_key=True, foreign_key="transcript.sequence", sa_type=Number)
    number: int = Field(primary_key=True, sa_type=Number)
    id: str | None = Field(default=None, sa_type=Words)
    """The agent's own name for it."""
    at: datetime = Field(sa_type=Moment)
    messages: Any = Field(sa_type=Json, nullable=False)
    """Role, text, tool and call of each."""
