"""A merge in a real terminal, with a real editor: killed in the middle, and taken up again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.kit import skill_text
from tests.tui.kit_deck import Cockpit
from tests.tui.test_e2e_tmux import Terminal, program_in

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]

SKILL = "skills/dev/release-notes/SKILL.md"
EDITOR = """import sys
from pathlib import Path
path = Path(sys.argv[1])
text = path.read_text("utf-8")
start, end = text.index("<<<<<<<"), text.index(">>>>>>> proposed\\n") + 17
path.write_text(text[:start] + "3. Say it aloud.\\n" + text[end:], "utf-8")
"""


@pytest.fixture
def terminal(cockpit: Cockpit, tmp_path: Path) -> Iterator[Terminal]:
    """The program over a skill that was changed in two places on both sides."""
    base = cockpit.agent.base_of(SKILL)
    proposed = skill_text("release-notes").replace("Look at", "Read").replace("Report.", "Tell.")
    cockpit.agent.skill("edit", "release-notes", content=proposed, bases=base)
    live = skill_text("release-notes").replace("Look at", "Clone").replace("Report.", "Write.")
    (cockpit.home / SKILL).write_text(live, "utf-8")
    editor = tmp_path / "editor.py"
    editor.write_text(EDITOR, "utf-8")
    program, left = program_in(
        tmp_path, "--home", str(cockpit.home), "--ledger", str(cockpit.ledger)
    )
    environment = f"HOME={tmp_path} EDITOR='{sys.executable} {editor}'"
    command = f"exec env {environment} {sys.executable} {program}"
    # A path of a socket has at most about a hundred characters.
    socket = Path("/tmp") / f"reviewdeck-merge-{os.getpid()}.tmux"  # noqa: S108 - our own, removed below
    terminal = Terminal(socket, command, left)
    terminal.start()
    yield terminal
    subprocess.run(["tmux", "-S", str(socket), "kill-server"], check=False, capture_output=True)
    socket.unlink(missing_ok=True)


def is_pick_kept(cockpit: Cockpit) -> bool:
    """Whether a pick is on the disk: the deck stores it behind the screen's back."""
    return any(b"merge:" in file.read_bytes() for file in cockpit.ledger.parent.glob("working.db*"))


def test_a_merge_survives_being_killed(terminal: Terminal, cockpit: Cockpit) -> None:
    before = (cockpit.home / SKILL).read_bytes()
    terminal.sees("[1 Decide 1]", "# conflict", "Nothing is saved until")
    terminal.press("m")
    terminal.sees("MERGE", "conflict 1 of 2: unresolved", "1. Clone", "1. Read")
    terminal.press("3")
    terminal.sees("conflict 1 of 2: as proposed", "1 of 2 unresolved")
    terminal.until(lambda: is_pick_kept(cockpit))

    terminal.kill()
    assert (cockpit.home / SKILL).read_bytes() == before
    terminal.start()
    terminal.sees("[1 Decide 1]", "# conflict", "Nothing is saved until")
    terminal.press("m")
    terminal.sees("conflict 2 of 2: unresolved", "Resumed with 1 earlier pick")

    terminal.press("a")
    terminal.sees("Not drafted: 1 conflict is unresolved")
    terminal.press("e")
    terminal.sees("conflict 2 of 2: own text", "3. Say it aloud.")
    terminal.press("a")
    terminal.sees("1 draft", "The merge is drafted")
    terminal.press("C-s")
    terminal.sees("WRITES 1 document, 1 draft")
    assert (cockpit.home / SKILL).read_bytes() == before
    terminal.press("y")
    terminal.sees("DONE: 1 decided, 1 written")
    written = (cockpit.home / SKILL).read_text("utf-8")
    assert "1. Read the repository." in written
    assert "3. Say it aloud." in written
