"""`/reviewdeck` in the chat, and a line when something was learnt or a new proposal is waiting.

A slash command is typed by a person: Hermes looks for it only in messages of the user, and the
model cannot call one. The answers contain text of an agent: it is shown as plain text, in a block
without markup.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import agent, announce, guard, learnt, program, told

PATIENCE = 25.0
"""The most seconds for an answer: Hermes allows a command 30."""
SHOWN = 3_000
"""The most characters of a proposal in a message; a longer one is decided in the deck."""
LISTED = 20
SETTLED = 5.0
"""Seconds after which a record counts as new: auto-approved ones are applied by then."""
TERMINALS = ("cli", "tui")
"""Hermes' names of its own terminals."""
AGAIN = 300
"""Seconds within which a second `approve all` counts as confirmed."""
USAGE = (
    "/reviewdeck  what is waiting\n"
    "/reviewdeck show ID\n"
    "/reviewdeck approve ID DIGEST\n"
    "/reviewdeck reject ID REASON"
)

_ID = re.compile(r"[0-9a-f]{4,64}")
_DIGEST = re.compile(r"^digest +([0-9a-f]{12})", re.MULTILINE)
_ALL = re.compile(r"\s*/(memory|skills)(?:@\w+)?\s+(?:approve|apply)\s+all\s*\Z", re.IGNORECASE)
_known_records: dict[Path, set[str]] = {}
_told: dict[Path, told.Told | None] = {}
"""What was told last in the terminal of a home; None where nobody noted it."""
_warned: dict[tuple[str, ...], float] = {}
"""The senders that were told what `approve all` takes, and when."""


def register(ctx: Any) -> None:
    """Registers the command and the notice."""
    ctx.register_command(
        "reviewdeck",
        command,
        description="Changes of memory and skills that are waiting for you.",
        args_hint="[show ID | approve ID DIGEST | reject ID REASON]",
    )
    ctx.register_hook("transform_llm_output", add_notice)
    ctx.register_hook("pre_gateway_dispatch", confirm_approve_all)
    _known_records[agent.home()] = set(_records(agent.home(), 0))
    learnt.look(agent.home())


async def command(raw: str) -> str:
    """The command's handler, in a thread: a gateway serves other users meanwhile."""
    return await asyncio.to_thread(answer, raw, agent.home(), agent.chat())


def answer(raw: str, home: Path, via: str) -> str:
    """The answer to one command."""
    words = raw.split()
    try:
        match words:
            case []:
                return _list_waiting(home)
            case ["all", ("memory" | "skills") as kind]:
                return _describe_approve_all(home, kind)
            case ["show", id] if _ID.fullmatch(id):
                return _show_proposal(home, id)
            case ["approve", id, digest] if _ID.fullmatch(id) and _ID.fullmatch(digest):
                request = {"verb": "approve", "id": id, "digest": digest, "via": via}
                return _block(program.decide(home, request, seconds=PATIENCE))
            case ["reject", id, *reason] if _ID.fullmatch(id) and reason:
                request = {"verb": "reject", "id": id, "reason": " ".join(reason), "via": via}
                return _block(program.decide(home, request, seconds=PATIENCE))
            case _:
                return _block(USAGE)
    except program.Unavailable as why:
        return _block(str(why))


def _list_waiting(home: Path) -> str:
    brief = program.ask(home, "hermes", "brief", "--json", seconds=PATIENCE)
    waiting = json.loads(brief)["waiting"]
    if not waiting:
        return "Nothing is waiting for you."
    lines = [
        f"{proposal['id']}  {proposal['severity'] or '-'}  {proposal['age']}  {proposal['gist']}"
        for proposal in waiting[:LISTED]
    ]
    if len(waiting) > LISTED:
        lines.append(f"and {len(waiting) - LISTED} more")
    head = f"{len(waiting)} waiting for you. `/reviewdeck show ID` shows one."
    return f"{head}\n{_block(chr(10).join(lines))}"


def _show_proposal(home: Path, id: str) -> str:
    text = program.ask(home, "diff", id, seconds=PATIENCE).strip()
    # After the digest come commands for a terminal.
    digests = list(_DIGEST.finditer(text))
    digest = digests[-1] if digests else None
    diff = text[: digest.start()].rstrip() if digest else text
    if len(diff) > SHOWN:
        hint = "It is longer than a message: decide it in the deck, which shows all of it."
        return f"{_block(diff[:SHOWN])}\n{hint}"
    approve = f"/reviewdeck approve {id} {digest[1]}\n" if digest else ""
    return f"{_block(diff)}\n{_block(f'{approve}/reviewdeck reject {id} REASON')}"


