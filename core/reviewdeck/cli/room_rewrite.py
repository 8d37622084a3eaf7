"""`reviewdeck room --rewrite`: a model is asked to put several entries into one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewdeck.cli.chosen_model import choose_model, interruptible, reach
from reviewdeck.cli.consent import is_confirmed
from reviewdeck.cli.model_options import ModelOptions
from reviewdeck.cli.output import say
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.room import BY_HAND, RoomNeeded
from reviewdeck.environment import reviewer_file
from reviewdeck.errors import NotDecidable
from reviewdeck.presentation.words import count, one_line
from reviewdeck.reviewer.asking import ExchangeLimits
from reviewdeck.reviewer.conversation import MessageForm, ReviewedConversation
from reviewdeck.reviewer.endings import ReviewEnding
from reviewdeck.reviewer.exchange import estimated_tokens
from reviewdeck.reviewer.models import choose
from reviewdeck.reviewer.rewriting import (
    MOST_REQUESTS,
    Rewrite,
    RewritesFound,
    ask_for_rewrites,
    propose_rewrites,
    rewriting_request,
)
from reviewdeck.reviewer.settings import load_settings
from reviewdeck.text.redact import redact


@dataclass(frozen=True, slots=True)
class RoomRewritten:
    """The proposal that makes room by rewriting."""

    proposal: str
    rewrites: tuple[Rewrite, ...]


def rewrite_for_room(
    engine: Engine, needed: RoomNeeded, options: ModelOptions, *, yes: bool, is_quiet: bool
) -> RoomRewritten | ReviewEnding | None:
    """Shows what would be sent, asks, and queues one proposal; None where nothing was sent.

    Entries with a secret in them stay out. Raises BadInput where no model is named, NotDecidable
    where what it proposes frees too little.
    """
    home = engine.home_by_id(needed.home).home
    texts = [each for each in needed.others if options.send_secrets or redact(each) == each]
    settings = load_settings(reviewer_file())
    nothing = ReviewedConversation(MessageForm.OPENAI, ())
    choice = choose_model(options, settings, nothing, None)
    reachable = reach(home, nothing, choice, options)
    runtime = choose(reachable.route, reachable.parent).runtime
    need = needed.need - needed.freed
    model = reachable.open(runtime)
    try:
        request = rewriting_request(texts, need, runtime.model, model.form)
        if not is_quiet:
            for line in _cost_lines(needed, texts, estimated_tokens(request), model.host):
                say(line)
        if not is_confirmed(yes=yes, question="Send them? [y/N] ", otherwise="Nothing was sent."):
            return None
        with interruptible() as cancel:
            seconds = settings.time_limit or ExchangeLimits().seconds
            found = ask_for_rewrites(model, request, texts, seconds, cancel)
    finally:
        model.close()
    if isinstance(found, ReviewEnding):
        return found
    chosen = found.enough(need)
    if chosen is None:
        raise NotDecidable(_too_little(needed, found), hint=BY_HAND)
    return RoomRewritten(propose_rewrites(engine, needed, chosen, runtime.model), chosen)


def _cost_lines(needed: RoomNeeded, texts: Sequence[str], tokens: int, host: str) -> Iterator[str]:
    left_out = len(needed.others) - len(texts)
    secret = f" {count(left_out, 'entry', 'entries')} with a secret stay out." if left_out else ""
    entries = count(len(texts), "entry", "entries")
    yield (
        f"{one_line(needed.path)} needs {needed.need:,} characters more. A model is asked which of"
        f" {entries} can be one: about {tokens:,} tokens, at most {MOST_REQUESTS} requests.{secret}"
    )
    if host:
        yield f"The entries go to {one_line(host)}."


def _too_little(needed: RoomNeeded, found: RewritesFound) -> str:
    freed = needed.freed + sum(each.frees for each in found.rewrites)
    words = f"{needed.path} needs {needed.need:,} characters more, and what can go or be one frees"
    words += f" {freed:,}."
    if found.refused:
        amount = count(len(found.refused), "rewrite")
        words += f" {amount} of the model did not pass: {redact(one_line(found.refused[0]))}."
    return words
