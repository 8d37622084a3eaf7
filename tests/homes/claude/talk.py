"""Claude Code's transcripts, made by hand in the form that 2.1.330 writes.

talk = Talk(config, "s1", cwd="/w/app")
talk.user("Remember that I prefer pytest.")
talk.call("Write", id="toolu_1", file_path="/w/m/a.md", content="...")
talk.write()
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reviewdeck.clock import utc_now
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.gated.conversations import GatedConversations
from reviewdeck.model import Kind, MemoryAdd, Proposal

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
SLUG = "-w-app"


def stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class Talk:
    """One transcript. Each line goes on from the one before."""

    config: Path
    session: str
    cwd: str = "/w/app"
    at: datetime = NOON
    entrypoint: str = "cli"
    agent: str = ""
    sent_by: str = ""
    lines: list[dict[str, Any]] = field(default_factory=list)
    last: str | None = None
    prompts: int = 0
    made: int = 0

    def add(self, type: str, **more: Any) -> dict[str, Any]:
        """A line; it goes on from the last one unless it says from which."""
        self.at += timedelta(seconds=1)
        self.made += 1
        id = f"{self.agent or self.session}-{self.made}"
        line = {
            "parentUuid": self.last,
            "isSidechain": bool(self.agent),
            "type": type,
            "uuid": id,
            "timestamp": stamp(self.at),
            "sessionId": self.session,
            "cwd": self.cwd,
            "entrypoint": self.entrypoint,
            **({"agentId": self.agent} if self.agent else {}),
            **more,
        }
        self.lines.append(line)
        self.last = id
        return line

    def bookkeeping(self, type: str = "api-request-blob") -> None:
        """A line that is no message."""
        self.lines.append({"type": type, "sessionId": self.session, "hash": "0" * 64})

    def user(self, text: str, **more: Any) -> None:
        self.prompts += 1
        if not self.agent:
            more = {"origin": {"kind": "human"}, "promptSource": "typed", **more}
        content = {"role": "user", "content": text}
        self.add("user", promptId=f"p{self.prompts}", message=content, **more)

    def say(self, text: str) -> None:
        self.add("assistant", message=_answer({"type": "text", "text": text}))

    def call(self, name: str, *, id: str = "", result: str | None = "ok", **given: Any) -> str:
        """A call of a tool and, unless it is still on its way, its result."""
        id = id or f"toolu_{self.agent}{len(self.lines)}"
        block = {"type": "tool_use", "id": id, "name": name, "input": given}
        self.add("assistant", message=_answer(block))
        if result is not None:
            answer = {"type": "tool_result", "tool_use_id": id, "content": result}
            self.add(
                "user",
                promptId=f"p{self.prompts}",
                message={"role": "user", "content": [answer]},
                toolUseResult={"stdout": result},
            )
        return id

    def attach(self, type: str, *, role: str = "system", **held: Any) -> None:
        self.add(
            "attachment",
            attachment={"type": type, **held},
            renderedRole=role,
            rendered=[{"content": "<system-reminder>…</system-reminder>"}],
        )

    @property
    def path(self) -> Path:
        folder = self.config / "projects" / SLUG
        if self.agent:
            return folder / self.session / "subagents" / f"agent-{self.agent}.jsonl"
        return folder / f"{self.session}.jsonl"

    def write(self, tail: str = "") -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(line) + "\n" for line in self.lines)
        self.path.write_text(text + tail)
        if self.agent:
            note = {"agentType": "general-purpose", "toolUseId": self.sent_by}
            self.path.with_suffix(".meta.json").write_text(json.dumps(note))

    def sent(self, agent: str, by: str) -> Talk:
        """The transcript of an agent that a call of this session sent."""
        return Talk(self.config, self.session, self.cwd, self.at, self.entrypoint, agent, by)


def _answer(block: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "model": "claude-opus-5-5", "content": [block]}


def conversations(config: Path, *, root: Path | None = None) -> GatedConversations:
    return GatedConversations(
        root or config,
        config / "projects",
        clock=utc_now,
        kernel=Kernel(),
        books=(str(config / "projects" / SLUG / "memory"),),
        notes=".reviewdeck/claude/calls",
    )


def record_of(
    session: str | None = "s1", call: str | None = "toolu_w", at: datetime = NOON, **more: Any
) -> Proposal:
    """What the hook staged in a session."""
    edit = MemoryAdd("projects/-w-app/memory/a.md", "User prefers pytest.")
    return Proposal(
        "p1",
        "/home",
        Kind.MEMORY,
        "write",
        "projects/-w-app/memory/a.md",
        (edit,),
        "0" * 64,
        source=".reviewdeck/claude/pending/a.json",
        created_at=at,
        session=session,
        tool_call=call,
        **more,
    )
