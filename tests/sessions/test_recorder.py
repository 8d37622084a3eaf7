"""What a recorder promises an agent: it does not wait, loses nothing, and keeps sessions apart."""

from __future__ import annotations

import itertools
import json
import os
import stat
import threading
import time
import zlib
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, cast

import pytest
from tests.sessions.kit import (
    SOON,
    Failing,
    Stopped,
    Ticking,
    kept_in_ledger,
    kept_in_lines,
    ledger_sink,
    lines_sink,
    recorder,
    said,
    segments,
    texts,
)

from reviewdeck.errors import BadInput, Busy, SpoolFull, SpoolUnavailable
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Began, Message, Role, SessionMode
from reviewdeck.recording import deliver_leftovers
from reviewdeck.sessions import Prefetch, SpoolLimits


def test_buffered_turns_are_flushed_under_the_old_id_and_lineage(tmp_path: Path) -> None:
    sink = Stopped(ledger_sink(tmp_path, SessionMode.APPEND))
    with recorder(tmp_path, sink, every=10) as at_work:
        talk = at_work.begin("old", parent="older", home="/homes/iris", platform="cli")
        old = talk.document
        for text in ("one", "two", "three"):
            talk.record(said(text))
        talk.switch("new")
        talk.record(said("four"))
        assert at_work.drain(SOON)
        assert [batch.transcript.id for batch in sink.batches] == [old]
        flushed = sink.batches[0].transcript
        assert (flushed.lineage.session, flushed.lineage.parent) == ("old", "older")
        assert (flushed.turns, flushed.messages, flushed.platform) == (3, 6, "cli")
        assert [turn.number for turn in sink.batches[0].turns] == [0, 1, 2]
        assert (talk.session, talk.document != old) == ("new", True)
    second = sink.batches[1]
    assert second.transcript.id == talk.document
    assert (second.transcript.lineage.parent, second.transcript.lineage.began) == ("old", "reset")
    assert (second.first, second.transcript.turns, second.transcript.messages) == (0, 1, 2)
    kept = kept_in_ledger(tmp_path)
    assert texts(kept, "old") == [["one", "two", "three"]]
    assert texts(kept, "new") == [["four"]]
    kept.close()


@pytest.mark.parametrize("began", list(Began))
def test_every_kind_of_switch_flushes_and_mints_a_document(tmp_path: Path, began: Began) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND))
    with recorder(tmp_path, sink, every=10) as at_work:
        talk = at_work.begin("old")
        talk.record(said("one"))
        talk.switch("new", began=began)
        talk.record(said("two"))
    lineages = [batch.transcript.lineage for batch in sink.batches]
    parent = None if began in {Began.NEW, Began.RESUME} else "old"
    assert [(one.session, one.parent, one.began) for one in lineages] == [
        ("old", None, "new"),
        ("new", parent, began),
    ]


def test_there_is_no_spurious_write_on_an_empty_buffer(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND))
    with recorder(tmp_path, sink, every=2) as at_work:
        talk = at_work.begin("old")
        talk.switch("newer")
        talk.flush()
        talk.end()
        assert not segments(tmp_path)
        talk.record(said("one"))
        talk.record(said("two"))
        talk.flush()
        talk.end()
        talk.switch("newest")
        talk.end()
    assert [len(batch.turns) for batch in sink.batches] == [2]


def test_a_blank_id_is_no_session(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND))
    with recorder(tmp_path, sink, every=10) as at_work:
        with pytest.raises(BadInput):
            at_work.begin("  ")
        talk = at_work.begin("old")
        document = talk.document
        talk.record(said("one"))
        talk.switch(" \n")
        assert talk.document == document
        assert talk.record(said("two")) == 1
        with pytest.raises(BadInput):
            talk.record([])
    assert [len(batch.turns) for batch in sink.batches] == [2]


def test_an_end_followed_by_a_switch_flushes_once(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND))
    with recorder(tmp_path, sink, every=10) as at_work:
        talk = at_work.begin("old")
        talk.record(said("one"))
        talk.end()
        talk.end()
        talk.switch("new")
        assert at_work.drain(SOON)
        assert [len(batch.turns) for batch in sink.batches] == [1]


