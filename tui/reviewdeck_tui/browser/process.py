"""The process behind the page: started without a shell, stopped with its session."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from typing import Final

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

GRACE: Final = 10.0
"""Seconds to end by itself: a commit in progress is finished."""


class DeckProcess(AppService):
    """The deck of one session."""

    def __init__(
        self, words: Sequence[str], socket: web.WebSocketResponse, downloads: DownloadManager
    ) -> None:
        super().__init__(
            words[0],
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=socket.close,  # type: ignore[arg-type]  # its result is not used
            download_manager=downloads,
        )
        self._words = words

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = self._build_environment(width=width, height=height)
        process = await asyncio.create_subprocess_exec(
            *self._words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )
        self._process, self._stdin = process, process.stdin
        return process

    async def stop(self) -> None:
        """Asks the process to end, and kills it if it does not."""
        process = self._process
        if process is None:
            return
        try:
            await asyncio.wait_for(super().stop(), GRACE)
            await asyncio.wait_for(process.communicate(), GRACE)
        except (TimeoutError, ConnectionError):
            if process.returncode is None:
                process.kill()
            await process.communicate()
