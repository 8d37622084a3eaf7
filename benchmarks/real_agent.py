"""Holds the conversations of `tests/gate/conversations` with a real Hermes, and writes them down.

    python3 -m venv DIR && DIR/bin/pip install hermes-agent==0.19.0 mcp==1.26.0 firecrawl-py
    .venv/bin/python -m benchmarks.real_agent DIR/bin/python [NAME ...]

Hermes runs as it is: its agent, its tools, its approval gate, its background review, its session
database and its log. Only two things stand in for the world, both on the loopback: a model that
answers from a script (`real_agent_talks`), and web pages, which `curl` and the web tools of Hermes
are led to. What is written down is what Hermes left in its home, less its own standing instructions
and the lines of its log that name no session, with the paths of the machine replaced.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.real_agent_talks import TALKS
from benchmarks.real_agent_words import Proposal, Session, Talk, Turn

TO = Path(__file__).parent.parent / "tests" / "gate" / "conversations"
DRIVER = Path(__file__).with_name("real_agent_home.py")
MACHINE_HOME = "/home/user"
REVIEW = "Review the conversation above"
DELEGATED = "[ASYNC DELEGATION"


class Script:
    """The scripted model: finds its answer by the last messages of each request."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.sessions = {
            f"scripted-{index}": session for index, session in enumerate(talk.sessions)
        }

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The next message of the model."""
        if not request.get("tools"):
            return {"role": "assistant", "content": self.talk.summary or "A short talk"}
        user_messages = [m for m in request["messages"] if m["role"] == "user"]
        steps, reply = self._part(str(request["model"]), [words(m) for m in user_messages])
        last = max(i for i, m in enumerate(request["messages"]) if m["role"] == "user")
        done = sum(m["role"] == "assistant" for m in request["messages"][last:])
        if done >= len(steps):
            return {"role": "assistant", "content": reply}
        calls = [
            {
                "id": f"call_{uuid.uuid4().hex[:24]}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
            }
            for name, arguments in steps[done]
        ]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def _part(self, model: str, user_texts: list[str]) -> tuple[Any, str]:
        session = self.sessions.get(model, self.talk.sessions[0])
        if user_texts[-1].startswith(REVIEW):
            turn = next(
                (t for text in user_texts[-2::-1] if (t := self._turn(session, text))), None
            )
            return (
                ([turn.review], "Saved what will be of use.")
                if turn and turn.review
                else (
                    [],
                    "Nothing to save.",
                )
            )
        for goal, steps, reply in self.talk.helpers:
            if goal in user_texts[-1] and not user_texts[-1].startswith(DELEGATED):
                return steps, reply
        turn = self._turn(session, user_texts[-1])
        return (turn.steps, turn.reply) if turn else ([], "All right.")

    def _turn(self, session: Session, text: str) -> Turn | None:
        for turn in session.turns:
            if turn.delegated:
                if text.startswith(DELEGATED):
                    return turn
            elif turn.key in text:
                return turn
        return None


def words(message: dict[str, Any]) -> str:
    """The text of a message in any form."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or [])