def test_a_turn_after_the_end_resumes_the_session_in_another_document(tmp_path: Path) -> None:
    with recorder(tmp_path, lines_sink(tmp_path, SessionMode.APPEND)) as at_work:
        talk = at_work.begin("old")
        talk.record(said("one"))
        talk.end()
        assert talk.record(said("two")) == 0
    kept = kept_in_lines(tmp_path)
    assert texts(kept, "old") == [["one"], ["two"]]
    assert kept.transcripts("old")[1].lineage.began is Began.RESUME


def test_turns_go_on_in_batches(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND))
    with recorder(tmp_path, sink, every=3) as at_work:
        talk = at_work.begin("s")
        for number in range(7):
            talk.record(said(str(number)))
            assert at_work.drain(SOON)
            assert sum(len(batch.turns) for batch in sink.batches) == 3 * ((number + 1) // 3)
    assert [[turn.number for turn in batch.turns] for batch in sink.batches] == [
        [0, 1, 2],
        [3, 4, 5],
        [6],
    ]


def test_a_replacing_sink_is_sent_everything_each_time(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.REPLACE))
    with recorder(tmp_path, sink, every=2) as at_work:
        talk = at_work.begin("s")
        for number in range(5):
            talk.record(said(str(number)))
            assert at_work.drain(SOON)
    assert [len(batch.turns) for batch in sink.batches] == [2, 4, 5]
    assert texts(kept_in_lines(tmp_path), "s") == [["0", "1", "2", "3", "4"]]


@pytest.mark.parametrize("mode", list(SessionMode))
def test_a_session_over_many_segments_arrives_whole(tmp_path: Path, mode: SessionMode) -> None:
    sink = Stopped(lines_sink(tmp_path, mode))
    limits = SpoolLimits(segment=600)
    with recorder(tmp_path, sink, every=4, limits=limits) as at_work:
        talk, other = at_work.begin("s"), at_work.begin("o")
        for number in range(50):
            talk.record(said(str(number)))
            other.record(said(str(-number)))
    kept = kept_in_lines(tmp_path)
    assert texts(kept, "s") == [[str(number) for number in range(50)]]
    assert texts(kept, "o") == [[str(-number) for number in range(50)]]
    assert not segments(tmp_path)


def test_two_sessions_interleaved_stay_apart(tmp_path: Path) -> None:
    with recorder(tmp_path, ledger_sink(tmp_path, SessionMode.APPEND), every=3) as at_work:
        talks = {name: at_work.begin(name) for name in ("a", "b")}

        def speak(name: str) -> None:
            for number in range(200):
                talks[name].record(said(f"{name}{number}"))

        threads = [threading.Thread(target=speak, args=(name,)) for name in talks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SOON)
    kept = kept_in_ledger(tmp_path)
    for name in talks:
        assert texts(kept, name) == [[f"{name}{number}" for number in range(200)]]
    kept.close()


def test_many_threads_on_one_conversation_give_every_turn_its_own_number(tmp_path: Path) -> None:
    with recorder(tmp_path, lines_sink(tmp_path, SessionMode.APPEND), every=7) as at_work:
        talk = at_work.begin("s")
        found: list[int] = []
        speakers = [
            threading.Thread(target=lambda: found.extend(talk.record(said("x")) for _ in range(50)))
            for _ in range(4)
        ]
        for thread in speakers:
            thread.start()
        for thread in speakers:
            thread.join(SOON)
    assert sorted(found) == list(range(200))
    kept = kept_in_lines(tmp_path)
    assert [turn.number for turn in kept.turns(talk.document)] == list(range(200))


def test_the_flush_lands_behind_pending_work_of_the_same_document(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND), is_open=False)
    with recorder(tmp_path, sink, every=2) as at_work:
        talk = at_work.begin("old")
        old = talk.document
        talk.record(said("one"))
        talk.record(said("two"))
        assert sink.reached.wait(SOON)  # The writer stands in the sink with the first batch,
        talk.record(said("three"))
        talk.switch("new")  # and neither the switch
        talk.record(said("four"))  # nor the agent waits for it.
        talk.record(said("five"))
        assert sink.batches == []
        sink.gate.set()
        assert at_work.drain(SOON)
    order = [
        (batch.transcript.id == old, [t.number for t in batch.turns]) for batch in sink.batches
    ]
    assert order == [(True, [0, 1]), (True, [2]), (False, [0, 1])]


