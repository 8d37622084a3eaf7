"""Working memory on Redis or Valkey: for several processes or hosts."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final, cast

from reviewdeck.errors import StorageUnavailable
from reviewdeck.text.json import load_json
from reviewdeck.working.storage import Cells, StoredCell, T, Work

if TYPE_CHECKING:
    from redis import Redis as Client

ROOT: Final = "reviewdeck:working:"
IDLE: Final = timedelta(days=30)
"""A scope that is not opened or written to for this long is dropped by the server."""
TIMEOUT: Final = 0.5
"""Seconds that the server may take to answer."""
TRIES: Final = 2_000
"""Attempts at a change while other writers are faster."""


class Redis:
    """One hash a scope; a change is optimistic (WATCH, MULTI): of two writers, one retries."""

    name = "redis"
    is_using_fallback = False

    def __init__(self, url: str) -> None:
        try:
            import redis
        except ImportError as error:
            hint = "Install it with the extra: pip install 'reviewdeck[redis]'."
            raise StorageUnavailable("The client for Redis is missing.", hint=hint) from error
        self._failures = (redis.RedisError, OSError)
        self._outpaced = redis.WatchError
        try:
            self._client: Client = redis.Redis.from_url(
                url, decode_responses=True, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT
            )
            self.check()
        except ValueError as error:
            raise StorageUnavailable(f"This is no address of a server: {error}") from error

    def get(self, scope: str, key: str) -> StoredCell | None:
        with self._using() as client:
            raw = cast("str | None", client.hget(ROOT + scope, key))
        return None if raw is None else _cell(raw)

    def cells(self, scope: str) -> Cells:
        with self._using() as client:
            return _cells(client.hgetall(ROOT + scope))

    def put(self, scope: str, key: str, cell: StoredCell) -> None:
        with self._using() as client, client.pipeline(transaction=True) as pipe:
            pipe.hset(ROOT + scope, key, _text(cell))
            pipe.pexpire(ROOT + scope, IDLE)
            pipe.execute()

    def change(self, scope: str, work: Work[T]) -> T:
        for attempt in range(TRIES):
            with self._using() as client:
                try:
                    return self._try_change(client, ROOT + scope, work)
                except self._outpaced:
                    time.sleep(random.random() * min(0.02, 0.001 * attempt))  # noqa: S311 - jitter
        raise StorageUnavailable("Every attempt conflicted with another writer.")

    def attach(self, scope: str) -> None:
        """Renews the expiry of the scope."""
        with self._using() as client:
            client.pexpire(ROOT + scope, IDLE)

    def detach(self, scope: str) -> None:
        """Does nothing: the server drops idle scopes."""

    def check(self) -> None:
        with self._using() as client:
            client.ping()

    def close(self) -> None:
        with self._using() as client:
            client.close()

    def _try_change(self, client: Client, name: str, work: Work[T]) -> T:
        with client.pipeline(transaction=True) as pipe:
            pipe.watch(name)  # type: ignore[no-untyped-call] # the client does not annotate it
            changes, answer = work(_cells(pipe.hgetall(name)))
            pipe.multi()
            if changes.drop:
                pipe.hdel(name, *changes.drop)
            if changes.put:
                pipe.hset(name, mapping={key: _text(cell) for key, cell in changes.put.items()})
            pipe.pexpire(name, IDLE)
            pipe.execute()
        return answer

    @contextmanager
    def _using(self) -> Iterator[Client]:
        try:
            yield self._client
        except self._outpaced:
            raise
        except self._failures as error:
            raise StorageUnavailable(f"The server does not answer: {error}") from error


def _cells(raw: object) -> dict[str, StoredCell]:
    return {key: _cell(text) for key, text in cast("Mapping[str, str]", raw).items()}


def _cell(raw: str) -> StoredCell:
    until, _, text = raw.partition(" ")
    return StoredCell(text, load_json(until))


def _text(cell: StoredCell) -> str:
    """A cell as stored: its expiry, a space, and its text."""
    return f"{json.dumps(cell.until)} {cell.text}"
