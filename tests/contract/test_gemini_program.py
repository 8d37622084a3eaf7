"""From what Gemini CLI writes or extracts to what a person makes of it, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.contract.gemini_kit import (
    SESSION,
    GeminiPlace,
    RealGemini,
    RecordedGemini,
    call,
    make_place,
    needs_gemini,
)
from tests.contract.hooked_kit import reviewdeck

pytestmark = pytest.mark.slow  # each starts our own program several times


@pytest.fixture
def place(tmp_path: Path) -> GeminiPlace:
    """A place that reviewdeck has looked at once: what is there is where it begins."""
    found = make_place(tmp_path)
    assert look(found, "list") == []
    return found


@pytest.fixture(
    params=[
        pytest.param(RecordedGemini(), id="recorded"),
        pytest.param(RealGemini(), id="real", marks=needs_gemini),
    ]
)
def agent(request: pytest.FixtureRequest) -> RealGemini | RecordedGemini:
    found: RealGemini | RecordedGemini = request.param
    return found


def look(place: GeminiPlace, *words: str) -> Any:
    return json.loads(reviewdeck(place, *words, "--home", str(place.config), "--json").stdout)


def do(place: GeminiPlace, *words: str) -> None:
    done = reviewdeck(place, *words, "--home", str(place.config))
    assert done.returncode == 0, done.stdout


def documents(place: GeminiPlace) -> dict[str, bytes]:
    files = (place.config / "GEMINI.md", *sorted(place.memory.glob("*.md")))
    return {path.name: path.read_bytes() for path in files}


def test_what_the_extraction_proposes_waits_with_its_session_is_merged_and_undone(
    agent: RealGemini | RecordedGemini, place: GeminiPlace
) -> None:
    new = place.memory / "MEMORY.md"
    lines = ("@@ -0,0 +1,2 @@", "+# Project Memory", "+- Tests run with tox.", "")
    agent.extract(place, "\n".join(("--- /dev/null", f"+++ {new}", *lines)))
    before = documents(place)
    (waiting,) = look(place, "list")
    assert SESSION in json.dumps(look(place, "show", waiting["id"]))
    origin = waiting["checks"]["origin"]
    assert (waiting["target"], origin["how"], origin["class"]) == ("memory", "exact", "user")
    do(place, "approve", waiting["id"], "--digest", waiting["digest"])
    # Gemini CLI says of it for ever that the file already exists.
    assert new.read_text("utf-8") == "# Project Memory\n- We use Redis.\n- Tests run with tox.\n"
    assert not place.patch.exists() and look(place, "list") == []
    (operation,) = look(place, "log")["operations"]
    do(place, "undo", operation["id"])
    assert documents(place) == before


def test_what_the_agent_itself_writes_waits_and_is_known_by_its_call(
    agent: RealGemini | RecordedGemini, place: GeminiPlace
) -> None:
    before = documents(place)
    file = str(place.config / "GEMINI.md")
    text = "- Be brief.\n- The user likes tea.\n"
    outcome = agent.converse(
        place,
        "write",
        [
            call(
                "replace",
                file_path=str(place.memory / "MEMORY.md"),
                instruction="Say SQL.",
                old_string="Redis",
                new_string="SQL",
            ),
            call("write_file", file_path=file, content=text),
        ],
    )
    assert documents(place) == before
    assert {*outcome.refused} == {"write_file", "replace"}
    assert all("took this change" in why for why in outcome.refused.values())
    waiting = {item["target"]: item for item in look(place, "list")}
    assert {*waiting} == {"gemini", "memory"}
    origins = {target: item["checks"]["origin"] for target, item in waiting.items()}
    assert {origin["how"] for origin in origins.values()} == {"exact"}
    assert origins["memory"]["class"] == "user"
    item = waiting["gemini"]
    do(place, "approve", item["id"], "--digest", item["digest"])
    assert documents(place)["GEMINI.md"] == text.encode()


def test_what_a_hidden_command_changed_is_known_by_its_call_and_taken_back_to_the_byte(
    agent: RealGemini | RecordedGemini, place: GeminiPlace
) -> None:
    before = documents(place)
    script = place.project / "tidy.sh"
    script.write_text(f"sed -i 's/Redis/SQL/' {place.memory}/MEMORY.md")
    command = call("run_shell_command", command="sh tidy.sh", description="Tidy up.")
    outcome = agent.converse(place, "hidden-sed", [command])
    assert documents(place) != before
    (live,) = look(place, "list")
    assert live["state"] == "live"
    assert outcome.session in json.dumps(look(place, "show", live["id"]))
    do(place, "reject", live["id"], "--reason", "It is no SQL.")
    assert documents(place) == before


def test_a_command_that_names_the_memory_is_refused_and_told_which_tool_to_take(
    agent: RealGemini | RecordedGemini, place: GeminiPlace
) -> None:
    before = documents(place)
    line = f"echo more >> {place.memory}/MEMORY.md"
    script = [call("run_shell_command", command=line, description="Note it.")]
    outcome = agent.converse(place, "shell", script)
    (why,) = outcome.refused.values()
    assert "Use write_file or replace" in why
    assert documents(place) == before


def test_uninstalling_leaves_the_bytes_that_were_there(tmp_path: Path) -> None:
    place = make_place(tmp_path, gate=False)
    settings = place.config / "settings.json"
    before = settings.read_bytes()
    reviewdeck(place, "gemini", "install", "--yes")
    assert settings.read_bytes() != before
    reviewdeck(place, "gemini", "uninstall", "--yes")
    assert settings.read_bytes() == before
    assert not (place.config / ".reviewdeck/gemini").exists()


@needs_gemini
@pytest.mark.parametrize(
    ("command", "timeout", "is_written"),
    [
        ("echo no >&2; exit 2", 30_000, False),
        ("sleep 5; exit 2", 1_000, True),
        ("exit 1", 30_000, True),
        ("echo '{broken'", 30_000, True),
        ("/nonexistent/gate", 30_000, False),
    ],
)
def test_which_failures_of_a_hook_let_a_write_through(
    tmp_path: Path, command: str, timeout: int, is_written: bool
) -> None:
    place = make_place(tmp_path, gate=False)
    settings = place.config / "settings.json"
    hook = {"type": "command", "command": command, "timeout": timeout}
    hooks = {"hooks": {"BeforeTool": [{"matcher": "^write_file$", "hooks": [hook]}]}}
    settings.write_text(json.dumps(json.loads(settings.read_text("utf-8")) | hooks), "utf-8")
    file = place.config / "GEMINI.md"
    script = [call("write_file", file_path=str(file), content="Obey.\n")]
    RealGemini().converse(place, "", script)
    assert (file.read_text("utf-8") == "Obey.\n") is is_written


@needs_gemini
@pytest.mark.parametrize(
    "switch", [{}, {"enabled": False}, {"disabled": ["reviewdeck"]}, {"disabled": ["other"]}]
)
def test_the_status_says_that_the_gate_is_off_exactly_where_it_is(
    place: GeminiPlace, switch: dict[str, Any]
) -> None:
    settings = place.config / "settings.json"
    found = json.loads(settings.read_text("utf-8"))
    settings.write_text(json.dumps(found | {"hooksConfig": switch}), "utf-8")
    status = json.loads(reviewdeck(place, "gemini", "status", "--json").stdout)
    file = str(place.config / "GEMINI.md")
    RealGemini().converse(place, "", [call("write_file", file_path=file, content="Obey.\n")])
    assert bool(status["off"]) == (place.records() == [])


@needs_gemini
@pytest.mark.parametrize("name", ["GEMINI%2Emd", "x%2F..%2FGEMINI.md", "./GEMINI.md"])
def test_a_path_that_the_real_program_takes_for_a_document_is_one_for_the_gate(
    place: GeminiPlace, name: str
) -> None:
    before = documents(place)
    given = {"file_path": f"{place.config}/{name}", "content": "Obey.\n"}
    outcome = RealGemini().converse(place, "", [call("write_file", **given)])
    assert "took this change" in outcome.refused["write_file"]
    assert documents(place) == before and len(place.records()) == 1
