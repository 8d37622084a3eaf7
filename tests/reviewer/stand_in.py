"""A model on the loopback whose answer depends on what its prompt has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.reviewer.peer import Peer


class StandIn(Peer):
    """Answers each request by its text."""

    def __init__(self, answer: Callable[[str], str | Mapping[str, Any]]) -> None:
        super().__init__([])
        self._answer = answer

    def line(self) -> Mapping[str, Any]:
        body = json.dumps(self.requests[-1], ensure_ascii=False)
        answer = self._answer(body)
        usage = {"input": len(body) // 4, "output": 20}
        return {"say": answer, "usage": usage} if isinstance(answer, str) else answer


@contextmanager
def stand_in(answer: Callable[[str], str | Mapping[str, Any]]) -> Iterator[StandIn]:
    """A model that answers so."""
    running = StandIn(answer)
    try:
        yield running
    finally:
        running.close()
