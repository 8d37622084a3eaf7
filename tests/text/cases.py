"""Made-up versions of texts: what the tests and the benchmarks compare and merge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

KINDS: Final = (
    "unique",
    "repetitive",
    "markdown",
    "crlf",
    "bare-cr",
    "stray-cr",
    "no-final-newline",
    "empty-side",
    "insert-insert",
    "delete-edit",
    "moved-block",
)
Fresh = Callable[[Random], str]
_VOCABULARY: Final = (
    "agent memory skill review draft merge branch deploy test staging release token window "
    "cache index query prompt plan queue ledger backup restore script config profile"
)
WORDS: Final = _VOCABULARY.split()


def seeded(seed: int) -> Random:
    """The same random choices in every run."""
    return Random(seed)  # noqa: S311 - made-up texts are no secrets


@dataclass(frozen=True, slots=True)
class Triple:
    """A base and two versions of it."""

    kind: str
    base: str
    ours: str
    theirs: str


def triple(kind: str, random: Random) -> Triple:
    """A base of this kind, edited on both sides."""
    fresh = FRESH.get(kind, unique_line)
    base = markdown(random, 6) if kind == "markdown" else _lines(random, fresh)
    if kind == "empty-side":
        one, two, three = random.sample([edited(base, random, fresh), [], base], 3)
        return _joined(kind, one, two, three)
    if kind == "insert-insert":
        at = random.randint(0, len(base))
        near = min(len(base), at + random.choice([0, 0, 1, 2]))
        return _joined(kind, base, _inserted(base, at, random), _inserted(base, near, random))
    if kind == "delete-edit":
        return _joined(kind, base, _cut(base, random), edited(base, random, fresh, 2))
    if kind == "moved-block":
        return _joined(kind, base, _moved(base, random), edited(base, random, fresh, 2))
    ours, theirs = edited(base, random, fresh), edited(base, random, fresh)
    if random.random() < 0.2:
        theirs = edited(ours, random, fresh, 1)
    return _joined(kind, base, ours, theirs, random)


def _joined(
    kind: str, base: list[str], ours: list[str], theirs: list[str], random: Random | None = None
) -> Triple:
    texts = ["".join(line + "\n" for line in side) for side in (base, ours, theirs)]
    if kind == "crlf":
        texts = [text.replace("\n", "\r\n") for text in texts]
    if kind == "bare-cr":
        texts = [text.replace("\n", "\r") for text in texts]
    if kind == "stray-cr":  # inside of lines, and before their ends
        texts = [text.replace("e", "\r").replace("o\n", "o\r\n") for text in texts]
    if kind == "no-final-newline" and random is not None:
        texts = [text[:-1] if random.random() < 0.7 else text for text in texts]
    return Triple(kind, *texts)


def unique_line(random: Random) -> str:
    """A line that no other line is like."""
    return f"{random.choice(WORDS)} {random.choice(WORDS)} {random.getrandbits(40):x}"


def repeated_line(random: Random) -> str:
    """One of six lines."""
    return random.choice(["", "}", "- item", "text", "```", "# head"])


def markdown_line(random: Random) -> str:
    """A line as it stands in a skill."""
    sentence = " ".join(random.choices(WORDS, k=random.randint(3, 9))).capitalize()
    return random.choice(
        ["", "", "- " + sentence, "- " + sentence, sentence + ".", sentence + ".", "## " + sentence,
         "```", "```bash", "    " + sentence.lower(), "1. " + sentence, "| a | b |"]
    )  # fmt: skip


FRESH: Final[dict[str, Fresh]] = {"repetitive": repeated_line, "markdown": markdown_line}


def markdown(random: Random, sections: int) -> list[str]:
    """The lines of a Markdown document with headings, lists, code and prose."""
    lines = ["---", f"name: {random.choice(WORDS)}", "description: What it is for", "---", ""]
    for _ in range(random.randint(1, sections)):
        lines += ["## " + " ".join(random.choices(WORDS, k=2)).title(), ""]
        for _ in range(random.randint(1, 3)):
            lines += _block(random)
    return lines


def _block(random: Random) -> list[str]:
    sentence = " ".join(random.choices(WORDS, k=random.randint(4, 12))).capitalize()
    match random.randrange(4):
        case 0:
            return [f"- {random.choice(WORDS)} {random.choice(WORDS)}" for _ in range(4)] + [""]
        case 1:
            return [
                "```bash",
                f"make {random.choice(WORDS)}",
                f"./{random.choice(WORDS)}",
                "```",
                "",
            ]
        case 2:
            return [sentence + ".", ""]
        case _:
            return [sentence + ",", random.choice(WORDS) + ".", ""]


def _lines(random: Random, fresh: Fresh) -> list[str]:
    return [fresh(random) for _ in range(random.choice([0, 1, 3, 8, 20, 40]))]


def edited(base: list[str], random: Random, fresh: Fresh, count: int = 4) -> list[str]:
    """The lines after up to `count` edits of a few lines each."""
    lines = list(base)
    for _ in range(random.randint(1, count)):
        at = random.randint(0, len(lines))
        size = random.choice([1, 1, 1, 2, 4])
        new = [fresh(random) for _ in range(random.choice([1, 1, 2, 3]))]
        match random.randrange(5):
            case 0:
                lines[at:at] = new
            case 1:
                del lines[at : at + size]
            case 2 | 3:
                lines[at : at + size] = new
            case _:
                block = lines[at : at + size]
                del lines[at : at + size]
                to = random.randint(0, len(lines))
                lines[to:to] = block
    return lines


def _inserted(base: list[str], at: int, random: Random) -> list[str]:
    return [*base[:at], unique_line(random), *base[at:]]


def _cut(base: list[str], random: Random) -> list[str]:
    at = random.randint(0, len(base))
    return [*base[:at], *base[at + random.choice([1, 3, 8]) :]]


def _moved(base: list[str], random: Random) -> list[str]:
    at = random.randint(0, len(base))
    block = base[at : at + 5]
    rest = [*base[:at], *base[at + 5 :]]
    to = random.randint(0, len(rest))
    return [*rest[:to], *block, *rest[to:]]


def edited_markdown(text: str, random: Random, pool: list[str]) -> str:
    """A document after a few edits of the kind that people and agents make.

    `pool` holds blocks (paragraphs, lists, sections) of other documents to insert.
    """
    blocks = text.rstrip("\n").split("\n\n")
    for _ in range(random.randint(1, 5)):
        at = random.randrange(len(blocks)) if blocks else 0
        kind = random.randrange(8) if len(blocks) > 2 else 0
        match kind:
            case 0:
                blocks.insert(at, random.choice(pool))
            case 1:
                del blocks[at : at + random.choice([1, 1, 2])]
            case 2:
                blocks[at:at] = ["## " + random.choice(WORDS).title(), random.choice(pool)]
            case 3:
                block = blocks.pop(at)
                blocks.insert(random.randint(0, len(blocks)), block)
            case _:
                blocks[at] = _edited_block(blocks[at], random, pool)
    return "\n\n".join(blocks) + "\n"


def _edited_block(block: str, random: Random, pool: list[str]) -> str:
    lines = block.split("\n")
    at = random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            words = lines[at].split(" ")
            words[random.randrange(len(words))] = random.choice(WORDS)
            lines[at] = " ".join(words)
        case 1:
            lines.insert(at, random.choice(random.choice(pool).split("\n")))
        case 2:
            del lines[at]
        case _:
            lead = lines[at][: len(lines[at]) - len(lines[at].lstrip(" -*"))]
            lines.insert(at + 1, lead + " ".join(random.choices(WORDS, k=6)))
    return "\n".join(lines)