def test_prefetch_is_dropped_on_a_switch(tmp_path: Path) -> None:
    recall: Prefetch[str, str] = Prefetch(lambda question: f"recalled for {question}")
    with recorder(tmp_path, lines_sink(tmp_path, SessionMode.APPEND)) as at_work:
        talk = at_work.begin("old", prefetch=recall)
        recall.ask("old")
        assert recall.take("old", SOON) == "recalled for old"
        recall.ask("old")
        talk.switch("new")
        assert recall.take("old", 0.05) is None
        recall.ask("new")
        assert recall.take("new", SOON) == "recalled for new"


def test_a_full_disk_of_the_sink_is_waited_for_and_nothing_is_lost(tmp_path: Path) -> None:
    sink = Failing(lines_sink(tmp_path, SessionMode.APPEND), Busy("in use"), times=20)
    with recorder(tmp_path, sink) as at_work:
        talk = at_work.begin("s")
        talk.record(said("one"))
        while sink.left > 10:
            time.sleep(0.001)
        assert at_work.status.progress.failures > 0
        assert at_work.status.progress.problem == "Busy: in use"
        talk.record(said("two"))
        assert at_work.drain(SOON)
        assert at_work.status.progress.failures == 0
        assert at_work.status.progress.retained == 2
    assert texts(kept_in_lines(tmp_path), "s") == [["one", "two"]]


def test_a_failing_job_never_kills_the_writer_and_does_not_block_it_for_ever(
    tmp_path: Path,
) -> None:
    class Picky(Stopped):
        def retain(self, batches):  # type: ignore[no-untyped-def]
            if any("poison" in turn.messages[0].text for b in batches for turn in b.turns):
                raise ZeroDivisionError("a mistake of the sink")
            super().retain(batches)

    sink = Picky(lines_sink(tmp_path, SessionMode.APPEND))
    with recorder(tmp_path, sink, linger=0.05) as at_work:
        good, bad = at_work.begin("good"), at_work.begin("bad")
        good.record(said("one"))
        bad.record(said("poison"))
        good.record(said("two"))
        assert at_work.drain(SOON)
        assert at_work.status.progress.set_aside == 1
        good.record(said("three"))
    assert texts(kept_in_lines(tmp_path), "good") == [["one", "two", "three"]]
    assert texts(kept_in_lines(tmp_path), "bad") == []
    assert len(segments(tmp_path)) == 1
    with recorder(tmp_path, lines_sink(tmp_path, SessionMode.APPEND)):
        pass  # The mistake is mended: what was set aside is tried again.
    assert texts(kept_in_lines(tmp_path), "bad") == [["poison"]]
    assert not segments(tmp_path)


def test_at_the_bound_a_turn_waits_and_is_then_refused_and_those_before_it_are_kept(
    tmp_path: Path,
) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND), is_open=False)
    limits = SpoolLimits(segment=1 << 10, total=8 << 10, patience=0.05)
    with recorder(tmp_path, sink, limits=limits) as at_work:
        talk = at_work.begin("s")
        taken = 0
        with pytest.raises(SpoolFull):
            for _ in itertools.count():
                assert talk.record(said(str(taken))) == taken
                taken += 1
        assert at_work.status.waiting <= 8 << 10
        sink.gate.set()
        assert at_work.drain(SOON)
        assert talk.record(said(str(taken))) == taken
    assert texts(kept_in_lines(tmp_path), "s") == [[str(number) for number in range(taken + 1)]]


