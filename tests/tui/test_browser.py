"""The deck in a browser: who gets in over a real port, and that looking changes nothing."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import aiohttp
import pytest
from tests.cli.program import fingerprint
from tests.tui import chromium
from tests.tui.kit_deck import Cockpit, running

from reviewdeck.environment import Selection
from reviewdeck_tui.app import open_app
from reviewdeck_tui.browser.arguments import parse, spell
from reviewdeck_tui.browser.read_only import ReadOnlyApp
from reviewdeck_tui.browser.server import DeckServer, start_listening
from reviewdeck_tui.preferences import Preferences

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
KEPT = ("draft", "decision", "operation", "batch")


@asynccontextmanager
async def served(cockpit: Cockpit) -> AsyncIterator[DeckServer]:
    """The server over a small home, on any port."""
    options = Selection(home=(cockpit.home,), ledger=str(cockpit.ledger))
    found, runner = await start_listening(list(spell(options)), 0)
    try:
        yield found
    finally:
        found.set_unlocked(False)
        await runner.cleanup()


@asynccontextmanager
async def browser() -> AsyncIterator[aiohttp.ClientSession]:
    """Somebody who keeps cookies."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session


async def status(session: aiohttp.ClientSession, url: str, **headers: str) -> int:
    """What a request comes to."""
    async with session.get(url, headers=headers) as answer:
        return answer.status


