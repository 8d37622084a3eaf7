"""The one table of actions, and everything that is made from it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from tests.tui.kit_deck import Cockpit
from textual.binding import BindingsMap
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from reviewdeck.model import State
from reviewdeck.presentation.words import GLYPHS
from reviewdeck_tui import screens
from reviewdeck_tui.controllers.decisions import Decisions
from reviewdeck_tui.keys import (
    ACTIONS,
    CHANGES,
    MERGE_ACTIONS,
    MERGE_ONLY,
    ON_MERGE,
    TABLES,
    Group,
    as_markdown,
    keys_of,
    problems_of,
    with_keymap,
)
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.screens.base import EngineScreen
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.screens.help import help_lines
from reviewdeck_tui.screens.merge import MergeScreen

DOCS = Path(__file__).parents[2] / "docs" / "internals" / "deck.md"


def test_no_key_is_given_twice() -> None:
    assert problems_of({}) == []


def test_every_action_can_be_done() -> None:
    for action in ACTIONS:
        if action.decides:
            assert callable(getattr(Decisions, action.name))
        else:
            assert hasattr(DeckScreen, f"action_{action.call.partition('(')[0]}")


def test_every_action_of_the_merge_screen_can_be_done() -> None:
    for action in MERGE_ACTIONS:
        call = action.call.partition("(")[0]
        method = f"decide_{action.name}" if action.decides else f"action_{call}"
        assert callable(getattr(MergeScreen, method))


def test_the_merge_screen_has_nothing_that_is_no_action() -> None:
    assert set(ON_MERGE) <= {action.name for action in ACTIONS}


def test_the_help_names_every_action() -> None:
    said = "\n".join(str(line) for line in help_lines({}, 100))
    for action in ACTIONS:
        assert action.words in said
        assert keys_of(action, {})[0] in said


def test_the_help_of_the_merge_screen_names_every_action_of_it() -> None:
    said = "\n".join(str(line) for line in help_lines({}, 100, MERGE_ACTIONS))
    for action in (*MERGE_ONLY, *MERGE_ACTIONS):
        assert action.words in said


def test_the_documentation_has_the_table_as_it_is() -> None:
    assert as_markdown() in DOCS.read_text("utf-8")


async def test_the_palette_offers_every_action(cockpit: Cockpit) -> None:
    async with cockpit.open() as deck:
        offered = {one.title: one.help for one in deck.app.get_system_commands(deck.app.screen)}
        shown = {action.words: " ".join(keys_of(action, {})) for action in ACTIONS}
        assert shown.items() <= offered.items()


async def test_a_key_of_ones_own_takes_the_place_of_the_usual_one(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    async with cockpit.open(preferences=Preferences(keys={"defer": "Q"})) as deck:
        await deck.press("d")
        assert not deck.drafts
        await deck.press("Q")
        assert len(deck.drafts) == 1


def _screens() -> list[type[Screen[Any]]]:
    """Every screen that can come to the front, found by looking."""
    for module in iter_modules(screens.__path__, f"{screens.__name__}."):
        import_module(module.name)
    found: list[type[Screen[Any]]] = []
    left: list[type[Screen[Any]]] = [Screen]
    while left:
        one = left.pop()
        below = one.__subclasses__()
        left += below
        if not below and one.__module__.startswith(screens.__name__):
            found.append(one)
    return sorted(set(found), key=lambda one: one.__name__)


FULL = [one for one in _screens() if not issubclass(one, ModalScreen)]
OWN = [one for one in FULL if one not in (DeckScreen, MergeScreen)]


def test_every_screen_is_found() -> None:
    names = {one.__name__ for one in FULL}
    assert {"DeckScreen", "MergeScreen", "SummaryScreen", "InsightsScreen"} <= names
    assert len(OWN) == len(TABLES)


@pytest.mark.parametrize("screen", FULL, ids=lambda one: one.__name__)
def test_every_screen_has_its_help_under_the_question_mark(screen: type[Screen[Any]]) -> None:
    keys = {key: one.action for key, one in BindingsMap(screen.BINDINGS)}
    assert keys["question_mark"] == "help"
    assert callable(getattr(screen, "action_help"))  # noqa: B009 - not every screen has it


@pytest.mark.parametrize("screen", OWN, ids=lambda one: one.__name__)
def test_the_help_of_a_screen_names_every_key_of_it(screen: type[EngineScreen[Any]]) -> None:
    said = "\n".join(str(line) for line in help_lines({}, 100, screen.KEYS))
    assert screen.KEYS in TABLES.values()
    named = {key for action in screen.KEYS for key in action.keys.split(",")}
    assert {key for key, _ in BindingsMap(screen.BINDINGS)} == named
    for action in screen.KEYS:
        assert callable(getattr(screen, f"action_{action.call.partition('(')[0]}"))
        assert action.words in said
        assert keys_of(action, {})[0] in said


@pytest.mark.parametrize("name", TABLES)
def test_what_drafts_or_marks_on_a_screen_is_documented(name: str) -> None:
    page = DOCS.read_text("utf-8")
    for action in TABLES[name]:
        if action.group in (Group.DECIDE, Group.CHOOSE):
            assert f"`{keys_of(action, {})[0]}`" in page, action.name


def test_a_name_means_the_same_keys_on_every_screen() -> None:
    usual: dict[str, str] = {one.name: one.keys for one in (*ACTIONS, *MERGE_ONLY)}
    for table in TABLES.values():
        for action in table:
            assert usual.setdefault(action.name, action.keys) == action.keys


def test_a_key_that_is_taken_on_any_screen_is_refused() -> None:
    assert problems_of({"unsee": "r"}) == [("unsee", "r is both unsee and reject")]
    assert problems_of({"defer": "y"})
    assert problems_of({"next_point": "h"})


async def test_a_key_of_ones_own_holds_on_every_screen(cockpit: Cockpit) -> None:
    own = {"back": "f7", "help": "f1", "reject": "f3", "next_point": "f9"}
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    async with cockpit.open(preferences=Preferences(keys=own)) as deck:
        for opened, title in (("2", "ChangesScreen"), ("B", "DocumentsScreen"), ("I", "Insights")):
            await deck.press(opened)
            screen = deck.app.screen
            assert type(screen).__name__.startswith(title)
            await deck.press("escape", "question_mark")
            assert deck.app.screen is screen
            await deck.press("f1")
            said = "\n".join(str(one.render()) for one in deck.app.screen.query(Static))
            assert "f7" in said
            assert "esc " not in said
            await deck.press("escape")
            assert deck.app.screen is screen
            assert "f7 back" in str(screen.query_one("#keys", Static).render())
            await deck.press("f7")
            assert isinstance(deck.app.screen, DeckScreen)


def test_a_key_bar_names_the_keys_as_they_are_mapped() -> None:
    bar = (("J K", "document"), ("./,", "change"), ("^s", "apply"), ("s", "period"))
    keymap = {"next_proposal": "n", "previous_hunk": "f2", "summary": "ctrl+w"}
    assert with_keymap(bar, CHANGES, keymap) == (
        *(("n K", "document"), ("./f2", "change"), ("^w", "apply"), ("s", "period")),
    )
    assert with_keymap(bar, CHANGES, {}) == bar


def test_the_help_tells_tab_from_shift_tab() -> None:
    keys = {action.name: keys_of(action, {}) for action in TABLES["insights"]}
    assert keys["evidence"] == ("tab",)
    assert keys["turn_back"] == ("shift+tab",)


async def test_a_key_without_anything_to_act_on_says_so(cockpit: Cockpit) -> None:
    async with cockpit.open() as deck:
        standing = deck.strip
        keys = "arfdtycnNJKmbxXuvVFtEpiLPzZ0"
        for key in (*keys, "space", "enter", "[", "]", "{", "}", "+", "o", "D", "R", "ctrl+s"):
            await deck.press(key)
            assert deck.strip.strip(), key
            assert deck.strip != standing, key
            assert len(deck.app.screen_stack) == 1, key
            deck.screen.clear_message()


async def test_a_filter_that_is_not_understood_is_explained_in_full(cockpit: Cockpit) -> None:
    async with cockpit.open(size=(80, 24)) as deck:
        await deck.press("slash", *"state:x")
        assert "not understood: state:x" in deck.line("title")
        shown = " ".join(deck.shown().split())
        assert "state: takes ready, conflict" in shown and "elsewhere, kept." in shown


def test_the_help_explains_every_sign_of_a_proposal_at_rest() -> None:
    shown = "\n".join(str(line) for line in help_lines({}, 100))
    signs = shown[shown.index("Signs: ") : shown.index("To check: ")]
    passing = {State.APPROVED, State.APPLYING}
    assert {f" {GLYPHS[state]} " for state in State if state not in passing} <= {
        f" {sign.split()[0]} " for sign in signs.removeprefix("Signs:").split(",")
    }
