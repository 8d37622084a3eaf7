"""`auto --watch` or `worker` as a systemd user service: its unit, and what it tells systemd."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from reviewdeck.errors import BadInput
from reviewdeck.text.json import load_json
from reviewdeck.values import dataclass

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
_CONTROLS: Final = ("Cc", "Cs", "Zl", "Zp")
"""Unicode's control characters, surrogates, and separators of lines and paragraphs."""
_WATCHED: Final = re.compile(r"^Watch=(\{.*\})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Watched:
    """The homes that a service watches, with its ledger and policy."""

    homes: tuple[str, ...] = ()
    ledger: str | None = None
    policy: str | None = None
    is_shared: bool = False
    """Whether other machines have homes in this ledger too: then a worker watches."""

    def arguments(self) -> tuple[str, ...]:
        """The arguments of the command that watches."""
        homes = [part for home in self.homes for part in ("--home", home)]
        ledger = ["--ledger", self.ledger] if self.ledger else []
        policy = ["--policy", self.policy] if self.policy else []
        return (*self.command, "--json", *homes, *ledger, *policy)

    @property
    def command(self) -> tuple[str, ...]:
        """The command that watches."""
        return ("worker",) if self.is_shared else ("auto", "--watch")


def unit_text(program: Sequence[str], watched: Watched) -> str:
    """The text of the unit that watches these homes."""
    command = " ".join(map(_quote, [*program, *watched.arguments()]))
    homes, ledger = [*watched.homes], watched.ledger
    watch: dict[str, object] = {"homes": homes, "ledger": ledger, "policy": watched.policy}
    watch |= {"shared": True} if watched.is_shared else {}
    return _UNIT.format(command=command, watch=json.dumps(watch))


def watched_by(unit: str) -> Watched:
    """The homes that a unit of ours watches; none for another unit."""
    match = _WATCHED.search(unit)
    try:
        raw = load_json(match[1]) if match else {}
        return Watched(
            tuple(map(str, raw.get("homes", ()))),
            raw.get("ledger"),
            raw.get("policy"),
            raw.get("shared") is True,
        )
    except ValueError:
        return Watched()


def _quote(word: str) -> str:
    """A word of a systemd command line, with variables, specifiers and escapes quoted.

    Raises BadInput for a control character: a line break would begin a line of the unit.
    """
    if not word.isprintable() and any(unicodedata.category(c) in _CONTROLS for c in word):
        raise BadInput(
            f"A unit file cannot name this path, which has a control character: {word}",
            hint="Rename it.",
        )
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return plain if re.fullmatch(r"[\w@%+=:,./-]+", word) else f'"{plain}"'


@dataclass(frozen=True, slots=True)
class UnitFile:
    """The user's unit file."""

    path: Path

    @classmethod
    def of(cls, env: Mapping[str, str], user_home: Path) -> UnitFile:
        """The unit file in this user's configuration."""
        config = env.get("XDG_CONFIG_HOME", "").strip()
        return cls((Path(config) if config else user_home / ".config") / "systemd/user" / UNIT)

    def read(self) -> str:
        """Its text; empty without one."""
        try:
            return self.path.read_text("utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError):
            return ""

    def watched(self) -> Watched:
        return watched_by(self.read())

    def write(self, text: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(text, "utf-8")
        temporary.replace(self.path)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


def why_no_systemd() -> str:
    """Why no systemd runs services for this user; empty when one does."""
    return systemctl("show", "--property=Version")


def systemctl(*words: str) -> str:
    """Runs `systemctl --user`; returns its error, or an empty text."""
    try:
        process = subprocess.run(  # noqa: S603 - our own words
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
        if process.returncode == 0
        else (process.stderr.strip() or "systemctl failed")[:_SHOWN].rstrip(".")
    )


def is_running() -> bool:
    """Whether the service is running and has reported that it is ready."""
    return not systemctl("is-active", "--quiet", UNIT)


def by_hand(program: Sequence[str], watched: Watched) -> tuple[str, ...]:
    """Instructions for a system without systemd, one line each."""
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
    kept = f"Run this where it is kept running: {line}"
    if watched.is_shared:
        return (kept,)
    once = shlex.join([*program, "auto", *watched.arguments()[2:]])
    return (
        kept,
        f"Or, as a line of `crontab -e`: */5 * * * * {once.replace('%', chr(92) + '%')}"
        " >/dev/null || [ $? -eq 3 ]",
    )


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def tell(state: str) -> None:
    """Sends a state to the service manager that started this process, if one did."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    place = "\0" + address[1:] if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.setblocking(False)
        notify.sendto(state.encode(), place)
