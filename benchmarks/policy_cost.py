"""CPU cost of the plain-form check on the worst texts of 64 KiB, by rule.

    python benchmarks/policy_cost.py [--made 60] [--seed 5] [--size 65536] [--worst 12]

Texts repeat one short piece: some that begin many patterns, and some put together by chance from
words, signs and beginnings that the rules look for. Each is judged as a memory, as a skill and as a
file of one. What is printed last is what the target is held against, and the same as a multiple of
plain text of that size, which a busy machine slows down as much.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from reviewdeck.model import Edit, MemoryAdd, SkillCreate, SkillWriteFile
from reviewdeck.policy.plain import RULES, RuleInput

TARGET = 0.05
"""Seconds."""
_PIECES = """
    a a. - -- 'a' " ` `a` а 的 é § 1. a1b2 A1b! http:// http://a.b a@b.c a:b\\n x.y. ~/. ../ $( |
    {"a": []( <a> system: \\x41 %41 &#65; ignоre 1gn0re i.g.n.o.r.e **a**b AaBb 0x :: = @ sk- eyJ _
    \\u200d \\ufe0f \\u0301a \\n \\r ~/.ssh ./a.sh
"""
"""Pieces that begin many patterns."""
_WORDS = """
    a I the agent memory approve user password is token if when never always not do ask run delete
    curl wget https://a.b/c /etc/x ~/.ssh a.b.c a@b.c sudo rm -rf git push --force key: api_key = x
    `make test` `a` $(x) <!-- <a -- [a](b) ![a](b) ``` ```sh | > && ; 1. 2) - * # ## § " ' “ „ ( )
    because without before you your please skills/x/SKILL.md references/a.md 0x1 10.0.0.1 §5
    2026-01-01 +49 123 p4ss 1gn0re ignоre мы 用户 密码 是 مستخدم é prefers uses ABC def123 -> : , .
    send write append echo insert eval base64 fetch poll sees gets wants from to into on with of
""".split()  # noqa: SIM905 - a list of a hundred lines is no easier to read
_JOINS = ("", " ", "  ", "\n", "\n\n", "-", "_", ".", ",", ": ", "\t")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one text."""

    name: str
    seconds: float
    rules: tuple[tuple[float, str], ...]


def pieces() -> Iterator[str]:
    """Pieces that begin many patterns, and words that rules search for, each with a space."""
    for piece in _PIECES.split():
        decoded = piece.encode("latin-1", "backslashreplace").decode("unicode_escape")
        yield from (decoded, decoded + " ")
    yield from (word + " " for word in _WORDS)


def edits(text: str) -> Iterator[tuple[str, Edit]]:
    """A text as everything that it may be proposed as."""
    yield "memory", MemoryAdd("memories/MEMORY.md", text)
    yield "skill", SkillCreate("notes", f"---\nname: notes\ndescription: x\n---\n{text}")
    yield "file", SkillWriteFile("notes", "references/notes.md", text)


def cost(name: str, *proposed: Edit) -> Cost:
    """All rules, each asked: the best of several runs, each with a text that none knows yet."""
    return min((_once(name, edit) for edit in proposed), key=lambda cost: cost.seconds)


def _once(name: str, edit: Edit) -> Cost:
    subject, rule_times = RuleInput(edits=(edit,)), []
    begun = time.process_time()
    for rule in RULES:
        started = time.process_time()
        rule.findings(subject)
        rule_times.append((time.process_time() - started, rule.name))
    return Cost(name, time.process_time() - begun, tuple(sorted(rule_times, reverse=True)))


def made(count: int, seed: int) -> Iterator[str]:
    """Pieces put together by chance; the same ones for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - the same pieces each time
    for _ in range(count):
        join = chance.choice(_JOINS)
        yield join.join(chance.choices(_WORDS, k=chance.randint(1, 5))) + chance.choice(_JOINS)


def plain(size: int, seed: int) -> str:
    """Paragraphs of sentences, in words that no rule knows."""
    chance = random.Random(seed)  # noqa: S311 - the same words each time
    known = [
        "".join(chance.choices("abdefgiklmnorstu", k=chance.randint(3, 9))) for _ in "." * 3000
    ]
    text = ""
    while len(text) < size:
        lines = (" ".join(chance.choices(known, k=9)).capitalize() for _ in range(5))
        text += f"{'. '.join(lines)}.\n\n"
    return text[:size]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, default in (("made", 60), ("seed", 5), ("size", 65_536), ("worst", 12)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    costs = []
    for piece in (*pieces(), *made(arguments.made, arguments.seed)):
        text = piece * (arguments.size // len(piece))
        for (kind, edit), (_, other_edit) in zip(edits(text), edits(text[1:]), strict=True):
            costs.append(cost(f"{kind} of {piece[:40]!r}", edit, other_edit))
    text = plain(arguments.size, arguments.seed)
    usual = {
        kind: cost("plain text", edit, other_edit).seconds
        for (kind, edit), (_, other_edit) in zip(edits(text), edits(text[1:]), strict=True)
    }
    costs.sort(key=lambda cost: cost.seconds)
    for worst in costs[-arguments.worst :]:
        slowest = ", ".join(f"{name} {seconds * 1000:.0f}" for seconds, name in worst.rules[:5])
        print(f"{worst.seconds * 1000:5.0f} ms  {worst.name}: {slowest}")
    middle = costs[len(costs) // 2].seconds
    print(
        f"{len(costs)} texts; in the middle {middle * 1000:.0f} ms; target {TARGET * 1000:.0f} ms"
    )
    most = max(one.seconds / usual[one.name.partition(" ")[0]] for one in costs)
    listed = ", ".join(f"{kind} {seconds * 1000:.0f} ms" for kind, seconds in usual.items())
    print(f"plain text: {listed}; the worst is {most:.1f} times as much")
    return int(costs[-1].seconds > TARGET)


if __name__ == "__main__":
    sys.exit(main())
