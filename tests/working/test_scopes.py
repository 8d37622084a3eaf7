"""Whose work it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.errors import BadInput
from reviewdeck.working import Scope

ids = st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda text: bool(text.strip())
)


def test_the_prefix_of_a_scope_includes_its_parents() -> None:
    session = Scope("s1", agent="bot 2", project="a/b")
    assert session.prefix == "project:a%2Fb/agent:bot%202/session:s1"
    assert session.prefix.startswith(Scope(agent="bot 2", project="a/b").prefix + "/")
    assert session.prefix.startswith(Scope(project="a/b").prefix + "/")
    assert (session.kind, session.id) == ("session", "s1")
    assert Scope("s1").prefix == "session:s1"
    assert Scope(project="p").kind == "project"


@given(st.tuples(ids, ids, ids), st.tuples(ids, ids, ids))
def test_different_scopes_have_different_prefixes(
    one: tuple[str | None, ...], other: tuple[str | None, ...]
) -> None:
    if any(part is not None for part in one) and any(part is not None for part in other):
        assert (Scope(*one).prefix == Scope(*other).prefix) == (one == other)


@pytest.mark.parametrize("parts", [(), ("",), ("  ",), ("x" * 201,), ("\ud800",), (None, "")])
def test_a_scope_without_an_id_or_with_an_impossible_one_is_refused(
    parts: tuple[str | None, ...],
) -> None:
    with pytest.raises(BadInput):
        Scope(*parts)
