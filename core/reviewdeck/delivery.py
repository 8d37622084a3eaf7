"""Bringing a notice out of this process: to a program's standard input, or to an address.

Neither may hold anybody up: after `PATIENCE` seconds it counts as not delivered. An address is
asked once, by the standard library, and wherever it would send us on nobody goes.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
from contextlib import suppress
from threading import Thread
from typing import Final
from urllib.parse import urlsplit

from reviewdeck.engine.notices import OperatorNotice
from reviewdeck.policy.notice_settings import NoticeEvent, NoticeSettings

PATIENCE: Final = 15.0
_OURS: Final = ("NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC")
"""What the service manager gave to this process alone."""


def deliver(settings: NoticeSettings, notice: OperatorNotice, patience: float = PATIENCE) -> str:
    """Tells the operator. Gives why that failed; empty when it did not."""
    if settings.command:
        return _run(settings.command, notice, patience)
    answers: list[str] = []
    thread = Thread(target=lambda: answers.append(_post(settings.url, notice, patience)))
    thread.daemon = True  # An address that trickles on holds up nothing, not even the end.
    thread.start()
    thread.join(patience)
    return answers[0] if answers else f"{_host(settings.url)} did not answer in time"


def _run(command: tuple[str, ...], notice: OperatorNotice, patience: float) -> str:
    name = os.path.basename(command[0])  # noqa: PTH119 - text, and no path that is opened
    environment = {key: value for key, value in os.environ.items() if key not in _OURS}
    try:
        process = subprocess.Popen(  # noqa: S603 - the operator's own command, without a shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",  # Nothing in the folder that this was started in counts.
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        return f"{name} cannot be run: {error.strerror}"
    try:
        process.communicate(json.dumps(notice.as_json()).encode() + b"\n", patience)
    except subprocess.TimeoutExpired:
        return f"{name} did not end in time"
    except OSError:
        process.wait(patience)  # It did not read: how it ended says enough.
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # With whatever it started and left behind.
        process.wait()
    return f"{name} ended with {process.returncode}" if process.returncode else ""


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _post(url: str, notice: OperatorNotice, patience: float) -> str:
    """Posts the line; ntfy shows the title, and how urgent it is, from the headers."""
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(_host(url), parts.port, timeout=patience)
    is_urgent = NoticeEvent.DANGEROUS in notice.counts
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "Title": "reviewdeck",
        "Priority": "high" if is_urgent else "default",
        "User-Agent": "reviewdeck",
    }
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("POST", path, notice.text.encode(), headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException, ValueError) as error:
        return f"{_host(url)} cannot be reached: {type(error).__name__}"
    finally:
        connection.close()
    return "" if 200 <= status < 300 else f"{_host(url)} answered {status}"
