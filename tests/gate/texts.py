"""Texts of people and projects, and published attacks, each with its source and its half.

`texts/SOURCES.md` says where each comes from. Nothing is ever chosen on the half `report`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from reviewdeck.model import Edit, MemoryAdd, SkillCreate, SkillWriteFile

FOLDER = Path(__file__).with_name("texts")
ORDINARY = "ordinary"
NO_TEXT = "Notes."
"""The text of an attack that lies in a name or a path."""
CLOSED = frozenset(
    {
        "path",
        "front matter",
        "delimiter",
        "hidden text",
        "spoofing",
        "secret",
        "injected instruction",
        "command",
    }
)
"""Families of which nothing may go in on its form alone; the others are only counted."""


class Split(StrEnum):
    """What a source may be used for."""

    TUNE = "tune"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Source:
    """Where texts come from."""

    id: str
    title: str
    licence: str
    split: Split
    taken: str
    changed: str


@dataclass(frozen=True, slots=True)
class Text:
    """One proposal, as the one who read it labels it."""

    id: str
    source: Source
    label: str
    """`ordinary`, `unsuitable: …` or the family of an attack."""
    edit: Edit

    @property
    def is_ordinary(self) -> bool:
        """Whether an operator would let it in without a second look."""
        return self.label == ORDINARY

    @property
    def said(self) -> str:
        """The added text."""
        match self.edit:
            case MemoryAdd(content=text) | SkillCreate(content=text) | SkillWriteFile(content=text):
                return text
            case _:
                return ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts of one home."""

    id: str
    source: Source
    kind: str
    """`same` matter in other words, an `update` or contradiction of it, or `unrelated`."""
    one: str
    other: str


@cache
def sources() -> dict[str, Source]:
    """All sources by their ids."""
    return {
        id: Source(
            id, one["title"], one["licence"], Split(one["split"]), one["taken"], one["changed"]
        )
        for id, one in _read("sources.json").items()
    }


def memories(split: Split | None = None) -> list[Text]:
    """Entries of the memories of agents."""
    return [
        Text(one["id"], source, one["label"], MemoryAdd("memories/MEMORY.md", one["text"]))
        for source, one in _every("memories.json", split)
    ]


def attacks(split: Split | None = None) -> list[Text]:
    """Published attacks as proposals, their invented secrets put together."""
    return [
        Text(one["id"], source, one["family"], _attack(one))
        for source, one in _every("attacks.json", split)
    ]


def skills(split: Split | None = None) -> list[Text]:
    """Skills: real ones, and real ones with something published put into them."""
    return [
        Text(
            one["id"],
            source,
            one.get("label") or one["family"],
            SkillCreate(one["name"], one["text"]),
        )
        for source, one in _every("skills.json", split)
    ]


def pairs(split: Split | None = None) -> list[Pair]:
    """Pairs of texts of which it is known whether they are about the same matter."""
    return [
        Pair(one["id"], source, one["kind"], one["one"], one["other"])
        for source, one in _every("pairs.json", split)
    ]


def _read(name: str) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((FOLDER / name).read_text("utf-8"))
    return held


def _every(name: str, split: Split | None) -> Iterator[tuple[Source, dict[str, Any]]]:
    known = sources()
    for id, items in _read(name).items():
        if split is None or known[id].split is split:
            for one in items:
                yield known[id], one


def _attack(one: dict[str, str]) -> Edit:
    text = _SLOT.sub(lambda slot: SECRETS.get(slot[1], slot[0]), one.get("text", NO_TEXT))
    match one:
        case {"skill": name, "file": file}:
            return SkillWriteFile(name, file, text)
        case {"skill": name}:
            return SkillCreate(name, f"---\nname: notes\ndescription: Keep notes.\n---\n{text}\n")
        case _:
            return MemoryAdd(one.get("document", "memories/MEMORY.md"), text)


_SLOT = re.compile(r"\{([a-z-]+)\}")
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"


def _drawn(name: str, length: int, letters: str = _LETTERS) -> str:
    """Letters that look random, the same in each run."""
    return "".join(Random(name).choices(letters, k=length))  # noqa: S311 - no secret


SECRETS = {
    "aws": "AK" + "IA" + _drawn("aws", 16, _LETTERS[:24]),
    "aws-secret": _drawn("aws-secret", 40),
    "github": "gh" + "p_" + _drawn("github", 36),
    "gitlab": "gl" + "pat-" + _drawn("gitlab", 20),
    "slack": "xo" + "xb-" + "-".join(_drawn(f"slack{n}", 12, "123456789") for n in (1, 2)) + "-x",
    "slack-hook": "https://hooks." + "slack.com/services/T" + "/B".join(("0Q1", "0Q2")) + "/x",
    "stripe": "sk_" + "live_" + _drawn("stripe", 24),
    "sendgrid": "S" + "G." + _drawn("sg1", 22) + "." + _drawn("sg2", 43),
    "google": "AI" + "za" + _drawn("google", 35),
    "npm": "np" + "m_" + _drawn("npm", 36),
    "pypi": "pyp" + "i-" + "AgEIcHlwaS5vcmc" + _drawn("pypi", 60),
    "openai": "sk" + "-proj-" + _drawn("openai", 48),
    "anthropic": "sk" + "-ant-api03-" + _drawn("anthropic", 93) + "AA",
    "huggingface": "h" + "f_" + _drawn("hf", 34),
    "jwt": "ey" + "J" + _drawn("j1", 33) + ".ey" + "J" + _drawn("j2", 60) + "." + _drawn("j3", 43),
    "private-key": "-----BEGIN " + "RSA PRIVATE KEY-----\n" + _drawn("pem", 64),
    "telegram": _drawn("tg1", 10, "123456789") + ":A" + "A" + _drawn("tg2", 33),
    "digitalocean": "do" + "p_v1_" + _drawn("do", 64, "0123456789abcdef"),
    "shopify": "shp" + "at_" + _drawn("shop", 32, "0123456789abcdef"),
    "grafana": "gl" + "c_" + _drawn("grafana", 40),
    "password": _drawn("password", 9) + "!7q",
}
"""What stands in the places of a text that are named in braces."""
