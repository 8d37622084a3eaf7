"""Pending records changed by chance: their bytes, their words, or the JSON that they are."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

NOW = 1_799_748_000.0
"""When the records are read, in seconds since 1970."""
SOURCES = ("pending/memory/0123abcd.json", "pending/skills/0123abcd.json")
LONGEST = 3_000
STEPS = 3
"""So many inputs are made of one record, each from the one before."""

_WORD = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+|\s+')
_NAMES = [
    "id",
    "subsystem",
    "action",
    "summary",
    "origin",
    "created_at",
    "payload",
    "reviewdeck",
    "v",
    "bases",
    "sha256",
    "text",
    "session",
    "turn",
    "tool_call",
    "model",
    "target",
    "content",
    "old_text",
    "new_text",
    "matched_entry",
    "operations",
    "name",
    "category",
    "file_path",
    "file_content",
    "old_string",
    "new_string",
    "replace_all",
    "absorbed_into",
    "memory",
    "user",
    "skills",
    "add",
    "replace",
    "remove",
    "batch",
    "create",
    "edit",
    "patch",
    "write_file",
    "remove_file",
    "delete",
    "0123abcd",
    "absent",
    "memories/MEMORY.md",
    "skills/dev/notes/SKILL.md",
    "../../etc/passwd",
    "SKILL.md",
    "CON",
    "extra",
]
_VALUES = [
    r"null",
    r"true",
    r"false",
    r"NaN",
    r"Infinity",
    r"-Infinity",
    r"-0",
    r"0",
    r"1",
    r"1.0",
    r"-1",
    r"1e999",
    r"1e-999",
    r"1e308",
    r"9e15",
    r"0x10",
    r"01",
    r'""',
    r"18446744073709551616",
    r"253402300800",
    r"-62135596801",
    r"1799999999.999999",
    r"{}",
    r"[]",
    r"[[]]",
    r'{"a":{}}',
    r'{"v":1}',
    r'{"v":true}',
    r'{"v":1.0}',
    r"[{}]",
    r'"\u0000"',
    r'"\ud800"',
    r'"\udfff\ud800"',
    r'"\ud83d\ude00"',
    r'"\x"',
    r'"\u12"',
]
_BYTES = (
    b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\xed\xa0\x80", b"\xc0\x80", b"\r", b"[" * 40,
    b'{"a":' * 40, b"9" * 400, "\u202e\ufeff\U0001f600e\u0301\u2028".encode(),
)  # fmt: skip
WORDS = (
    *(f'"{name}"'.encode() for name in _NAMES),
    *(value.encode() for value in _VALUES),
    *_BYTES,
)
_PLAIN: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**17, 10**400, float("nan"), float("inf"), "", [], {}, "\0",
    "\ud800", "\n\u00a7\n", {"v": 1}, [[]], "x" * 300,
)  # fmt: skip
_BASE = "skills/dev/notes/SKILL.md"
_MEMORY: tuple[dict[str, Any], ...] = (
    {"action": "add", "target": "memory", "content": "A fact.", "old_text": None},
    {"action": "add", "target": "user", "new_text": "Likes tea."},
    {"action": "replace", "old_text": "fact", "content": "B", "matched_entry": "A fact."},
    {"action": "remove", "target": "user", "old_text": "tea", "matched_entry": ""},
    {
        "action": "batch",
        "target": "memory",
        "operations": [{"action": "add", "content": "x"}, {"action": "remove", "old_text": "y"}],
    },
)
_SKILLS: tuple[dict[str, Any], ...] = (
    {"action": "create", "name": "notes", "content": "---\nname: n\n---\n", "category": "dev"},
    {"action": "edit", "name": "notes", "content": "---\nname: notes\n---\n"},
    {"action": "patch", "name": "n", "old_string": "a", "new_string": "b", "replace_all": True},
    {"action": "patch", "name": "notes", "content": "whole", "file_path": "SKILL.md"},
    {"action": "write_file", "name": "n", "file_path": "references/a.md", "file_content": "x"},
    {"action": "remove_file", "name": "notes", "file_path": "references/a.md"},
    {"action": "delete", "name": "notes", "absorbed_into": "other"},
    {
        "action": "batch",
        "name": "notes",
        "operations": [
            {"action": "patch", "content": "w"},
            {"action": "create", "name": "b", "content": "x"},
        ],
    },
)
_KNOWN = {
    "v": 1,
    "session": "s",
    "turn": "t",
    "tool_call": "c",
    "model": "m",
    "bases": {_BASE: {"sha256": "absent"}, "memories/MEMORY.md": {"sha256": "0" * 64}},
}


def seeds() -> list[tuple[bytes, str]]:
    """Two records of every action, one of them with everything that a record may say."""
    paths = []
    for source, subsystem, payloads in (
        (SOURCES[0], "memory", _MEMORY),
        (SOURCES[1], "skills", _SKILLS),
    ):
        for payload in payloads:
            record: dict[str, Any] = {
                "id": "0123abcd",
                "subsystem": subsystem,
                "action": payload["action"],
                "summary": "s",
                "origin": "background_review",
                "created_at": NOW - 60,
                "payload": payload,
            }
            paths.append((json.dumps(record).encode(), source))
            paths.append((json.dumps(record | {"reviewdeck": _KNOWN}, indent=1).encode(), source))
    return paths


class Mutator:
    """Changes to records, drawn from one source of chance."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._changes: tuple[Callable[[bytes, bytes], bytes], ...] = (
            self._flip,
            self._cut,
            self._insert,
            self._repeat,
            self._splice,
            self._swap_word,
            self._drop_word,
            self._insert_word,
        )

    def inputs(self, data: bytes, donor: bytes) -> Iterator[bytes]:
        """Some inputs, each with one change more. Most stay JSON: other bytes are soon refused."""
        try:
            tree = json.loads(data) if self._chance.getrandbits(2) else None
        except (ValueError, RecursionError):
            tree = None
        if isinstance(tree, dict):
            yield from self._trees(tree)
            return
        for _ in range(STEPS):
            data = self._chance.choice(self._changes)(data, donor)[:LONGEST]
            yield data

    def _trees(self, tree: dict[str, Any]) -> Iterator[bytes]:
        """The record with one value after the other moved, taken out, wrapped or renamed."""
        for step in range(STEPS):
            places = list(_places(tree))
            if not places:
                return
            self._change(tree, places)
            text = json.dumps(tree, ensure_ascii=bool(step % 2)).encode("utf-8", "surrogatepass")
            if len(text) > LONGEST:
                return
            yield text

    def _change(self, tree: dict[str, Any], places: list[tuple[Any, Any]]) -> None:
        holder, key = self._chance.choice(places)
        match self._chance.getrandbits(3):
            case 0 if isinstance(holder, dict):
                holder[self._chance.choice(_NAMES)] = holder.pop(key)
            case 1:
                del holder[key]
            case 2:
                name = self._chance.choice(_NAMES)
                holder[key] = [holder[key]] if self._chance.getrandbits(1) else {name: holder[key]}
            case 3 | 4:
                holder[key] = deepcopy(self._chance.choice(_PLAIN))  # it is changed in its turn
            case 5:
                holder[key] = self._chance.choice(_NAMES)
            case 6:
                tree[self._chance.choice(_NAMES)] = deepcopy(self._chance.choice(_PLAIN))
            case _:
                giver, name = self._chance.choice(places)
                if not isinstance(giver[name], dict | list):  # nothing within itself
                    holder[key] = giver[name]

    def _at(self, data: bytes) -> int:
        return int(self._chance.random() * (len(data) + 1))

    def _flip(self, data: bytes, _: bytes) -> bytes:
        at = self._at(data)
        return data[:at] + bytes((self._chance.getrandbits(8),)) + data[at + 1 :]

    def _cut(self, data: bytes, _: bytes) -> bytes:
        at = self._at(data)
        return data[:at] + data[at + 1 + self._chance.getrandbits(5) :]

    def _insert(self, data: bytes, _: bytes) -> bytes:
        at = self._at(data)
        return data[:at] + self._chance.choice(WORDS) + data[at:]

    def _repeat(self, data: bytes, _: bytes) -> bytes:
        at, size = self._at(data), 1 + self._chance.getrandbits(6)
        return data[:at] + data[at : at + size] * (1 + self._chance.getrandbits(2)) + data[at:]

    def _splice(self, data: bytes, donor: bytes) -> bytes:
        return data[: self._at(data)] + donor[self._at(donor) :]

    def _words(self, data: bytes) -> tuple[list[bytes], int]:
        words = _WORD.findall(data) or [b""]
        return words, int(self._chance.random() * len(words))

    def _swap_word(self, data: bytes, _: bytes) -> bytes:
        words, at = self._words(data)
        words[at] = self._chance.choice(WORDS)
        return b"".join(words)

    def _drop_word(self, data: bytes, _: bytes) -> bytes:
        words, at = self._words(data)
        del words[at]
        return b"".join(words)

    def _insert_word(self, data: bytes, _: bytes) -> bytes:
        words, at = self._words(data)
        words[at:at] = (self._chance.choice(WORDS), b":", self._chance.choice(WORDS), b",")
        return b"".join(words)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value within: what holds it, and under which key."""
    todo = [value]
    while todo:
        container = todo.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            yield container, key
            if isinstance(container[key], dict | list):
                todo.append(container[key])
