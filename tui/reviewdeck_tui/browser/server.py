"""`reviewdeck serve`: textual-serve on the loopback, behind a gate, one session at a time."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aiohttp import web
from textual_serve.server import Server, to_int

from reviewdeck_tui.browser.gate import HOST, Gate, Pass
from reviewdeck_tui.browser.process import DeckProcess

HERE: Final = Path(__file__).parent
PATIENCE: Final = 5.0
"""Seconds that a new page waits for the session before it to end: a reload is both at once."""
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
HELP: Final = "unlock: let this page decide   lock: read-only again   link: a new link   ^C: stop"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(eq=False)
class Served(Server):
    """One deck for one browser. `unlocked` is what the operator said in this terminal."""

    gate: Gate
    arguments: Sequence[str]
    """Of the command line of the deck: which homes, which ledger."""
    unlocked: bool = False
    _seat: asyncio.Lock = field(default_factory=asyncio.Lock)
    _socket: asyncio.Task[object] | None = None
    _endings: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__("reviewdeck", HOST, self.gate.port, public_url=self.gate.origin)

    @property
    def words(self) -> list[str]:
        """The command line of the process behind the page, in the mode of now."""
        mode = ("--unlocked",) if self.unlocked else ()
        # -P: what lies in the current folder is nothing of ours, whatever it is called.
        return [sys.executable, "-P", "-m", "reviewdeck_tui.browser", *mode, *self.arguments]

    async def application(self) -> web.Application:
        """The server of the page, with the gate before everything."""
        app = await self._make_app()
        app.router.add_get("/page.css", self._style)
        app.middlewares.append(self._gated)
        app.on_cleanup.append(self._ended)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Says nothing: the link is told by whoever started it."""

    async def handle_index(self, request: web.Request) -> web.Response:
        """The page."""
        url = f"ws://{HOST}:{self.gate.port}/ws"
        text = (HERE / "page.html").read_text("utf-8")
        text = text.replace("{{ app_websocket_url }}", url).replace("{{ font_size }}", "16")
        return web.Response(text=text, content_type="text/html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """The session: nobody else's at the same time."""
        try:
            await asyncio.wait_for(self._seat.acquire(), PATIENCE)
        except TimeoutError:
            raise web.HTTPConflict(text="The deck is open in another page.") from None
        self._socket = asyncio.current_task()
        socket = web.WebSocketResponse(heartbeat=15)
        behind = DeckProcess(self.words, socket, self.download_manager)
        try:
            await self._session(request, socket, behind)
        finally:
            self._socket = None
            # Also when this very task is given up: the process is never left to itself.
            ending = asyncio.create_task(self._end(behind))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)
            await asyncio.shield(ending)
        await socket.close()
        return socket

    async def _session(
        self, request: web.Request, socket: web.WebSocketResponse, behind: DeckProcess
    ) -> None:
        await socket.prepare(request)
        width, height = (to_int(request.query.get(one, ""), 80) for one in ("width", "height"))
        try:
            await behind.start(width, height)
            await self._process_messages(socket, behind)
        except asyncio.CancelledError:
            pass  # Another mode, or the end of the server: the page is told when it is closed.
        except (AssertionError, LookupError, TypeError, ValueError, AttributeError):
            pass  # What came was no message of our page.

    async def _end(self, behind: DeckProcess) -> None:
        try:
            await behind.stop()
        finally:
            self._seat.release()

    async def _ended(self, app: web.Application) -> None:
        await asyncio.gather(*self._endings, return_exceptions=True)

    def set_unlocked(self, unlocked: bool) -> None:
        """Another mode. The session that is open ends: it is another program afterwards."""
        self.unlocked = unlocked
        if self._socket is not None:
            self._socket.cancel()

    async def _style(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(HERE / "page.css")

    @web.middleware
    async def _gated(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        is_socket = request.path == "/ws"
        token = request.query.get("token") if request.path == "/" else None
        match self.gate.judge(request.headers, request.cookies, token, is_socket=is_socket):
            case Pass.OUT:
                return web.Response(status=403, text="This is not yours.\n", headers=HEADERS)
            case Pass.NEW:
                return self._welcome()
            case Pass.IN:
                pass
        response = await handler(request)
        if not response.prepared:
            response.headers.update(HEADERS)
            response.headers["Content-Security-Policy"] = self._policy()
        return response

    def _welcome(self) -> web.Response:
        response = web.Response(status=303, headers={**HEADERS, "Location": "/"})
        response.set_cookie(
            self.gate.cookie_name,
            self.gate.open_session(),
            httponly=True,
            samesite="Strict",
            path="/",
        )
        return response

    def _policy(self) -> str:
        sources = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
        socket = f"connect-src 'self' ws://{HOST}:{self.gate.port}"
        return f"{sources}; {socket}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


def serve(arguments: Sequence[str], port: int, say: Callable[[str], None]) -> int:
    """Serves until ^C; the exit code. Raises OSError when the port is taken."""
    logging.getLogger("textual-serve").addHandler(logging.NullHandler())
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(arguments, port, say))
    return 0


async def listening(arguments: Sequence[str], port: int) -> tuple[Served, web.AppRunner]:
    """A server that listens, on any free port where none is named."""
    served = Served(Gate(port), arguments)
    runner = web.AppRunner(await served.application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, HOST, port)
    await site.start()
    served.gate.port = runner.addresses[0][1]
    return served, runner


async def _serve(arguments: Sequence[str], port: int, say: Callable[[str], None]) -> None:
    served, runner = await listening(arguments, port)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stopped.set)
    say("The deck is read-only in the browser. This link works once, on this machine:")
    say(f"  {served.gate.new_link()}")
    say(HELP)
    loop.add_reader(sys.stdin.fileno(), _told, served, stopped, say)
    try:
        await stopped.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
        served.set_unlocked(False)
        await runner.cleanup()


def _told(served: Served, stopped: asyncio.Event, say: Callable[[str], None]) -> None:
    """One line that the operator typed."""
    line = sys.stdin.readline()
    match line.strip().lower():
        case "unlock":
            served.set_unlocked(True)
            say("Unlocked: open the page again, and it decides. lock: read-only again.")
        case "lock":
            served.set_unlocked(False)
            say("Read-only again: open the page again.")
        case "link":
            say(f"  {served.gate.new_link()}")
        case "" if not line:
            stopped.set()
        case _:
            say(HELP)