class World(BaseHTTPRequestHandler):
    """The model and the web, on one port of the loopback."""

    script: Script

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        page = self.script.talk.pages.get(self.headers.get("X-Asked-For", ""))
        if page is not None:
            self.send(page.encode(), "text/html; charset=utf-8")
            return
        model = {"id": "scripted", "object": "model", "context_length": 128_000}
        self.send(json.dumps({"object": "list", "data": [model]}).encode())

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if self.path.endswith("/chat/completions"):
            self.complete(request)
        elif self.path.endswith("/scrape"):
            url = request.get("url", "")
            metadata = {"sourceURL": url, "statusCode": 200}
            page = {"markdown": self.script.talk.pages.get(url, ""), "metadata": metadata}
            self.send(json.dumps({"success": True, "data": page}).encode())
        elif self.path.endswith("/search"):
            web = [
                {"url": url, "title": url.split("/")[2], "description": text[:150]}
                for url, text in self.script.talk.pages.items()
            ]
            self.send(json.dumps({"success": True, "data": {"web": web}}).encode())
        else:
            self.send(b"{}", status=404)

    def complete(self, request: dict[str, Any]) -> None:
        """Sends one answer of the model, whole or streamed as requested."""
        message = self.script.answer(request)
        ended = "tool_calls" if message.get("tool_calls") else "stop"
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": ended}
            self.send(completion(request, choice))
            return
        calls = [{**call, "index": i} for i, call in enumerate(message.get("tool_calls", ()))]
        delta = {**message, "tool_calls": calls} if calls else message
        parts = [
            {"index": 0, "delta": delta, "finish_reason": None},
            {"index": 0, "delta": {}, "finish_reason": ended},
        ]
        lines = b"".join(b"data: " + completion(request, part) + b"\n\n" for part in parts)
        self.send(lines + b"data: [DONE]\n\n", "text/event-stream")

    def send(self, body: bytes, kind: str = "application/json", status: int = 200) -> None:
        """One response with its length."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def completion(request: dict[str, Any], choice: dict[str, Any]) -> bytes:
    """The envelope of an answer or of a part of one."""
    kind = "chat.completion" + ("" if "message" in choice else ".chunk")
    usage = {"prompt_tokens": 900, "completion_tokens": 30, "total_tokens": 930}
    answer = {"id": "scripted", "object": kind, "created": int(time.time())}
    return json.dumps(
        answer | {"model": request["model"], "choices": [choice], "usage": usage}
    ).encode()


def serve(script: Script) -> ThreadingHTTPServer:
    """The world of one conversation, answering."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OneWorld", (World,), {"script": script}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def furnish(talk: Talk, root: Path, port: int, python: Path) -> None:
    """Home, workspace and stand-ins of one conversation, before it begins."""
    home, workspace, commands = root / ".hermes", root / "project", root / "bin"
    for folder in (home / "memories", workspace, commands):
        folder.mkdir(parents=True)
    settings: dict[str, Any] = {
        "model": {
            "provider": "custom",
            "default": "scripted-0",
            "base_url": f"http://127.0.0.1:{port}/v1",
        },
        "memory": {"write_approval": True, "nudge_interval": talk.nudge},
        "skills": {"write_approval": True, "creation_nudge_interval": talk.skill_nudge},
        "security": {"allow_lazy_installs": False, "redact_secrets": True},
    }
    if talk.server:
        (root / "server.py").write_text(talk.server, "utf-8")
        served = {"command": str(python), "args": [str(root / "server.py")]}
        settings["mcp_servers"] = {talk.server_name: served}
    (home / "config.yaml").write_text(json.dumps(settings, indent=2), "utf-8")
    for name, entries in (("MEMORY.md", talk.memory), ("USER.md", talk.profile)):
        if entries:
            (home / "memories" / name).write_text("\n§\n".join(entries), "utf-8")
    for path, text in talk.skills.items():
        target = home / "skills" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    for path, text in talk.files.items():
        target = workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    for path, text in talk.in_home.items():
        target = home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    for name in (".profile", ".bash_profile", ".bashrc"):
        (root / name).write_text(f'export PATH="{commands}:$PATH"\n', "utf-8")
    curl = commands / "curl"
    curl.write_text(
        '#!/bin/sh\nfor last; do :; done\nexec /usr/bin/env -i /usr/bin/curl -s -H "X-Asked-For: '
        f'$last" "http://127.0.0.1:{port}/page"\n',
        "utf-8",
    )
    curl.chmod(0o755)
    for name, text in talk.commands.items():
        (commands / name).write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n", "utf-8")
        (commands / name).chmod(0o755)


def turn_as_data(turn: Turn, root: Path) -> dict[str, Any]:
    """A turn as the driver takes it."""
    fields = ("user", "refers", "delegated", "compress", "pause", "settle")
    values = {key: value for key, value in asdict(turn).items() if key in fields}
    return values | {
        "meanwhile": {str(root / path): text for path, text in turn.meanwhile.items()},
        "pages": turn.pages,
    }


def converse(talk: Talk, python: Path, root: Path) -> None:
    """Runs one conversation in `root`."""
    script = Script(talk)
    server = serve(script)
    try:
        port = server.server_address[1]
        furnish(talk, root, port, python)
        request = {
            "url": f"http://127.0.0.1:{port}/v1",
            "servers": bool(talk.server),
            "at_once": talk.at_once,
            "sessions": [
                {
                    "model": f"scripted-{index}",
                    "name": talk.name,
                    "as": {"platform": session.platform, **session.who},
                    "peer": session.peer,
                    "after": session.after,
                    "cron": session.platform == "cron",
                    "resumes": None,
                    "turns": [turn_as_data(turn, root) for turn in session.turns],
                }
                for index, session in enumerate(talk.sessions)
            ],
        }
        environment = {
            "PATH": f"{root / 'bin'}:{os.environ['PATH']}",
            "HOME": str(root),
            "HERMES_HOME": str(root / ".hermes"),
            "TZ": "UTC",
            "LANG": "C.UTF-8",
            "FIRECRAWL_API_URL": f"http://127.0.0.1:{port}",
            "NO_PROXY": "*",
        }
        with (root / "out.txt").open("wb") as out:
            subprocess.run(
                [python, DRIVER],
                input=json.dumps(request).encode(),
                cwd=root / "project",
                env=environment,
                stdout=out,
                stderr=out,
                timeout=240,
                check=True,
            )
    finally:
        server.shutdown()


def rows(database: sqlite3.Connection, table: str, order: str) -> list[dict[str, Any]]:
    """All rows of a table with what they hold."""
    database.row_factory = sqlite3.Row
    rows = database.execute(f"SELECT * FROM {table} ORDER BY {order}").fetchall()  # noqa: S608
    return [{k: row[k] for k in row.keys() if row[k] is not None} for row in rows]  # noqa: SIM118


