"""Looking back at what a policy would have done."""

from __future__ import annotations

from tests.policy.kit import MEMORY, proposal
from tests.policy.test_file import tuning

from reviewdeck.model import MemoryAdd, MemoryRemove
from reviewdeck.policy.backtest import Backtest, Case, JudgedBy, Outcome, look_back


def case(text: str, outcome: Outcome) -> Case:
    return Case(proposal(MemoryAdd(MEMORY, text)), outcome)


FINE, WIKI = "Prefers short answers.", "The wiki is https://wiki.acme.example/start."
_LINKS = (
    '[[rule]]\nname="w"\neffect="allow"\nreason="W."\nsets_aside=["link","host","reads-like"]\n'
)
_NO_ANSWERS = '[[rule]]\nname="n"\neffect="hold"\nreason="N."\npattern="answers"\n'


def test_precision_and_recall_are_about_what_operators_decided() -> None:
    found = look_back(
        [
            case(FINE, Outcome.TAKEN),
            case(FINE, Outcome.REJECTED),
            case(FINE, Outcome.OPEN),
            case(WIKI, Outcome.TAKEN),
            Case(proposal(MemoryRemove(MEMORY, "a")), Outcome.TAKEN),
        ]
    )
    assert (found.replayed, found.automatic) == (5, 3)
    assert found.precision == 0.5
    assert found.recall == 1 / 3


def test_without_decisions_there_is_no_precision() -> None:
    found = look_back([case(FINE, Outcome.OPEN)])
    assert found.precision is None
    assert found.recall is None
    assert look_back([]) == Backtest(0, 0, {}, (), ())


def test_a_file_tells_what_it_would_have_changed_both_ways() -> None:
    cases = [case(FINE, Outcome.TAKEN), case(WIKI, Outcome.TAKEN)]
    more = look_back(cases, tuning(_LINKS)).differences
    assert [(one.goes_in, "link" in one.because) for one in more] == [(True, True)]
    less = look_back(cases, tuning(_NO_ANSWERS)).differences
    assert [(one.goes_in, one.because) for one in less] == [(False, ("n",))]


def test_a_rule_that_is_always_overruled_is_named() -> None:
    cases = [case("Prefers zsh in /opt/zsh/.", Outcome.TAKEN)] * 3
    cases += [case("Prefers vim in /opt/vim/.", Outcome.OPEN)]
    suggested = look_back(cases).suggestions
    assert [(one.rule, one.saved, one.besides) for one in suggested] == [("path", 3, 1)]
    cases += [case("Prefers zsh in /opt/zsh/.", Outcome.REJECTED)]
    assert not look_back(cases).suggestions


def test_what_the_home_says_is_no_news_in_a_look_back_either() -> None:
    known = look_back([case(WIKI, Outcome.TAKEN)], tuning(""), live_text=lambda home: WIKI)
    assert known.automatic >= look_back([case(WIKI, Outcome.TAKEN)]).automatic


def test_what_was_decided_is_counted_by_the_policy_that_judged_it_then() -> None:
    item = proposal(MemoryAdd(MEMORY, FINE))
    wiki = proposal(MemoryAdd(MEMORY, WIKI))
    found = look_back(
        [
            Case(wiki, Outcome.TAKEN, "rules one"),
            Case(item, Outcome.AUTOMATIC, "rules one", went_in_by_itself=True),
            Case(item, Outcome.UNDONE, "rules two", went_in_by_itself=True),
            Case(item, Outcome.REJECTED),
            Case(item, Outcome.OPEN),
        ]
    )
    assert found.by_policy == (
        JudgedBy("rules one", decided=2, automatic=1, would=1),
        JudgedBy("rules two", decided=1, automatic=1, would=1),
        JudgedBy("", decided=1, automatic=0, would=1),
    )
