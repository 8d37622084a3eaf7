"""What an operator is told would be lost."""

from __future__ import annotations

import pytest

from reviewdeck.planning.losses import lost_additions, lost_clauses


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
