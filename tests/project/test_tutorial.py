"""What the pages tell a reader to run does run, in the order in which it stands."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from reviewdeck.cli.table import build_app
from reviewdeck.cli.tokens import join_dashes, move_options_last
from reviewdeck.engine.options import PolicyPlace
from reviewdeck.policy_file import Rulebook

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(sh|python|text)\n(.*?)^```$", re.M | re.S)
PAGES = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]


def environment(folder: Path) -> dict[str, str]:
    """Nobody's own: the program and this Python are all that is on the path beside the system's."""
    programs = folder / "bin"
    programs.mkdir()
    for name, words in {"reviewdeck": "-m reviewdeck.cli.entry", "python3": ""}.items():
        shim = programs / name
        shim.write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        shim.chmod(0o755)
    return {
        "PATH": f"{programs}:{os.defpath}:/usr/bin",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


def test_the_tutorial_runs_from_its_first_line_to_its_last(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    lines = ["set -eu"]
    for number, (kind, body) in enumerate(BLOCK.findall(text)):
        if kind == "sh":
            lines.append(body)
        elif kind == "python":
            (tmp_path / f"{number}.py").write_text(body, "utf-8")
            lines.append(f"python3 {number}.py")
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    if "DescendsFromAgent" in done.stderr or "was started by" in done.stderr:
        pytest.skip("these tests were started by an agent, which decides nothing")
    assert done.returncode == 0, done.stdout + done.stderr
    said = " ".join(done.stdout.split())
    shown = [
        line for kind, body in BLOCK.findall(text) if kind == "text" for line in body.split("\n")
    ]
    assert [line for line in shown if not re.search(pattern_of(line), said)] == []


def pattern_of(line: str) -> str:
    """A line as a page shows it: … stands for what differs each time, or is left out."""
    return ".*".join(re.escape(" ".join(part.split())) for part in line.split("…"))


SURROUNDINGS = {
    "reviewer.md": """
        class Agent:
            def say(self, text): print(text)
        agent = Agent()
        request = {"model": "m", "messages": [{"role": "user", "content": "Hello."}]}
        """,
    "sessions.md": """
        class Store:
            def search(self, question): return "found"
        store = Store()
        """,
    "working-memory.md": """
        import time
        from reviewdeck.clock import utc_now
        """,
}
"""What the reader of a page has already, and its Python speaks of."""
PYTHON = [page for page in PAGES if "```python" in page.read_text("utf-8")]


@pytest.mark.parametrize("page", PYTHON, ids=lambda page: page.name)
def test_python_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    blocks = [body for kind, body in BLOCK.findall(page.read_text("utf-8")) if kind == "python"]
    home = tmp_path / ".hermes"
    (home / "memories").mkdir(parents=True)
    (home / "memories" / "MEMORY.md").write_text("Tests run with tox.", "utf-8")
    given = textwrap.dedent(SURROUNDINGS.get(page.name, ""))
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([given, *blocks])],
        cwd=tmp_path,
        env=environment(tmp_path)
        | {"HERMES_HOME": str(home), "REVIEWDECK_LEDGER": str(tmp_path / "ledger.db")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_is_one_that_the_program_takes(page: Path) -> None:
    app = build_app()
    # Of every kind: the end of one must not be taken for the beginning of the next.
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    for body in (body for kind, body in blocks if kind in ("", "sh")):
        for line in body.splitlines():
            for part in re.split(r"&&|\|\||\|| >>? ", line.partition(" # ")[0].split(" #")[0]):
                words = shlex.split(part.strip()) if part.strip().startswith("reviewdeck ") else []
                words = move_options_last(join_dashes(words[1:]))
                if words and not words[0].startswith("-"):
                    app.parse_args(words, exit_on_error=False, print_error=False)


def test_the_policy_of_the_page_is_one_that_counts(tmp_path: Path) -> None:
    pytest.importorskip("re2", reason="patterns of one's own need the extra `patterns`")
    (body,) = re.findall(
        r"^```toml\n(.*?)^```$", (ROOT / "docs" / "policy.md").read_text("utf-8"), re.M | re.S
    )
    (file := tmp_path / "policy.toml").write_text(body, "utf-8")
    assert Rulebook(PolicyPlace(file), tmp_path)().problem == ""
