"""`hermes brief`: what a review by Hermes is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reviewdeck.reviewer.guard import OWN_SENTENCE


def test_a_review_is_asked_for_the_users_own_sentence_where_nothing_is_stored(
    run: Any, tmp_path: Path
) -> None:
    home = tmp_path / ".hermes"
    (home / "memories").mkdir(parents=True)
    (home / "config.yaml").write_text("memory: {write_approval: true}\n")
    done = run("hermes", "brief", "--home", str(home), "--ledger", str(tmp_path / "l.db"))
    assert done.out.strip() == OWN_SENTENCE
