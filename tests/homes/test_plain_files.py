"""A folder or a pipe where a file is expected is read as nothing, and is not left open."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reviewdeck.agents.hermes import announce, kit, learnt
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.gated.transcripts import Form, Transcripts
from reviewdeck.homes.hermes.agent_log import read_log

OPEN = Path("/proc/self/fd")
SESSION = "cd3d005d-60f3-469e-aa75-700bdaedea1b"


def read_a_file(place: Path) -> None:
    with suppress(kit.NotPlain):
        kit.read_file(place, 10)


def read_the_answers(place: Path) -> None:
    assert announce.left_lines(place.parent.parent.parent) == []


def read_the_memories(place: Path) -> None:
    assert learnt._read(place, None).entries == {}


def read_a_transcript(place: Path) -> None:
    transcripts = Transcripts(place.parent.parent, kernel=Kernel(), form=Form())
    assert transcripts.session(SESSION) is None
    assert list(transcripts.every_session()) == []


def read_a_log(place: Path) -> None:
    assert read_log(place.parent.parent).find_call(datetime.now(UTC), "memory") is None


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("file", read_a_file),
        (".reviewdeck/reviews/1.json", read_the_answers),
        ("memories/MEMORY.md", read_the_memories),
        (f"project/{SESSION}.jsonl", read_a_transcript),
        ("logs/agent.log", read_a_log),
    ],
)
@pytest.mark.skipif(not OPEN.is_dir(), reason="this system does not list what is open")
def test_a_folder_or_a_pipe_is_no_file(
    tmp_path: Path, make: Callable[[Path], None], name: str, read: Callable[[Path], None]
) -> None:
    place = tmp_path / "home" / name
    place.parent.mkdir(parents=True)
    make(place)
    before = len(list(OPEN.iterdir()))
    read(place)
    assert len(list(OPEN.iterdir())) == before
