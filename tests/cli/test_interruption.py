"""What a signal does to what runs, by where it comes: in this process, without a program."""

from __future__ import annotations

import signal

import pytest

from reviewdeck.interruption import (
    Interrupted,
    at_a_question,
    has_begun,
    heeding_signals,
    signal_received,
    uninterrupted,
)


def test_what_is_begun_is_finished_and_nothing_more_is_begun() -> None:
    done = []
    with heeding_signals():
        with uninterrupted():
            with uninterrupted():
                signal.raise_signal(signal.SIGTERM)
            done.append("first")
        assert has_begun()
        with pytest.raises(Interrupted), uninterrupted():
            done.append("second")
    assert (done, signal_received()) == (["first"], signal.SIGTERM)


def test_at_a_question_a_signal_ends_a_command_wherever_it_is_asked() -> None:
    with heeding_signals():
        with pytest.raises(Interrupted), uninterrupted(), at_a_question():
            signal.raise_signal(signal.SIGTERM)
        assert not has_begun()
    with heeding_signals(), pytest.raises(Interrupted), uninterrupted():
        signal.raise_signal(signal.SIGTERM)
        with at_a_question():  # One that came before it.
            raise AssertionError
