"""Where a Claude Code home keeps what a review learns: facts with an index, and instructions.

The model calls `memory` as everywhere. An addition to `memory` becomes a fact, a file of its own,
with a line of the index; one to `user` becomes a line of `CLAUDE.md`. A replacement changes the
fact, or the passage of `CLAUDE.md`, that has the old text once. Nothing is removed: that is an
operator's.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from reviewdeck.agents.gated.documents import AGENT_LAYOUTS
from reviewdeck.homes.claude.facts import stamp_fact
from reviewdeck.homes.gated.home import GatedHome
from reviewdeck.homes.gated.layout import is_stamped, slug_of
from reviewdeck.homes.hermes.payloads import PayloadRequest
from reviewdeck.model import Change
from reviewdeck.planning.outside import write_of
from reviewdeck.ports import Home, Snapshot

INDEX: Final = "MEMORY.md"
INSTRUCTIONS: Final = ("CLAUDE.md", ".claude/CLAUDE.md")
FACTS: Final = 200
"""The most facts that a review is shown."""
_NAME: Final = 48
_SHOWN: Final = 100
_FRONT: Final = re.compile(r"\A---[ \t]*\n.*?\n---[ \t]*\n", re.DOTALL)
NOT_REMOVED: Final = "Nothing is removed from here by a review: propose a replacement, or leave it."


@dataclass(frozen=True, slots=True)
class KeptDocuments:
    """The places of one home."""

    layout: str
    facts: str | None
    """The folder of facts, relative to the home; None where the conversation tells none."""
    instructions: str | None
    """The file of instructions; None where the home has none."""

    def stores(self, snapshot: Snapshot, home: Home) -> dict[str, dict[str, str]]:
        """By store, the documents that belong to it with what they say."""
        stores: dict[str, dict[str, str]] = {}
        if self.facts is not None:
            paths = [path for path in home.documents() if self._is_fact(path)][:FACTS]
            texts = ((path, _text(snapshot, path)) for path in paths)
            stores["memory"] = {path: _FRONT.sub("", text).strip() for path, text in texts}
        if self.instructions is not None:
            text = _text(snapshot, self.instructions).strip()
            stores["user"] = {self.instructions: text} if text else {}
        return stores

    def document(self, store: str) -> str | None:
        """The document in front of the model that a store stands for."""
        if store == "user":
            return self.instructions
        return None if self.facts is None else posixpath.join(self.facts, INDEX)

    def _is_fact(self, path: str) -> bool:
        folder, name = posixpath.split(path)
        return folder == self.facts and name != INDEX and name.endswith(".md")

    def request(
        self,
        arguments: Mapping[str, Any],
        home: Home,
        snapshot: Snapshot,
        session: str,
        now: datetime,
    ) -> PayloadRequest | str:
        """The documents that a call of `memory` writes; or why it cannot be."""
        store = arguments.get("target") or "memory"
        if not isinstance(store, str) or self.document(store) is None:
            return f"this home keeps nothing for the target {store!r}"
        operations = arguments.get("operations") or [arguments]
        if not isinstance(operations, list) or not all(isinstance(it, dict) for it in operations):
            return "the operations are no list of objects"
        drafts = _Drafts(self, home, snapshot, session, now)
        for operation in operations:
            if why := drafts.take(store, operation):
                return why
        edits = tuple(
            write_of(Change(path, snapshot.document(path).data, text.encode()))
            for path, text in drafts.texts.items()
        )
        target = posixpath.basename(next(iter(drafts.texts))).removesuffix(".md").lower()
        return PayloadRequest("write", target, edits)


@dataclass(frozen=True, slots=True)
class _Drafts:
    """The documents of one call, as its operations leave them."""

    kept: KeptDocuments
    home: Home
    snapshot: Snapshot
    session: str
    now: datetime
    texts: dict[str, str] = field(default_factory=dict)
    """By path."""

    def take(self, store: str, operation: Mapping[str, Any]) -> str:
        """Adds what one operation writes; gives why it cannot be."""
        content, old = operation.get("content"), operation.get("old_text")
        match operation.get("action"), content, old:
            case "remove", _, _:
                return NOT_REMOVED
            case "add", str(), _ if content.strip():
                if store == "user":
                    self._add_line(str(self.kept.instructions), f"- {_line(content)}")
                else:
                    self._add_fact(content.strip())
                return ""
            case "replace", str(), str() if content.strip() and old.strip():
                return self._replace(store, content.strip(), old.strip())
            case _:
                return "it asks for no action that this home has: add, or replace with old_text"

    def _text(self, path: str) -> str:
        return self.texts[path] if path in self.texts else _text(self.snapshot, path)

    def _add_line(self, path: str, line: str) -> None:
        text = self._text(path)
        self.texts[path] = f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{line}\n"

    def _add_fact(self, content: str) -> None:
        folder, name = str(self.kept.facts), _name_of(content)
        path = posixpath.join(folder, f"{name}.md")
        number = 2
        while path in self.texts or self.snapshot.document(path).exists:
            path = posixpath.join(folder, f"{name}-{number}.md")
            number += 1
        about = _line(content)[:_SHOWN]
        stem = posixpath.basename(path).removesuffix(".md")
        head = f"name: {stem}\ndescription: {json.dumps(about, ensure_ascii=False)}\ntype: project"
        text = f"---\n{head}\n---\n\n{content}\n"
        is_ours = is_stamped(self.kept.layout, path)
        self.texts[path] = stamp_fact(text, None, self.session, self.now) if is_ours else text
        title = " ".join(stem.split("-")).capitalize()
        self._add_line(posixpath.join(folder, INDEX), f"- [{title}]({stem}.md) — {about}")

    def _replace(self, store: str, content: str, old: str) -> str:
        if store == "user":
            path = str(self.kept.instructions)
            text = self._text(path)
            if text.count(old) != 1:
                return f"{path} has the old text {text.count(old)} times, and not once"
            self.texts[path] = text.replace(old, content)
            return ""
        facts = self.kept.stores(self.snapshot, self.home)["memory"]
        found = [path for path, body in facts.items() if old in body]
        if len(found) != 1:
            return f"the old text is in {len(found)} facts, and not in one"
        front = _FRONT.match(self._text(found[0]))
        self.texts[found[0]] = f"{front[0]}\n{content}\n" if front else f"{content}\n"
        return ""


def kept_documents(home: Home, folder: str = "") -> KeptDocuments | None:
    """Where a home keeps documents; None for a home with memories as Hermes has them.

    `folder` is the one that the conversation was held in.
    """
    if not isinstance(home, GatedHome) or home.kind != "claude":
        return None
    layout = home.layout_name
    match layout:
        case "memory":
            return KeptDocuments(layout, "", None)
        case "config":
            facts = f"projects/{slug_of(folder)}/memory" if folder else None
            return KeptDocuments(layout, facts, INSTRUCTIONS[0])
        case _:
            snapshot = home.snapshot()
            there = [path for path in INSTRUCTIONS if snapshot.document(path).exists]
            return KeptDocuments(layout, None, (*there, INSTRUCTIONS[0])[0])


def has_memory(home: Home) -> bool:
    """Whether a review of memory can propose anything for a home."""
    return home.kind in ("claude", "hermes")


def extracts_itself(home: Home) -> bool:
    """Whether the agent of a home has an extractor of its own, and a review writes no memory."""
    return home.kind in AGENT_LAYOUTS and not has_memory(home)


def has_skills(home: Home) -> bool:
    """Whether a review of skills can propose anything for a home."""
    return not (isinstance(home, GatedHome) and home.layout_name == "memory")


def _text(snapshot: Snapshot, path: str) -> str:
    document = snapshot.document(path)
    return "" if document.problem or not document.exists else document.text


def _line(text: str) -> str:
    return " ".join(text.split())


def _name_of(text: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    name = words if len(words) <= _NAME else words[:_NAME].rpartition("-")[0] or words[:_NAME]
    return name or "fact"
