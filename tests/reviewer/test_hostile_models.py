"""A model can write anything: a review ends in order, and stages nothing that cannot be stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cli.program import fingerprint
from tests.engine.conftest import home as small_home
from tests.engine.kit import Ticking
from tests.reviewer.kit import Desk

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import Settings
from reviewdeck.reviewer.conversation import Json
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.exchange import allowed_tools

TEXTS = st.sampled_from(
    [
        *("", "add", "replace", "remove", "batch", "create", "edit", "patch", "delete"),
        *("write_file", "memory", "user", "release-notes", "../../x", "references/a.md"),
        *("SKILL.md", "Tests run with tox.", "\n§\n", "a\x00b", "\ud800", "\x1b[2J\u202e"),
        *("---\nname: x\ndescription: y\n---\nz\n", "x" * 3000),
    ]
)
VALUES = st.one_of(
    TEXTS, st.none(), st.booleans(), st.integers(), st.lists(TEXTS, max_size=2),
    st.lists(st.dictionaries(TEXTS, TEXTS, max_size=3), max_size=3),
)  # fmt: skip
KEYS = st.sampled_from(
    [
        *("action", "target", "content", "old_text", "operations", "name", "file_path"),
        *("file_content", "old_string", "new_string", "replace_all", "absorbed_into", "odd"),
    ]
)
ARGUMENTS = st.one_of(
    st.dictionaries(KEYS, VALUES, max_size=7),
    st.sampled_from(["{", "", "null", '{"a": NaN}', '{"a": 1, "a": 2}', "[" * 99, '"\ud800"']),
)
NAMES = st.sampled_from([*allowed_tools(memory=True, skills=True), "terminal", "", "\ud800" * 200])
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=3)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One desk for all examples: what one leaves in the queue must not upset the next."""
    root = tmp_path_factory.mktemp("hostile")
    home = small_home.__wrapped__(root)  # type: ignore[attr-defined] # the fixture's own function
    where = Settings(homes=(home,), ledger=str(root / "ledger.db"), user_home=root)
    deck = open_engine(where, now=Ticking())
    yield Desk(deck)
    deck.close()


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.lists(CALLS, max_size=3))
def test_whatever_a_model_calls_the_review_ends_and_the_home_is_as_it_was(
    desk: Desk, rounds: list[list[tuple[str, Any]]]
) -> None:
    home = Path(desk.home.id)
    before = fingerprint(home)
    script: list[Json] = [
        {"call": [{"tool": name, "args": args} for name, args in calls]} for calls in rounds
    ]
    reviewed = desk.review(script)
    assert reviewed.exchange.ending in {ExchangeEnd.DONE, ExchangeEnd.MALFORMED}
    assert fingerprint(home) == before
    for one in reviewed.exchange.handled:
        json.loads(one.text)
        one.text.encode("utf-8")
    for id in reviewed.run.proposals:
        assert desk.deck.get(id).proposal.edits
