"""`/reviewdeck` in the chat, and a line when something new waits.

A slash command is what a person typed: Hermes looks for it in messages of the user alone, and gives
the model no way to call one. What is shown was written by an agent: plain text, in a block in which
nothing is markup.
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

from . import agent, program

PATIENCE = 25.0
"""Seconds for which a person is kept waiting: Hermes gives a command 30."""
SHOWN = 3_000
"""Characters of one proposal that fit into a message; a longer one is for the deck."""
LISTED = 20
SETTLED = 5.0
"""Seconds after which a record counts as new: what goes in by itself is gone by then."""
AGAIN = 300
"""Seconds within which `approve all`, sent again, is meant."""
USAGE = (
    "/reviewdeck  what is waiting\n"
    "/reviewdeck show ID\n"
    "/reviewdeck approve ID DIGEST\n"
    "/reviewdeck reject ID REASON"
)

_ID = re.compile(r"[0-9a-f]{4,64}")
_DIGEST = re.compile(r"^digest +([0-9a-f]{12})", re.MULTILINE)
_ALL = re.compile(r"\s*/(memory|skills)(?:@\w+)?\s+(?:approve|apply)\s+all\s*\Z", re.IGNORECASE)
_seen: dict[Path, set[str]] = {}
_told: dict[tuple[str, ...], float] = {}
"""Who was told what `approve all` takes, and when."""


def register(ctx: Any) -> None:
    """Registers the command and the notice."""
    ctx.register_command(
        "reviewdeck",
        command,
        description="Changes of memory and skills that are waiting for you.",
        args_hint="[show ID | approve ID DIGEST | reject ID REASON]",
    )
    ctx.register_hook("transform_llm_output", with_notice)
    ctx.register_hook("pre_gateway_dispatch", before_all)
    _seen[agent.home()] = set(_records(agent.home(), 0))


async def command(raw: str) -> str:
    """What a person asked for. A gateway serves others meanwhile."""
    return await asyncio.to_thread(answer, raw, agent.home(), agent.chat())


def answer(raw: str, home: Path, via: str) -> str:
    """The answer to one command, in words."""
    words = raw.split()
    try:
        match words:
            case []:
                return _listed(home)
            case ["all", ("memory" | "skills") as kind]:
                return _taken(home, kind)
            case ["show", id] if _ID.fullmatch(id):
                return _shown(home, id)
            case ["approve", id, digest] if _ID.fullmatch(id) and _ID.fullmatch(digest):
                wanted = {"verb": "approve", "id": id, "digest": digest, "via": via}
                return _block(program.decide(home, wanted, seconds=PATIENCE))
            case ["reject", id, *reason] if _ID.fullmatch(id) and reason:
                wanted = {"verb": "reject", "id": id, "reason": " ".join(reason), "via": via}
                return _block(program.decide(home, wanted, seconds=PATIENCE))
            case _:
                return _block(USAGE)
    except program.Unavailable as why:
        return _block(str(why))


def _listed(home: Path) -> str:
    said = program.ask(home, "hermes", "brief", "--json", seconds=PATIENCE)
    waiting = json.loads(said)["waiting"]
    if not waiting:
        return "Nothing is waiting for you."
    lines = [
        f"{one['id']}  {one['severity'] or '-'}  {one['age']}  {one['gist']}"
        for one in waiting[:LISTED]
    ]
    if len(waiting) > LISTED:
        lines.append(f"and {len(waiting) - LISTED} more")
    head = f"{len(waiting)} waiting for you. `/reviewdeck show ID` shows one."
    return f"{head}\n{_block(chr(10).join(lines))}"


def _shown(home: Path, id: str) -> str:
    text = program.ask(home, "diff", id, seconds=PATIENCE).strip()
    # Behind the digest are commands for a terminal.
    digests = list(_DIGEST.finditer(text))
    digest = digests[-1] if digests else None
    whole = text[: digest.start()].rstrip() if digest else text
    if len(whole) > SHOWN:
        rest = "It is longer than a message: decide it in the deck, which shows all of it."
        return f"{_block(whole[:SHOWN])}\n{rest}"
    below = f"/reviewdeck approve {id} {digest[1]}\n" if digest else ""
    return f"{_block(whole)}\n{_block(f'{below}/reviewdeck reject {id} REASON')}"


def before_all(*, event: Any = None, **_: Any) -> dict[str, str] | None:
    """Hermes' hook for each message: `/memory approve all` is first answered with what it takes.

    Sent again, it is Hermes' own. A terminal has no such hook: there it is so at once.
    """
    match = _ALL.match(str(getattr(event, "text", "") or ""))
    if match is None:
        return None
    kind, now = match[1].lower(), time.monotonic()
    source = getattr(event, "source", None)
    sender = (
        kind,
        *(str(getattr(source, one, "")) for one in ("platform", "chat_id", "user_id")),
    )
    told = _told.pop(sender, None)
    if told is not None and now - told < AGAIN:
        return None
    for old in [one for one, at in _told.items() if now - at >= AGAIN]:
        del _told[old]
    _told[sender] = now
    return {"action": "rewrite", "text": f"/reviewdeck all {kind}"}


def _taken(home: Path, kind: str) -> str:
    """What Hermes' own `approve all` would take."""
    every = json.loads(program.ask(home, "list", "--json", seconds=PATIENCE))
    found = [one for one in every if one["kind"] == kind and one["source"]]
    lines = [f"{one['id'][:8]}  {one['state']}  {one['gist']}" for one in found]
    if len(lines) > LISTED:
        lines[LISTED:] = [f"and {len(lines) - LISTED} more"]
    head = f"`/{kind} approve all` would take {len(found)}, dangerous ones and conflicts too."
    again = (
        f"Send it again within {AGAIN // 60} minutes to do it. `/reviewdeck` decides one by one."
    )
    return f"{head}\n{_block(chr(10).join(lines) or 'nothing')}\n{again}"


def _block(text: str) -> str:
    """Somebody's text as a block of plain text, in every chat that knows such blocks."""
    return f"```\n{inert(text)}\n```"


def inert(text: str) -> str:
    """The text without what moves a cursor, turns a line around, or ends the block."""
    kept = (one if _is_shown(one) else "\N{REPLACEMENT CHARACTER}" for one in text.rstrip())
    return "".join(kept).replace("`", "'")


def _is_shown(letter: str) -> bool:
    return letter in "\n" or unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def with_notice(*, response_text: str = "", platform: str = "", **_: Any) -> str | None:
    """Hermes' hook at the end of a turn: the answer with a line below it, when there is news."""
    if agent.origin() == agent.BACKGROUND:
        return None
    home = agent.home()
    waiting = set(_records(home, SETTLED))
    new = len(waiting - _seen.get(home, waiting))
    _seen[home] = waiting
    if not new:
        return None
    line = f"reviewdeck: {new} new proposal{'s are' if new > 1 else ' is'} waiting: /reviewdeck"
    if platform == "cli":
        # The answer stands in the terminal already: it is streamed.
        sys.stderr.write(f"{line}\n")
        return None
    return f"{response_text}\n\n{line}"


def _records(home: Path, age: float) -> Iterator[str]:
    """The records that are in the home for so long, by name: two folders are listed."""
    until = time.time() - age
    for kind in ("memory", "skills"):
        try:
            with os.scandir(home / "pending" / kind) as entries:
                for one in entries:
                    if one.name.endswith(".json") and one.stat().st_mtime <= until:
                        yield f"{kind}/{one.name}"
        except OSError:
            continue