def decided(ledger: Path) -> list[object]:
    """All rows of the ledger that an operator's doing leaves."""
    with closing(sqlite3.connect(ledger)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
        assert set(KEPT) <= set(names)
        return [connection.execute(f"SELECT * FROM {one}").fetchall() for one in KEPT]  # noqa: S608 - our own names


async def test_the_link_is_changed_for_a_cookie_that_no_script_and_no_page_can_use(
    cockpit: Cockpit,
) -> None:
    async with served(cockpit) as server, browser() as session:
        link = server.gate.new_link()
        async with session.get(link, allow_redirects=False) as answer:
            cookie = answer.headers["Set-Cookie"]
            assert answer.status == 303 and answer.headers["Location"] == "/"
            assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
        async with session.get(f"{server.gate.origin}/") as answer:
            assert answer.status == 200
            assert "//" not in (await answer.text()).replace("ws://127.0.0.1", "")
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert await status(session, link) == 403


@pytest.mark.parametrize(
    "path", ["/", "/ws", "/page.css", "/page.js", "/static/js/textual.js", "/download/x"]
)
async def test_nothing_is_served_without_the_cookie_or_to_another_page(
    cockpit: Cockpit, path: str
) -> None:
    async with served(cockpit) as server, browser() as session:
        url = f"{server.gate.origin}{path}"
        assert await status(session, url) == 403
        assert await status(session, f"{url}?token=wrong") == 403
        assert await status(session, server.gate.new_link()) == 200
        assert await status(session, url, Host="evil.example") == 403
        assert await status(session, url, Origin="http://evil.example") == 403


async def test_a_socket_of_another_page_is_refused_though_the_browser_has_the_cookie(
    cockpit: Cockpit,
) -> None:
    async with served(cockpit) as server, browser() as session:
        assert await status(session, server.gate.new_link()) == 200
        for origin in ("http://evil.example", "null"):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{server.gate.origin}/ws", origin=origin)
            assert refused.value.status == 403


@pytest.mark.slow  # A process of its own behind the page.
async def test_a_page_sees_the_queue_and_cannot_decide_until_it_is_unlocked(
    cockpit: Cockpit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.take_in()
    before, stored = fingerprint(cockpit.home), decided(cockpit.ledger)
    async with served(cockpit) as server, browser() as session:
        assert await status(session, server.gate.new_link()) == 200
        assert b"Read-only: type unlock" in await typed(session, server, "a")
        assert decided(cockpit.ledger) == stored
        server.set_unlocked(True)
        assert b"1 approval drafted" in await typed(session, server, "a")
    assert decided(cockpit.ledger) != stored
    assert fingerprint(cockpit.home) == before


async def typed(session: aiohttp.ClientSession, server: DeckServer, key: str) -> bytes:
    """What a page gets to see when a key is typed once the diff is there and nothing moves.

    It is typed again where nothing comes of it: the deck may still have been starting.
    """
    came = b""
    url = f"{server.gate.origin}/ws?width=100&height=30"
    async with session.ws_connect(url, origin=server.gate.origin) as socket, asyncio.timeout(120):
        while not (b"unlock" in came or b"drafted" in came):
            try:
                message = await socket.receive(timeout=1)
            except TimeoutError:
                if b"sphinx" in came and b"after:" in came:
                    await socket.send_json(["stdin", key])
            else:
                came += message.data if isinstance(message.data, bytes) else b""
    return came


@pytest.mark.slow  # The whole deck, and every key of it.
async def test_no_key_of_the_read_only_deck_leaves_a_trace(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.agent.memory("remove", old_text="Tests run")
    cockpit.take_in()
    before, stored = fingerprint(cockpit.home), decided(cockpit.ledger)
    app = open_app(
        cockpit.settings, Preferences(), now=cockpit.clock, tick=cockpit.ticks, kind=ReadOnlyApp
    )
    async with running(app, (100, 40)) as driver:
        await driver.settle()
        assert "read-only" in driver.line("head")
        for key in ("a", "r", "d", "e", "m", "D", "A", "R", "u", "z", "c", "ctrl+s", "S", "b"):
            await driver.press(key)
            assert "Read-only: type unlock" in driver.strip, key
            assert len(app.screen_stack) == 1, key
        for screen in ("2", "B", "I"):
            await driver.press(screen)
            offered = f" {driver.line('keys')} "
            assert not any(f" {key} " in offered for key in ("r", "e", "d", "A", "^s")), offered
            await driver.press("r", "space", "A", "U", "e", "M", "z", "u", "ctrl+s", "y")
            await driver.press("escape", "escape", "1")
    assert fingerprint(cockpit.home) == before
    assert decided(cockpit.ledger) == stored


async def test_a_read_only_deck_says_what_decides_before_any_key(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    app = open_app(
        cockpit.settings, Preferences(), now=cockpit.clock, tick=cockpit.ticks, kind=ReadOnlyApp
    )
    assert isinstance(app, ReadOnlyApp)
    app.off = "Read-only: `reviewdeck` decides."
    async with running(app, (80, 24)) as driver:
        await driver.settle()
        assert "read-only" in driver.line("head")
        assert "`reviewdeck` decides" in driver.strip
        offered = [key.strip() for key in driver.line("keys").split("  ") if key.strip()]
        assert offered == ["enter read", "space mark", "/ filter", "tab why", "q quit", "? help"]
        await driver.press("j", "a")
        assert "`reviewdeck` decides" in driver.strip and not driver.drafts


async def test_the_engine_refuses_what_a_key_should_not_have_let_through(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.take_in()
    from reviewdeck.errors import NotPermitted

    app = open_app(cockpit.settings, Preferences(), now=cockpit.clock, kind=ReadOnlyApp)
    id = cockpit.ours(next(iter((cockpit.home / "pending/memory").glob("*.json"))).stem)
    with closing(app.open_engine()) as engine:
        for call in (
            lambda: engine.run(lambda engine: engine.approve(id, engine.get(id).digest or "")),
            lambda: engine.run(lambda engine: engine.reject(id, "no")),
            lambda: engine.run(lambda engine: engine.mark_seen()),
        ):
            with pytest.raises(NotPermitted):
                call()


def test_the_options_reach_the_process_behind_the_page_unchanged() -> None:
    options = Selection(
        home=(Path("/a b/'c"), Path("/-d")),
        profile=("-p",),
        all_profiles=True,
        ledger="l;x",
        policy=Path("/p"),
    )
    assert parse(list(spell(options))) == (options, False)
    assert parse(["--unlocked", *spell(Selection())]) == (Selection(), True)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
async def test_the_page_paints_the_queue(
    cockpit: Cockpit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.take_in()
    assert CHROMIUM is not None
    async with served(cockpit) as server, chromium.opened(CHROMIUM, tmp_path / "chromium") as page:
        link = server.gate.new_link()
        empty = await page.picture()
        await page.call("Page.navigate", url=link)
        await page.until_came(b"reviewdeck", b"Decide", b"sphinx")
        await page.until("document.body.classList.contains('-first-byte')")
        assert await page.evaluate("location.search + document.cookie") == ""
        # The keys go to the terminal without a click.
        await page.until("document.activeElement.classList.contains('xterm-helper-textarea')")
        async with asyncio.timeout(chromium.PATIENCE):
            while len(await page.picture()) <= 4 * len(empty):
                pass
        await page.press("a")
        await page.until_came(b"Read-only: type unlock")