def confirm_approve_all(*, event: Any = None, **_: Any) -> dict[str, str] | None:
    """Hermes' hook for each message: answers the first `/memory approve all` with what it takes.

    Sent again, it goes to Hermes. A terminal has no such hook: it goes to Hermes at once.
    """
    match = _ALL.match(str(getattr(event, "text", "") or ""))
    if match is None:
        return None
    kind, now = match[1].lower(), time.monotonic()
    source = getattr(event, "source", None)
    sender = (
        kind,
        *(str(getattr(source, field, "")) for field in ("platform", "chat_id", "user_id")),
    )
    asked_at = _warned.pop(sender, None)
    if asked_at is not None and now - asked_at < AGAIN:
        return None
    for expired in [key for key, moment in _warned.items() if now - moment >= AGAIN]:
        del _warned[expired]
    _warned[sender] = now
    return {"action": "rewrite", "text": f"/reviewdeck all {kind}"}


def _describe_approve_all(home: Path, kind: str) -> str:
    """The proposals that Hermes' own `approve all` would apply."""
    every = json.loads(program.ask(home, "list", "--json", seconds=PATIENCE))
    waiting = [proposal for proposal in every if proposal["kind"] == kind and proposal["source"]]
    lines = [
        f"{proposal['id'][:8]}  {proposal['state']}  {proposal['gist']}" for proposal in waiting
    ]
    if len(lines) > LISTED:
        lines[LISTED:] = [f"and {len(lines) - LISTED} more"]
    head = f"`/{kind} approve all` would take {len(waiting)}, dangerous ones and conflicts too."
    again = (
        f"Send it again within {AGAIN // 60} minutes to do it. `/reviewdeck` decides one by one."
    )
    return f"{head}\n{_block(chr(10).join(lines) or 'nothing')}\n{again}"


def _block(text: str) -> str:
    """A text as a code block, which most chats show as plain text."""
    return f"```\n{inert(text)}\n```"


def inert(text: str) -> str:
    """The text without control and bidirectional characters, and without backquotes."""
    letters = (
        letter if _is_printable(letter) else "\N{REPLACEMENT CHARACTER}" for letter in text.rstrip()
    )
    return "".join(letters).replace("`", "'")


def _is_printable(letter: str) -> bool:
    return letter in "\n" or unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def add_notice(*, response_text: str = "", platform: str = "", **_: Any) -> str | None:
    """Hermes' hook at the end of a turn: says what was learnt, and what is newly waiting."""
    if agent.origin() == agent.BACKGROUND:
        return None
    home = agent.home()
    if platform in TERMINALS:
        _resume(home)
    lines = [_learnt_line(home, platform), _waiting_line(home), _unguarded_line()]
    lines = [line for line in lines if line]
    if platform in TERMINALS:
        lines += announce.left_lines(home)
        _keep_told(home)
    if not lines:
        return None
    if platform == "cli":
        # The terminal has streamed the answer already.
        sys.stderr.write("".join(f"{inert(line)}\n" for line in lines))
        return None
    return "\n\n".join((response_text, *map(inert, lines)))


def _resume(home: Path) -> None:
    """Goes on from what a person was told in the last process, once in this one."""
    if home in _told:
        return
    _told[home] = last = told.load(home)
    if last is not None:
        _known_records[home] = set(last.records)
        learnt.resume(home, last.entries)


def _keep_told(home: Path) -> None:
    """Notes what was told, where it is something else than before."""
    now = told.Told(frozenset(_known_records.get(home, ())), learnt.known(home))
    if now != _told.get(home):
        _told[home] = now
        told.save(home, now)


def _learnt_line(home: Path, platform: str) -> str:
    """What was learnt, for the chat of one person: not everybody is told what is remembered."""
    if platform in TERMINALS:
        return learnt.line(home)
    # Several people may write to one agent: what one of them said is not repeated to another.
    return learnt.line(home, with_words=False) if agent.is_direct_message() else ""


def _unguarded_line() -> str:
    """A sentence where a review ran without being told what is live; else empty."""
    if not guard.take_untold():
        return ""
    return "reviewdeck: a review was not told what is live, see logs/agent.log"


def _waiting_line(home: Path) -> str:
    """How many records are waiting that were not there at the last turn; empty for none."""
    waiting = set(_records(home, SETTLED))
    new = len(waiting - _known_records.get(home, waiting))
    _known_records[home] = waiting
    if not new:
        return ""
    return f"reviewdeck: {new} new proposal{'s are' if new > 1 else ' is'} waiting: /reviewdeck"


def _records(home: Path, age: float) -> Iterator[str]:
    """The names of the records that are at least `age` seconds old."""
    until = time.time() - age
    for kind in ("memory", "skills"):
        try:
            with os.scandir(home / "pending" / kind) as entries:
                for entry in entries:
                    if entry.name.endswith(".json") and entry.stat().st_mtime <= until:
                        yield f"{kind}/{entry.name}"
        except OSError:
            continue
