"""Only what a change concerns is looked at again, and it comes to what a full look comes to."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.engine.kit import (
    MEMORY,
    OPERATOR,
    USER,
    Agent,
    OpenDeck,
    Ticking,
    remembered,
    set_entries,
    skill_text,
)

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.authorisation import Unsigned
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluate import Evaluator
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.intake import TakenIn
from reviewdeck.engine.judge import Judge
from reviewdeck.engine.options import Settings
from reviewdeck.engine.similarity import LiveTexts, indexed_of
from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import UNDONE, Judgement, Proposal, StagedProposal, State
from reviewdeck.model.ledger import ANY_DOMAIN, Staging, Subject
from reviewdeck.policy.allowance import ALLOWANCE

Patch = pytest.MonkeyPatch

HARMLESS = ["The linter is ruff.", "Branches are named after tickets.", "The editor is vim."]
TEXTS = [
    *HARMLESS,
    "The linter is flake8.",
    "Docs use mkdocs and live at https://docs.example.test/home.",
    "Docs use sphinx.",
    "Wants tests before code.",
    "Wants code before tests.",
    "The deploy script is /opt/tools/deploy.sh.",
    "Name: Dana.",
    "Install with pip install frobnicate.",
    "The staging host is stg-4.",
]
OTHERWISE = [
    ("User's father keeps four beehives in Viborg.", "My dad keeps four hives in Viborg."),
    ("The father of the user has four hives.", "My dad keeps four hives in Viborg."),
    ("Our linter, ruff, is installed with frobnicate.", "Our linter is ruff from frobnicate.test."),
    ("User's linter is called ruff.", "The linter is ruff."),
]
"""Entries, and the sentences that may go in in their place."""
FILES = [
    ("references/tone.md", "# Tone\n\n- Write as you speak.\n"),
    ("references/timing.md", "# Timing\n\n- Measure twice.\n"),
    ("references/timings.md", "# Timing\n\n- Measure it twice.\n"),
]
INSTALL = "Install with pip install frobnicate."
SKILL = "skills/dev/release-notes/SKILL.md"


def taken(deck: Engine) -> TakenIn:
    (found,) = deck.intake()
    return found


def to_be_written(deck: Engine, ids: tuple[str, ...]) -> set[str]:
    """Those of these that wait to be written, and are not live already."""
    return {item.id for item in deck.ledger.items(ids) if item.state is not State.LIVE}


def of(deck: Engine, *source_ids: str) -> set[str]:
    """Our ids of these records."""
    return {deck.ledger.resolve(id) for id in source_ids}


def test_a_home_in_which_nothing_moved_is_not_examined(deck: Engine, agent: Agent) -> None:
    agent.add("The linter is ruff.")
    assert len(taken(deck).evaluated) == 1
    assert taken(deck).evaluated == ()


@pytest.mark.parametrize("stored", ["5", "null", "[1]", "{}", "not a key"])
def test_whatever_is_stored_in_place_of_a_key_means_evaluate_again(
    deck: Engine, agent: Agent, tmp_path: Path, stored: str
) -> None:
    agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    (ledger,) = tmp_path.rglob("ledger.db")
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("UPDATE proposal SET evaluation_key = ?", (stored,))
        connection.commit()
    assert len(taken(deck).evaluated) == 1
    assert taken(deck).evaluated == ()


def test_a_changed_document_moves_what_touches_it_and_nothing_else(
    deck: Engine, agent: Agent, home: Path
) -> None:
    here = agent.replace("staging host", "The staging host is stg-4.")
    there = agent.replace("short answers", "Prefers long answers.", target="user")
    deck.intake()
    set_entries(home, "The staging host is stg-2.", "Tests run with nox.")
    again = taken(deck)
    assert to_be_written(deck, again.evaluated) == of(deck, here)
    (moved,) = again.moved
    assert (moved.proposal, moved.because) == (of(deck, here).pop(), f"{MEMORY} changed")
    assert deck.ledger.resolve(there) not in again.evaluated


def test_the_log_says_which_proposals_stand_otherwise_and_why(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    set_entries(home, "Tests run with tox.")
    (moved,) = taken(deck).moved
    assert (moved.before, moved.is_grave) == (State.READY, True)
    event = next(event for event in deck.log() if event.name == "restaged")
    named = event.detail["moved"]
    assert isinstance(named, list)
    assert named == [[deck.ledger.resolve(id), "ready", moved.after.value, f"{MEMORY} changed"]]


def test_an_entry_of_another_document_concerns_what_says_the_same(
    deck: Engine, agent: Agent, home: Path
) -> None:
    like = agent.add("Wants tests before code.", target="user")
    agent.add("Has two cats.", target="user")
    deck.intake()
    set_entries(home, "Wants tests before code.")
    assert to_be_written(deck, taken(deck).evaluated) == of(deck, like)
    assert "like-live" in codes(deck, like)
    set_entries(home, "Tests run with tox.")
    assert to_be_written(deck, taken(deck).evaluated) == of(deck, like)
    assert "like-live" not in codes(deck, like)


def test_what_waits_beside_an_addition_names_what_it_would_write_now(
    deck: Engine, agent: Agent, home: Path
) -> None:
    held = agent.add(INSTALL)
    set_entries(home, "Tests run with tox.")
    deck.intake()
    set_entries(home, "Tests run with tox.", "The linter is ruff.")
    deck.intake()  # from now on it goes beside what changed after it
    before = deck.find(held)
    set_entries(home, "Tests run with tox.", "The linter is ruff.", "The editor is vim.")
    again = taken(deck)
    assert {one.because for one in again.moved} == {f"{MEMORY} changed"}
    after = deck.find(held)
    assert (after.findings, after.verdict) == (before.findings, before.verdict)
    assert after.digest != before.digest
    deck.approve(after.id, after.digest or "")
    assert (home / MEMORY).read_text("utf-8").endswith("The editor is vim.\n§\n" + INSTALL)


def test_an_addition_beside_other_entries_is_planned_again_and_its_text_judged_once(
    deck: Engine, agent: Agent, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alike, other = agent.add("The tax rate is 0."), agent.add("A lamp hums.")
    set_entries(home, "Tests run with tox.")
    deck.intake()
    digests = {deck.find(id).digest for id in (alike, other)}
    judged = judging(monkeypatch)
    set_entries(home, "Tests run with tox.", "The tax rate is 7.")
    assert to_be_written(deck, taken(deck).evaluated) == of(deck, alike, other)
    assert to_be_written(deck, tuple(judged)) == of(deck, alike)
    assert not digests & {deck.find(id).digest for id in (alike, other)}
    check(deck)


def test_what_is_like_the_addition_beside_it_is_judged_again(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.add("The tax rate is 0.")
    set_entries(home, "Tests run with tox.")
    deck.intake()
    set_entries(home, "Tests run with tox.", "The linter is ruff.")
    deck.intake()
    set_entries(home, "Tests run with tox.", "The linter is ruff.", "The tax rate is 7.")
    deck.intake()
    assert "like-live" in codes(deck, id)
    check(deck)


def test_a_link_that_the_home_does_not_know_any_more_is_news_again(
    deck: Engine, agent: Agent, home: Path
) -> None:
    link = "https://docs.example.test/handbook"
    set_entries(home, f"The handbook is {link}.")
    id = agent.add(f"The rules for releases are on {link}.", target="user")
    other = agent.add("Has two cats.", target="user")
    deck.intake()
    assert "address" not in codes(deck, id)
    set_entries(home, "Tests run with tox.")
    again = set(taken(deck).evaluated)
    assert deck.ledger.resolve(other) not in again
    assert "address" in codes(deck, id)


def codes(deck: Engine, id: str) -> set[str]:
    return {finding.code for finding in deck.find(id).findings}


def test_a_near_duplicate_that_comes_and_goes_is_noticed_by_the_other(
    deck: Engine, agent: Agent, home: Path
) -> None:
    first = agent.replace("Tests run", "Tests run with nox on every push.")
    deck.intake()
    assert "like-pending" not in codes(deck, first)
    second = agent.add("Tests run with nox on every single push.")
    assert set(taken(deck).evaluated) == of(deck, first, second)
    assert "like-pending" in codes(deck, first)
    (home / "pending" / "memory" / f"{second}.json").unlink()
    assert set(taken(deck).evaluated) == of(deck, first)
    assert "like-pending" not in codes(deck, first)


def test_a_skill_that_appears_revives_what_was_proposed_for_it(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.skill("patch", "triage", old_string="3. Report.", new_string="3. Shout.")
    deck.intake()
    assert deck.find(id).state is State.DEAD
    (home / "skills" / "triage").mkdir()
    (home / "skills" / "triage" / "SKILL.md").write_text(skill_text("triage"), "utf-8")
    assert to_be_written(deck, taken(deck).evaluated) == of(deck, id)
    assert deck.find(id).state is State.READY


def test_a_file_of_another_skill_concerns_what_writes_the_same(
    deck: Engine, agent: Agent, home: Path
) -> None:
    (home / "skills" / "triage").mkdir()
    (home / "skills" / "triage" / "SKILL.md").write_text(skill_text("triage"), "utf-8")
    text = "# Tone\n\n- Write as you speak, in short words.\n"
    id = agent.skill(
        "write_file", "release-notes", file_path="references/tone.md", file_content=text
    )
    deck.intake()
    assert not deck.get(deck.find(id).id).similar
    (home / "skills" / "triage" / "references").mkdir()
    (home / "skills" / "triage" / "references" / "voice.md").write_text(text, "utf-8")
    assert of(deck, id) <= set(taken(deck).evaluated)
    check(deck)


@pytest.mark.parametrize("amount", [2, 3, 4, 6, 7])
def test_many_are_evaluated_in_parts_and_each_is_stored(
    deck: Engine, agent: Agent, home: Path, monkeypatch: Patch, amount: int
) -> None:
    monkeypatch.setattr("reviewdeck.engine.refresh.AT_ONCE", 3)
    for number in range(amount):
        agent.add(f"{TEXTS[number]} Since week {number}.")
    assert len(taken(deck).evaluated) == amount
    assert all(item.verdict for item in deck.pending())
    check(deck)
    set_entries(home, *HARMLESS)
    deck.intake()
    check(deck)


def test_a_limit_that_is_raised_revives_what_did_not_fit(
    deck: Engine, agent: Agent, home: Path
) -> None:
    set_entries(home, "x" * 2190)
    id = agent.add("The linter is ruff, as it always was.")
    deck.intake()
    assert deck.find(id).state is State.DEAD
    (home / "config.yaml").write_text("memory:\n  memory_char_limit: 5000\n", "utf-8")
    assert set(taken(deck).evaluated) == of(deck, id)
    assert deck.find(id).state is State.READY


def test_a_rejection_concerns_what_shares_its_words_and_is_about_no_other(
    deck: Engine, agent: Agent, monkeypatch: Patch
) -> None:
    first, alike, other = (
        agent.add(text)
        for text in (
            "Zebra is the codename of version two.",
            "Zebra is the codename of a printer.",
            "Maps are drawn with thick black ink.",
        )
    )
    one_before = agent.add("The office near the harbour has a view.")
    deck.intake()
    deck.reject(deck.ledger.resolve(one_before), "no")  # so that the home has a list of them
    compared = looked_at(monkeypatch)
    deck.reject(deck.ledger.resolve(first), "no")
    deck.intake()
    assert of(deck, alike) <= compared
    assert compared.isdisjoint(of(deck, other))


def looked_at(monkeypatch: Patch) -> set[str]:
    """The proposals whose key was looked up, filled from now on."""
    seen: set[str] = set()
    with_bases = Evaluator.with_bases

    def noted(evaluator: Evaluator, proposal: Proposal) -> Proposal:
        seen.add(proposal.id)
        return with_bases(evaluator, proposal)

    monkeypatch.setattr(Evaluator, "with_bases", noted)
    return seen


def test_a_pass_that_was_cut_short_is_made_up_for(deck: Engine, agent: Agent, home: Path) -> None:
    agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    set_entries(home, "The staging host is stg-2.", "Tests run with nox.")

    def fail(*_: object) -> bool:
        raise RuntimeError("the power went")

    with pytest.MonkeyPatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(type(deck.ledger), "end_refresh", fail)
        deck.intake()
    assert len(to_be_written(deck, taken(deck).evaluated)) == 1
    assert to_be_written(deck, taken(deck).evaluated) == set()


def test_a_view_runs_no_rule_while_the_key_holds_and_a_decision_always_does(
    deck: Engine, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = agent.add(INSTALL)
    deck.intake()
    expected, judged = deck.get(id), judging(monkeypatch)
    assert deck.recall(id) == expected
    assert judged == []
    assert deck.get(id) == expected
    assert judged == [deck.ledger.resolve(id)]


def judging(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the proposals that are judged from now on."""
    judged: list[str] = []
    judge = Judge.judge

    def count(asked: Judge, staged: StagedProposal, *args: Any, **kinds: Any) -> Judgement:
        judged.append(staged.proposal.id)
        return judge(asked, staged, *args, **kinds)

    monkeypatch.setattr(Judge, "judge", count)
    return judged


