"""What a staging rests on: every question that was asked about a home, with its answer.

A proposal is examined again when one of its answers is another one now, and not before. The
questions are taken down while planning and policy ask them, so nothing has to be declared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from reviewdeck.model import Document, Skill
from reviewdeck.policy_source import stamped
from reviewdeck.ports import ALWAYS, Snapshot

RULES = f"{ALWAYS}rules"
"""The question which program judges, and by which policy: another one may judge otherwise."""

FILES = "files"
"""The question how the files beside every SKILL.md are."""

LIVE = "live"
"""The question what the memories and the heads of skills say."""

_SHOWN = 12
"""Characters of a sum that are kept."""
_JUDGES = ("text", "planning", "origin", "policy", "model")


class Footing:
    """The answers at one moment."""

    def __init__(
        self,
        snapshot: Snapshot,
        live_text: str,
        policy: str = "",
        support: Sequence[str] = (),
    ) -> None:
        self._snapshot = snapshot
        self._live_text = live_text
        self._policy = policy
        self._support = support
        self._answers: dict[str, str] = {}

    def answer(self, question: str) -> str:
        """What is so now."""
        if question not in self._answers:
            self._answers[question] = self._ask(*question.removeprefix(ALWAYS).split(" ", 1))
        return self._answers[question]

    def answers(self, questions: Iterable[str]) -> dict[str, str]:
        """What is so now, for several questions."""
        return {question: self.answer(question) for question in questions}

    def _ask(self, kind: str, about: str = "") -> str:
        snapshot = self._snapshot
        answers: dict[str, Callable[[], object]] = {
            "document": lambda: _of_document(snapshot.document(about)),
            "skill": lambda: _of_skill(snapshot.skill(about)),
            "new": lambda: snapshot.new_skill_directory(*json.loads(about)),
            "archive": lambda: snapshot.archive_directory(about),
            "budget": lambda: snapshot.budget(about),
            "closed": lambda: snapshot.closed(about),
            "pins": lambda: snapshot.pins_entries,
            LIVE: lambda: _sha(self._live_text),
            FILES: lambda: _sha("\n".join(map(self._of_file, self._support))),
            "rules": lambda: stamped(program(), self._policy),
        }
        # An earlier version may have asked what this one does not: that counts as changed.
        return str(answers[kind]()) if kind in answers else "not asked any more"

    def _of_file(self, path: str) -> str:
        return f"{path} {self._snapshot.document(path).revision}"


class Watched:
    """A snapshot that takes down what is asked."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.asked: set[str] = set()

    @property
    def home(self) -> str:
        """The home's id."""
        return self._snapshot.home

    def document(self, path: str) -> Document:
        """The document at this path."""
        self.asked.add(f"document {path}")
        return self._snapshot.document(path)

    def skill(self, name: str) -> Skill | None:
        """The skill whose directory has this name."""
        self.asked.add(f"skill {name}")
        return self._snapshot.skill(name)

    def new_skill_directory(self, name: str, category: str | None) -> str:
        """Where a new skill of this name goes."""
        self.asked.add(f"new {json.dumps([name, category])}")
        return self._snapshot.new_skill_directory(name, category)

    def archive_directory(self, name: str) -> str:
        """Where a skill that is archived goes."""
        self.asked.add(f"archive {name}")
        return self._snapshot.archive_directory(name)

    def budget(self, path: str) -> int | None:
        """How many characters a document may have."""
        self.asked.add(f"budget {path}")
        return self._snapshot.budget(path)

    def closed(self, path: str) -> str | None:
        """Why the agent itself takes no more writes to this document."""
        self.asked.add(f"closed {path}")
        return self._snapshot.closed(path)

    @property
    def pins_entries(self) -> bool:
        """Whether the agent's records name the whole entry that they are about."""
        self.asked.add("pins")
        return self._snapshot.pins_entries


def document_question(path: str) -> str:
    """The question how a document is that proposals are compared with."""
    return f"{ALWAYS}document {path}"


def path_in(question: str) -> str | None:
    """The document that a question is about."""
    kind, _, path = question.removeprefix(ALWAYS).partition(" ")
    return path if kind == "document" else None


def revision_in(answer: str) -> str:
    """The revision that a document had when it was asked for."""
    return answer.split(" ", 1)[0]


@cache
def program() -> str:
    """A mark of the code that plans and judges."""
    mark = hashlib.sha256()
    for name in _JUDGES:
        for file in sorted(files("reviewdeck").joinpath(name).iterdir(), key=lambda f: f.name):
            if file.name.endswith(".py"):
                mark.update(file.read_bytes())
    return mark.hexdigest()


def judged_by(policy: str) -> str:
    """What judges, in a few words: the rules, and the policy file with this sum if there is one."""
    rules = f"rules {program()[:_SHOWN]}"
    return f"{rules}, policy file {policy[:_SHOWN]}" if policy else rules


def _of_document(document: Document) -> str:
    return f"{document.revision} {document.mode} {document.link or ''} {document.problem or ''}"


def _of_skill(skill: Skill | None) -> str:
    if skill is None:
        return ""
    plain = replace(skill, protections=frozenset())
    return _sha(f"{plain} {sorted(skill.protections)}")


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
