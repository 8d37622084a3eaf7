"""Several commands in one process: where whose process it is matters, and not how it starts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.cli.program import Ran

_CODE = """
import contextlib, io, json, sys
from reviewdeck.cli.main import main
ran = []
for words in json.loads(sys.argv[1]):
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        code = main(words)
    ran.append([code, *(stream.buffer.getvalue().decode() for stream in streams)])
print(json.dumps(ran))
"""


def several(commands: Sequence[Sequence[str]], first: str = "") -> list[str]:
    """What Python is given to run these commands one after the other, and `first` before them."""
    return ["-c", first + _CODE, json.dumps(commands)]


def answers(printed: str) -> list[Ran]:
    """How each of them ended."""
    return [Ran(*answer) for answer in json.loads(printed)]
