"""What a review came to, for people and for programs."""

from __future__ import annotations

from typing import Any

from reviewdeck.cli.items import item_json, moment_json
from reviewdeck.cli.output import say
from reviewdeck.cli.session import utc_now
from reviewdeck.cli.words import count, glyph_of, one_line, wanted
from reviewdeck.engine.deck import Deck
from reviewdeck.model import ReviewRun
from reviewdeck.reviewer.review import Reviewed


def run_json(run: ReviewRun) -> dict[str, Any]:
    """One run of the reviewer."""
    return {
        "id": run.id,
        "home": run.home,
        "session": run.session,
        "occasion": run.occasion,
        "started_at": moment_json(run.started_at),
        "finished_at": moment_json(run.finished_at),
        "ending": run.ending,
        "detail": run.detail,
        "provider": run.provider,
        "model": run.model,
        "routed": run.is_routed,
        "prompts": run.prompts,
        "iterations": run.iterations,
        "tokens": {
            "input": run.input_tokens,
            "cached": run.cached_tokens,
            "output": run.output_tokens,
            "saved_by_digest": run.saved_tokens,
        },
        "cost": run.cost,
        "identical_share": run.shared,
        "denied": dict(run.denied),
        "proposals": list(run.proposals),
    }


def review_json(deck: Deck, reviewed: Reviewed) -> dict[str, Any]:
    """The whole run: its figures, each call with its answer, and the proposals as they stand."""
    now, items = utc_now(), deck.ledger.items(reviewed.run.proposals)
    return run_json(reviewed.run) | {
        "parity": {
            "identical_share": reviewed.fork.parity.share,
            "note": reviewed.fork.parity.note,
        },
        "routing": reviewed.routed.reason,
        "notes": list(reviewed.notes),
        "calls": [
            {
                "id": one.call.id,
                "tool": one.call.name,
                "arguments": one.call.arguments,
                "denied": one.is_denied,
                "answer": one.content,
            }
            for one in reviewed.spoken.handled
        ],
        "said": reviewed.spoken.last_words,
        "staged": [item_json(item, now) for item in items],
    }


def print_review(deck: Deck, reviewed: Reviewed) -> None:
    """The proposals, how it ended, and what it took."""
    run = reviewed.run
    for note in reviewed.notes:
        say(one_line(note))
    for item in deck.ledger.items(run.proposals):
        say(f"{glyph_of(item)} {item.id}  {wanted(item)}")
    say(_ended(run))
    say(_took(run))
    if reviewed.fork.parity.note:
        say(f"prompt cache: {one_line(reviewed.fork.parity.note)}")
    for name, amount in run.denied.items():
        say(f"denied: {one_line(name)}, {count(amount, 'time')}")


def _ended(run: ReviewRun) -> str:
    staged = (
        count(len(run.proposals), "proposal") + " staged" if run.proposals else "nothing staged"
    )
    if run.ending == "done":
        return f"The review is done: {staged}."
    why = f" ({one_line(run.detail)})" if run.detail else ""
    return f"The review ended early, {run.ending}{why}: {staged}."


def _took(run: ReviewRun) -> str:
    shared = "" if run.shared is None else f", {run.shared:.1%} of the request was sent before"
    cost = "" if run.cost is None else f", ${run.cost:.4f}"
    tokens = f"{run.input_tokens:,} tokens in, {run.cached_tokens:,} of them cached"
    answers = count(run.iterations, "answer")
    return (
        f"{answers} of {run.model or 'a script'}: {tokens}, {run.output_tokens:,} out{cost}{shared}"
    )
