"""What the ledger keeps of the background reviewer's runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.ledger.samples import START, clock

from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import ReviewRun, ReviewTotals

RUN = ReviewRun(
    id="r1",
    home="/home/one",
    session="s-1\x00\ud800",
    occasion="turn",
    started_at=START,
    finished_at=START + timedelta(seconds=9),
    ending="done",
    detail="",
    provider="openai",
    model="m",
    is_routed=True,
    prompts="reviewdeck-1",
    iterations=3,
    input_tokens=1000,
    output_tokens=20,
    cached_tokens=900,
    cost=0.01,
    shared=1.0,
    saved_tokens=5,
    denied={"terminal": 2, "": 1},
    proposals=("a", "b"),
)


def test_a_run_comes_back_as_it_was(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        ledger.add_review(RUN)
        ledger.add_review(replace(RUN, id="r2", cost=None, shared=None))
    with open_ledger(url, now=clock) as ledger:
        assert ledger.reviews() == (replace(RUN, id="r2", cost=None, shared=None), RUN)
        assert ledger.reviews(limit=1)[0].id == "r2"
        assert ledger.reviews(["/home/other"]) == ()


def test_the_sums_are_of_the_homes_that_are_asked_for(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        assert ledger.review_totals() == ReviewTotals()
        ledger.add_review(RUN)
        ledger.add_review(replace(RUN, id="r2", ending="failed", cost=None, proposals=()))
        ledger.add_review(replace(RUN, id="r3", home="/home/two"))
        totals = ledger.review_totals(["/home/one"])
        everything = ledger.review_totals()
    assert (totals.runs, totals.failed, totals.proposals, totals.denied) == (2, 1, 2, 6)
    assert (totals.input_tokens, totals.cached_tokens) == (2000, 1800)
    assert totals.cost == pytest.approx(0.01) and totals.last == RUN.finished_at
    assert everything == totals + replace(
        totals, runs=1, failed=0, denied=3, input_tokens=1000, output_tokens=20, cached_tokens=900
    )


def test_sums_of_nothing_known_are_not_known() -> None:
    assert (ReviewTotals(runs=1) + ReviewTotals(runs=2)).cost is None
