"""From what Qwen Code writes to what a person makes of it, and back, by our own program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.contract.hooked_kit import call, reviewdeck, turn
from tests.contract.qwen_kit import (
    QwenPlace,
    RealQwen,
    RecordedQwen,
    fact,
    make_place,
    needs_qwen,
)

pytestmark = pytest.mark.slow  # each starts our own program several times

TEA = fact("tea", "The user likes tea")


@pytest.fixture
def place(tmp_path: Path) -> QwenPlace:
    """A place that reviewdeck has looked at once: what is there is where it begins."""
    found = make_place(tmp_path)
    assert look(found, "list") == []
    return found


@pytest.fixture(
    params=[
        pytest.param(RecordedQwen(), id="recorded"),
        pytest.param(RealQwen(), id="real", marks=needs_qwen),
    ]
)
def agent(request: pytest.FixtureRequest) -> RealQwen | RecordedQwen:
    found: RealQwen | RecordedQwen = request.param
    return found


def look(place: QwenPlace, *words: str) -> Any:
    return json.loads(reviewdeck(place, *words, "--home", str(place.config), "--json").stdout)


def do(place: QwenPlace, *words: str) -> None:
    done = reviewdeck(place, *words, "--home", str(place.config))
    assert done.returncode == 0, done.stdout


def memory(place: QwenPlace) -> dict[str, bytes]:
    files = (path for path in place.memory.rglob("*") if path.is_file())
    return {path.relative_to(place.memory).as_posix(): path.read_bytes() for path in files}


def extracted(place: QwenPlace) -> list[Any]:
    """What the extractor does after the turn: a fact, its index, and both with one id."""
    (place.memory / "user").mkdir(exist_ok=True)
    new = call("one", "write_file", file_path=str(place.memory / "user/tea.md"), content=TEA)
    lines = "- [tea](user/tea.md) — likes tea\n"
    index = call("one", "write_file", file_path=str(place.memory / "MEMORY.md"), content=lines)
    return [turn(new), turn(index)]


def test_what_the_extractor_writes_waits_with_its_session_and_the_index_follows_it(
    agent: RealQwen | RecordedQwen, place: QwenPlace
) -> None:
    before = memory(place)
    outcome = agent.converse(place, "extract", [{"say": "I will."}], extracted(place))
    assert memory(place) == before
    assert [len(record["writes"]) for record in place.records()] == [1]
    assert any("took this change" in said for said in outcome.refused.values())
    assert any("front matter" in said for said in outcome.refused.values())
    (waiting,) = look(place, "list")
    assert (waiting["target"], waiting["checks"]["origin"]["class"]) == ("tea", "user")
    assert waiting["checks"]["origin"]["how"] == "exact"
    do(place, "approve", waiting["id"], "--digest", waiting["digest"])
    assert memory(place)["user/tea.md"] == TEA.encode()
    index = memory(place)["MEMORY.md"].decode().splitlines()
    assert index == [
        "- [tea](user/tea.md) — The user likes tea",
        "- [store](project/store.md) — We use Redis",
    ]
    assert look(place, "list") == []
    (operation,) = look(place, "log")["operations"]
    do(place, "undo", operation["id"])
    assert memory(place) == before


def test_what_the_agent_itself_writes_and_edits_waits_as_one_proposal(
    agent: RealQwen | RecordedQwen, place: QwenPlace
) -> None:
    before = memory(place)
    (place.config / "QWEN.md").write_text("Be brief.\n")
    look(place, "list")
    store = str(place.memory / "project/store.md")
    agent.converse(
        place,
        "edit",
        [
            turn(call("r", "read_file", file_path=store)),
            turn(call("r", "read_file", file_path=str(place.config / "QWEN.md"))),
            turn(
                call(
                    "e",
                    "edit",
                    file_path=store,
                    old_string="\nWe use Redis\n",
                    new_string="\nSQL\n",
                ),
                call(
                    *("w", "write_file"),
                    file_path=str(place.config / "QWEN.md"),
                    content="Be brief.\nUse tea.\n",
                ),
            ),
        ],
    )
    assert memory(place) == before
    texts = {write["document"]: write["text"] for write in place.writes()}
    assert texts == {
        place.document("project/store.md"): fact("store", "We use Redis", "project").replace(
            "\nWe use Redis\n", "\nSQL\n"
        ),
        "QWEN.md": "Be brief.\nUse tea.\n",
    }
    assert len(place.records()) == 1


def test_what_a_hidden_command_changed_is_known_by_its_call_and_taken_back_to_the_byte(
    agent: RealQwen | RecordedQwen, place: QwenPlace
) -> None:
    before = memory(place)
    script = place.project / "tidy.sh"
    script.write_text(f"sed -i 's/Redis/SQL/' {place.memory}/project/store.md")
    command = call("b", "run_shell_command", command="sh tidy.sh", is_background=False)
    outcome = agent.converse(place, "hidden-sed", [turn(command)])
    assert memory(place) != before
    (live,) = [item for item in look(place, "list") if item["target"] == "store"]
    assert live["state"] == "live"
    assert outcome.session in json.dumps(look(place, "show", live["id"]))
    do(place, "reject", live["id"], "--reason", "It is no SQL.")
    assert memory(place)["project/store.md"] == before["project/store.md"]


def test_a_command_that_names_the_memory_is_refused_and_told_which_tool_to_take(
    agent: RealQwen | RecordedQwen, place: QwenPlace
) -> None:
    before = memory(place)
    line = f"echo more >> {place.memory}/project/store.md"
    script = [turn(call("b", "run_shell_command", command=line, is_background=False))]
    outcome = agent.converse(place, "shell", script)
    (why,) = outcome.refused.values()
    assert "Use write_file or edit" in why
    assert memory(place) == before
