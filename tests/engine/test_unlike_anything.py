"""Nothing goes in by itself that is like what is live, waits, was removed, replaced or rejected."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.engine.kit import Agent, digest_of, entries, set_entries, skill_text

from reviewdeck.engine.engine import Engine

# Plain sentences: what a user types of a list or a heading is no statement.
TIMINGS = "We measure the timings twice. We write the numbers down.\n"
TIMINGS_AGAIN = "We measure all the timings twice. We write the numbers down.\n"
FONTS = "We use plain fonts.\n"
SKILLS = Path("skills/dev")


@dataclass(frozen=True)
class Matter:
    """Something that may be proposed: in its own words, and once more in nearly the same."""

    propose: Callable[[Agent], str]
    again: Callable[[Agent], str]
    appear: Callable[[Path], None]
    """Somebody writes it by hand."""
    go: Callable[[Path], None]
    """Somebody removes it by hand."""
    change: Callable[[Path], None]
    """Somebody writes something else in its place."""


def _skill(name: str, described: str) -> str:
    return skill_text(name, described)


def _create(name: str, described: str) -> Callable[[Agent], str]:
    return lambda agent: agent.skill("create", name, content=_skill(name, described))


def _write(file: str, text: str) -> Callable[[Agent], str]:
    return lambda agent: agent.skill(
        "write_file", "release-notes", file_path=file, file_content=text
    )


def _put(path: Path, text: str) -> Callable[[Path], None]:
    def put(home: Path) -> None:
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, "utf-8")

    return put


def _entry(text: str) -> Callable[[Path], None]:
    return lambda home: set_entries(home, *entries(home), text)


def _last_entry(*texts: str) -> Callable[[Path], None]:
    return lambda home: set_entries(home, *entries(home)[:-1], *texts)


MATTERS = {
    "a memory": Matter(
        propose=lambda agent: agent.add("The report module is written in Go."),
        again=lambda agent: agent.add("The report module is written in Go 1.26."),
        appear=_entry("The report module is written in Go."),
        go=_last_entry(),
        change=_last_entry("Sphinx makes the manual."),
    ),
    "a skill": Matter(
        propose=_create("triage", "Read service logs."),
        again=_create("log-triage", "Read the service logs."),
        appear=_put(SKILLS / "triage/SKILL.md", _skill("triage", "Read service logs.")),
        go=lambda home: shutil.rmtree(home / SKILLS / "triage"),
        change=_put(SKILLS / "triage/SKILL.md", _skill("triage", "Sort old photos by year.")),
    ),
    "a file": Matter(
        propose=_write("references/timings.md", TIMINGS),
        again=_write("references/durations.md", TIMINGS_AGAIN),
        appear=_put(SKILLS / "release-notes/references/timings.md", TIMINGS),
        go=lambda home: (home / SKILLS / "release-notes/references/timings.md").unlink(),
        change=_put(SKILLS / "release-notes/references/timings.md", FONTS),
    ),
}


@pytest.fixture(params=list(MATTERS.values()), ids=list(MATTERS))
def matter(request: pytest.FixtureRequest) -> Matter:
    assert isinstance(request.param, Matter)
    return request.param


@pytest.fixture(params=["propose", "again"])
def proposed(request: pytest.FixtureRequest, matter: Matter) -> Callable[[Agent], str]:
    """The very same, or nearly the same."""
    found: Callable[[Agent], str] = getattr(matter, request.param)
    return found


def _codes(deck: Engine, id: str) -> set[str]:
    return {one.code for one in deck.get(deck.find(id).id).findings}


def test_without_anything_like_it_each_goes_in(
    deck: Engine, agent: Agent, matter: Matter, proposed: Callable[[Agent], str]
) -> None:
    id = proposed(agent)
    deck.auto()
    assert deck.find(id).state == "applied"


def test_what_is_live_is_not_said_again(
    deck: Engine, agent: Agent, home: Path, matter: Matter, proposed: Callable[[Agent], str]
) -> None:
    matter.appear(home)
    id = proposed(agent)
    deck.auto()
    assert deck.find(id).state != "applied"


def test_of_two_that_wait_neither_goes_in_whether_they_came_together_or_apart(
    deck: Engine, agent: Agent, matter: Matter
) -> None:
    first, second = matter.propose(agent), matter.again(agent)
    deck.auto()
    for id in (first, second):
        assert deck.find(id).verdict == "review"
        assert _codes(deck, id) & {"like-pending", "group"}


def test_one_that_came_later_holds_the_one_that_waits(
    deck: Engine, agent: Agent, matter: Matter
) -> None:
    first = matter.propose(agent)
    deck.intake()
    assert deck.find(first).verdict == "auto-apply"
    second = matter.again(agent)
    deck.auto()
    assert [deck.find(id).verdict for id in (first, second)] == ["review", "review"]


def test_what_was_removed_does_not_come_back_unseen(
    deck: Engine, agent: Agent, home: Path, matter: Matter, proposed: Callable[[Agent], str]
) -> None:
    matter.appear(home)
    deck.intake()
    matter.go(home)
    deck.intake()
    id = proposed(agent)
    deck.auto()
    assert "like-removed" in _codes(deck, id)
    assert deck.find(id).verdict == "review"


def test_what_was_replaced_does_not_come_back_unseen(
    deck: Engine, agent: Agent, home: Path, matter: Matter, proposed: Callable[[Agent], str]
) -> None:
    matter.appear(home)
    deck.intake()
    matter.change(home)
    deck.intake()
    id = proposed(agent)
    deck.auto()
    assert deck.find(id).state != "applied"
    assert deck.find(id).verdict == "review" or deck.find(id).state == "dead"


def test_what_was_rejected_stays_rejected(
    deck: Engine, agent: Agent, matter: Matter, proposed: Callable[[Agent], str]
) -> None:
    first = matter.propose(agent)
    deck.intake()
    deck.reject(deck.find(first).id, "no")
    id = proposed(agent)
    deck.auto()
    assert "like-rejected" in _codes(deck, id)
    assert deck.find(id).verdict == "review"


def test_a_file_is_not_held_against_itself(deck: Engine, agent: Agent, home: Path) -> None:
    MATTERS["a file"].appear(home)
    id = _write("references/timings.md", TIMINGS_AGAIN)(agent)
    deck.intake()
    assert "like-live" not in _codes(deck, id)


def test_a_live_file_that_changes_is_news_for_what_resembles_it(
    deck: Engine, agent: Agent, home: Path
) -> None:
    matter = MATTERS["a file"]
    matter.appear(home)
    id = matter.again(agent)
    deck.intake()
    assert deck.find(id).verdict == "review"
    _put(SKILLS / "release-notes/references/timings.md", FONTS)(home)
    deck.intake()
    assert "like-live" not in _codes(deck, id)
    assert "like-removed" in _codes(deck, id)


def test_a_new_form_of_a_file_is_no_removal_of_it(deck: Engine, agent: Agent, home: Path) -> None:
    matter = MATTERS["a file"]
    matter.appear(home)
    deck.intake()
    _put(SKILLS / "release-notes/references/timings.md", TIMINGS_AGAIN)(home)
    id = _write("references/fonts.md", FONTS)(agent)
    deck.auto()
    assert deck.find(id).state == "applied"


def test_a_skill_that_was_deleted_by_decision_does_not_come_back_unseen(
    deck: Engine, agent: Agent
) -> None:
    gone = agent.skill("delete", "release-notes")
    deck.intake()
    id = deck.find(gone).id
    deck.approve(id, digest_of(deck, id))
    back = agent.skill("create", "release-notes", content=skill_text("release-notes"))
    deck.auto()
    assert "like-removed" in _codes(deck, back)


def test_a_short_text_is_not_like_a_long_file_that_has_all_its_words(
    deck: Engine, agent: Agent, home: Path
) -> None:
    long = "".join(f"The {word} is measured twice.\n" for word in ("timer", "scale", "API", "Go"))
    path = SKILLS / "release-notes/references/long.md"
    _put(path, f"# Measures\n\n{long}")(home)
    deck.intake()
    file = _write("references/timer.md", "The timer is measured twice.\n")(agent)
    (home / path).unlink()
    entry = agent.add("The API is written in Go.")
    deck.auto()
    assert [deck.find(id).state for id in (file, entry)] == ["applied", "applied"]
