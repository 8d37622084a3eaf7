"""The watch as a service of the user: its systemd unit, and what it tells the service manager."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

UNIT: Final = "reviewdeck.service"
_WAIT: Final = 30
_SHOWN: Final = 300

_UNIT: Final = """\
# Written by `reviewdeck service install`. Changes of your own: `systemctl --user edit reviewdeck`.
[Unit]
Description=Apply what is plainly safe of what the agent proposes
Documentation=man:systemd.service(5)

[Service]
Type=notify
ExecStart={command}
Restart=on-failure
RestartSec=10
TimeoutStartSec=300
TimeoutStopSec=60
WatchdogSec=600
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service

[Install]
WantedBy=default.target

[X-Reviewdeck]
Watch={watch}
"""
_WATCHED: Final = re.compile(r"^Watch=(\{.*\})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Watched:
    """What a service watches, and with which files."""

    homes: tuple[str, ...] = ()
    ledger: str | None = None
    policy: str | None = None

    def arguments(self) -> tuple[str, ...]:
        """The command line of the watch, behind the program."""
        homes = [part for home in self.homes for part in ("--home", home)]
        ledger = ["--ledger", self.ledger] if self.ledger else []
        policy = ["--policy", self.policy] if self.policy else []
        return ("auto", "--watch", "--json", *homes, *ledger, *policy)


def unit_text(program: Sequence[str], watched: Watched) -> str:
    """The unit that watches these homes. Pure."""
    command = " ".join(map(_quoted, [*program, *watched.arguments()]))
    known = {"homes": [*watched.homes], "ledger": watched.ledger, "policy": watched.policy}
    return _UNIT.format(command=command, watch=json.dumps(known))


def watched_by(unit: str) -> Watched:
    """What a unit of ours watches; nothing for any other."""
    found = _WATCHED.search(unit)
    try:
        raw = json.loads(found[1]) if found else {}
        return Watched(tuple(map(str, raw.get("homes", ()))), raw.get("ledger"), raw.get("policy"))
    except ValueError:
        return Watched()


def _quoted(word: str) -> str:
    """A word of a command line as systemd reads it: no variable, no specifier, no escape."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return plain if re.fullmatch(r"[\w@%+=:,./-]+", word) else f'"{plain}"'


@dataclass(frozen=True, slots=True)
class UnitFile:
    """The file of the user's own unit."""

    path: Path

    @classmethod
    def of(cls, env: Mapping[str, str], user_home: Path) -> UnitFile:
        """Where this user's units are."""
        config = env.get("XDG_CONFIG_HOME", "").strip()
        return cls((Path(config) if config else user_home / ".config") / "systemd/user" / UNIT)

    def read(self) -> str:
        """Its text; empty without one."""
        try:
            return self.path.read_text("utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError):
            return ""

    def watched(self) -> Watched:
        """What it watches."""
        return watched_by(self.read())

    def write(self, text: str) -> None:
        """Writes it whole."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(text, "utf-8")
        temporary.replace(self.path)

    def remove(self) -> None:
        """Takes it away."""
        self.path.unlink(missing_ok=True)


def why_no_systemd() -> str:
    """Why this user has no systemd that runs services; empty when there is one."""
    return systemctl("show", "--property=Version")


def systemctl(*words: str) -> str:
    """Asks the user's service manager for something; what it complained of, or nothing."""
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            ["systemctl", "--user", "--no-pager", *words],  # noqa: S607 - where the system has it
            cwd="/",
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_WAIT,
            check=False,
        )
    except FileNotFoundError:
        return "there is no systemd here"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"systemctl does not answer: {type(error).__name__}"
    return (
        ""
        if done.returncode == 0
        else (done.stderr.strip() or "systemctl failed")[:_SHOWN].rstrip(".")
    )


def is_running() -> bool:
    """Whether the service is up and has said that it is ready."""
    return not systemctl("is-active", "--quiet", UNIT)


def by_hand(program: Sequence[str], watched: Watched) -> tuple[str, ...]:
    """What to use where there is no systemd: one line each."""
    line = shlex.join([*program, *watched.arguments()])
    if sys.platform == "darwin":
        words = "".join(
            f"<string>{_xml(word)}</string>" for word in [*program, *watched.arguments()]
        )
        return (
            "Put this into ~/Library/LaunchAgents/reviewdeck.plist, then"
            " `launchctl load -w ~/Library/LaunchAgents/reviewdeck.plist`:",
            '<plist version="1.0"><dict><key>Label</key><string>reviewdeck</string>'
            f"<key>ProgramArguments</key><array>{words}</array>"
            "<key>KeepAlive</key><true/></dict></plist>",
        )
    once = shlex.join([*program, "auto", *watched.arguments()[2:]])
    return (
        f"Run this where it is kept running: {line}",
        f"Or, as a line of `crontab -e`: */5 * * * * {once.replace('%', chr(92) + '%')}"
        " >/dev/null || [ $? -eq 3 ]",
    )


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def tell(state: str) -> None:
    """Says something to the service manager that started this process, if one did."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    place = "\0" + address[1:] if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as there:
        there.setblocking(False)
        there.sendto(state.encode(), place)
