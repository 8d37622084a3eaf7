"""Rules from decisions: what is offered, what a written rule does, what it leaves alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.kit import Agent, OpenDeck
from tests.steps import LINEAR, Work, growth

from reviewdeck.engine.decide import reject
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import PolicyPlace
from reviewdeck.engine.suggestions import Suggestion, suggest, suggestions
from reviewdeck.errors import BadInput, NotPermitted, StaleBase
from reviewdeck.model import Decision, Draft, Kind, MemoryAdd, Proposal, State, Verb
from reviewdeck.model.decisions import Ending
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy_file import add_rule, policy_of

TICKETS = (
    "OPS-1201 is closed since Monday.",
    "The import was broken in ETL-77.",
    "Dana works on WEB-310 now.",
    "CORE-9 blocks the release.",
    "Ask about DOC-454 tomorrow.",
)
SIXTH = "PAY-18 waits for the bank."


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return tmp_path / "policy.toml"


@pytest.fixture
def engine(open_at: OpenDeck, home: Path, policy: Path) -> Engine:
    return open_at(home, policy=policy)


def _reject(engine: Engine, agent: Agent, *texts: str) -> list[str]:
    ids = [agent.add(text, origin="background_review") for text in texts]
    engine.intake()
    return [engine.reject(id, "not worth keeping").proposal for id in ids]


def _tickets(engine: Engine) -> Suggestion:
    return next(each for each in suggest(engine) if each.feature.name == "names-ticket")


def test_nothing_is_offered_before_the_third_equal_decision(engine: Engine, agent: Agent) -> None:
    _reject(engine, agent, *TICKETS[:2])
    assert suggest(engine) == ()
    _reject(engine, agent, TICKETS[2])
    offered = _tickets(engine)
    assert offered.sentence == "You rejected 3 of 3 that name a ticket (as ABC-123)."
    assert offered.replay == "It would have matched 3 past ones, 0 that you approved."


def test_what_waits_is_counted_in_the_replay(engine: Engine, agent: Agent) -> None:
    _reject(engine, agent, *TICKETS[:3])
    agent.add(SIXTH)
    engine.intake()
    assert _tickets(engine).replay == (
        "It would have matched 4 past ones, 0 that you approved; 1 of them waits now."
    )


def test_no_rule_names_what_is_secret(engine: Engine, agent: Agent) -> None:
    for text in ("Lunch is at noon.", "The kettle is new.", "Parking is free."):
        fact = agent.add(text, origin="background_review")
        engine.intake()
        engine.approve(fact, engine.find(fact).digest or "")
    places = ("the office", "the cellar", "the workshop")
    _reject(engine, agent, *(f"The password for {each} is aegohwe7Xaet." for each in places))
    told = " ".join(f"{each.feature} {each.sentence}" for each in suggest(engine))
    assert "aegohwe7xaet" not in told.lower()


def test_what_was_approved_once_is_no_rule(engine: Engine, agent: Agent) -> None:
    _reject(engine, agent, *TICKETS)
    wanted = agent.add("RFC-2119 words are written in capitals.", origin="background_review")
    engine.intake()
    engine.approve(wanted, engine.find(wanted).digest or "")
    assert "names-ticket" not in [each.feature.name for each in suggest(engine)]


def test_what_was_rejected_and_reopened_speaks_for_no_rule(engine: Engine, agent: Agent) -> None:
    for id in _reject(engine, agent, *TICKETS[:3]):
        engine.reopen(id)
    assert suggest(engine) == ()


def test_what_was_superseded_speaks_for_no_rule(engine: Engine, agent: Agent) -> None:
    winner = agent.add("The office has a new kettle.", origin="background_review")
    rivals = [agent.add(text, origin="background_review") for text in TICKETS[:3]]
    engine.intake()
    engine.approve(winner, engine.find(winner).digest or "")
    engine.decide_each(rivals, Verb.SUPERSEDE, engine.find(winner).id)
    assert {engine.find(id).state for id in rivals} == {State.REJECTED}
    assert suggest(engine) == ()


def test_a_rule_from_five_rejections_holds_the_sixth(
    engine: Engine, agent: Agent, policy: Path
) -> None:
    _reject(engine, agent, *TICKETS)
    add_rule(engine, PolicyPlace(policy), _tickets(engine).rule(RuleEffect.HOLD))
    sixth = agent.add(SIXTH)
    report = engine.auto()
    assert [item.id for item in report.held] == [engine.find(sixth).id]
    (finding,) = [each for each in report.held[0].findings if each.code == "names-ticket"]
    assert finding.message == "You turned down 5 of 5 that name a ticket (as ABC-123)."
    assert finding.quote == "PAY-18"


def test_a_rule_that_rejects_takes_the_sixth_out_of_the_queue_and_says_so(
    engine: Engine, agent: Agent, home: Path, policy: Path
) -> None:
    _reject(engine, agent, *TICKETS)
    add_rule(engine, PolicyPlace(policy), _tickets(engine).rule(RuleEffect.REJECT))
    sixth = agent.add(SIXTH)
    engine.intake()
    assert engine.find(sixth).state is State.REFUSED
    would = engine.auto(dry_run=True)
    assert [item.gist for item in would.rejected] == [engine.find(sixth).gist]
    assert engine.find(sixth).state is State.REFUSED
    report = engine.auto()
    assert (report.waiting, len(report.rejected)) == (0, 1)
    assert engine.find(sixth).state is State.REJECTED
    assert not list((home / "pending" / "memory").iterdir())
    (decision,) = engine.ledger.decisions(engine.find(sixth).id)
    assert (decision.actor.kind, decision.actor.name) == ("policy", "names-ticket")
    endings = {life.ending: life.rule for life in engine.ledger.lives(engine.home_ids)}
    assert endings[Ending.BY_RULE] == "names-ticket"


def test_what_an_operator_reopened_or_drafted_is_theirs_whatever_a_rule_says(
    engine: Engine, agent: Agent, policy: Path
) -> None:
    _reject(engine, agent, *TICKETS)
    add_rule(engine, PolicyPlace(policy), _tickets(engine).rule(RuleEffect.REJECT))
    sixth = agent.add(SIXTH)
    engine.auto()
    _, again = engine.reopen(sixth)
    assert engine.auto().rejected == ()
    assert engine.find(again.id).state is State.REFUSED


def test_what_an_operator_drafts_while_rules_reject_is_theirs_too(
    engine: Engine, agent: Agent, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _reject(engine, agent, *TICKETS)
    add_rule(engine, PolicyPlace(policy), _tickets(engine).rule(RuleEffect.REJECT))
    records = [agent.add(SIXTH), agent.add("PAY-19 waits as well.")]
    engine.intake()
    ids = [engine.find(record).id for record in records]

    def meanwhile(engine: Engine, id: str, *about: Any, **more: Any) -> Decision:
        if id == ids[0]:
            engine.ledger.put_draft(Draft(id, Verb.DEFER, None, engine.now()))
        return reject(engine, id, *about, **more)

    monkeypatch.setattr("reviewdeck.engine.auto.reject", meanwhile)
    assert [item.id for item in engine.auto().rejected] == ids[1:]
    assert engine.find(ids[0]).state is State.REFUSED
    assert [draft.proposal for draft in engine.drafts] == ids[:1]


def test_nothing_is_rejected_while_automatic_decisions_are_paused(
    engine: Engine, agent: Agent, policy: Path
) -> None:
    from reviewdeck.engine.pause import pause

    _reject(engine, agent, *TICKETS)
    add_rule(engine, PolicyPlace(policy), _tickets(engine).rule(RuleEffect.REJECT))
    agent.add(SIXTH)
    pause(engine)
    assert engine.auto().rejected == ()


def test_what_rules_rejected_is_no_decision_that_speaks_for_another_rule(
    engine: Engine, agent: Agent, policy: Path
) -> None:
    _reject(engine, agent, *TICKETS)
    add_rule(engine, PolicyPlace(policy), _tickets(engine).rule(RuleEffect.REJECT))
    for text in ("PAY-1 is late.", "PAY-2 is late.", "PAY-3 is late."):
        agent.add(text)
    assert len(engine.auto().rejected) == 3
    policy.unlink()
    assert len(_tickets(engine).turned_down) == 5
    assert _tickets(engine).matched == 8


def test_what_a_rule_matches_already_is_not_offered_again(
    engine: Engine, agent: Agent, policy: Path
) -> None:
    _reject(engine, agent, *TICKETS)
    add_rule(engine, PolicyPlace(policy), _tickets(engine).rule(RuleEffect.HOLD))
    assert suggest(engine) == ()


def test_where_nothing_was_approved_no_rule_is_about_what_all_proposals_have(
    engine: Engine, agent: Agent
) -> None:
    texts = ("Likes tea.", "Owns a grey cat.", "Walks before work.", "Sings.", "Runs.", "Swims.")
    _reject(engine, agent, *texts)
    agent.add("The office is in Ghent.", origin="background_review")
    engine.intake()
    assert suggest(engine) == ()


@pytest.mark.parametrize(
    "rule",
    [
        "",
        'home = "*"\npattern = "x?"\n',
        "min_characters = 1\n",
        *(
            f"pattern = '{pattern}'\n"
            for pattern in (".", ".*", "(?s).", r"[\s\S]", "^", "a|", "()", r"\pL", "[^x]", r"\S+")
        ),
    ],
)
def test_a_file_with_a_rule_that_rejects_everything_is_invalid(rule: str) -> None:
    text = f'[[rule]]\nname = "all"\neffect = "reject"\nreason = "No."\n{rule}'
    problems = policy_of(text.encode())
    assert isinstance(problems, tuple)
    assert "it would reject everything" in problems[0].message


@pytest.mark.parametrize("pattern", ["e", "[А-я]", "^.$", r"^\S{1,3}$", "[0-9]"])
def test_a_pattern_that_tells_texts_apart_may_reject(pattern: str) -> None:
    text = f"[[rule]]\nname = 'x'\neffect = 'reject'\nreason = 'No.'\npattern = '{pattern}'\n"
    assert not isinstance(policy_of(text.encode()), tuple)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_written_rule_leaves_every_letter_of_the_file_as_it_was(
    engine: Engine, agent: Agent, policy: Path, newline: str
) -> None:
    own = "# Mine: ask Dana first.\n[automatic]\na_day = 7 # not more\n\n# the end"
    before = own.replace("\n", newline).encode()
    policy.write_bytes(before)
    policy.chmod(0o640)
    _reject(engine, agent, *TICKETS)
    add_rule(engine, PolicyPlace(policy), _tickets(engine).rule(RuleEffect.HOLD))
    after = policy.read_bytes()
    assert after.startswith(before + newline.encode())
    assert (b"\n" in after.replace(b"\r\n", b"")) is (newline == "\n")
    assert policy.stat().st_mode & 0o777 == 0o640
    settings = policy_of(after)
    assert not isinstance(settings, tuple)
    assert (settings.a_day, settings.rules) == (7, (_rule_again(settings.rules[0].effect, after),))


def _rule_again(effect: RuleEffect, data: bytes) -> object:
    settings = policy_of(data)
    assert not isinstance(settings, tuple)
    (rule,) = settings.rules
    assert rule.effect is effect
    return rule


def test_a_second_rule_of_one_name_gets_a_number(engine: Engine, agent: Agent) -> None:
    _reject(engine, agent, *TICKETS)
    offered = _tickets(engine)
    assert offered.rule(RuleEffect.HOLD, ["names-ticket"]).name == "names-ticket-2"


def test_a_link_to_the_file_stays_a_link(
    engine: Engine, agent: Agent, policy: Path, tmp_path: Path
) -> None:
    (tmp_path / "dotfiles").mkdir()
    real = tmp_path / "dotfiles" / "policy.toml"
    real.write_text("version = 1\n")
    policy.symlink_to(real)
    _reject(engine, agent, *TICKETS)
    add_rule(engine, PolicyPlace(policy), _tickets(engine).rule(RuleEffect.HOLD))
    assert policy.is_symlink()
    assert "names-ticket" in real.read_text()


@pytest.mark.parametrize("text", ["rule = []\n", "colour = 1\n", "[["])
def test_a_file_that_takes_no_rule_is_left_as_it_is(
    engine: Engine, agent: Agent, policy: Path, text: str
) -> None:
    _reject(engine, agent, *TICKETS)
    rule = _tickets(engine).rule(RuleEffect.HOLD)
    policy.write_text(text)
    with pytest.raises(BadInput, match=r"wrong.*: line \d"):
        add_rule(engine, PolicyPlace(policy), rule)
    assert policy.read_text() == text


def test_the_written_rule_is_in_the_log(engine: Engine, agent: Agent, policy: Path) -> None:
    _reject(engine, agent, *TICKETS)
    add_rule(engine, PolicyPlace(policy), _tickets(engine).rule(RuleEffect.REJECT))
    event = engine.log()[-1]
    assert (event.name, event.subject, event.actor.name) == ("rule-added", "names-ticket", "dana")
    assert event.detail["effect"] == "reject"


def _proposal(number: int, text: str, **changed: str) -> Proposal:
    return Proposal(
        id=f"{number:012x}",
        home="/home",
        kind=Kind.MEMORY,
        action="add",
        target="memory",
        edits=(MemoryAdd("memories/MEMORY.md", text),),
        origin=changed.get("origin", "background_review"),
        payload_sha=f"{number:064x}",
    )


def _past(rejected: list[str], taken: list[str]) -> list[tuple[Proposal, Ending]]:
    endings = [(text, Ending.REJECTED) for text in rejected] + [(t, Ending.TAKEN) for t in taken]
    return [(_proposal(number, text), ending) for number, (text, ending) in enumerate(endings)]


TAKEN = ["Prefers tabs.", "Deploys on Fridays.", "The wiki is in German."]


@pytest.mark.parametrize(
    ("rejected", "name", "words"),
    [
        (
            [f"See https://wiki.acme.example/{n} for it." for n in "abc"],
            "have a link",
            "names-link",
        ),
        (
            ["The standup notes are in blue.", "Standup notes: read them.", "No standup notes."],
            "say “standup notes”",
            "says-standup-notes",
        ),
        (["Prüfung, Müller."] * 3, "say “prüfung müller”", "says-prufung-muller"),
    ],
)
def test_a_rule_is_told_in_words_and_matches_what_it_says(
    rejected: list[str], name: str, words: str
) -> None:
    first = suggestions(_past(rejected, TAKEN))[0]
    assert (first.feature.words, first.feature.name) == (name, words)
    assert (first.matched, len(first.turned_down)) == (3, 3)


def test_a_host_is_offered_where_other_links_were_approved() -> None:
    rejected = [f"See https://ads.acme.example/{n} for it." for n in ("one", "two", "three")]
    offered = suggestions(_past(rejected, [*TAKEN, "See https://docs.acme.example/ first."]))
    assert offered[0].feature.words == "name the host ads.acme.example"


def test_all_but_a_value_or_a_host_needs_three_approved_ones_without_it() -> None:
    texts = ["Likes tea.", "Owns a grey cat.", "Walks before work."]
    past = [
        (replace(proposal, origin=str(ending)), ending) for proposal, ending in _past(texts, TAKEN)
    ]
    assert [each.feature.name for each in suggestions(past)] == ["from-rejected"]
    assert suggestions(past[:-1]) == ()
    links = _past([f"See https://wiki.acme.example/{n} for it." for n in "abc"], [])
    assert {each.feature.name for each in suggestions(links)} == {"names-link"}


def test_a_phrase_needs_approved_ones_that_do_not_say_it() -> None:
    texts = [f"Standup notes of {day}." for day in ("Monday", "Tuesday", "Friday")]
    assert suggestions(_past(texts, [])) == ()


def test_a_secret_never_becomes_a_rule() -> None:
    secret = "ghp_" + "Ab1" * 12
    texts = [f"The key {secret} opens door {n}." for n in ("one", "two", "three")]
    assert all(
        secret.lower() not in each.feature.words.lower()
        for each in suggestions(_past(texts, TAKEN))
    )


def test_hostile_texts_cost_linear_work() -> None:
    def prepare(size: int) -> Work:
        texts = ["a.a@" * size, "https://a." * size, "-1" * size]
        past = _past(texts, TAKEN)
        return lambda: suggestions(past)

    assert growth(prepare, 500) < LINEAR


def test_an_agent_cannot_write_a_rule(engine: Engine, agent: Agent, policy: Path) -> None:
    from reviewdeck.engine.authorisation import Unsigned
    from reviewdeck.ports.authority import Process

    _reject(engine, agent, *TICKETS)
    rule = _tickets(engine).rule(RuleEffect.HOLD)
    below = replace(engine, authority=Unsigned(lambda: (Process(7, "hermes", ("hermes",)),), ()))
    with pytest.raises(NotPermitted):
        add_rule(below, PolicyPlace(policy), rule)
    assert not policy.exists()


def test_a_file_that_changed_meanwhile_is_not_overwritten(
    engine: Engine, agent: Agent, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reviewdeck import policy_file

    _reject(engine, agent, *TICKETS)
    rule = _tickets(engine).rule(RuleEffect.HOLD)
    read = policy_file.read_source

    def read_then_edited(place: PolicyPlace) -> bytes | None:
        data = read(place)
        policy.write_text("# edited by hand\n")
        return data

    monkeypatch.setattr(policy_file, "read_source", read_then_edited)
    with pytest.raises(StaleBase):
        add_rule(engine, PolicyPlace(policy), rule)
    assert policy.read_text() == "# edited by hand\n"
