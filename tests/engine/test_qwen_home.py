"""A deck over Qwen Code's folders: indexes that follow from facts, and skills that wait there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.contract.qwen_kit import fact
from tests.engine.kit import OpenDeck
from tests.homes.qwen.kit import MEMORY, event, make_config, refused

from reviewdeck.agents.claude.gate import CLAUDE
from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.roots import Root
from reviewdeck.engine.engine import Engine
from reviewdeck.model import KnownBy, QueueItem, State

INDEX = f"{MEMORY}/MEMORY.md"
SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\n\nDo it.\n"


def write(path: Path, text: str = "x\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def waiting(deck: Engine) -> list[QueueItem]:
    deck.intake()
    return [item for item in deck.pending() if item.state.is_open]


def approve(deck: Engine, id: str) -> str:
    digest = deck.get(id).digest
    assert digest is not None
    return deck.approve(id, digest).id


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return make_config(tmp_path / ".qwen")


def test_an_index_that_is_made_anew_is_no_change_and_any_other_line_is_one(
    config: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    write(config / MEMORY / "user/new.md", fact("new", "is new"))
    made = "- [new](user/new.md) — is new\n- [tea](user/tea.md) — Likes tea"
    write(config / INDEX, made)
    (live,) = waiting(deck)
    assert (live.state, live.target) == (State.LIVE, "new")
    digest = deck.get(live.id).digest
    assert digest is not None
    deck.keep(live.id, digest)
    write(config / INDEX, f"{made}\n- [x](x.md) — obey")
    (live,) = waiting(deck)
    assert (live.state, live.target) == (State.LIVE, "memory")
    deck.take_back(live.id, "It is no fact.")
    assert (config / INDEX).read_text("utf-8") == made


def test_an_index_with_a_line_of_somebody_is_not_made_anew_over_it(
    config: Path, open_at: OpenDeck
) -> None:
    mine = "# My notes\n- [tea](user/tea.md) — Likes tea\n"
    write(config / INDEX, mine)
    deck = open_at(config)
    deck.intake()
    given = {"file_path": str(config / MEMORY / "n.md"), "content": fact("n", "new")}
    assert refused(config, event("write_file", given))
    (item,) = waiting(deck)
    approve(deck, item.id)
    assert (config / INDEX).read_text("utf-8") == mine


def said(text: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": text}]}


def call_of(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"id": "call_1", "name": tool, "args": given}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path / "app/QWEN.md", "Be brief.\n")
    write(tmp_path / "app/.qwen/skills/old/SKILL.md", SKILL.format("old"))
    return tmp_path / "app"


def staged(project: Path, name: str) -> Path:
    path = project / ".qwen/pending-skills/task-1" / name / "SKILL.md"
    write(path, SKILL.format(name))
    return path


def test_a_skill_that_waits_in_qwen_code_is_a_proposal_and_gone_there_once_decided(
    project: Path, open_at: OpenDeck
) -> None:
    deck = open_at(project)
    deck.intake()
    wanted, unwanted = staged(project, "auto-skill-a"), staged(project, "auto-skill-b")
    items = {item.target: item for item in waiting(deck)}
    assert set(items) == {"auto-skill-a", "auto-skill-b"}
    approve(deck, items["auto-skill-a"].id)
    deck.reject(items["auto-skill-b"].id, "not wanted")
    assert not wanted.parent.exists() and not unwanted.parent.exists()
    live = project / ".qwen/skills/auto-skill-a/SKILL.md"
    assert live.read_text("utf-8") == SKILL.format("auto-skill-a")
    assert waiting(deck) == []


def test_a_skill_that_qwen_codes_own_dialog_accepts_was_decided_elsewhere(
    project: Path, open_at: OpenDeck
) -> None:
    deck = open_at(project)
    deck.intake()
    path = staged(project, "auto-skill-a")
    (item,) = waiting(deck)
    path.parent.rename(project / ".qwen/skills/auto-skill-a")
    deck.intake()
    assert deck.ledger.state_of(item.id) is State.ELSEWHERE


@pytest.mark.parametrize("data", [b"\xff\xfe", b""])
def test_a_staged_skill_that_cannot_be_read_or_has_more_files_is_named(
    project: Path, open_at: OpenDeck, data: bytes
) -> None:
    deck = open_at(project)
    path = staged(project, "auto-skill-a")
    if data:
        path.write_bytes(data)
    else:
        write(path.parent / "run.sh", "true\n")
    (taken,) = deck.intake()
    (named,) = taken.quarantined
    assert named.source == ".qwen/pending-skills/task-1/auto-skill-a/SKILL.md"
    assert path.exists()


def test_two_agents_in_one_repository_have_one_home_with_both_queues(
    project: Path, open_at: OpenDeck
) -> None:
    write(project / "CLAUDE.md", "Be kind.\n")
    write(project / ".qwen/team-memory/project/port.md", fact("port", "The port is 80", "project"))
    deck = open_at(project)
    deck.intake()
    given = {"file_path": str(project / "QWEN.md"), "content": "Be long.\n"}
    chats = project.parent / ".qwen/projects/-app/chats/s1.jsonl"
    lines = [
        {"uuid": "1", "type": "user", "provenance": "real_user", "message": said("Be long.")},
        {
            **{"uuid": "2", "parentUuid": "1", "type": "assistant"},
            "message": {"parts": [{"functionCall": call_of("write_file", given)}]},
        },
    ]
    write(chats, "".join(f"{json.dumps({**line, 'sessionId': 's1'})}\n" for line in lines))
    assert refused(project, event("write_file", given), "qwen-project")
    claude = {"file_path": str(project / "CLAUDE.md"), "content": "Be rude.\n"}
    told = {**event("Write", claude), "prompt_id": "p1"}
    assert gate.answer_to(told, [Root("project", str(project))], CLAUDE)
    deck = open_at(project)
    items = {item.target: item for item in waiting(deck) if item.state is not State.LIVE}
    assert set(items) == {"qwen", "claude"}
    judged = {target: deck.ledger.judgement(item.id) for target, item in items.items()}
    by_qwen, other = (one.origin if (one := judged[at]) else None for at in ("qwen", "claude"))
    assert by_qwen is not None and other is not None
    assert (by_qwen.known_by, by_qwen.sessions) == (KnownBy.EXACT, ("s1",))
    assert other.known_by is not KnownBy.EXACT
    for target in ("qwen", "claude"):
        approve(deck, items[target].id)
    assert (project / "QWEN.md").read_text() == "Be long.\n"
    assert (project / "CLAUDE.md").read_text() == "Be rude.\n"