def columns(database: sqlite3.Connection, table: str) -> list[list[Any]]:
    """Name, type, whether it may be empty, default and key of each column."""
    return [list(row[1:]) for row in database.execute(f"PRAGMA table_info({table})")]


PARTS = re.compile(
    r"\n\n(?=═{46}\n(?:MEMORY|USER))|\n\n(?=# Project Context)|\n\n(?=Conversation started)"
)


def prompt_less_instructions(prompt: str) -> str:
    """The parts of a system prompt that differ between homes; not Hermes' own instructions."""
    parts = PARTS.split(prompt)
    records = [
        p for p in parts[1:] if p.startswith(("═", "# Project Context", "Conversation started"))
    ]
    cut = [
        re.split(r"\n\n(?=Host: |You are |Active Hermes|## Skills)", part)[0] for part in records
    ]
    return "\n\n".join(["You are Hermes Agent.", *cut])


LINE = re.compile(r"^\d{4}-\d\d-\d\d \S+ \w+ \[")


def log_lines(home: Path) -> list[str]:
    """The lines that name a session, as they stand, but for those of the model's client."""
    log = home / "logs" / "agent.log"
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    return [line for line in lines if LINE.match(line) and "OpenAI client" not in line]


def truth_of(record: dict[str, Any], proposals: list[Proposal]) -> Proposal | None:
    """The proposal of the script that a record was made of."""
    payload = json.dumps(record["payload"], ensure_ascii=False)
    for proposal in proposals:
        if json.dumps(proposal.text, ensure_ascii=False)[1:-1] in payload:
            return proposal
    return None


def written_down(talk: Talk, root: Path) -> dict[str, Any]:
    """The files that Hermes left, with the truth about each proposal."""
    home = root / ".hermes"
    with sqlite3.connect(home / "state.db") as database:
        sessions = rows(database, "sessions", "started_at")
        messages = rows(database, "messages", "id")
        schema = {name: columns(database, name) for name in ("sessions", "messages")}
        version = database.execute("SELECT version FROM schema_version").fetchone()[0]
    for session in sessions:
        if "system_prompt" in session:
            session["system_prompt"] = prompt_less_instructions(session["system_prompt"])
    proposals = [p for s in talk.sessions for t in s.turns for p in t.proposals]
    proposals += talk.proposals
    pending: dict[str, Any] = {}
    expect: dict[str, Any] = {}
    for path in sorted((home / "pending").rglob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        proposal = truth_of(record, proposals)
        if proposal is None:
            raise SystemExit(f"{talk.name}: nothing of the script is in {record}")
        pending[f"{path.parent.name}/{record['id']}"] = record
        expect[record["id"]] = {
            "class": proposal.origin or talk.origin,
            "harmless": proposal.harmless,
            "kind": talk.kind,
            "said_by": proposal.said_by,
            "seen": proposal.seen,
        }
    if len(pending) != len(proposals):
        raise SystemExit(f"{talk.name}: {len(proposals)} proposals became {len(pending)} records")
    state = {
        path.relative_to(home).as_posix(): path.read_text("utf-8")
        for folder in ("memories", "skills", "pastes")
        for path in sorted((home / folder).rglob("*"))
        if path.is_file() and path.suffix in (".md", ".txt")
    }
    conversation = {
        "name": talk.name,
        "kind": talk.kind,
        "made": talk.made,
        "note": talk.note,
        "schema_version": version,
        "columns": schema,
        "sessions": sessions,
        "messages": messages,
        "log": log_lines(home),
        "pending": pending,
        "files": state,
        "expect": expect,
    }
    text = json.dumps(conversation, ensure_ascii=False)
    text = text.replace(str(home), f"{MACHINE_HOME}/.hermes").replace(str(root), MACHINE_HOME)
    return dict(json.loads(text))


def main(python: Path, names: list[str]) -> None:
    """Holds the named conversations, or all."""
    TO.mkdir(parents=True, exist_ok=True)
    for talk in TALKS:
        if names and talk.name not in names:
            continue
        root = Path(tempfile.mkdtemp(prefix="talk-"))
        try:
            began = time.monotonic()
            converse(talk, python, root)
            conversation = written_down(talk, root)
        except (SystemExit, subprocess.SubprocessError) as error:
            sys.stdout.write(f"{talk.name}: {error}\n  see {root}\n")
            continue
        if talk.afterwards:
            conversation = talk.afterwards(conversation)
        schema = {key: conversation.pop(key) for key in ("schema_version", "columns")}
        dump(TO / "columns.json", schema)
        dump(TO / f"{talk.name}.json", conversation)
        shutil.rmtree(root)
        count = len(conversation["pending"])
        sys.stdout.write(f"{talk.name}: {count} records, {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()


def dump(path: Path, value: dict[str, Any]) -> None:
    """A file that reads well in a diff."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2:])
