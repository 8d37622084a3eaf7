"""`reviewdeck prompt`."""

from __future__ import annotations

from typing import Any

from reviewdeck.cli.options import DEFAULTS, Options, Reveal
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.readers import As, chosen_agents
from reviewdeck.cli.session import fresh_engine
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.engine.prompt import UNKNOWN, InPrompt, PromptPart, prompt_parts
from reviewdeck.presentation.words import count, one_line
from reviewdeck.reading.agents import agents_called
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import redact


def prompt(*, as_: As = (), reveal: Reveal = False, options: Options = DEFAULTS) -> int:
    """Show what of the home is in front of the model at the next start.

    Memories and instructions as they are loaded, and each skill's line in the list; with characters
    and estimated tokens, who wrote each part, and whether it was ever reviewed.
    """
    chosen = chosen_agents(as_) if as_ else ()
    if len(chosen) > 1:
        raise UsageProblem("A prompt is one agent's.", hint="Give --as once.")
    with fresh_engine(options) as engine:
        home = engine.home()
        agent = chosen[0] if chosen else agents_called(home.readers)[0]
        if agent.key not in home.readers:
            hint = f"It is read by {', '.join(home.readers)}."
            raise UsageProblem(f"{agent.name} does not read this home.", hint=hint)
        credited = prompt_parts(engine, home, agent)
    parts = [each.part for each in credited]
    tokens = sum(part.tokens for part in parts)
    if options.json:
        found = [_json(each) for each in credited]
        print_json({"agent": agent.key, "parts": found, "tokens": tokens}, exact={"path"})
        return 0
    for each in credited:
        say(_head(each))
        if each.part.text:
            say("".join(f"  {line}\n" for line in _lines(each.part, reveal=reveal)).rstrip("\n"))
    unreviewed = sum(not each.is_reviewed for each in credited)
    characters = sum(len(part.text) for part in parts)
    say(
        f"{agent.name}: {count(len(parts), 'part')}, {characters:,} characters, about {tokens:,}"
        f" tokens; {unreviewed} never reviewed."
    )
    return 0


def _head(each: PromptPart) -> str:
    part = each.part
    note = f", {one_line(part.note)}" if part.note else ""
    reviewed = "reviewed" if each.is_reviewed else "never reviewed"
    author = "author unknown" if each.by.startswith(UNKNOWN) else f"by {one_line(each.by)}"
    size = f"{len(part.text):,} characters, about {part.tokens:,} tokens"
    is_left_out = part.note and not part.text
    size = "nothing of it is in the prompt" if is_left_out else size
    return f"{one_line(part.path)}{note}: {size}; {author}, {reviewed}"


def _lines(part: InPrompt, *, reveal: bool) -> list[str]:
    return visible(part.text if reveal else redact(part.text)).splitlines()


def _json(each: PromptPart) -> dict[str, Any]:
    part = each.part
    return {
        "path": part.path,
        "text": part.text,
        "characters": len(part.text),
        "tokens": part.tokens,
        "by": each.by,
        "reviewed": each.is_reviewed,
        "note": part.note or None,
    }
