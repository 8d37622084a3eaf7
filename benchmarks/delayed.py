"""A way to a server's socket that takes as long as a network: each piece waits for half a trip."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path


@contextmanager
def delayed(socket: Path, seconds: float) -> Iterator[int]:
    """The port of this machine that leads there with so long a round trip."""
    loop = asyncio.new_event_loop()
    ready, ended = threading.Event(), asyncio.Event()
    port: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(str(socket))
        with closing(writer), closing(back), suppress(asyncio.CancelledError):
            await asyncio.gather(
                _forward(reader, back, seconds / 2), _forward(there, writer, seconds / 2)
            )

    async def listen() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port.append(server.sockets[0].getsockname()[1])
        ready.set()
        await ended.wait()
        server.close()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(listen())  # Then it cancels what is under way.

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait()
    try:
        yield port[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(5)


async def _forward(
    source: asyncio.StreamReader, target: asyncio.StreamWriter, seconds: float
) -> None:
    """Pieces leave in order, each so long after it came; more may be under way meanwhile."""
    under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    async def take() -> None:
        data = b"-"
        while data:
            try:
                data = await source.read(1 << 16)
            except OSError:
                data = b""
            under_way.put_nowait((loop.time() + seconds, data))

    taking = loop.create_task(take())
    while True:
        at, data = await under_way.get()
        await asyncio.sleep(max(0.0, at - loop.time()))
        if not data:
            break
        target.write(data)
    target.close()
    await taking
