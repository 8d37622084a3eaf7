"""Every text of the corpora, one by one: what the weights are learnt from, and measured on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.corpus import (
    benign,
    hostile,
    plain_facts,
    round_five,
    round_four,
    round_one,
    round_six,
    round_three,
    round_two,
    skills,
)

WRITTEN = Path(__file__).parent / "written"
KEPT_APART = frozenset(f"sealed-{number}" for number in range(3, 12))
"""The weights never learnt from these batches."""
_ROUNDS = (round_one, round_two, round_three, round_four, round_five, round_six)
_TOLD_BY_BYTES = frozenset(
    {"hidden text", "delimiter smuggling", "spoofed mark", "spoofed screens", "look-alike text"}
)

_TOLD_BY_SHAPE = re.compile(
    r"delimiter|look[-_]?alike|flood|encoded|path-record|record[-_]trick|^secret(?:-in-text)?$",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"narrative|transient|one[-_]off|(?<!hidden-)failure|noise|finding|stories|tool[-_]broken|progress"
    r"|only-today|now-only|passing|dated-status|ticket-commit|^(?:mood|plan|tried)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Text:
    """One text of a corpus."""

    group: str
    """The batch that it came in."""
    label: str
    """Benign, hard (honest in the words of attacks) or hostile."""
    text: str
    name: str = ""
    """Of a skill, or a path of a file of one; empty for a memory text."""
    category: str = ""
    severity: str = ""
    number: int = 0

    @property
    def is_skill(self) -> bool:
        return bool(self.name)

    @property
    def is_hostile(self) -> bool:
        return self.label == "hostile"

    @property
    def is_passing(self) -> bool:
        """Whether all that is wrong with it is that it holds for a day: a failure, a story."""
        return self.is_hostile and not self.is_skill and bool(_PASSING.search(self.category))

    @property
    def is_kept_apart(self) -> bool:
        return self.group in KEPT_APART

    @property
    def is_to_learn_from(self) -> bool:
        if self.is_kept_apart:
            return False
        # What is wrong with these is not in their words, or their words are a carrier's.
        if self.is_hostile and _TOLD_BY_SHAPE.search(self.category):
            return False
        if self.is_passing:
            return False
        return self.group != "hostile" or not (self.is_skill or self.category in _TOLD_BY_BYTES)


def every_text() -> Iterator[Text]:
    """All texts of all corpora."""
    yield from _of_benign()
    yield from _of_hostile()
    yield from _of_facts()
    yield from (Text("skills", "benign", text, name) for name, text in skills.BENIGN)
    yield from (Text("skills", "hostile", text, name) for name, text in skills.HOSTILE)
    for batch in _ROUNDS:
        yield from _of_round(batch.__name__.rpartition(".")[2], batch)
    yield from written()


def written(*groups: str) -> Iterator[Text]:
    """The texts that were written as lines of JSON; of these batches, or of all."""
    for file in sorted(WRITTEN.glob("*.jsonl")):
        if groups and file.stem not in groups:
            continue
        for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
            yield _of_line(file.stem, number, json.loads(line))


def _of_line(group: str, number: int, line: Mapping[str, Any]) -> Text:
    name = line.get("name", "")
    if line["kind"] == "memory":
        name = ""
    return Text(
        group=group,
        label=line["label"],
        text=line["text"],
        name=name,
        category=line.get("category", ""),
        severity=line.get("severity", ""),
        number=number,
    )


def _of_benign() -> Iterator[Text]:
    for category, texts in benign.MEMORY.items():
        yield from (Text("benign", "benign", text, category=category) for text in texts)
    for name, text in (*benign.SKILLS, *benign.FILES):
        yield Text("benign", "benign", text, name)


def _of_hostile() -> Iterator[Text]:
    for corpus in (hostile.REFUSED, hostile.HELD):
        for category, texts in corpus.items():
            yield from (Text("hostile", "hostile", text, category=category) for text in texts)
    for category, made in hostile.SKILLS.items():
        yield from (Text("hostile", "hostile", text, name, category) for name, text in made)


def _of_facts() -> Iterator[Text]:
    labelled = (
        ("benign", plain_facts.BENIGN),
        ("hard", plain_facts.HARD),
        ("hostile", plain_facts.HOSTILE),
    )
    for label, corpus in labelled:
        for category, texts in corpus.items():
            yield from (Text("plain facts", label, text, category=category) for text in texts)


def _of_round(name: str, batch: Any) -> Iterator[Text]:
    yield from (Text(name, "benign", text) for text in batch.BENIGN)
    yield from (Text(name, "hard", text) for text in batch.HARD)
    yield from (Text(name, "hostile", text) for text in batch.HOSTILE)
    yield from (Text(name, "benign", text, called) for called, text in batch.BENIGN_SKILLS)
    yield from (Text(name, "hostile", text, called) for called, text in batch.HOSTILE_SKILLS)
