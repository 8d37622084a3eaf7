"""Pairs of typed messages and an entry, and the homes in which an agent proposes the entry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from tests.origin.kit import Chat, Said, answer, fork_lines, tool, write_log, write_record

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import Settings
from reviewdeck.model import Actor, ActorKind, OriginClass, Utterance
from reviewdeck.origin.typed import read_sentences

FOLDER = Path(__file__).with_name("statements")
RECORD = "aaaaaaaa"


@dataclass(frozen=True, slots=True)
class Pair:
    """What a user typed, and an entry that an agent made of it."""

    kind: str
    messages: tuple[str, ...]
    entry: str

    @property
    def typed(self) -> list[Utterance]:
        """The messages as they count for the gate."""
        return [Utterance("s1", "user", text, is_typed=True) for text in self.messages]


def load(name: str) -> list[Pair]:
    """The pairs of one file."""
    return list(_pairs((FOLDER / f"{name}.tsv").read_text("utf-8")))


def _pairs(text: str) -> Iterator[Pair]:
    for line in text.splitlines():
        kind, messages, entry = line.split("\t")
        typed = tuple(message.replace("¬", "\n") for message in messages.split(" ¶ "))
        yield Pair(kind, typed, entry)


def build(pair: Pair, home: Path, kind: OriginClass) -> None:
    """A home of Hermes: the chat, the log and the record of a background review."""
    (home / "memories").mkdir(parents=True)
    (home / "memories" / "MEMORY.md").write_text("", "utf-8")
    said: list[Said] = []
    for number, message in enumerate(pair.messages):
        said.append(message)
        if number == 0 and kind is OriginClass.WORKSPACE:
            said.append(tool("read_file", {"path": "notes.md"}, "A note."))
        said.append(answer("Noted."))
    chat = Chat(said=said).write(home)
    end = chat.ends + timedelta(seconds=2)
    write_record(home, RECORD, pair.entry, at=end)
    write_log(home, fork_lines("s1", end, replayed=len(chat.rows)))


def goes_in(pair: Pair, folder: Path, kind: OriginClass) -> bool:
    """Whether one headless pass writes the entry into MEMORY.md."""
    return pair.entry in written(pair, folder, kind)


def is_typed(text: str, pair: Pair) -> bool:
    """Whether a text is made of sentences that were typed, byte for byte, or of clauses of them.

    A clause that does not end its sentence ends with a full stop of ours.
    """
    typed = [f" {part}" for message in pair.messages for part, _ in read_sentences(message)]
    rest = text
    while rest:
        ends = [at for at in range(1, len(rest) + 1) if rest[at : at + 1] in ("", " ")]
        heads = [rest[:at] for at in reversed(ends)]
        head = next((each for each in heads if _stands_in(f" {each}", typed)), "")
        if not head:
            return False
        rest = rest.removeprefix(head).removeprefix(" ")
    return True


def _stands_in(part: str, typed: list[str]) -> bool:
    clause = re.compile(rf"{re.escape(part.removesuffix('.'))}(?![\w'-])")
    return any(clause.search(each) for each in typed)


def written(pair: Pair, folder: Path, kind: OriginClass) -> str:
    """What one headless pass writes into MEMORY.md."""
    home = folder / "home"
    build(pair, home, kind)
    settings = Settings(
        homes=(home,),
        ledger=str(folder / "ledger.db"),
        user_home=folder,
        actor=Actor(ActorKind.OPERATOR, "dana"),
        lock_wait=1,
    )
    deck = open_engine(settings)
    try:
        deck.auto()
    finally:
        deck.close()
    return (home / "memories" / "MEMORY.md").read_text("utf-8")
