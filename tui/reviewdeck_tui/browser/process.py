"""The process behind the page: started without a shell, and gone when its session is over."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from typing import Final

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

GRACE: Final = 10.0
"""Seconds that it has to end by itself: a commit that has begun is ended, not torn."""


class DeckProcess(AppService):
    """One deck for one session."""

    def __init__(
        self, words: Sequence[str], socket: web.WebSocketResponse, downloads: DownloadManager
    ) -> None:
        super().__init__(
            words[0],
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=socket.close,  # type: ignore[arg-type]  # its answer is not looked at
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
        """Asks it to end, and sees to it that it does."""
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
