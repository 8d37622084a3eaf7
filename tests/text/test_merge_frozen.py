"""Hundreds of merges come to what they came to when somebody looked at them."""

from __future__ import annotations

import pytest
from tests.text.frozen import MERGES, cases, outcome


@pytest.mark.parametrize("by", MERGES)
def test_merges_come_to_what_they_did(by: str) -> None:
    chosen = [case for case in cases() if case["by"] == by]
    assert len(chosen) > 100
    for case in chosen:
        now = outcome(case)
        assert {"merged": case["merged"], "follows": case["follows"]} == now, case
