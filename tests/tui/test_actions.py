"""The one table of actions, and everything that is made from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.tui.kit_deck import Cockpit

from reviewdeck_tui.actions import (
    ACTIONS,
    MERGE_ACTIONS,
    MERGE_ONLY,
    ON_MERGE,
    Group,
    as_markdown,
    keys_of,
    problems_of,
)
from reviewdeck_tui.preferences import Preferences, load_preferences
from reviewdeck_tui.screens.beside import Beside, actions_of
from reviewdeck_tui.screens.comparing import CompareScreen
from reviewdeck_tui.screens.consolidating import ConsolidateScreen
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.screens.documents import DocumentsScreen
from reviewdeck_tui.screens.help import help_lines
from reviewdeck_tui.screens.learnt import LearntScreen
from reviewdeck_tui.screens.merge import MergeScreen

DOCS = Path(__file__).parents[2] / "docs" / "deck.md"


def test_no_key_is_given_twice() -> None:
    assert problems_of({}) == []


def test_every_action_can_be_done() -> None:
    for action in ACTIONS:
        prefix = "decide" if action.decides else "action"
        assert callable(getattr(DeckScreen, f"{prefix}_{action.name}"))


def test_every_action_of_the_merge_screen_can_be_done() -> None:
    for action in MERGE_ACTIONS:
        prefix = "decide" if action.decides else "action"
        assert callable(getattr(MergeScreen, f"{prefix}_{action.name}"))


def test_the_merge_screen_has_nothing_that_is_no_action() -> None:
    assert set(ON_MERGE) <= {action.name for action in ACTIONS}


def test_the_help_names_every_action() -> None:
    said = "\n".join(str(line) for line in help_lines({}, in_two=True))
    for action in ACTIONS:
        assert action.words in said
        assert keys_of(action, {})[0] in said


def test_the_help_of_the_merge_screen_names_every_action_of_it() -> None:
    said = "\n".join(str(line) for line in help_lines({}, in_two=True, actions=MERGE_ACTIONS))
    for action in (*MERGE_ONLY, *MERGE_ACTIONS):
        assert action.words in said


def test_the_documentation_has_the_table_as_it_is() -> None:
    assert as_markdown() in DOCS.read_text("utf-8")


async def test_the_palette_offers_every_action(cockpit: Cockpit) -> None:
    async with cockpit.open() as deck:
        offered = {one.help for one in deck.app.get_system_commands(deck.app.screen)}
        assert {action.name for action in ACTIONS} <= offered


async def test_a_key_of_ones_own_takes_the_place_of_the_usual_one(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    async with cockpit.open(preferences=Preferences(keys={"defer": "p"})) as deck:
        await deck.press("d")
        assert not deck.drafts
        await deck.press("p")
        assert len(deck.drafts) == 1


def test_a_file_of_settings_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deck.toml"
    path.write_text('theme = "deck-light"\nlayout = "split"\n[keys]\ndefer = "p"\n', "utf-8")
    found = load_preferences(path)
    assert (found.theme, found.layout, found.keys) == ("deck-light", "split", {"defer": "p"})
    assert not found.problems


def test_what_is_wrong_with_the_settings_is_told_and_not_used(tmp_path: Path) -> None:
    path = tmp_path / "deck.toml"
    path.write_text('layout = "sideways"\n[keys]\napprove = "j"\nfly = "f"\n', "utf-8")
    found = load_preferences(path)
    assert found.layout == "auto"
    assert not found.keys
    assert len(found.problems) == 3
    path.write_text("[keys", "utf-8")
    assert load_preferences(path).problems


BESIDE = (LearntScreen, DocumentsScreen, CompareScreen, ConsolidateScreen)


@pytest.mark.parametrize("screen", BESIDE, ids=lambda one: one.__name__)
def test_the_help_of_a_screen_beside_the_queue_names_its_keys(screen: type[Beside[Any]]) -> None:
    actions = actions_of(screen)
    said = "\n".join(str(line) for line in help_lines({}, in_two=True, actions=actions))
    for action in actions:
        assert callable(getattr(screen, f"action_{action.name.partition('(')[0]}"))
        assert action.words in said
        assert keys_of(action, {})[0] in said


@pytest.mark.parametrize("screen", BESIDE, ids=lambda one: one.__name__)
def test_what_drafts_or_marks_beside_the_queue_is_documented(screen: type[Beside[Any]]) -> None:
    page = DOCS.read_text("utf-8")
    for action in actions_of(screen):
        if action.group in (Group.DECIDE, Group.CHOOSE):
            assert f"`{keys_of(action, {})[0]}`" in page, action.name
