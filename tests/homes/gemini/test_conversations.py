"""Where a patch of the inbox comes from: by the extractor's own conversation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.homes.gemini.kit import INBOX, MEMORY, make_config, write

from reviewdeck.clock import utc_now
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.gemini.conversations import GeminiConversations
from reviewdeck.model import Kind, KnownBy, MemoryAdd, Origin, OriginClass, Proposal
from reviewdeck.ports import Trust

CHATS = "tmp/app/chats"
PATCH = f"{INBOX}/private/extraction.patch"
TALK = "session-2026-11-29T05-00-11111111"
TEXT = "--- a\n+++ a\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    found = make_config(tmp_path / ".gemini")
    write(found / "tmp/app/.project_root", str(tmp_path / "app"))
    return found


def say(second: int, text: str) -> dict[str, Any]:
    at = f"2026-11-29T05:00:{second:02d}.000Z"
    return {"id": f"u{second}", "timestamp": at, "type": "user", "content": [{"text": text}]}


def call(second: int, tool: str, **args: Any) -> dict[str, Any]:
    calls = [{"id": f"c{second}", "name": tool, "args": args}]
    about = {"id": f"g{second}", "timestamp": f"2026-11-29T05:00:{second:02d}.000Z"}
    return {**about, "type": "gemini", "content": "", "model": "m", "toolCalls": calls}


def keep(config: Path, name: str, *lines: Mapping[str, Any]) -> str:
    """A transcript; its path is returned."""
    file = config / CHATS / f"{name}.jsonl"
    return str(write(file, "".join(f"{json.dumps(line)}\n" for line in lines)))


def extract(config: Path, *lines: Mapping[str, Any], number: int = 1) -> None:
    keep(config, f"skill-extraction-{number:08d}/aaaaaaaa", *lines)


def saving(config: Path, second: int, text: str = TEXT, path: str = PATCH) -> dict[str, Any]:
    return call(second, "write_file", file_path=str(config / path), content=text)


def task(chat: str, told: str = "(no summary)", second: int = 20) -> dict[str, Any]:
    return say(second, f"# Session Index\n\n[NEW] {told} (12 user msgs) — {chat}\n\nAnalyze.")


def origin(config: Path, text: str = TEXT, source: str = PATCH) -> Origin:
    edit = MemoryAdd(f"{MEMORY}/MEMORY.md", "x")
    sha = hashlib.sha256(text.encode()).hexdigest()
    target, seen = "memory", utc_now()
    proposal = Proposal(
        "p", "/h", Kind.DOCUMENTS, "write", target, (edit,), sha, source=source, ingested_at=seen
    )
    conversations = GeminiConversations(
        config,
        config / "tmp",
        clock=utc_now,
        kernel=Kernel(),
        books=(str(config / MEMORY),),
        notes=".reviewdeck/gemini/calls",
    )
    return conversations.origin(proposal, Trust())


def test_a_patch_is_of_the_call_that_left_its_bytes_and_of_the_session_that_was_read(
    config: Path,
) -> None:
    chat = keep(config, TALK, say(1, "Run the tests with tox."))
    extract(config, task(chat), call(21, "read_file", file_path=chat), saving(config, 22))
    found = origin(config)
    assert (found.kind, found.known_by) == (OriginClass.USER, KnownBy.EXACT)
    assert found.sessions == (TALK, "skill-extraction-00000001/aaaaaaaa")
    assert [said.text for said in found.utterances] == ["Run the tests with tox."]
    assert origin(config, "other bytes\n").known_by is KnownBy.NOTHING


def test_what_took_part_in_a_session_that_was_read_took_part_in_the_patch(config: Path) -> None:
    fetch = call(2, "web_fetch", prompt="https://example.org")
    later = call(40, "web_fetch", prompt="https://example.org/later")
    chat = keep(config, TALK, say(1, "Look."), fetch)
    extract(config, task(chat), call(21, "read_file", file_path=chat), saving(config, 22))
    assert origin(config).kind is OriginClass.OUTSIDE
    keep(config, TALK, say(1, "Look."), later)
    assert origin(config).kind is OriginClass.USER


def test_the_extractors_own_task_is_nobodys_word(config: Path) -> None:
    chat = keep(config, TALK, say(1, "Look."))
    extract(config, task(chat), say(21, "Finish now."), saving(config, 22))
    assert origin(config).utterances == ()


@pytest.mark.parametrize(
    ("told", "is_counted"), [("(no summary)", False), ("Asks for tox | workflow: read", True)]
)
def test_a_session_counts_once_the_task_tells_something_of_it(
    config: Path, told: str, is_counted: bool
) -> None:
    chat = keep(config, TALK, say(1, "Look."), call(2, "web_fetch", prompt="https://x.org"))
    extract(config, task(chat, told), saving(config, 22))
    assert (origin(config).kind is OriginClass.OUTSIDE) is is_counted


def test_a_session_that_was_read_and_is_gone_leaves_the_patch_unknown(config: Path) -> None:
    chat = keep(config, TALK, say(1, "Look."))
    extract(config, task(chat), call(21, "read_file", file_path=chat), saving(config, 22))
    Path(chat).unlink()
    found = origin(config)
    assert found.kind is OriginClass.UNKNOWN and "is not kept" in found.reason


def test_other_files_that_the_extractor_read_count_by_where_they_are(config: Path) -> None:
    def kind_after(path: Path) -> OriginClass:
        read = call(21, "read_file", file_path=str(path))
        extract(config, say(20, "Analyze."), read, saving(config, 22))
        return origin(config).kind

    assert kind_after(config / MEMORY / "MEMORY.md") is OriginClass.USER
    assert kind_after(config.parent / "app/README.md") is OriginClass.WORKSPACE
    assert kind_after(config.parent / "elsewhere.md") is OriginClass.OUTSIDE
    assert kind_after(config / CHATS) is OriginClass.OUTSIDE


@pytest.mark.parametrize("is_told", [True, False])
def test_an_extraction_that_goes_on_from_an_earlier_one_has_its_origin_too(
    config: Path, is_told: bool
) -> None:
    chat = keep(config, TALK, say(1, "Look."), call(2, "web_fetch", prompt="https://x.org"))
    first = (task(chat), call(21, "read_file", file_path=chat), saving(config, 22, "first\n"))
    pending = "# Pending Memory Inbox\n\nfirst\n\nAnalyze." if is_told else "Analyze."
    read = call(31, "read_file", file_path=str(config / PATCH))
    edit = call(
        32,
        "replace",
        file_path=str(config / PATCH),
        old_string="first\n",
        new_string="first\nsecond\n",
    )
    second = (say(30, pending), *(() if is_told else (read,)), edit)
    extract(config, *first)
    extract(config, *second, number=2)
    found = origin(config, "first\nsecond\n")
    assert (found.kind, found.known_by) == (OriginClass.OUTSIDE, KnownBy.EXACT)
    assert len(found.sessions) == 3


def test_an_extraction_that_went_on_from_one_that_is_not_kept_is_unknown(config: Path) -> None:
    extract(config, say(30, "# Pending Memory Inbox\n\nx\n\nAnalyze."), saving(config, 31))
    found = origin(config)
    assert found.kind is OriginClass.UNKNOWN and "earlier extraction" in found.reason


def test_an_earlier_extraction_counts_for_nothing_where_nothing_of_it_waited(config: Path) -> None:
    chat = keep(config, TALK, say(1, "Look."), call(2, "web_fetch", prompt="https://x.org"))
    extract(config, task(chat), call(21, "read_file", file_path=chat), saving(config, 22, "old\n"))
    extract(config, say(30, "Analyze."), saving(config, 31), number=2)
    found = origin(config)
    assert (found.kind, len(found.sessions)) == (OriginClass.USER, 1)


def test_a_skill_that_waits_is_of_the_call_that_wrote_it(config: Path) -> None:
    source = f"{MEMORY}/skills/tox/SKILL.md"
    extract(config, say(20, "Analyze."), saving(config, 21, "skill\n", source))
    assert origin(config, "skill\n", source).known_by is KnownBy.EXACT


def test_the_conversation_of_an_extraction_can_be_looked_at(config: Path) -> None:
    extract(config, say(20, "Analyze."), saving(config, 21))
    (id,) = origin(config).sessions
    conversations = GeminiConversations(
        config, config / "tmp", clock=utc_now, kernel=Kernel(), notes=".reviewdeck/gemini/calls"
    )
    (transcript,) = conversations.transcripts(id)
    assert len(conversations.turns(transcript.id)) == 1
    assert conversations.transcripts("skill-extraction-00000001/../../x") == ()
