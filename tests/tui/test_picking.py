"""`x`: a proposal is taken apart, and only some of its changes are drafted."""

from __future__ import annotations

import pytest
from tests.engine.kit import entries, set_entries, skill_text
from tests.tui.kit_deck import Cockpit, Driver

from reviewdeck.engine.propose import propose
from reviewdeck.engine.proposed import Queued
from reviewdeck.model import Kind, MemoryReplace, Proposal, Verb
from reviewdeck.text.entries import size
from reviewdeck_tui.proposal.parts import parts_of

LIVE = "---\nname: n\n---\none\ntwo\nthree\nfour\nfive\n"
WANTED = "---\nname: n\n---\nONE\ntwo\nthree\nFOUR\nfive\nsix\n"


def test_a_text_is_taken_apart_by_lines() -> None:
    parts = parts_of(LIVE, WANTED, is_memory=False)
    assert parts.amount == 3
    assert parts.text(()) == WANTED
    assert parts.text({0, 1, 2}) == LIVE
    assert parts.text({1}) == WANTED.replace("FOUR", "four")


def test_single_lines_of_a_run_and_of_an_entry_are_taken_or_left() -> None:
    run = parts_of("a\nb\nc\n", "A 1\nB 2\nc\nd\n", is_memory=False)
    for dropped in ((0,), (1,), (0, 2), ()):
        assert run.dropped_in(run.text(dropped)) == frozenset(dropped)
    entry = parts_of(
        "Docs.\n§\nTo deploy:\n- tag\n- wait", "To deploy:\n- tag it\n- go", is_memory=True
    )
    assert entry.amount == 3
    assert entry.text({0, 2}) == "Docs.\n§\nTo deploy:\n- tag it\n- wait"
    assert entry.dropped_in("Docs.\n§\nTo deploy:\n- tag it\n- wait") == frozenset({0, 2})
    assert entry.text({1}) == "To deploy:\n- tag\n- go"


def test_an_entry_whose_lines_are_all_left_out_does_not_come() -> None:
    parts = parts_of("Docs.", "Docs.\n§\nOne.\nTwo.", is_memory=True)
    assert parts.text({0, 1}) == "Docs."
    assert parts.dropped_in("Docs.") == frozenset({0, 1})
    assert parts.text({0}) == "Docs.\n§\nTwo."


def test_a_memory_is_taken_apart_by_entries() -> None:
    parts = parts_of("a\n§\nb\n§\nc", "a1\n§\nb\n§\nc\n§\nd", is_memory=True)
    assert parts.amount == 2
    assert parts.text({0}) == "a\n§\nb\n§\nc\n§\nd"
    assert parts.text({1}) == "a1\n§\nb\n§\nc"


