"""A headless Chromium that opens one page: what reached it, and how it looks."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

PATIENCE = 120.0


class Page:
    """One page, driven over the DevTools protocol."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._last = 0
        self.came = b""
        """All bytes that came over the page's own sockets."""

    async def call(self, method: str, **parameters: Any) -> Any:
        """Asks for something, and takes in what happens meanwhile."""
        self._last += 1
        mine = self._last
        await self._socket.send_json({"id": mine, "method": method, "params": parameters})
        while True:
            said = json.loads((await self._socket.receive()).data)
            if said.get("method") == "Network.webSocketFrameReceived":
                frame = said["params"]["response"]
                self.came += base64.b64decode(frame["payloadData"]) if frame["opcode"] == 2 else b""
            if said.get("id") == mine:
                return said["result"]

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression on the page."""
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")

    async def until(self, expression: str) -> None:
        """Waits until an expression is true on the page: its scripts run after what came."""
        async with asyncio.timeout(PATIENCE):
            while not await self.evaluate(expression):  # noqa: ASYNC110 - the page tells no end of it
                await asyncio.sleep(0.1)

    async def press(self, letter: str) -> None:
        """Types a small letter into the terminal."""
        await self.evaluate("document.querySelector('textarea').focus()")
        code = {"code": f"Key{letter.upper()}", "windowsVirtualKeyCode": ord(letter.upper())}
        await self.call("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter, **code)
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=letter, **code)

    async def until_came(self, *words: bytes) -> None:
        """Waits until all these words came."""
        end = time.monotonic() + PATIENCE
        while not all(word in self.came for word in words):
            assert time.monotonic() < end, (words, self.came[-2_000:])
            await self.evaluate("1")
            await asyncio.sleep(0.1)

    async def picture(self) -> bytes:
        """The page as a PNG."""
        found = await self.call("Page.captureScreenshot")
        return base64.b64decode(found["data"])


@asynccontextmanager
async def opened(program: str, place: Path) -> AsyncIterator[Page]:
    """Chromium with one empty page."""
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
    command += [f"--user-data-dir={place}", "--window-size=1200,700", "about:blank"]
    quiet = subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, stdout=quiet, stderr=quiet)
    try:
        port = await _port(place / "DevToolsActivePort")
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                pages = [one for one in await answer.json() if one["type"] == "page"]
            url = pages[0]["webSocketDebuggerUrl"]
            async with session.ws_connect(url, max_msg_size=0) as socket:
                page = Page(socket)
                await page.call("Network.enable")
                await page.call("Page.enable")
                yield page
    finally:
        process.terminate()
        await process.wait()


async def _port(file: Path) -> int:
    async with asyncio.timeout(PATIENCE):
        while not (found := await asyncio.to_thread(_read, file)):  # noqa: ASYNC110 - a file cannot be awaited
            await asyncio.sleep(0.1)
    return int(found.splitlines()[0])


def _read(file: Path) -> str:
    return file.read_text("utf-8").strip() if file.exists() else ""
