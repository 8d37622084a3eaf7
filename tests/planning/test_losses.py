"""What an operator is told would be lost."""

from __future__ import annotations

import pytest

from reviewdeck.planning.losses import lost_clauses


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
