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
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.contract.claude_kit import Outcome, Place, reviewdeck

PROGRAM = os.environ.get("REVIEWDECK_GEMINI", "")
needs_gemini = pytest.mark.skipif(
    not PROGRAM, reason="REVIEWDECK_GEMINI names no program of Gemini CLI 0.61.0"
)
RECORDED = Path(__file__).parents[1] / "fixtures" / "gemini"
SESSION = "11111111-2222-4333-8444-555555555555"
"""The session from which memories are extracted."""
_DONE: Mapping[str, Any] = {"text": "Done."}


class GeminiPlace(Place):
    """A user's folder with Gemini CLI's in it, and a repository."""

    @property
    def config(self) -> Path:
        return self.home / ".gemini"

    @property
    def tmp(self) -> Path:
        return self.config / "tmp" / "app"

    @property
    def memory(self) -> Path:
        return self.tmp / "memory"

    @property
    def patch(self) -> Path:
        return self.memory / ".inbox/private/extraction.patch"

    def records(self) -> list[dict[str, Any]]:
        folder = self.config / ".reviewdeck" / "gemini" / "pending"
        return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


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
    return {"functionCall": {"name": tool, "args": args}}


class _Handler(BaseHTTPRequestHandler):
    server: _Model

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        part = self.server.answer(asked)
        reply = {
            "candidates": [
                {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1},
        }
        is_stream = "stream" in self.path.lower()
        body = json.dumps(reply).encode()
        data = b"data: " + body + b"\r\n\r\n" if is_stream else body
        self.send_response(200)
        kind = "text/event-stream" if is_stream else "application/json"
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


class _Model(ThreadingHTTPServer):
    """The model: it answers each request that offers tools by the next line of a script."""

    daemon_threads = True

    def __init__(self, script: Sequence[Mapping[str, Any]]) -> None:
        self._script, self._lock = iter(script), threading.Lock()
        self.asked: list[Any] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    def answer(self, asked: Any) -> Mapping[str, Any]:
        with self._lock:
            self.asked.append(asked)
            return next(self._script, _DONE) if asked.get("tools") else {"text": "{}"}


@contextmanager
def _model(script: Sequence[Mapping[str, Any]]) -> Iterator[_Model]:
    model = _Model(script)
    thread = threading.Thread(target=model.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.shutdown()
        model.server_close()
        thread.join(60)


def _environment(place: GeminiPlace, model: _Model) -> dict[str, str]:
    folder = str(Path(PROGRAM).parent)
    return place.environment | {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "GEMINI_API_KEY": "invented",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{model.server_address[1]}",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "TERM": "xterm",
    }


class RealGemini:
    """The real program."""

    def converse(
        self, place: GeminiPlace, name: str, script: Sequence[Mapping[str, Any]]
    ) -> Outcome:
        is_recorded = os.environ.get("REVIEWDECK_RECORD") == "1" and bool(name)
        heard = _listen(place) if is_recorded else None
        with _model(script) as model:
            done = subprocess.run(
                [
                    *(PROGRAM, "-p", "Remember that I like tea.", "--output-format", "json"),
                    *("--approval-mode", "yolo"),
                ],
                env=_environment(place, model),
                cwd=place.project,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=180,
                check=False,
            )
        assert done.returncode == 0, done.stdout + done.stderr
        outcome = Outcome(session=json.loads(done.stdout)["session_id"])
        for content in (one for asked in model.asked for one in asked.get("contents", ())):
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
            call("complete_task", response="Done.", result="Done."),
        ]
        state = place.memory / ".extraction-state.json"
        with _model(script) as model:
            pid, terminal = pty.fork()
            if not pid:
                os.chdir(place.project)
                os.execve(PROGRAM, [PROGRAM], _environment(place, model))  # noqa: S606
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
        if os.environ.get("REVIEWDECK_RECORD") == "1":
            _record(place, "extraction", "", chat=chat, patch=place.patch, state=state)


class RecordedGemini:
    """A double: its hooks are told what those of 0.61.0 were, and it does what they let it."""

    def converse(
        self, place: GeminiPlace, name: str, script: Sequence[Mapping[str, Any]]
    ) -> Outcome:
        chats = place.tmp / "chats"
        chats.mkdir(parents=True)
        session = "aaaaaaaa-2222-4333-8444-555555555555"
        chat = _of_place(place, f"{name}.chat")
        (chats / f"session-2026-11-29T07-21-{session[:8]}.jsonl").write_text(chat, "utf-8")
        outcome = Outcome(session=session)
        for line in _of_place(place, f"{name}.hooks").splitlines():
            event = json.loads(line)
            answer = ask_hooks(place, event)
            if event["hook_event_name"] != "BeforeTool":
                continue
            if answer.get("decision") == "deny":
                outcome.refused[event["tool_name"]] = answer["reason"]
            elif event["tool_name"] == "run_shell_command":
                command = ["bash", "-c", event["tool_input"]["command"]]
                subprocess.run(command, cwd=event["cwd"], check=False)
        return outcome

    def extract(self, place: GeminiPlace, patch: str) -> None:
        """What a recorded extraction left; its patch is the one that the real one was asked for."""
        chats = place.tmp / "chats"
        chats.mkdir(parents=True)
        name = f"session-2026-11-29T02-31-{SESSION[:8]}.jsonl"
        (chats / name).write_text(_of_place(place, "extraction.chat"), "utf-8")
        state = _of_place(place, "extraction.state")
        (place.memory / ".extraction-state.json").write_text(state, "utf-8")
        place.patch.parent.mkdir(parents=True)
        place.patch.write_text(_of_place(place, "extraction.patch"), "utf-8")


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
    settings = json.loads((place.config / "settings.json").read_text("utf-8"))
    tool, found = str(event.get("tool_name", "")), dict[str, Any]()
    for group in settings["hooks"].get(event["hook_event_name"], ()):
        if tool and not re.search(group.get("matcher", ""), tool):
            continue
        done = subprocess.run(
            ["bash", "-c", group["hooks"][0]["command"]],
            # As JavaScript writes it.
            input=json.dumps(event, ensure_ascii=False, separators=(",", ":")),
            env=place.environment,
            cwd=event["cwd"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode == 2:
            return {"decision": "deny", "reason": done.stderr}
        found |= json.loads(done.stdout) if done.returncode == 0 and done.stdout else {}
    return found


def _listen(place: GeminiPlace) -> Path:
    """Puts hooks beside ours that note what every hook is told."""
    heard, listener = place.root / "heard.jsonl", place.root / "listener.py"
    heard.write_text("", "utf-8")
    listener.write_text(
        f"import sys\nwith open({str(heard)!r}, 'a') as file:\n"
        "    file.write(sys.stdin.read().strip() + '\\n')\n",
        "utf-8",
    )
    path = place.config / "settings.json"
    settings = json.loads(path.read_text("utf-8"))
    for groups in settings["hooks"].values():
        groups.append({"hooks": [{"type": "command", "command": f"{sys.executable} {listener}"}]})
    path.write_text(json.dumps(settings, indent=2), "utf-8")
    return heard


def _record(place: GeminiPlace, name: str, session: str, **files: Path) -> None:
    """Keeps what was heard and kept, without the places and ids of this run."""
    RECORDED.mkdir(parents=True, exist_ok=True)
    for kind, file in files.items():
        text = file.read_text("utf-8")
        for word, value in _places(place):
            text = text.replace(value, word)
        if session:
            text = text.replace(session, "aaaaaaaa-2222-4333-8444-555555555555")
            text = text.replace(session[:8], "aaaaaaaa")
        text = re.sub(r'"(durationMs|duration_ms)": ?\d+', r'"\1":5', text)
        (RECORDED / f"{name}.{kind}").write_text(text, "utf-8")


def _of_place(place: GeminiPlace, name: str) -> str:
    text = (RECORDED / name).read_text("utf-8")
    for word, value in _places(place):
        text = text.replace(word, value)
    return text


def _places(place: GeminiPlace) -> Iterator[tuple[str, str]]:
    """Words that stand for a place in a recording, the longest values first."""
    yield "{HOME}", str(place.home)
    yield "{APP}", str(place.project)
    yield "{ROOT}", str(place.root)
