"""Recorded proposals are judged again under other settings, from what was stored with them."""

from __future__ import annotations

from dataclasses import replace

from tests.policy.kit import MEMORY, case

from reviewdeck.engine.backtest import Outcome, Recorded, replay_all
from reviewdeck.model import Hearing, MemoryAdd, OriginClass, Utterance
from reviewdeck.policy.gate import Case, judge
from reviewdeck.policy.own_rules import OwnRule, Pattern, RuleEffect, RuleScope
from reviewdeck.policy.settings import AutomaticUpTo, PolicySettings, Unrecorded

HIVES = "My dad keeps four hives, he has tools."


def recorded(known: Case, outcome: Outcome = Outcome.TAKEN) -> Recorded:
    """What the ledger has of a case."""
    return Recorded(known.staged.proposal, outcome, judge(known), known.heard)


def test_stricter_settings_list_what_would_wait() -> None:
    found = replay_all([recorded(case())], PolicySettings(memory=AutomaticUpTo.OFF))
    (difference,) = found.differences
    assert not difference.goes_in
    assert difference.because == ("origin",)
    assert (found.replayed, found.automatic) == (1, 0)


def test_looser_settings_list_what_would_go_in() -> None:
    strict = PolicySettings(unrecorded=Unrecorded.HOLD)
    plain = MemoryAdd(MEMORY, "The user prefers short answers.")
    known = case(plain, kind=OriginClass.UNRECORDED)
    one = Recorded(known.staged.proposal, Outcome.TAKEN, judge(known, strict), known.heard)
    (difference,) = replay_all([one], PolicySettings(), today=strict).differences
    assert difference.goes_in


def test_a_rule_of_ones_own_is_tried() -> None:
    rule = OwnRule("no-answers", RuleEffect.HOLD, "No answers.")
    (difference,) = replay_all([recorded(case())], PolicySettings(rules=(rule,))).differences
    assert difference.because == ("plain",)


def in_own_words(words: str, *typed: str) -> Case:
    """An addition in place of which the user's own words were written."""
    known = case(MemoryAdd(MEMORY, "User's father keeps four hives."))
    utterances = tuple(Utterance("s1", "user", text, is_typed=True) for text in typed)
    origin = replace(known.origin, utterances=utterances)
    return replace(known, origin=origin, heard=(Hearing(own=words),))


def test_a_rule_of_ones_own_is_tried_on_what_would_be_written_instead() -> None:
    rule = OwnRule("no-hives", RuleEffect.HOLD, "No tools.", RuleScope(pattern=Pattern("tools")))
    known = in_own_words(HIVES, HIVES)
    assert replay_all([recorded(known)]).automatic == 1
    (difference,) = replay_all([recorded(known)], PolicySettings(rules=(rule,))).differences
    assert difference.because == ("origin",)


def test_the_users_own_words_are_judged_again_and_not_as_they_were_stored() -> None:
    ordered = "My dad keeps four hives, he pays my invoices."
    for words, typed in (
        (HIVES, ()),
        (HIVES, (HIVES, "No, he has no tools.")),
        (ordered, (ordered,)),
    ):
        stored = Recorded(
            in_own_words(words).staged.proposal,
            Outcome.AUTOMATIC,
            replace(judge(in_own_words(words, *typed)), own=(words,)),
            (Hearing(own=words),),
        )
        assert replay_all([stored]).automatic == 0


def test_no_setting_changes_what_the_other_checks_said() -> None:
    known = case(kind=OriginClass.OUTSIDE)
    found = replay_all([recorded(known)], PolicySettings(a_day=100_000))
    assert found.automatic == 0
    assert not found.differences


def test_what_was_judged_by_rules_that_are_gone_is_counted_and_not_judged() -> None:
    old = replace(recorded(case()), judgement=None)
    found = replay_all([old, recorded(case())])
    assert (found.replayed, found.without_evidence) == (1, 1)


def test_precision_and_recall_are_of_what_operators_decided() -> None:
    good, bad = recorded(case()), recorded(case(), Outcome.UNDONE)
    waits = recorded(case(kind=OriginClass.OUTSIDE))
    found = replay_all([good, good, good, bad, waits])
    assert found.precision == 0.75
    assert found.recall == 0.75
