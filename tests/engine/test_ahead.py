"""What is read ahead of its time is read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewdeck.engine.ahead import Ahead


def test_what_was_expected_is_not_read_again_and_kept_until_it_is_taken() -> None:
    asked: list[str] = []

    def read(ids: Sequence[str]) -> Mapping[str, str]:
        asked.extend(ids)
        return {id: id.upper() for id in ids if id != "none"}

    ahead = Ahead(read)
    ahead.expect(["a", "none", "b"])
    assert ahead.take(["b", "none", "c", "a"]) == {"b": "B", "c": "C", "a": "A"}
    assert asked == ["a", "none", "b", "c"]
    assert ahead.take(["a"]) == {"a": "A"}
    assert asked == ["a", "none", "b", "c", "a"]
