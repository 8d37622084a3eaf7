"""The key that shows the documents of a proposal as the model is given them."""

from __future__ import annotations

from tests.engine.kit import set_entries, skill_text
from tests.tui.kit_deck import Cockpit, Driver

from reviewdeck_tui.screens.reading import ReadingScreen


async def reading(deck: Driver) -> str:
    """Presses the key; everything that the screen shows."""
    await deck.press("p")
    await deck.until(lambda: isinstance(deck.app.screen, ReadingScreen))
    await deck.until(lambda: "As the model would get it with this change" in deck.shown())
    return deck.shown()


async def test_p_shows_a_skill_as_the_agents_of_its_home_and_the_others_read_it(
    cockpit: Cockpit,
) -> None:
    # Codex wants a description in the front matter; Hermes takes any text of more than 60 cut.
    text = skill_text("on", f"Says {'what is there and ' * 4}more.")
    cockpit.agent.skill("create", "on", content=text)
    async with cockpit.open(size=(120, 40)) as deck:
        shown = await reading(deck)
    assert "Hermes Agent 0.19.0 lists `True`: Says what is there and what is there and" in shown
    assert (
        "Claude Code, Codex, Gemini CLI, opencode, OpenClaw, letta-code: each lists `on`" in shown
    )
    assert "body: " in shown
    assert "what is loaded" in shown
    assert "1. Look at the repository." in shown


async def test_p_shows_the_entries_of_a_memory_each_once(cockpit: Cockpit) -> None:
    set_entries(cockpit.home, "The API is written in Go.", "The API is written in Go.")
    cockpit.agent.add("The harbour office closes at six.")
    async with cockpit.open(size=(120, 40)) as deck:
        shown = await reading(deck)
        assert "Hermes Agent 0.19.0 loads" in shown
        assert "1 of its entries repeat others, and count once" in shown
        assert shown.count("The API is written in Go.") == 1
        assert shown.count("| The harbour office closes at six.") == 1
        await deck.press("p", "escape")
        assert deck.app.screen is deck.screen


async def test_p_on_another_file_of_a_skill_shows_what_leads_there(cockpit: Cockpit) -> None:
    cockpit.agent.skill(
        "write_file",
        "release-notes",
        file_path="references/fonts.md",
        file_content="We use plain fonts.\n",
    )
    async with cockpit.open(size=(120, 40)) as deck:
        shown = await reading(deck)
    assert "references/fonts.md is read when the agent asks for it" in " ".join(shown.split())
    assert "lists `release-notes`" in shown


async def test_what_is_hostile_is_inert_and_secrets_are_covered(cockpit: Cockpit) -> None:
    secret = "ghp_" + "Tr4wl3r5" * 4 + "Q9xz"
    text = skill_text("tidy", "Tidies [red]up[/]") + f"\n\x1b]52;c;aGk=\x07 token {secret}\n"
    cockpit.agent.skill("create", "tidy", content=text)
    async with cockpit.open(size=(120, 50)) as deck:
        shown = await reading(deck)
    assert "\x1b" not in shown
    assert "Tidies [red]up[/]" in shown
    assert secret not in shown
