"""A deck over one folder that is OpenClaw's workspace and a repository of other agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.kit import OpenDeck
from tests.homes.claude.kit import write as claude_write
from tests.homes.gemini.kit import event as gemini_event
from tests.homes.openclaw.kit import SESSION, make_state, make_workspace, question
from tests.homes.qwen.kit import event as qwen_event

from reviewdeck.agents.claude.gate import CLAUDE
from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.gemini.gate import GEMINI
from reviewdeck.agents.openclaw import gate as openclaw
from reviewdeck.agents.qwen.gate import QWEN
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.homes.kinds import HomeContext
from reviewdeck.homes.openclaw.kind import KIND
from reviewdeck.model import Loading, QueueItem, State


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """OpenClaw's workspace, with the instructions of three other agents."""
    made = make_workspace(tmp_path)
    make_state(made)
    for name in ("CLAUDE.md", "QWEN.md", "GEMINI.md"):
        (made / name).write_text("Be kind.\n", "utf-8")
    return made


def by_openclaw(workspace: Path, path: str, text: str) -> str:
    asked = question(workspace, "write", path, content=text)
    return openclaw.answer_to(asked, [Root("workspace", str(workspace))])


def by_claude(workspace: Path, text: str) -> str:
    roots = [Root("project", str(workspace))]
    told = claude_write(workspace / "CLAUDE.md", text)
    return gate.answer_to(told, roots, CLAUDE)["permissionDecisionReason"]


def by_others(workspace: Path, text: str) -> None:
    for event, dialect, layout, name in (
        (qwen_event, QWEN, "qwen-project", "QWEN.md"),
        (gemini_event, GEMINI, "gemini-project", "GEMINI.md"),
    ):
        given = {"file_path": str(workspace / name), "content": text}
        told = event("write_file", given)
        assert gate.answer_to(told, [Root(layout, str(workspace))], dialect)


def waiting(deck: Engine) -> dict[str, QueueItem]:
    deck.intake()
    return {item.target: item for item in deck.pending() if item.state.is_open}


def test_two_agents_in_one_folder_have_one_home_and_each_its_own_conversations(
    workspace: Path, open_at: OpenDeck
) -> None:
    by_openclaw(workspace, "MEMORY.md", "- The port is 8080.\n")
    by_claude(workspace, "Be rude.\n")
    deck = open_at(workspace)
    items = waiting(deck)
    assert sorted(items) == ["claude", "memory"]
    known = deck.get(items["memory"].id).judgement.origin
    other = deck.get(items["claude"].id).judgement.origin
    assert known is not None and other is not None
    assert known.sessions == (SESSION,) and SESSION not in other.sessions
    digest = deck.get(items["memory"].id).digest
    assert digest is not None
    deck.approve(items["memory"].id, digest)
    deck.reject(items["claude"].id, "Stay kind.")
    assert (workspace / "MEMORY.md").read_text("utf-8") == "- The port is 8080.\n"
    assert (workspace / "CLAUDE.md").read_text("utf-8") == "Be kind.\n"
    told = json.loads((workspace / ".reviewdeck/claude/verdicts.json").read_text("utf-8"))
    assert [verdict["reason"] for verdict in told] == ["Stay kind."]
    assert not (workspace / ".reviewdeck/openclaw/verdicts.json").exists()


def test_a_home_that_was_another_agents_shows_what_openclaws_gate_stages_since(
    workspace: Path, open_at: OpenDeck
) -> None:
    deck = open_at(workspace)
    assert waiting(deck) == {} and deck.homes[0].kind == "claude"
    by_claude(workspace, "Be rude.\n")
    by_openclaw(workspace, "memory/day.md", "- A note.\n")
    by_others(workspace, "Be long.\n")
    again = open_at(workspace)
    again.intake()
    staged = [item.target for item in again.pending() if item.state is not State.LIVE]
    assert sorted(staged) == ["claude", "day", "gemini", "qwen"]


def test_what_all_of_them_wrote_past_the_gates_is_found_once(
    workspace: Path, open_at: OpenDeck
) -> None:
    for stage in (by_openclaw(workspace, "SOUL.md", "Calm.\n"), by_claude(workspace, "x\n")):
        assert "for review" in stage
    deck = open_at(workspace)
    waiting(deck)
    for name in ("AGENTS.md", "CLAUDE.md", "QWEN.md", "GEMINI.md", "MEMORY.md"):
        (workspace / name).write_text("Written past it.\n", "utf-8")
    deck.intake()
    found = sorted(item.target for item in deck.pending() if item.state is State.LIVE)
    assert found == ["agents", "claude", "gemini", "memory", "qwen"]


def test_limits_and_loading_are_those_of_the_agent_that_reads_a_document(
    workspace: Path, open_at: OpenDeck
) -> None:
    by_openclaw(workspace, "SOUL.md", "Calm.\n")
    by_claude(workspace, "x\n")
    snapshot = open_at(workspace).homes[0].snapshot()
    assert snapshot.loading("memory/day.md") is Loading.ON_DEMAND
    assert snapshot.loading("CLAUDE.md") is Loading.ALWAYS
    assert snapshot.loading(".claude/skills/x/SKILL.md") is Loading.EXECUTES
    (limit,) = snapshot.limits("MEMORY.md")
    assert (limit.most, snapshot.limits("CLAUDE.md")) == (20_000, ())


def test_what_waits_behind_a_link_is_named_in_a_shared_folder_too(
    workspace: Path, tmp_path: Path
) -> None:
    by_openclaw(workspace, "MEMORY.md", "- The user likes tea.\n")
    by_others(workspace, "Be brief.\n")
    (tmp_path / "elsewhere").mkdir()
    (workspace / ".qwen").mkdir(exist_ok=True)
    (workspace / ".qwen" / "pending-skills").symlink_to(tmp_path / "elsewhere")
    home = KIND.home(workspace, HomeContext({}, tmp_path, utc_now))
    assert "what waits there is not shown" in " ".join(home.own_cautions())
    assert home.index_of(".qwen/team-memory/a.md") == ".qwen/team-memory/MEMORY.md"
