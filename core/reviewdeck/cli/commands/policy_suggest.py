"""`reviewdeck policy suggest`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import answer, print_json, say
from reviewdeck.cli.prompts import admit
from reviewdeck.cli.session import fresh_engine, settings_of
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.suggestions import Suggestion, suggest
from reviewdeck.errors import BadInput
from reviewdeck.interruption import uninterrupted
from reviewdeck.policy.own_rules import RuleEffect, as_toml
from reviewdeck.policy_file import add_rule
from reviewdeck.presentation.words import one_line


def suggestions(
    *,
    add: Annotated[
        str | None, Parameter(help="Write the rule of this name into the policy file.")
    ] = None,
    reject: Annotated[
        bool, Parameter(help="Let the rule reject what it matches; else it holds.", negative=())
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Offer rules for what you rejected again and again, each tried on what came before.

    A rule holds or rejects; it never applies anything.
    """
    effect = RuleEffect.REJECT if reject else RuleEffect.HOLD
    with fresh_engine(options, everywhere=True, writes=True) as engine:
        found = suggest(engine)
        if add is not None:
            return _add(engine, found, add, effect, options)
    if options.json:
        print_json([_as_json(each, effect) for each in found])
        return 0
    for each in found:
        say(f"{each.feature.name}")
        say(f"  {one_line(each.sentence)} {one_line(each.replay)}")
    if found:
        line = command(options, "policy", "suggest", "--add", "NAME")
        say(f"`{line}` writes one; with --reject it rejects.")
    else:
        say("No three decisions have enough in common for a rule.")
    return 0


def _add(
    engine: Engine, found: Sequence[Suggestion], name: str, effect: RuleEffect, options: Options
) -> int:
    chosen = next((each for each in found if each.feature.name == name), None)
    if chosen is None:
        raise BadInput(
            f"No rule {name!r} is offered.",
            hint=f"`{command(options, 'policy', 'suggest')}` lists those that are.",
        )
    admit(engine)
    taken = [rule.name for rule in engine.policy().settings.rules]
    rule = chosen.rule(effect, taken)
    with uninterrupted():
        path = add_rule(engine, settings_of(options, everywhere=True, elsewhere=True).policy, rule)
    verb = "rejects" if effect is RuleEffect.REJECT else "holds"
    answer(
        options,
        {"file": str(path), "rule": rule.name, "effect": str(effect)},
        f"{path} has the rule {rule.name} now: it {verb} proposals that {chosen.feature.words}.",
    )
    return 0


def _as_json(suggestion: Suggestion, effect: RuleEffect) -> dict[str, object]:
    return {
        "name": suggestion.feature.name,
        "words": suggestion.feature.words,
        "turned_down": list(suggestion.turned_down),
        "matched": suggestion.matched,
        "waiting": suggestion.waiting,
        "approved": 0,
        "rule": as_toml(suggestion.rule(effect)),
    }
