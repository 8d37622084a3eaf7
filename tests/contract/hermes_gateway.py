# mypy: ignore-errors
"""One process of the real Hermes' gateway, with a stand-in for the platform's network.

Run by Hermes' own Python, as `hermes_gateway.py TEXT...`: each is a direct message of one person,
sent once the one before is answered; one that begins with `$ ` is a command that is run instead. It
imports nothing of reviewdeck, and prints what the gateway sent, one JSON list.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
import threading

from gateway.config import GatewayConfig, Platform, PlatformConfig
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, SendResult
from gateway.run import GatewayRunner
from gateway.session import SessionSource
from hermes_logging import setup_logging

PLATFORM = Platform.TELEGRAM


class StandIn(BasePlatformAdapter):
    """Keeps what is sent instead of sending it."""

    def __init__(self, config):
        super().__init__(config, PLATFORM)
        self.sent = []
        self.came = asyncio.Event()

    async def connect(self, **_):
        return True

    async def disconnect(self):
        return None

    async def send(self, chat_id, content, reply_to=None, metadata=None):
        self.sent.append(content)
        self.came.set()
        return SendResult(success=True, message_id=str(len(self.sent)))

    async def get_chat_info(self, chat_id):
        return {"name": "Ann", "type": "dm"}


async def main(texts):
    settings = PlatformConfig(enabled=True, token="1:stand-in")  # noqa: S106 - of no bot
    runner = GatewayRunner(GatewayConfig(platforms={PLATFORM: settings}))
    adapter = StandIn(settings)
    runner.adapters[PLATFORM] = adapter
    adapter.set_message_handler(runner._handle_message)
    source = SessionSource(
        platform=PLATFORM, chat_id="7", chat_type="dm", user_id="7", user_name="Ann"
    )
    for number, text in enumerate(texts):
        if text.startswith("$ "):
            command = await asyncio.create_subprocess_exec(*shlex.split(text[2:]))
            await command.wait()
            continue
        adapter.came.clear()
        await adapter.handle_message(MessageEvent(text=text, source=source, message_id=str(number)))
        while True:
            await adapter.came.wait()
            tasks = [one for one in adapter._background_tasks if not one.done()]
            if not tasks:
                break
            await asyncio.gather(*tasks, return_exceptions=True)
        for thread in threading.enumerate():
            if thread.name.startswith("bg-review"):
                await asyncio.to_thread(thread.join, 60)
    return adapter.sent


setup_logging()
print(json.dumps(asyncio.run(main(sys.argv[1:]))), flush=True)
os._exit(0)  # A gateway has threads that go on.
