"""What each part loads when it is used by itself; `tests/cli/test_imports.py` has the commands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ORM = {"sqlmodel", "sqlalchemy", "alembic", "pydantic"}
NEVER = {"difflib", "textual", "reviewdeck_tui"}

PACKAGE = "import reviewdeck"
ENGINE = "from reviewdeck import open_deck; from reviewdeck.policy import gate"
RECORDER = "from reviewdeck import open_recorder; from reviewdeck.sessions import messages_of"
LEDGER = """
from datetime import UTC, datetime
from pathlib import Path
from reviewdeck.ledger.opening import is_current, open_ledger
from reviewdeck.ledger.reader import open_reader
from reviewdeck.model.ledger import Filter

for _ in ("made", "opened"):
    open_ledger(sys.argv[1], now=lambda: datetime.now(UTC)).close()
assert is_current(Path(sys.argv[1]))
with open_reader(sys.argv[1]) as reader:
    reader.counts(), reader.page(Filter())
"""
DECK = "import reviewdeck.cli.main, reviewdeck.cli.deck_start, reviewdeck_tui.app"


@pytest.mark.parametrize(
    ("program", "without"),
    [
        (PACKAGE, {*ORM, *NEVER, "rich"}),
        (ENGINE, NEVER),
        (RECORDER, {*ORM, *NEVER}),
        (LEDGER, {*ORM, *NEVER}),
        (
            DECK,
            {*ORM, "cyclopts", "reviewdeck.policy.gate", "reviewdeck.engine.similarity"},
        ),
    ],
    ids=["the package", "the engine", "a recorder", "a ledger and its reader", "the first page"],
)
def test_it_loads_none_of_these(program: str, without: set[str], tmp_path: Path) -> None:
    code = f"import sys\n{program}\nprint(*sys.modules, sep='\\n')"
    alone = [sys.executable, "-c", code, str(tmp_path / "ledger.db")]
    done = subprocess.run(alone, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & without == set()
