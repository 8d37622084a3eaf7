"""`reviewdeck prompt`."""

from __future__ import annotations

from reviewdeck.cli.options import DEFAULTS, Options, Reveal
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.readers import As, chosen_agents
from reviewdeck.cli.session import open_view
from reviewdeck.presentation.prompt import PromptPart, prompt_parts
from reviewdeck.presentation.words import count, one_line
from reviewdeck.reading.agents import readers_of
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import redact


def prompt(*, as_: As = (), reveal: Reveal = False, options: Options = DEFAULTS) -> int:
    """Show what of the home is in front of the model at the next start.

    Memories and instructions as they are loaded, and each skill's line in the list; with characters
    and estimated tokens, who wrote each part, and whether it was ever reviewed.
    """
    with open_view(options) as engine:
        home = engine.home()
        agent = (chosen_agents(as_) if as_ else readers_of(home.kind))[0]
        parts = prompt_parts(engine, home, agent)
    tokens = sum(part.tokens for part in parts)
    if options.json:
        found = [part.as_json() for part in parts]
        print_json({"agent": agent.key, "parts": found, "tokens": tokens}, exact={"path"})
        return 0
    for part in parts:
        say(_head(part))
        if part.text:
            say("".join(f"  {line}\n" for line in _lines(part, reveal=reveal)).rstrip("\n"))
    unreviewed = sum(not part.is_reviewed for part in parts)
    characters = sum(len(part.text) for part in parts)
    say(
        f"{agent.name}: {count(len(parts), 'part')}, {characters:,} characters, about {tokens:,}"
        f" tokens; {unreviewed} never reviewed."
    )
    return 0


def _head(part: PromptPart) -> str:
    note = f", {one_line(part.note)}" if part.note else ""
    reviewed = "reviewed" if part.is_reviewed else "never reviewed"
    return (
        f"{one_line(part.path)}{note}: {len(part.text):,} characters, about {part.tokens:,} tokens;"
        f" by {one_line(part.by)}; {reviewed}"
    )


def _lines(part: PromptPart, *, reveal: bool) -> list[str]:
    return visible(part.text if reveal else redact(part.text)).splitlines()