def test_a_view_judges_again_what_changed_since_the_last_pass(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    set_entries(home, "Tests run with nox.")
    assert deck.find(id).state is State.READY
    assert deck.recall(id).state is not State.READY
    assert deck.recall(id) == deck.get(id)


def test_where_decisions_are_signed_a_view_never_reads_a_stored_judgement(
    deck: Engine, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = agent.add(INSTALL)
    deck.intake()
    monkeypatch.setattr(Unsigned, "signs", True)
    monkeypatch.setattr(type(deck.ledger), "judgement", lambda *_: pytest.fail("it was read"))
    assert deck.recall(id).findings


def from_scratch(deck: Engine) -> dict[str, Staging]:
    """Everything that waits, evaluated in full against everything else."""
    (one,) = deck.open_homes
    ledger, home = deck.ledger, one.home
    waiting = ledger.open_proposals(home.id)
    known = [
        Subject(like.relation, like.text, like.where, ANY_DOMAIN)
        for like in remembered(ledger, home.id)
    ]
    evaluator = Evaluator(home, ledger)
    texts = [subject for proposal in waiting for subject in indexed_of(proposal)]
    evaluator.__dict__["index"] = Texts([*texts, *known])
    return {one.id: evaluator.evaluate(one).as_staging() for one in waiting}


class Texts(LiveTexts):
    """What the ledger's index would find among these texts."""

    def expect(self, proposals: object) -> None:
        """They are all in memory."""

    def expect_domains(self, domains: object) -> None:
        """So are these."""

    def of(self, domains: Sequence[str]) -> list[Subject]:
        texts = self.texts(range(len(self))).values()
        return [text for text in texts if text.domain in domains and not is_remembered(text)]


def is_remembered(text: Subject) -> bool:
    return text.domain == ANY_DOMAIN


def timeless(evaluation: Evaluation) -> Evaluation:
    """An evaluation without whether more may become known of its origin: that ends with time."""
    origin = evaluation.judgement.origin
    settled = None if origin is None else replace(origin, is_settled=True)
    return replace(evaluation, key=None, judgement=replace(evaluation.judgement, origin=settled))


def check(deck: Engine) -> None:
    """What is stored is what a full look comes to."""
    for id, staging in from_scratch(deck).items():
        item = deck.ledger.item(id)
        assert timeless(deck.recall(id)) == timeless(deck.get(id))
        stored = (item.verdict, item.digest, item.findings)
        assert stored == (staging.verdict, staging.digest, staging.findings)
        if item.state is not State.DEFERRED:  # then it shows what the operator said
            assert (item.state, item.reason) == (staging.state, staging.reason)


WAITING = "('ready', 'conflict', 'dead', 'refused', 'deferred', 'live')"
FORGET = (
    "DELETE FROM judgement WHERE proposal IN"  # noqa: S608 - constant states
    f" (SELECT id FROM proposal WHERE state IN {WAITING})",
    "DELETE FROM term WHERE subject IN (SELECT id FROM subject WHERE relation = 'pending')",
    "DELETE FROM subject WHERE relation = 'pending'",
    "UPDATE proposal SET evaluation_key = NULL, verdict = NULL, reason = ''"  # noqa: S608 - constant states
    ", findings = '[]', paths = '[]'"
    f" WHERE state IN {WAITING}",
    "UPDATE proposal SET state = 'ready', digest = NULL"  # noqa: S608 - constant states
    f" WHERE state IN {WAITING} AND state <> 'deferred'",
)


def fresh(deck: Engine, ledger: Path, home: Path) -> Engine:
    """A deck whose ledger knows what was decided and seen, and has never evaluated what waits."""
    ledger.parent.mkdir(exist_ok=True)
    copy = ledger.with_name("fresh.db")
    copy.unlink(missing_ok=True)
    with closing(sqlite3.connect(ledger)) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)
        for statement in FORGET:
            new.execute(statement)
        new.commit()
    return open_engine(Settings((home,), str(copy), home.parent, actor=OPERATOR), now=deck.now)


def evaluations(deck: Engine) -> dict[str, object]:
    """All that is stored of what waits, with what it was evaluated from."""
    (id,) = deck.home_ids
    found: dict[str, object] = {}
    for proposal, key in deck.ledger.last_evaluations(id).items():
        item = deck.ledger.item(proposal)
        findings = tuple(one for one in item.findings if one.code != ALLOWANCE)
        reason = "" if item.state is State.DEFERRED else item.reason
        is_undone = any(one.code == UNDONE for one in findings)
        # What was undone keeps the judgement by which it went in; a fresh ledger has none.
        judgement = None if is_undone else deck.ledger.judgement(proposal)
        stands = (item.state, item.verdict, item.digest, findings, reason)
        found[proposal] = (*stands, judgement, key)
    return found


class Life:
    """What may happen to a home, at random."""

    def __init__(self, seed: int, deck: Engine, agent: Agent, home: Path) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - no secret
        self.deck, self.agent, self.home = deck, agent, home

    def step(self) -> None:
        events: list[Callable[[], object]] = [
            self.add,
            self.add,
            self.say_otherwise,
            self.replace,
            self.propose_skill,
            self.patch,
            self.propose_file,
            self.point_to_file,
            self.remove_skill,
            self.write_file,
            self.withdraw,
            self.rewrite,
            self.write_memory,
            self.write_skill,
            self.configure,
            self.reject,
            self.reopen,
            self.approve,
            self.defer,
            self.deck.auto,
            self.undo,
        ]
        try:
            self.chance.choice(events)()
        except ReviewdeckError:
            return

    def add(self) -> None:
        target = self.chance.choice(["memory", "user"])
        self.agent.add(self.chance.choice(TEXTS), target=target)

    def say_otherwise(self) -> None:
        entry, typed = self.chance.choice(OTHERWISE)
        self.agent.add(entry, typed=typed, target=self.chance.choice(["memory", "user"]))

    def replace(self) -> None:
        old = self.chance.choice(["staging host", "linter", "Docs", "Name"])
        self.agent.replace(old, self.chance.choice(TEXTS))

    def propose_skill(self) -> None:
        name = self.chance.choice(["triage", "mail"])
        said = self.chance.choice(["Read logs.", "Read the logs.", "Sort mail."])
        self.agent.skill("create", name, content=skill_text(name, said))

    def patch(self) -> None:
        name = self.chance.choice(["triage", "release-notes"])
        self.agent.skill("patch", name, old_string="3. Report.", new_string="3. Tell.")

    def propose_file(self) -> None:
        file, text = self.chance.choice(FILES)
        self.agent.skill("write_file", "release-notes", file_path=file, file_content=text)

    def point_to_file(self) -> None:
        file, _ = self.chance.choice(FILES)
        self.agent.skill(
            "patch", "release-notes", old_string="3. Report.", new_string=f"3. See {file}."
        )

    def remove_skill(self) -> None:
        self.agent.skill("delete", self.chance.choice(["triage", "mail"]))

    def write_file(self) -> None:
        file, text = self.chance.choice(FILES)
        path = (self.home / SKILL).parent / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")

    def withdraw(self) -> None:
        records = sorted((self.home / "pending").rglob("*.json"))
        if records:
            self.chance.choice(records).unlink()

    def rewrite(self) -> None:
        records = sorted((self.home / "pending" / "memory").glob("*.json"))
        if records:
            one = self.chance.choice(records)
            one.write_text(one.read_text("utf-8").replace("The ", "This "), "utf-8")

    def write_memory(self) -> None:
        known = [*TEXTS, *dict.fromkeys(typed for _, typed in OTHERWISE)]
        texts = self.chance.sample(known, self.chance.randint(1, 5))
        set_entries(self.home, *texts, document=self.chance.choice([MEMORY, USER]))

    def write_skill(self) -> None:
        said = self.chance.choice(["Say what is there.", "Read the logs."])
        (self.home / SKILL).write_text(skill_text("release-notes", said), "utf-8")

    def configure(self) -> None:
        limit = self.chance.choice([60, 2200])
        text = f"memory:\n  memory_char_limit: {limit}\n"
        (self.home / "config.yaml").write_text(text, "utf-8")

    def _one(self) -> str:
        waiting = list(self.deck.ledger.last_evaluations(self.deck.home_ids[0]))
        return self.chance.choice(waiting) if waiting else "none"

    def reject(self) -> None:
        self.deck.reject(self._one(), "No.")

    def reopen(self) -> None:
        rejected = self.deck.pending([State.REJECTED])
        if rejected:
            self.deck.reopen(self.chance.choice(rejected).id)

    def approve(self) -> None:
        id = self._one()
        self.deck.approve(id, self.deck.get(id).digest or "0" * 12)

    def defer(self) -> None:
        self.deck.defer(self._one())

    def undo(self) -> None:
        done = self.deck.operations(limit=3)
        if done:
            self.deck.undo(self.chance.choice(done).id)


CROWDED = [
    ("similarity", "COMMON", 2),
    ("inputs", "COMMON", 2),
    ("similarity", "_MANY", 1),
    ("similarity", "_OF_THESE", 3),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_crowded", [False, True])
def test_whatever_happens_what_is_stored_is_what_a_fresh_ledger_would_come_to(
    seed: int,
    is_crowded: bool,
    open_at: OpenDeck,
    agent: Agent,
    home: Path,
    tmp_path: Path,
    clock: Ticking,
    monkeypatch: Patch,
) -> None:
    if is_crowded:  # where words come and go across the limits that thousands of texts reach
        for place, name, limit in CROWDED:
            monkeypatch.setattr(f"reviewdeck.engine.{place}.{name}", limit)
    deck = open_at(home)
    life = Life(seed, deck, agent, home)
    for _ in range(20):
        for _ in range(life.chance.randint(1, 3)):
            life.step()
        deck.intake()
        check(deck)
    clock.moment += timedelta(minutes=2)  # what may still be written down of it is
    deck.intake()
    other = fresh(deck, tmp_path / "ledger" / "ledger.db", home)
    other.intake()
    assert evaluations(deck) == evaluations(other)
    other.close()
