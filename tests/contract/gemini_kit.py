"""The real Gemini CLI on a folder of its own, with a model that answers from a script.

A double replays what the hooks of the real one were told. The real one runs where REVIEWDECK_GEMINI
names the program. With REVIEWDECK_RECORD=1 as well, what its hooks were told, and what it kept, is
recorded anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import pty
import re
import select
import signal
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.contract import hooked_kit
from tests.contract.hooked_kit import (
    DONE,
    Outcome,
    Place,
    is_recording,
    listen,
    program_environment,
    read_recording,
    reviewdeck,
    run_program,
    turn,
    write_recording,
)
from tests.reviewer.peer import Peer

PROGRAM = os.environ.get("REVIEWDECK_GEMINI", "")
needs_gemini = pytest.mark.skipif(
    not PROGRAM, reason="REVIEWDECK_GEMINI names no program of Gemini CLI 0.61.0"
)
SESSION = "11111111-2222-4333-8444-555555555555"
"""The session from which memories are extracted."""
_CHAT = "session-2026-11-29T02-31-{}"
"""The name of a transcript in a recording."""


class GeminiPlace(Place):
    """A user's folder with Gemini CLI's in it, and a repository."""

    agent = "gemini"

    @property
    def tmp(self) -> Path:
        return self.config / "tmp" / "app"

    @property
    def memory(self) -> Path:
        return self.tmp / "memory"

    @property
    def patch(self) -> Path:
        return self.memory / ".inbox/private/extraction.patch"


def make_place(root: Path, *, gate: bool = True) -> GeminiPlace:
    """A memory and instructions, and a repository, with the gate before them."""
    place = GeminiPlace(root)
    place.memory.mkdir(parents=True)
    place.project.mkdir()
    (place.memory / "MEMORY.md").write_text("# Project Memory\n- We use Redis.\n", "utf-8")
    (place.config / "GEMINI.md").write_text("- Be brief.\n", "utf-8")
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "experimental": {"autoMemory": True},
        "general": {"enableAutoUpdate": False},
    }
    (place.config / "settings.json").write_text(json.dumps(settings, indent=2), "utf-8")
    projects = {"projects": {str(place.project): "app"}}
    (place.config / "projects.json").write_text(json.dumps(projects), "utf-8")
    for folder in (place.tmp, place.config / "history/app"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".project_root").write_text(str(place.project), "utf-8")
    if gate:
        reviewdeck(place, "gemini", "install", "--yes")
    return place


def call(tool: str, **args: Any) -> dict[str, Any]:
    """One call of a tool, as a line of a script."""
    return turn(hooked_kit.call(tool, tool, **args))


class _Model(Peer):
    """The model: it answers each request that offers tools by the next line of a script."""

    def __init__(self, script: Sequence[Mapping[str, Any]]) -> None:
        self._script, self._lock = iter(script), threading.Lock()
        super().__init__(())

    def line(self) -> Mapping[str, Any]:
        with self._lock:
            asked = json.loads(self.journal[-1])
            return next(self._script, DONE) if asked.get("tools") else {"say": "{}"}

    @property
    def variables(self) -> dict[str, str]:
        """What makes Gemini CLI ask it."""
        return {
            "GEMINI_API_KEY": "invented",
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "TERM": "xterm",
        }


class RealGemini:
    """The real program."""

    def converse(
        self, place: GeminiPlace, name: str, script: Sequence[Mapping[str, Any]]
    ) -> Outcome:
        heard = listen(place) if is_recording(name) else None
        model = _Model(script)
        done = run_program(
            place,
            model,
            PROGRAM,
            *("-p", "Remember that I like tea.", "--output-format", "json"),
            *("--approval-mode", "yolo"),
            **model.variables,
        )
        outcome = Outcome(session=json.loads(done.stdout)["session_id"])
        for content in (one for asked in model.requests for one in asked.get("contents", ())):
            for part in content["parts"]:
                answer = part.get("functionResponse")
                if answer and "error" in answer["response"]:
                    outcome.refused[answer["name"]] = answer["response"]["error"]
        if heard is not None:
            (chat,) = (place.tmp / "chats").glob(f"*-{outcome.session[:8]}.jsonl")
            _record(place, name, outcome.session, hooks=heard, chat=chat)
        return outcome

    def extract(self, place: GeminiPlace, patch: str) -> None:
        """Lets it extract a patch from a session of some hours ago."""
        chat = _old_session(place)
        script = [
            call("read_file", file_path=str(chat)),
            call("write_file", file_path=str(place.patch), content=patch),
            call("complete_task", result={"response": "Done."}),
        ]
        state = place.memory / ".extraction-state.json"
        with closing(_Model(script)) as model:
            pid, terminal = pty.fork()
            if not pid:
                os.chdir(place.project)
                environment = program_environment(place, PROGRAM) | model.variables
                os.execve(PROGRAM, [PROGRAM], environment)  # noqa: S606
            try:
                for _ in range(600):
                    if state.exists():
                        break
                    if select.select([terminal], [], [], 0.2)[0]:
                        with suppress(OSError):
                            os.read(terminal, 65_536)
            finally:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                os.close(terminal)
        assert place.patch.exists()
        if is_recording("extraction"):
            (own,) = (place.tmp / "chats").glob("skill-extraction-*/*.jsonl")
            files = {"chat": chat, "own": own, "patch": place.patch, "state": state}
            _record(place, "extraction", "", **files)


class RecordedGemini:
    """A double: its hooks are told what those of 0.61.0 were, and it does what they let it."""

    def converse(
        self, place: GeminiPlace, name: str, script: Sequence[Mapping[str, Any]]
    ) -> Outcome:
        chats = place.tmp / "chats"
        chats.mkdir(parents=True)
        session = "aaaaaaaa-2222-4333-8444-555555555555"
        chat = read_recording(place, f"{name}.chat")
        (chats / f"{_CHAT.format(session[:8])}.jsonl").write_text(chat, "utf-8")
        outcome = Outcome(session=session)
        for line in read_recording(place, f"{name}.hooks").splitlines():
            event = json.loads(line)
            answer = ask_hooks(place, event)
            if event["hook_event_name"] != "BeforeTool":
                continue
            if answer.get("decision") == "deny":
                outcome.refused[event["tool_name"]] = answer["reason"]
            elif event["tool_name"] == "run_shell_command":
                place.run_shell(event)
        return outcome

    def extract(self, place: GeminiPlace, patch: str) -> None:
        """What a recorded extraction left; its patch is the one that the real one was asked for."""
        chats = place.tmp / "chats"
        chats.mkdir(parents=True)
        name = f"{_CHAT.format(SESSION[:8])}.jsonl"
        (chats / name).write_text(read_recording(place, "extraction.chat"), "utf-8")
        own = chats / "skill-extraction-aaaaaaaa" / "bbbbbbbb-2222-4333-8444-555555555555.jsonl"
        own.parent.mkdir()
        own.write_text(read_recording(place, "extraction.own"), "utf-8")
        state = read_recording(place, "extraction.state")
        (place.memory / ".extraction-state.json").write_text(state, "utf-8")
        place.patch.parent.mkdir(parents=True)
        place.patch.write_text(read_recording(place, "extraction.patch"), "utf-8")


def _old_session(place: GeminiPlace) -> Path:
    """A session that is long enough, and idle long enough, to be read."""
    began = datetime.now(UTC) - timedelta(hours=5)

    def at(seconds: int) -> str:
        moment = began + timedelta(seconds=seconds)
        return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    digest = hashlib.sha256(str(place.project).encode()).hexdigest()
    head = {"sessionId": SESSION, "projectHash": digest, "kind": "main"}
    lines: list[Any] = [{**head, "startTime": at(0), "lastUpdated": at(0)}]
    for number in range(12):
        said = [{"text": f"Run the tests with tox, please ({number})."}]
        lines += [
            {"id": f"u{number}", "timestamp": at(2 * number), "type": "user", "content": said},
            {
                "id": f"g{number}",
                "timestamp": at(2 * number + 1),
                "type": "gemini",
                "content": "I will.",
                "model": "invented",
            },
            {"$set": {"lastUpdated": at(2 * number + 1)}},
        ]
    name = f"session-{at(0)[:16].replace(':', '-')}-{SESSION[:8]}.jsonl"
    chat = place.tmp / "chats" / name
    chat.parent.mkdir(parents=True)
    chat.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return chat


def ask_hooks(place: GeminiPlace, event: Mapping[str, Any]) -> dict[str, Any]:
    """What the hooks in the settings answer, as Gemini CLI takes it."""
    found = dict[str, Any]()
    for handler in place.handlers(event):
        done = place.start(["bash", "-c", handler["command"]], event)
        if done.returncode == 2:
            return {"decision": "deny", "reason": done.stderr}
        found |= json.loads(done.stdout) if done.returncode == 0 and done.stdout else {}
    return found


def _record(place: GeminiPlace, name: str, session: str, **files: Path) -> None:
    """Keeps what was heard and kept, without the ids of this run."""
    for kind, file in files.items():
        text = file.read_text("utf-8")
        if session:
            text = text.replace(session, "aaaaaaaa-2222-4333-8444-555555555555")
            text = text.replace(session[:8], "aaaaaaaa")
        text = re.sub(r"session-[\dT-]{16}-(\w{8})", _CHAT.format(r"\1"), text)
        write_recording(place, f"{name}.{kind}", text)
