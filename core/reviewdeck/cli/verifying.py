"""`log --verify` and `log --export`: the whole log, checked or printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewdeck.cli.items import actor_json, decision_json, event_json, moment_json
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import escaped, print_json, say
from reviewdeck.cli.words import count, one_line
from reviewdeck.errors import BadInput, NotVerified
from reviewdeck.model.codec import seal_to_json

if TYPE_CHECKING:
    from reviewdeck.deck import Deck
    from reviewdeck.operators.anchoring import Anchor
    from reviewdeck.operators.auditing import Irregular


def verify(deck: Deck, options: Options, anchor: Path | None = None) -> int:
    """Holds everything that was decided against keys, counters, log, files and a kept head."""
    from reviewdeck.operators.auditing import audit
    from reviewdeck.operators.authority import operators_in

    kept = None if anchor is None else _read(anchor)
    found = audit(deck.ledger, operators_in(deck.desk.authority), deck.desk.homes)
    if kept is not None:
        found = replace(found, found=(*found.found, *_held_against(kept, deck)))
    if options.json:
        print_json(
            {
                "sound": not found.found,
                "events": found.events,
                "decisions": found.decisions,
                "signed": found.signed,
                "irregular": [
                    {"code": one.code, "subject": one.subject, "message": one.said}
                    for one in found.found
                ],
                "marked": [
                    {"code": one.code, "subject": one.subject, "message": one.said}
                    for one in found.covered
                ],
            }
        )
        return 1 if found.found else 0
    say(
        f"{count(found.events, 'line')} of the log, {count(found.decisions, 'decision')},"
        f" {found.signed} of them signed."
    )
    for one in found.found:
        say(f"{one.code}  {one_line(one.subject)}: {one.said}")
    for one in found.covered:
        say(f"only marked as seen  {one_line(one.subject)}: {one.said}")
    say("Everything holds together." if not found.found else "Not everything holds together.")
    return 1 if found.found else 0


def _read(file: Path) -> Anchor:
    from reviewdeck.operators.anchoring import anchor_in

    try:
        return anchor_in(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file} cannot be read: {error}.") from error


def _held_against(kept: Anchor, deck: Deck) -> tuple[Irregular, ...]:
    from reviewdeck.operators.anchoring import held_against
    from reviewdeck.operators.authority import operators_in

    authority = operators_in(deck.desk.authority)
    try:
        ring = authority.trusted() if authority.signs else None
    except NotVerified:
        ring = None  # The audit says so.
    return tuple(held_against(kept, deck.log(), deck.ledger.all_decisions(), ring))


def head(deck: Deck) -> None:
    """Prints the end of the log: one line of JSON. Raises NotPermitted where it is to be signed."""
    from reviewdeck.cli.asking import admit
    from reviewdeck.operators.anchoring import head_of
    from reviewdeck.operators.authority import operators_in

    authority = operators_in(deck.desk.authority)
    if authority.signs:
        admit(deck)
    actor = deck.desk.operator() if authority.signs else deck.desk.actor
    anchor = head_of(deck.ledger, authority, actor, deck.desk.now())
    text = json.dumps(anchor.as_json(), sort_keys=True, separators=(",", ":"))
    sys.stdout.write(escaped(text) + "\n")


def export(deck: Deck) -> None:
    """One JSON object a line: keys, then events, then decisions with their signatures."""
    for line in _lines(deck):
        text = json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        sys.stdout.write(escaped(text) + "\n")


def _lines(deck: Deck) -> Iterator[dict[str, Any]]:
    from reviewdeck.operators.authority import operators_in

    try:
        keys = list(operators_in(deck.desk.authority).vault.ring().keys.values())
    except NotVerified:
        keys = []
    for key in keys:
        times = {"since": moment_json(key.since), "until": moment_json(key.until)}
        yield {"record": "key", "operator": key.name, "key": key.public} | times
    for event in deck.log():
        yield {"record": "event", "previous": event.previous} | event_json(event)
    for decision, about in deck.ledger.all_decisions():
        yield (
            {
                "record": "decision",
                "home": about.home,
                "batch": decision.batch,
                "proposals": list(about.proposals),
                "revisions": [list(one) for one in about.revisions],
                "seal": seal_to_json(decision.seal),
            }
            | decision_json(decision)
            | {"actor": actor_json(decision.actor)}
        )
