"""The table of the background reviewer's runs. A SQLModel class, like those of `tables`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Integer, Text
from sqlmodel import Field

from reviewdeck.ledger.columns import Json, Moment, Number, Words
from reviewdeck.ledger.tables import Row


class ReviewRow(Row, table=True):
    """One run of the background reviewer."""

    __tablename__ = "review"
    __table_args__ = (Index("review_home", "home", "sequence"), {"sqlite_autoincrement": True})

    sequence: int | None = Field(default=None, primary_key=True, sa_type=Number)
    id: str = Field(unique=True, sa_type=Words)
    home: str = Field(sa_type=Words)
    session: str = Field(sa_type=Words)
    occasion: str = Field(sa_type=Text)
    started_at: datetime = Field(sa_type=Moment)
    finished_at: datetime = Field(sa_type=Moment)
    ending: str = Field(sa_type=Text)
    detail: str = Field(sa_type=Words)
    provider: str = Field(sa_type=Words)
    model: str = Field(sa_type=Words)
    is_routed: bool
    prompts: str = Field(sa_type=Words)
    iterations: int = Field(sa_type=Integer)
    input_tokens: int = Field(sa_type=Number)
    output_tokens: int = Field(sa_type=Number)
    cached_tokens: int = Field(sa_type=Number)
    cost: float | None = None
    shared: float | None = None
    saved_tokens: int = Field(sa_type=Number)
    denied: Any = Field(sa_type=Json, nullable=False)
    denied_count: int = Field(sa_type=Integer)
    proposals: Any = Field(sa_type=Json, nullable=False)
    proposal_count: int = Field(sa_type=Integer)
