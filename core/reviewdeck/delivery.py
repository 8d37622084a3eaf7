"""Delivery of a notice to the standard input of a program, or to a URL.

Neither may block for long: after `PATIENCE` seconds a notice counts as not delivered. A URL gets
one request, and redirects are not followed.
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
_SERVICE_VARIABLES: Final = ("NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC")
"""Variables of the service manager that are meant for this process alone."""


def deliver(settings: NoticeSettings, notice: OperatorNotice, patience: float = PATIENCE) -> str:
    """Delivers a notice to the operator. Gives the reason for a failure, else an empty text."""
    if settings.command:
        return _run(settings.command, notice, patience)
    answers: list[str] = []
    thread = Thread(target=lambda: answers.append(_post(settings.url, notice, patience)))
    thread.daemon = True  # A slow response must not delay the end of the process.
    thread.start()
    thread.join(patience)
    return answers[0] if answers else f"{_host(settings.url)} did not answer in time"


def _run(command: tuple[str, ...], notice: OperatorNotice, patience: float) -> str:
    name = os.path.basename(command[0])  # noqa: PTH119 - text, and no path that is opened
    environment = {key: value for key, value in os.environ.items() if key not in _SERVICE_VARIABLES}
    try:
        process = subprocess.Popen(  # noqa: S603 - the operator's own command, without a shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",  # The program must not depend on the folder this was started in.
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
        process.wait(patience)  # It closed its input: its exit code decides.
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # And the processes that it left behind.
        process.wait()
    return f"{name} ended with {process.returncode}" if process.returncode else ""


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _post(url: str, notice: OperatorNotice, patience: float) -> str:
    """Posts the text; ntfy takes the title and the priority from the headers."""
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