def test_a_disk_that_refuses_is_said_and_the_number_is_used_again(tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("a file in the place of the folder", "utf-8")
    at_work = recorder(tmp_path, lines_sink(tmp_path, SessionMode.APPEND))
    talk = at_work.begin("s")
    with pytest.raises(SpoolUnavailable):
        talk.record(said("one"))
    (tmp_path / "spool").unlink()
    assert talk.record(said("one")) == 0
    assert at_work.close()
    assert texts(kept_in_lines(tmp_path), "s") == [["one"]]


FAR = timezone(timedelta(hours=14))
UNKEPT: dict[str, tuple[Any, dict[str, Any]]] = {
    "no message": ([], {}),
    "a message of the agent": ([{"role": "user", "content": "hi"}], {}),
    "a text that is none": ([Message(Role.USER, cast("str", 5))], {}),
    "a role that is none": ([Message(cast("Role", "robot"), "hi")], {}),
    "a number as a name": (said("hi"), {"turn": 7}),
    "a time without a zone": (said("hi"), {"at": datetime(2026, 11, 21, 9, 0)}),
    "a time before the calendar": (said("hi"), {"at": datetime(1, 1, 1, tzinfo=FAR)}),
    "seconds": (said("hi"), {"at": 1_800_000_000}),
}


@pytest.mark.parametrize("problem", UNKEPT)
def test_a_turn_that_no_sink_could_keep_is_refused_when_it_is_recorded(
    tmp_path: Path, problem: str
) -> None:
    messages, more = UNKEPT[problem]
    with recorder(tmp_path, ledger_sink(tmp_path, SessionMode.APPEND)) as at_work:
        talk = at_work.begin("s")
        with pytest.raises(BadInput):
            talk.record(messages, **more)
        assert talk.record(said("one")) == 0
    kept = kept_in_ledger(tmp_path)
    assert (texts(kept, "s"), segments(tmp_path)) == ([["one"]], [])
    kept.close()


def test_a_way_to_begin_that_is_none_is_refused_and_the_session_goes_on(tmp_path: Path) -> None:
    none = cast("Began", "reborn")
    with recorder(tmp_path, lines_sink(tmp_path, SessionMode.APPEND)) as at_work:
        with pytest.raises(BadInput, match="compression"):
            at_work.begin("s", began=none)
        talk = at_work.begin("s", began=cast("Began", "resume"))
        with pytest.raises(BadInput, match="compression"):
            talk.switch("other", began=none)
        talk.record(said("one"))
    assert texts(kept_in_lines(tmp_path), "s") == [["one"]]


OPEN = ["open", "d-1", "s", None, "new", "", "cli", "2026-11-21T09:00:00+00:00"]
TURN = ["turn", "d-1", 0, 1, True, "2026-11-21T09:00:00+00:00", None, [["user", "one", "", ""]]]


@pytest.mark.parametrize("place", range(1, 8))
@pytest.mark.parametrize("wrong", [5, None, [], {}, "", [[]], [["user", None, "", ""]]])
@pytest.mark.parametrize("is_turn", [True, False])
def test_a_foreign_line_of_another_form_spoils_no_reading(
    tmp_path: Path, place: int, wrong: object, is_turn: bool
) -> None:
    lines: list[list[Any]] = [list(OPEN), list(TURN)]
    lines[is_turn][place] = wrong
    folder = tmp_path / "spool"
    folder.mkdir()
    bodies = [json.dumps(line).encode() for line in (*lines, ["open", "d-2", *OPEN[2:]])]
    bodies.append(json.dumps(["turn", "d-2", *TURN[2:]]).encode())
    data = b"".join(b"%08x %b\n" % (zlib.crc32(body), body) for body in bodies)
    (folder / "foreign.spool").write_bytes(data)
    ledger = open_ledger(str(tmp_path / "ledger.db"), now=Ticking())
    deliver_leftovers(folder, ledger)
    kept = [turn for each in ledger.transcripts("s") for turn in ledger.turns(each.id)]
    read = [message.text for turn in kept for message in turn.messages]
    ledger.close()
    assert all(isinstance(text, str) for text in read)
    assert "one" in read or segments(tmp_path), "the line after it is not lost"


def test_only_the_owner_can_read_what_waits(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND), is_open=False)
    with recorder(tmp_path, sink) as at_work:
        at_work.begin("s").record(said("one"))
        modes = [
            oct(path.stat().st_mode)[-3:] for path in (tmp_path / "spool", *segments(tmp_path))
        ]
        assert modes == ["700", "600"]
        sink.gate.set()


def test_nothing_runs_before_the_first_turn(tmp_path: Path) -> None:
    before = threading.active_count()
    at_work = recorder(tmp_path, lines_sink(tmp_path, SessionMode.APPEND))
    at_work.begin("s").switch("other")
    assert threading.active_count() == before
    assert at_work.close()
    assert list(tmp_path.iterdir()) == []


def test_what_is_in_the_spool_is_synchronised_while_the_writer_stands_in_the_sink(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = threading.Event()
    real = os.fsync

    def fsync(file: int) -> None:
        real(file)
        if stat.S_ISREG(os.fstat(file).st_mode):
            synced.set()

    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND), is_open=False)
    monkeypatch.setattr(os, "fsync", fsync)
    with recorder(tmp_path, sink) as at_work:
        talk = at_work.begin("s")
        talk.record(said("one"))
        assert sink.reached.wait(SOON)
        assert synced.wait(SOON)
        synced.clear()
        talk.record(said("two"))
        assert synced.wait(SOON)
        monkeypatch.undo()
        sink.gate.set()
