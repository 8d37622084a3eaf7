"""What we start as a program of its own runs nothing of the folder that we happen to be in."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewdeck.cli.main import main
from reviewdeck.delivery import deliver
from reviewdeck.demo.server import find_programs
from reviewdeck.engine.authorisation import no_ancestors
from reviewdeck.engine.notices import OperatorNotice
from reviewdeck.external_editor import edit_text
from reviewdeck.homes.claude.agent import CLAUDE
from reviewdeck.homes.gated.gate import version_on_path
from reviewdeck.policy.notice_settings import NoticeEvent, NoticeSettings
from reviewdeck.user_service import why_no_systemd
from reviewdeck_tui.browser.gate import Gate
from reviewdeck_tui.browser.server import DeckServer
from reviewdeck_tui.clipboard import into_tmux
from reviewdeck_tui.links import open_link
from reviewdeck_tui.own_command import run_own

ROOT = Path(__file__).parents[2]
STARTS = {
    "core/reviewdeck/cli/demo_team.py": "subprocess.Popen",  # by its whole path
    "core/reviewdeck/cli/due_reviews.py": "subprocess.Popen",
    "core/reviewdeck/cli/remote.py": "subprocess.Popen",
    "core/reviewdeck/delivery.py": "subprocess.Popen",
    "core/reviewdeck/demo/server.py": "subprocess.Popen",
    "core/reviewdeck/external_editor.py": "subprocess.run",
    "core/reviewdeck/homes/gated/gate.py": "subprocess.run",
    "core/reviewdeck/agents/hermes/program.py": "subprocess.run",
    "core/reviewdeck/agents/hermes/review.py": "subprocess.Popen",
    "core/reviewdeck/user_service.py": "subprocess.run",
    "tui/reviewdeck_tui/clipboard.py": "subprocess.run",
    "tui/reviewdeck_tui/links.py": "subprocess.Popen",
    "tui/reviewdeck_tui/own_command.py": "subprocess.Popen",
    "tui/reviewdeck_tui/browser/process.py": "asyncio.create_subprocess_exec",
}
"""Every place that starts a program. A new one gets a test below."""
_STARTING = ("subprocess.", "asyncio.create_subprocess", "os.exec", "os.spawn", "os.posix_spawn")
_SERVER = ("pg_config", "postgres", "initdb", "createdb", "pg_isready")
_OTHERS = ("os.system", "os.popen", "os.fork", "pty.", "multiprocessing.", "webbrowser.")


def started_in(source: Path) -> Iterator[str]:
    """The calls of a file that start a program, by their dotted names."""
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.startswith((*_STARTING, *_OTHERS)) and not name.endswith(("Error", "Expired")):
                yield name
        elif isinstance(node, ast.ImportFrom) and node.module in ("subprocess", "multiprocessing"):
            yield f"from {node.module}"


def test_every_program_that_we_start_is_one_of_these() -> None:
    sources = [*(ROOT / "core").rglob("*.py"), *(ROOT / "tui").rglob("*.py")]
    found = {
        source.relative_to(ROOT).as_posix(): name
        for source in sources
        for name in started_in(source)
    }
    assert found == STARTS


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with modules by our names, and by those of what we import and run."""
    folder = tmp_path / "planted"
    code = f"from pathlib import Path; Path({str(tmp_path / 'ran')!r}).touch()\n"
    for name in ("reviewdeck", "reviewdeck_tui", "reviewdeck_tui/browser", "textual"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(code)
        (folder / name / "__main__.py").write_text(code)
    for name in ("json.py", "argparse.py", "sitecustomize.py"):
        (folder / name).write_text(code)
    for name in ("ps", "ed.sh", "tmux", "systemctl", "tell", "claude", "ssh", "xdg-open", *_SERVER):
        (folder / name).write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
        (folder / name).chmod(0o755)
    monkeypatch.chdir(folder)
    return tmp_path / "ran"


def test_ssh_is_none_of_the_current_folder(
    planted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("reviewdeck.environment.process_ancestry", lambda: no_ancestors)
    for path in (".", "", ".:", "planted/.."):
        monkeypatch.setenv("PATH", path)
        assert main(["--host", "there", "list"]) == 1
        assert "There is no ssh on this machine." in capsys.readouterr().err
    assert not planted.exists()


@pytest.mark.slow  # A program in a process of its own.
def test_the_process_behind_a_page_runs_nothing_of_the_current_folder(planted: Path) -> None:
    plain = [sys.executable, "-m", "reviewdeck_tui.browser"]
    subprocess.run(plain, capture_output=True, check=False, timeout=60)
    assert planted.exists()  # So that what is planted is known to be able.
    planted.unlink()
    nowhere = str(planted.parent / "no home")
    words = DeckServer(Gate(8123), [f"--home={nowhere}"]).words
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1 and "no home" in done.stderr
    assert not planted.exists()


def test_an_editor_starts_in_a_folder_of_its_own(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", ":/usr/bin:/bin")  # An empty entry: the current folder.
    assert edit_text("text", "note.md", "ed.sh") is None
    assert not planted.exists()
    assert all(edit_text("text", "note.md", wrong) is None for wrong in (" ", "vi 'unended"))
    editor = planted.parent / "place.sh"
    editor.write_text('#!/bin/sh\npwd > "$1"\nls >> "$1"\n')
    editor.chmod(0o755)
    said = edit_text("text", "note.md", "../place.sh")
    assert said is not None and "planted" not in said and said.endswith("note.md\n")


def test_neither_the_service_manager_nor_a_notice_is_of_the_current_folder(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", ":/nowhere")
    assert why_no_systemd() == "there is no systemd here"
    notice = OperatorNotice("default", {NoticeEvent.WAITING: 1}, None)
    assert deliver(NoticeSettings(command=("tell",)), notice).startswith("tell cannot be run")
    module = (sys.executable, "-c", "import reviewdeck_tui")
    deliver(NoticeSettings(command=module), notice)
    assert not planted.exists()


def test_the_tmux_that_takes_a_copy_is_not_of_the_current_folder(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", ":/usr/bin:/bin")
    into_tmux("text", {"PATH": ":/usr/bin:/bin", "TMUX": "/nowhere,1,0"})
    assert not planted.exists()


def test_neither_a_browser_nor_a_program_on_a_key_is_of_the_current_folder(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", ":/nowhere")
    assert "cannot be run" in open_link("xdg-open", "https://example.org/")
    assert "cannot be run" in run_own(["tell"]).outcome
    assert not planted.exists()


def test_the_claude_code_whose_version_is_asked_is_not_of_the_current_folder(planted: Path) -> None:
    for path in (":/nowhere", ".", "", "./.:/nowhere"):
        assert version_on_path({"PATH": path}, CLAUDE) is None
    assert not planted.exists()


def test_the_postgresql_of_a_sample_team_is_not_of_the_current_folder(planted: Path) -> None:
    for path in (":/nowhere", ".", "", "./.:/nowhere"):
        found = find_programs(path, "/nowhere")
        assert found is None or found.is_absolute()
        assert found != planted.parent / "planted"
    assert not planted.exists()
