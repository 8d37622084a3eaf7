"""Values to JSON and back, whatever is in them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.ledger.cells import dump, micros_of, moment_of, shield, unshield
from reviewdeck.model import (
    Actor,
    Base,
    BaseSource,
    DocumentWrite,
    Edit,
    Effect,
    Finding,
    MemoryAdd,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
    Restore,
    Revision,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    codec,
)

WORDS = st.text(alphabet=st.characters(exclude_categories=()), max_size=12)
MAYBE = st.none() | WORDS
BYTES = st.none() | st.binary(max_size=12)
EDITS: dict[type[Edit], st.SearchStrategy[Edit]] = {
    MemoryAdd: st.builds(MemoryAdd, WORDS, WORDS),
    MemoryPatch: st.builds(MemoryPatch, WORDS, WORDS, WORDS, MAYBE),
    MemoryReplace: st.builds(MemoryReplace, WORDS, WORDS, WORDS, MAYBE),
    MemoryRemove: st.builds(MemoryRemove, WORDS, WORDS, MAYBE),
    SkillCreate: st.builds(SkillCreate, WORDS, WORDS, MAYBE),
    SkillEdit: st.builds(SkillEdit, WORDS, WORDS),
    SkillPatch: st.builds(SkillPatch, WORDS, WORDS, WORDS, WORDS, st.booleans()),
    SkillWriteFile: st.builds(SkillWriteFile, WORDS, WORDS, WORDS),
    SkillRemoveFile: st.builds(SkillRemoveFile, WORDS, WORDS),
    SkillDelete: st.builds(SkillDelete, WORDS, MAYBE),
    DocumentWrite: st.builds(DocumentWrite, WORDS, MAYBE, WORDS),
    Restore: st.builds(Restore, WORDS, BYTES, BYTES, st.none() | st.integers(0, 0o777), MAYBE),
}
BASES = st.builds(
    Base, st.builds(Revision, WORDS), BYTES, st.sampled_from(BaseSource), st.booleans()
)


def test_every_kind_of_edit_is_covered() -> None:
    assert set(EDITS) == set(get_args(Edit))


@given(st.lists(st.one_of(*EDITS.values())))
def test_edits_come_back_as_they_were(edits: list[Edit]) -> None:
    assert codec.edits_from_json(json.loads(dump(codec.edits_to_json(edits)))) == tuple(edits)


@given(st.dictionaries(WORDS, BASES, max_size=3))
def test_bases_come_back_as_they_were(bases: dict[str, Base]) -> None:
    assert codec.bases_from_json(json.loads(dump(codec.bases_to_json(bases)))) == bases


@given(st.lists(st.from_type(Finding), max_size=3))
def test_findings_come_back_as_they_were(findings: list[Finding]) -> None:
    raw = json.loads(dump(codec.findings_to_json(findings)))
    assert codec.findings_from_json(raw) == tuple(findings)


@given(st.lists(st.from_type(Effect), max_size=3))
def test_effects_come_back_as_they_were(effects: list[Effect]) -> None:
    raw = json.loads(dump(codec.effects_to_json(effects)))
    assert codec.effects_from_json(raw) == tuple(effects)


@given(st.from_type(Actor))
def test_an_actor_comes_back_as_it_was(actor: Actor) -> None:
    assert codec.actor_from_json(json.loads(dump(codec.actor_to_json(actor)))) == actor


@given(WORDS)
def test_a_shielded_text_is_what_it_was_and_can_be_stored_anywhere(text: str) -> None:
    shielded = shield(text)
    assert unshield(shielded) == text
    assert b"\x00" not in shielded.encode("utf-8")


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)), st.integers(-14, 14)
)
def test_a_time_is_kept_to_the_microsecond(naive: datetime, hours: int) -> None:
    moment = naive.replace(tzinfo=timezone(timedelta(hours=hours)))
    assert moment_of(micros_of(moment)) == moment


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 1, 1),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-14))),
    ],
)
def test_a_time_that_could_not_be_read_again_is_not_kept(moment: datetime) -> None:
    with pytest.raises(ValueError, match="time"):
        micros_of(moment)
