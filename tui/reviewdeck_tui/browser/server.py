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

FOLDER: Final = Path(__file__).parent
PATIENCE: Final = 5.0
"""Seconds that a new page waits for the previous session to end, as after a reload."""
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
class DeckServer(Server):
    """The server of a deck for one browser. The operator sets `unlocked` in this terminal."""

    gate: Gate
    arguments: Sequence[str]
    """The arguments of the deck: homes, ledger, policy."""
    unlocked: bool = False
    _session_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _socket: asyncio.Task[object] | None = None
    _endings: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__("reviewdeck", HOST, self.gate.port, public_url=self.gate.origin)

    @property
    def words(self) -> list[str]:
        """The command line of the process behind the page, in the current mode."""
        mode = ("--unlocked",) if self.unlocked else ()
        # -P: a module in the current folder is not ours, whatever its name.
        return [sys.executable, "-P", "-m", "reviewdeck_tui.browser", *mode, *self.arguments]

    async def application(self) -> web.Application:
        """The application, with the gate before every handler."""
        app = await self._make_app()
        for name in ("page.css", "page.js"):
            app.router.add_get(f"/{name}", self._send_own)
        app.middlewares.append(self._check_gate)
        app.on_cleanup.append(self._await_endings)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Prints nothing: the caller prints the link."""

    async def handle_index(self, request: web.Request) -> web.Response:
        url = f"ws://{HOST}:{self.gate.port}/ws"
        text = (FOLDER / "page.html").read_text("utf-8")
        text = text.replace("{{ app_websocket_url }}", url).replace("{{ font_size }}", "16")
        return web.Response(text=text, content_type="text/html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """The session; there is one at a time."""
        try:
            await asyncio.wait_for(self._session_lock.acquire(), PATIENCE)
        except TimeoutError:
            raise web.HTTPConflict(text="The deck is open in another page.") from None
        self._socket = asyncio.current_task()
        socket = web.WebSocketResponse(heartbeat=15)
        process = DeckProcess(self.words, socket, self.download_manager)
        try:
            await self._session(request, socket, process)
        finally:
            self._socket = None
            # Also when this task is cancelled: the process never outlives its session.
            ending = asyncio.create_task(self._end(process))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)
            await asyncio.shield(ending)
        await socket.close()
        return socket

    async def _session(
        self, request: web.Request, socket: web.WebSocketResponse, process: DeckProcess
    ) -> None:
        await socket.prepare(request)
        width, height = (to_int(request.query.get(name, ""), 80) for name in ("width", "height"))
        try:
            await process.start(width, height)
            await self._process_messages(socket, process)
        except asyncio.CancelledError:
            pass  # Another mode, or the end of the server: the page sees the socket close.
        except (AssertionError, LookupError, TypeError, ValueError, AttributeError):
            pass  # The message was not from our page.

    async def _end(self, process: DeckProcess) -> None:
        try:
            await process.stop()
        finally:
            self._session_lock.release()

    async def _await_endings(self, app: web.Application) -> None:
        await asyncio.gather(*self._endings, return_exceptions=True)

    def set_unlocked(self, unlocked: bool) -> None:
        """Sets the mode. It ends the open session, whose process runs in the old mode."""
        self.unlocked = unlocked
        if self._socket is not None:
            self._socket.cancel()

    async def _send_own(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(FOLDER / request.path.removeprefix("/"))

    @web.middleware
    async def _check_gate(self, request: web.Request, handler: Handler) -> web.StreamResponse:
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
    """Serves until ^C and returns the exit code. Raises OSError if the port is taken."""
    logging.getLogger("textual-serve").addHandler(logging.NullHandler())
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(arguments, port, say))
    return 0


async def start_listening(arguments: Sequence[str], port: int) -> tuple[DeckServer, web.AppRunner]:
    """A listening server, on any free port if `port` is 0."""
    served = DeckServer(Gate(port), arguments)
    runner = web.AppRunner(await served.application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, HOST, port)
    await site.start()
    served.gate.port = runner.addresses[0][1]
    return served, runner


async def _serve(arguments: Sequence[str], port: int, say: Callable[[str], None]) -> None:
    served, runner = await start_listening(arguments, port)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stopped.set)
    say("The deck is read-only in the browser. This link works once, on this machine:")
    say(f"  {served.gate.new_link()}")
    say(HELP)
    loop.add_reader(sys.stdin.fileno(), _run_command, served, stopped, say)
    try:
        await stopped.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
        served.set_unlocked(False)
        await runner.cleanup()


def _run_command(served: DeckServer, stopped: asyncio.Event, say: Callable[[str], None]) -> None:
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