@pytest.mark.parametrize("dropped", [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_a_text_says_what_it_leaves_out(dropped: tuple[int, ...]) -> None:
    parts = parts_of(LIVE, WANTED, is_memory=False)
    assert parts.dropped_in(parts.text(dropped)) == frozenset(dropped)
    assert parts.dropped_in(parts.text(dropped) + "more\n") is None


@pytest.mark.parametrize("dropped", [(0,), (1,), (2,), (0, 2), (1, 2)])
def test_entries_that_go_beside_entries_that_come_are_told_apart(dropped: tuple[int, ...]) -> None:
    ask = "Ask Ana for access through the bastion."
    live = f"Docs use mkdocs. {ask}\n§\nThe host is stg-2."
    parts = parts_of(live, "Docs use sphinx.\n§\nThe host is stg-4.", is_memory=True)
    assert parts.amount == 3
    assert parts.dropped_in(parts.text(dropped)) == frozenset(dropped)


@pytest.fixture
def batch(cockpit: Cockpit) -> Cockpit:
    """One proposal that replaces two entries of a memory."""
    set_entries(cockpit.home, "Tests run with tox.", "Docs use mkdocs.", "The host is stg-2.")
    operations = [
        {"action": "replace", "old_text": "mkdocs", "content": "Docs use sphinx."},
        {"action": "replace", "old_text": "stg-2", "content": "The host is stg-4."},
    ]
    cockpit.agent.memory("batch", extra={"operations": operations})
    cockpit.take_in()
    return cockpit


async def test_only_what_was_taken_in_is_written(batch: Cockpit) -> None:
    async with batch.open() as deck:
        await deck.press("enter", "x")
        assert "Dropped: 1 of 2 changed lines remain." in deck.strip
        (draft,) = deck.drafts.values()
        assert draft.verb is Verb.MERGE
        assert entries(batch.home)[1:] == ["Docs use mkdocs.", "The host is stg-2."]
        await deck.press("escape", "ctrl+s")
        await deck.until(lambda: deck.app.screen is not deck.screen)
        compose_diff = deck.shown().partition("composed diff")[2]
        assert "stg-4" in compose_diff and "sphinx" not in compose_diff
        await deck.press("y")
        await deck.until(lambda: "DONE" in deck.line("head"))
    assert entries(batch.home) == ["Tests run with tox.", "Docs use mkdocs.", "The host is stg-4."]


async def test_a_change_can_be_taken_in_again_and_all_of_it_undone(batch: Cockpit) -> None:
    async with batch.open() as deck:
        await deck.press("enter", "x", "full_stop", "full_stop", "x")
        assert "would drop every change" in deck.strip
        assert len(deck.drafts) == 1
        await deck.press("comma", "x")
        assert deck.drafts == {}
        await deck.press("z")
        assert len(deck.drafts) == 1
        await deck.press("z")
        assert deck.drafts == {}


async def test_it_goes_on_after_a_restart(batch: Cockpit) -> None:
    async with batch.open() as deck:
        await deck.press("enter", "x")
    async with batch.open() as deck:
        await deck.press("enter", "x")
        assert deck.drafts == {}


async def test_a_text_of_ones_own_is_not_overwritten(batch: Cockpit) -> None:
    batch.write = lambda text: text + "\n§\nMine."
    async with batch.open() as deck:
        await deck.press("e", "enter", "x")
        assert "own text is drafted already" in deck.strip


async def test_a_single_line_of_a_skill_is_left_out(cockpit: Cockpit) -> None:
    text = skill_text("release-notes")
    new = text + "Read the log.\nSend it to everyone.\nTag the release.\n"
    cockpit.agent.skill("edit", "release-notes", content=new)
    cockpit.take_in()
    async with cockpit.open(size=(100, 44)) as deck:
        await deck.press("enter", "X", "full_stop")
        assert any("+>Send it to everyone." in line for line in _lines(deck))
        await deck.press("x")
        await deck.until(lambda: bool(_struck(deck)))
        assert len(_struck(deck)) == 1 and "Send it to everyone." in _struck(deck)[0]
        (draft,) = deck.drafts.values()
        assert draft.text == text + "Read the log.\nTag the release.\n"
        await deck.press("comma", "x")
        assert "Dropped: 1 of 3 changed lines remain." in deck.strip
        await deck.press("X", "x")
        assert "would drop every change" in deck.strip
        await deck.press("escape")
        assert not any(">" in line[:8] for line in _lines(deck))


async def test_the_queue_does_not_take_it(batch: Cockpit) -> None:
    async with batch.open() as deck:
        await deck.press("x")
        assert deck.drafts == {}


def _lines(deck: Driver) -> list[str]:
    diff = deck.screen.diff
    return [diff.render_line(y).text for y in range(diff.size.height)]


def _struck(deck: Driver) -> list[str]:
    """The lines of the diff that are shown as left out."""
    diff = deck.screen.diff
    strips = [diff.render_line(y) for y in range(diff.size.height)]
    return [
        strip.text.strip()
        for strip in strips
        if any(style is not None and style.strike for _, style, _ in strip)
    ]


async def test_a_dropped_change_is_struck_through_and_has_a_sign_without_colours(
    batch: Cockpit,
) -> None:
    async with batch.open() as deck:
        await deck.press("enter", "x")
        await deck.until(lambda: bool(_struck(deck)))
        struck = _struck(deck)
        assert all(line.startswith("x") for line in struck)
        assert "sphinx" in str(struck) and "stg-4" not in str(struck)
        await deck.press("x")
        await deck.until(lambda: not _struck(deck))


async def test_what_was_dropped_is_struck_through_after_a_restart(batch: Cockpit) -> None:
    async with batch.open() as deck:
        await deck.press("enter", "x")
    async with batch.open() as deck:
        await deck.press("enter")
        await deck.until(lambda: "sphinx" in str(_struck(deck)))


@pytest.fixture
def two(cockpit: Cockpit) -> Cockpit:
    """One proposal that replaces two entries of each memory."""
    set_entries(cockpit.home, "Docs use mkdocs.", "The host is stg-2.")
    (cockpit.home / "memories" / "USER.md").write_text("Works CET.\n§\nLikes tea.", "utf-8")
    cockpit.take_in()
    memory, user = "memories/MEMORY.md", "memories/USER.md"
    edits = (
        MemoryReplace(memory, "mkdocs", "Docs use sphinx."),
        MemoryReplace(memory, "stg-2", "The host is stg-4."),
        MemoryReplace(user, "CET", "Works EST."),
        MemoryReplace(user, "tea", "Likes coffee."),
    )
    engine = cockpit.engine()
    home = engine.open_homes[0].home.id
    wanted = Proposal("two", home, Kind.MEMORY, "batch", "memory", edits, "sha", origin="chat")
    assert isinstance(propose(engine, wanted, b"{}"), Queued)
    engine.close()
    return cockpit


async def test_one_document_of_several_is_taken_apart_and_the_others_go_in_whole(
    two: Cockpit,
) -> None:
    async with two.open() as deck:
        await deck.press("enter", "full_stop", "full_stop", "full_stop", "x")
        await deck.until(lambda: bool(_struck(deck)))
        assert "coffee" in str(_struck(deck)) or "EST" in str(_struck(deck))
        (draft,) = deck.drafts.values()
        assert draft.document == "memories/USER.md"
        await deck.press("comma", "comma", "comma", "x")
        assert "Only one document can be split" in deck.strip
        await deck.press("escape", "ctrl+s")
        await deck.until(lambda: deck.app.screen is not deck.screen)
        await deck.press("y")
        await deck.until(lambda: "DONE" in deck.line("head"))
    assert entries(two.home) == ["Docs use sphinx.", "The host is stg-4."]
    user = (two.home / "memories" / "USER.md").read_text("utf-8")
    assert ("EST" in user) != ("coffee" in user)


async def test_what_is_lost_and_left_describes_what_the_draft_would_write(cockpit: Cockpit) -> None:
    docs = "Docs use mkdocs. Ask Ana for access through the bastion."
    host = "The host is stg-2. It is read-only at night."
    set_entries(cockpit.home, docs, host)
    operations = [
        {"action": "replace", "old_text": "mkdocs", "content": "Docs use sphinx."},
        {"action": "replace", "old_text": "stg-2", "content": "The host is stg-4."},
    ]
    cockpit.agent.memory("batch", extra={"operations": operations})
    cockpit.take_in()
    async with cockpit.open() as deck:
        await deck.press("enter")
        assert 'LOST: "Ask Ana' in deck.shown() and 'LOST: "It is read-only' in deck.shown()
        await deck.press("x")
        await deck.until(lambda: "as drafted" in deck.shown())
        assert 'LOST as drafted: "It is read-only at night."' in deck.shown()
        assert "LOST as drafted: " + '"Ask Ana' not in deck.shown()
        written = [docs, "Docs use sphinx.", "The host is stg-4."]
        assert f"as drafted, after: {size(written)}/2200" in deck.shown()
        await deck.press("x")
        await deck.until(lambda: "as drafted" not in deck.shown())
        assert 'LOST: "Ask Ana' in deck.shown()
        await deck.press("x", "z")
        await deck.until(lambda: "as drafted" not in deck.shown())


def test_a_draft_of_a_part_ends_with_what_it_loses() -> None:
    parts = parts_of("a b\n§\nc d. Ask Ana first.", "a\n§\nd.", is_memory=True, limit=40)
    said = [(one.text, one.aside) for one in parts.ending({0}) or ()]
    assert said == [('LOST as drafted: "Ask Ana first."', "as drafted, after: 8/40")]
    assert parts.ending(()) is None, "all of it is taken"
    rules = parts_of("- Ask Ana first.\n- Never push.\n", "- Be quick.\n", is_memory=False)
    assert [one.text for one in rules.ending({0}) or ()] == ['LOST as drafted: "Never push."']
    assert rules.ending(range(rules.amount)) == []
