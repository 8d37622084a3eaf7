"""The short cut for many additions comes to what the long way comes to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.planning.plain import PlainSnapshot, proposal

from reviewdeck.model import MemoryAdd, MemoryRemove, Proposal
from reviewdeck.planning.additions import Additions
from reviewdeck.planning.composed import Composed, Wanted, compose

PATH = "memories/MEMORY.md"
ODD = ["", " ", "a", "a\nb", "§", "a\n§", "§\na", "a\r\nb", "\ufeffa", "c\n§\nd", "e" * 30, " f "]
TEXTS = [
    "",
    "a",
    "a\n§\nb",
    "\ufeffa",
    "a\r\n§\r\nb",
    "a\n",
    "a\n§\n§\nb",
    "§\na",
    "x" * 60,
    "a\n§",
]


def composed(text: str | None, wanted: list[Proposal], budget: int) -> Composed:
    documents = {} if text is None else {PATH: text}
    snapshot = PlainSnapshot(documents, limit=budget)
    return compose([Wanted(one) for one in wanted], snapshot)


@settings(deadline=None, max_examples=150)
@given(
    text=st.sampled_from([None, *TEXTS]),
    added=st.lists(st.sampled_from(ODD), max_size=6),
    budget=st.sampled_from([20, 50, 1000]),
    removes=st.booleans(),
)
def test_the_short_cut_and_the_long_way_agree(
    text: str | None, added: list[str], budget: int, removes: bool
) -> None:
    wanted = [
        proposal(MemoryAdd(PATH, content), id=f"p{number}") for number, content in enumerate(added)
    ]
    if removes:
        wanted.insert(len(wanted) // 2, proposal(MemoryRemove(PATH, "a"), id="gone"))
    short = composed(text, wanted, budget)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Additions, "stage", lambda *_: None)
        long = composed(text, wanted, budget)
    assert short.plan == long.plan
    assert short.staged == long.staged
    assert revisions(short) == revisions(long)


def revisions(found: Composed) -> list[tuple[str, str]]:
    """What the steps say of themselves: the short cut carries its sums along."""
    changes = (change for step in found.plan.steps for change in step.changes)
    return [(change.before_revision, change.after_revision) for change in changes]
