"""Which machines of a shared ledger are alive, in words."""

from __future__ import annotations

from datetime import timedelta

from reviewdeck.presentation.hosts import HostHealth, span_words


def health(age: timedelta | None, **fields: object) -> HostHealth:
    known: dict[str, object] = {"version": "0.1.0", "problem": "", "homes": 2, "waiting": 0}
    return HostHealth("host-b", age=age, open=5, **(known | fields))  # type: ignore[arg-type]


def test_a_worker_that_was_seen_lately_is_well() -> None:
    seen = health(timedelta(seconds=40), waiting=1)
    assert not seen.is_alarming
    assert seen.words == (
        "the worker on host-b was seen 40 s ago; version 0.1.0; 2 homes, 5 to decide;"
        " what was decided for 1 home waits for it"
    )


def test_a_worker_that_is_silent_or_was_never_seen_is_missed() -> None:
    silent, never = health(timedelta(minutes=20)), health(None, version="")
    assert silent.is_alarming and never.is_alarming
    assert silent.words.startswith("no worker has been seen on host-b for 20 min;")
    assert never.words.startswith("no worker has been seen on host-b; 2 homes")


def test_what_keeps_a_worker_from_its_work_is_said() -> None:
    full = health(timedelta(0), problem="The disk is full.")
    assert full.is_alarming and full.words.endswith("The disk is full.")
    assert full.as_json()["seen_seconds_ago"] == 0


def test_a_time_is_told_in_its_largest_unit() -> None:
    spans = [timedelta(seconds=59), timedelta(minutes=61), timedelta(days=2, hours=5)]
    assert [span_words(span) for span in spans] == ["59 s", "1 h", "2 d"]
