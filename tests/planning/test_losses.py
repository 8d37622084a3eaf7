"""What an operator is told would be lost."""

from __future__ import annotations

import pytest

from reviewdeck.planning import losses
from reviewdeck.planning.losses import lost_additions, lost_clauses, lost_rules


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("The port is 5432.", "The port is 5433.", ()),
        ("Prefers tabs.", "Prefers spaces.", ()),
        (
            "Staging is stg-3. Ask Ana for access through the bastion.",
            "Staging is stg-4. Ask Ana for access.",
            ("through the bastion",),
        ),
        ("Never deploy on Friday.", "Deploy on Friday.", ("Never",)),
        ("Never deploy on Friday.", "Deploy on any day.", ("Never",)),
        ("Docs use mkdocs and vale.", "Docs use mkdocs.", ("vale",)),
        ("CI is Drone; deploys need Ana.", "CI is Drone.", ("deploys need Ana.",)),
        ("CI is Drone.", "ci is DRONE", ()),
    ],
    ids=[
        "a number that gives way to another is a change",
        "a word that gives way to another is a change",
        "words that nothing takes the place of are lost",
        "a negation that goes is lost",
        "a negation is lost even when other words come",
        "any word is lost when no other comes",
        "a clause is lost whole",
        "case and punctuation are no loss",
    ],
)
def test_lost_is_what_nothing_takes_the_place_of(old: str, new: str, lost: tuple[str, ...]) -> None:
    assert lost_clauses(old, [new]) == lost


def test_what_another_new_text_says_is_not_lost() -> None:
    assert (
        lost_clauses("CI is Drone; deploys need Ana.", ["CI is Drone.", "Deploys need Ana."]) == ()
    )


@pytest.mark.parametrize(
    ("live", "base", "taken", "lost"),
    [
        (
            "Staging is stg-3. Ask Ana for access through the bastion.",
            "Staging is stg-2. Ask Ana for access.",
            "Staging is stg-4. Ask Ana for access.",
            ("through the bastion",),
        ),
        (
            "Staging moved to stage-2: PostgreSQL 16 on port 5434.",
            "Staging is stage-1: PostgreSQL 15 on port 5433.",
            "Staging is stage-1: PostgreSQL 15 on port 5433, role reader.",
            ("Staging moved to stage-2", "PostgreSQL 16 on port 5434."),
        ),
        ("Ferries follow Sundays, and none at night.", None, "All are Sundays.",
         ("Ferries follow Sundays", "and none at night.")),
        ("The port is 5433.", "The port is 5432.", "The port is 5434.", ()),
    ],
    ids=[
        "what was put into a phrase is lost alone",
        "a phrase that goes back to the base is lost whole",
        "a text that nobody saw is lost in whole phrases",
        "what both sides changed is a change",
    ],
)  # fmt: skip
def test_taking_the_other_text_loses_what_came_since_the_base(
    live: str, base: str | None, taken: str, lost: tuple[str, ...]
) -> None:
    assert lost_additions(live, base, taken) == lost


RULES = """\
# Rules

- Run the tests before each commit.
- Never push to main.
- Ask Ana before a deploy, and wait for
  her answer.
"""


@pytest.mark.parametrize(
    ("new", "lost"),
    [
        (
            "# Rules\n\n- Be quick.\n",
            (
                "Run the tests before each commit.",
                "Never push to main.",
                "Ask Ana before a deploy, and wait for her answer.",
            ),
        ),
        (RULES.replace("Never push", "Push"), ("Never",)),
        (RULES.replace("Never push to main", "Never push to dev"), ()),
        (RULES.replace("- Never push to main.\n", ""), ("Never push to main.",)),
        (
            "- Never push to main.\n- Before each commit, run the tests.\n"
            "- Ask Ana before a deploy, and wait for her\n  answer.\n",
            (),
        ),
        (
            "Run the tests before each commit, and never push to main. Ask Ana before a deploy.\n",
            ("and wait for her answer.",),
        ),
        (RULES.replace("# Rules", "# House rules").replace("\n", "\r\n"), ()),
    ],
    ids=[
        "a text in the place of rules loses each of them",
        "a negation is lost",
        "a word that gives way to another is a change",
        "a rule that is dropped from a short file",
        "rules that moved, were reworded or break elsewhere are there",
        "rules that were joined are there, and the clause that was not is lost",
        "a heading and line ends are no rules",
    ],
)
def test_a_rewritten_document_loses_the_rules_that_it_no_longer_has(
    new: str, lost: tuple[str, ...]
) -> None:
    assert lost_rules("AGENTS.md", RULES, new) == lost


def test_a_rule_is_lost_beside_one_like_it_that_stays() -> None:
    kept = "- Never push to main.\n"
    assert lost_rules("AGENTS.md", f"{kept}- Never push to release.\n", kept) == (
        "Never push to release.",
    )


def test_only_a_text_that_is_rewritten_loses_rules_and_code_has_none() -> None:
    for path, before, after in (
        ("AGENTS.md", RULES, None),
        ("AGENTS.md", None, RULES),
        ("skills/a/scripts/run.py", RULES, ""),
        ("skills/a/scripts/run", f"#!/bin/sh\n{RULES}", ""),
    ):
        assert lost_rules(path, before, after) == ()


def test_a_long_text_that_is_cut_is_read_once_and_not_for_each_clause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[int] = []
    words = losses._words

    def counted(text: str) -> list[str]:
        read.append(len(text))
        return words(text)

    monkeypatch.setattr(losses, "_words", counted)

    def characters(steps: int) -> int:
        read.clear()
        lines = [f"Step {step}: do thing {step}.\n" for step in range(steps)]
        lost_rules("SKILL.md", "".join(lines), "".join(lines[: steps // 4]))
        return sum(read)

    assert characters(400) < 3 * characters(200)
