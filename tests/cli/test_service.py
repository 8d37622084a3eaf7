"""The watch as a service: the unit, and what the watch tells the service manager."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reviewdeck.cli.commands.service import service_words
from reviewdeck.cli.main import main
from reviewdeck.errors import BadInput
from reviewdeck.user_service import UNIT, Watched, unit_text, watched_by

SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$HOME/asked"
case "$*" in
  *is-active*) test -e "$HOME/up" ;;
  *restart*) touch "$HOME/up" ;;
  *disable*) rm -f "$HOME/up" ;;
esac
"""


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with two homes and a service manager that notes what it is asked."""
    (tmp_path / ".hermes" / "profiles" / "coder").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "systemctl").write_text(SYSTEMCTL)
    (tmp_path / "bin" / "systemctl").chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "REVIEWDECK_LEDGER", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def unit_of(user: Path) -> Path:
    return user / ".config" / "systemd" / "user" / UNIT


def test_a_service_is_installed_seen_and_taken_away(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["service", "status"]) == 1
    assert main(["service", "install", "--dry-run"]) == 0
    assert not unit_of(user).exists()
    assert "Type=notify" in capsys.readouterr().out
    assert main(["service", "install", "--yes"]) == 0
    assert watched_by(unit_of(user).read_text()).homes == (str(user / ".hermes"),)
    asked = (user / "asked").read_text()
    assert "daemon-reload" in asked
    assert asked.index(f"enable {UNIT}") < asked.index(f"restart {UNIT}")
    assert main(["service", "status"]) == 0
    assert main(["service", "install", "--yes"]) == 0
    assert "Nothing needs to change." in capsys.readouterr().out
    assert main(["service", "uninstall", "--yes"]) == 0
    assert not unit_of(user).exists()
    assert main(["service", "status"]) == 1


def test_each_home_that_is_installed_is_watched_and_the_last_takes_the_service_with_it(
    user: Path,
) -> None:
    coder = user / ".hermes" / "profiles" / "coder"
    main(["hermes", "install", "--yes"])
    main(["hermes", "install", "--yes", "--profile", "coder"])
    both = (str(user / ".hermes"), str(coder))
    assert watched_by(unit_of(user).read_text()).homes == both
    main(["hermes", "uninstall", "--yes"])
    assert watched_by(unit_of(user).read_text()).homes == (str(coder),)
    main(["hermes", "uninstall", "--yes", "--profile", "coder"])
    assert not unit_of(user).exists()


def test_a_unit_that_somebody_else_wrote_is_not_taken_away(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unit_of(user).parent.mkdir(parents=True)
    unit_of(user).write_text("[Service]\nExecStart=/bin/true\n")
    assert main(["service", "uninstall", "--yes"]) == 1
    assert unit_of(user).exists()


def test_where_there_is_no_systemd_the_line_to_use_is_printed(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (user / "bin" / "systemctl").write_text("#!/bin/sh\necho no bus >&2\nexit 1\n")
    assert main(["service", "install", "--yes"]) == 1
    said = capsys.readouterr().out
    assert "no bus" in said
    assert f"auto --json --home {user / '.hermes'}" in said
    assert not unit_of(user).exists()
    assert main(["hermes", "install", "--yes"]) == 0


@pytest.mark.parametrize(
    "ledger", ["/l;x", "postgresql://web-1@db.example.org/agents?sslrootcert=/a%20b&user=$x"]
)
def test_whatever_a_home_is_called_the_unit_names_it_and_is_valid(
    tmp_path: Path, ledger: str
) -> None:
    homes = ("/a b/%h", '/"q"$x', "/back\\slash")
    watched = Watched(homes, ledger=ledger, is_shared=ledger.startswith("postgresql:"))
    text = unit_text([sys.executable, "-m", "reviewdeck.cli.entry"], watched)
    assert watched_by(text) == watched
    assert '"/a b/%%h"' in text
    assert '"/\\"q\\"$$x"' in text
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / UNIT
    unit.write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(unit)],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_LOG_TARGET": "console"},
        check=False,
    )
    complaints = [line for line in done.stderr.splitlines() if UNIT in line]
    assert complaints == []


@pytest.mark.parametrize("control", ["\n", "\r", "\x1b", "\x7f", "\x85", "\u2028", "\x00"])
@pytest.mark.parametrize("place", ["home", "ledger", "policy", "program"])
def test_a_control_character_never_reaches_a_unit(control: str, place: str) -> None:
    path = f"/home/a{control}Environment=X=1"
    watched = {
        "home": Watched((path,)),
        "ledger": Watched(("/a",), ledger=path),
        "policy": Watched(("/a",), policy=path),
    }.get(place, Watched(("/a",)))
    with pytest.raises(BadInput, match="control character"):
        unit_text([path if place == "program" else "reviewdeck"], watched)


@pytest.mark.parametrize("is_abstract", [False, True])
def test_the_watch_says_when_it_is_ready_that_it_is_alive_and_that_it_stops(
    tmp_path: Path, is_abstract: bool
) -> None:
    home = tmp_path / "home"
    (home / "memories").mkdir(parents=True)
    address = f"@reviewdeck-{os.getpid()}" if is_abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0" + address[1:] if is_abstract else address)
        manager.settimeout(60)
        where = ["--home", str(home), "--ledger", str(tmp_path / "ledger.db")]
        process = subprocess.Popen(
            [sys.executable, "-m", "reviewdeck.cli.entry", "auto", "--watch", "--json", *where],
            env={**os.environ, "NOTIFY_SOCKET": address},
            stdout=subprocess.DEVNULL,
        )
        try:
            heard = [manager.recv(100).decode()]
            deadline = time.monotonic() + 60
            while heard.count("WATCHDOG=1") < 3 and time.monotonic() < deadline:
                heard.append(manager.recv(100).decode())
            assert heard[0] == "READY=1"
            assert heard.count("WATCHDOG=1") >= 3
            process.send_signal(signal.SIGTERM)
            while heard[-1] != "STOPPING=1":
                heard.append(manager.recv(100).decode())
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()


def test_why_there_is_no_service_is_said_beside_it() -> None:
    state = {"running": False, "installed": False, "current": False, "problem": "No bus found"}
    assert service_words(state) == "service: none (No bus found)"


def test_on_a_hub_the_service_is_a_worker(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hub = "postgresql://host_a@/hub?host=/run/postgresql"
    assert main(["service", "install", "--yes", "--ledger", hub]) == 0
    text = unit_of(user).read_text()
    assert "ExecStart=" in text and " worker --json " in text
    assert watched_by(text) == Watched((str(user / ".hermes"),), ledger=hub, is_shared=True)
    secret = hub.replace("host_a", "host_a:hunter2")
    assert main(["service", "install", "--yes", "--ledger", secret]) == 1
    said = capsys.readouterr()
    assert "pgpass" in said.err and "hunter2" not in said.err + said.out
