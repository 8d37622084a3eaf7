"""The whole way with the real Hermes: chat, review, proposal, decision, and the next session."""

from __future__ import annotations

import json
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
from tests.contract.kit import (
    PYTHON,
    add,
    converse,
    decided,
    environment,
    make_home,
    model,
    needs_hermes,
    patience,
    records,
    reviewdeck,
    sidecar,
)

pytestmark = [needs_hermes, pytest.mark.slow]  # each starts the real Hermes

MEMORY = "Tests run with tox.\n§\nDeploys go out on Fridays."
SKILL = "---\nname: triage\ndescription: How tickets are sorted.\n---\n1. Read.\n2. Sort.\n"
NEW = SKILL.replace("triage", "release")
MADE = {
    "memories/MEMORY.md": MEMORY,
    "memories/USER.md": "Ann",
    "skills/dev/triage/SKILL.md": SKILL,
    "skills/dev/triage/references/old.md": "Old.\n",
}
ACTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "add": ("memory", {"action": "add", "target": "user", "content": "Prefers nox."}),
    "replace": (
        "memory",
        {"action": "replace", "target": "memory", "old_text": "tox.", "content": "Tests run: nox."},
    ),
    "remove": ("memory", {"action": "remove", "target": "memory", "old_text": "Fridays"}),
    "batch": (
        "memory",
        {
            "target": "memory",
            "operations": [
                {"action": "remove", "old_text": "tox"},
                {"action": "add", "content": "Tests run with nox."},
            ],
        },
    ),
    "create": (
        "skill_manage",
        {"action": "create", "name": "release", "content": NEW, "category": "dev"},
    ),
    "edit": ("skill_manage", {"action": "edit", "name": "triage", "content": SKILL + "3. Go.\n"}),
    "patch": (
        "skill_manage",
        {"action": "patch", "name": "triage", "old_string": "2. Sort.", "new_string": "2. Rank."},
    ),
    "write_file": (
        "skill_manage",
        {
            "action": "write_file",
            "name": "triage",
            "file_path": "references/new.md",
            "file_content": "New.\n",
        },
    ),
    "delete": ("skill_manage", {"action": "delete", "name": "triage"}),
    "remove_file": (
        "skill_manage",
        {"action": "remove_file", "name": "triage", "file_path": "references/old.md"},
    ),
}
# Hermes 0.22 has no replacement of an entry: there the same is asked for as a patch of its words.
STAGE = """
    import json, sys
    from hermes_cli.plugins import discover_plugins, invoke_hook
    from hermes_cli.middleware import run_tool_execution_middleware
    from tools.memory_tool import MEMORY_SCHEMA, load_on_disk_store, memory_tool
    from tools.skill_manager_tool import skill_manage
    discover_plugins()
    history = [{"role": "user", "content": "Do it."}]
    invoke_hook("pre_api_request", turn_id="t1", session_id="s1", conversation_history=history,
                request_messages=history, model="m", request={})
    store = load_on_disk_store()
    tools = {"memory": lambda args: memory_tool(**args, store=store),
             "skill_manage": lambda args: skill_manage(**args)}
    edits = MEMORY_SCHEMA["parameters"]["properties"]["action"]["enum"]
    for name, args in json.loads(sys.argv[1]):
        if args.get("action") == "replace" and "replace" not in edits:
            args = {**args, "action": "patch", "content": args["content"].split()[-1]}
        said = run_tool_execution_middleware(name, args, tools[name], session_id="s1",
                                             turn_id="t1", tool_call_id="c1")
        assert json.loads(said)["staged"], said
"""
APPROVE = """
    from tools import write_approval as wa
    from tools.memory_tool import apply_memory_pending, load_on_disk_store
    from tools.skill_manager_tool import apply_skill_pending
    for kind in (wa.MEMORY, wa.SKILLS):
        for record in wa.list_pending(kind):
            if kind == wa.MEMORY:
                said = apply_memory_pending(record["payload"], load_on_disk_store())
            else:
                said = apply_skill_pending(record["payload"])
            print(said)
"""


def hermes(home: Path, code: str, *words: str) -> str:
    """What code prints within the real Hermes."""
    done = subprocess.run(
        [PYTHON, "-c", textwrap.dedent(code), *words],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=patience(120),
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def furnished(home: Path) -> Path:
    for path, text in MADE.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, "utf-8")
    return home


def texts(home: Path) -> dict[str, bytes]:
    """Each memory and each file of a skill."""
    found = [*home.glob("memories/*.md"), *home.glob("skills/dev/**/*.md")]
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in found}


def approve_all(home: Path) -> None:
    for item in json.loads(reviewdeck(home, "list", "--json")):
        reviewdeck(home, "approve", item["id"], "--digest", item["digest"])


@pytest.mark.parametrize("action", ACTIONS)
def test_what_hermes_stages_and_we_decide_has_the_bytes_that_hermes_would_write(
    tmp_path: Path, action: str
) -> None:
    ours = furnished(make_home(tmp_path / "ours" / ".hermes"))
    theirs = furnished(make_home(tmp_path / "theirs" / ".hermes", plugin=False))
    before, calls = texts(ours), json.dumps([ACTIONS[action]])
    for home in (ours, theirs):
        hermes(home, STAGE, calls)
        assert texts(home) == before
    (record,) = records(ours)
    assert set(sidecar(ours, record)["bases"]) <= before.keys() | {
        "skills/dev/release/SKILL.md",
        "skills/dev/triage/references/new.md",
    }
    approve_all(ours)
    hermes(theirs, APPROVE)
    assert records(ours) == []
    assert texts(ours) == texts(theirs) != before


@pytest.mark.parametrize("plugin", [True, False], ids=["with the plugin", "without it"])
def test_from_the_chat_to_the_next_session(tmp_path: Path, plugin: bool) -> None:
    home = make_home(tmp_path / "agent" / ".hermes", plugin=plugin)
    reviews = (add("User prefers nox over tox."), {"say": "Done."})
    with model({"say": "Noted."}, reviews=reviews) as running:
        converse(home, running.url, "I prefer nox over tox.")
    (record,) = records(home)
    shown = json.loads(reviewdeck(home, "policy", "explain", record["id"], "--json"))
    origin = shown["checks"]["origin"]
    assert (origin["class"], origin["how"]) == ("user", "exact" if plugin else "log")
    assert shown["said"] == "I prefer nox over tox."
    approve_all(home)
    with model({"say": "nox."}) as running:
        converse(home, running.url, "What do I prefer?", session="s2")
        system = running.conversation[0]["messages"][0]["content"]
    assert "User prefers nox over tox." in system


def test_writers_of_hermes_beside_our_decisions_lose_nothing(tmp_path: Path) -> None:
    home = furnished(make_home(tmp_path / "agent" / ".hermes"))
    wanted = [
        ["memory", {"action": "add", "target": "memory", "content": f"Fact number {at} is so."}]
        for at in range(6)
    ]
    hermes(home, STAGE, json.dumps(wanted))
    write = """
        import sys
        from tools.memory_tool import load_on_disk_store
        for at in range(12):
            said = load_on_disk_store().add("memory", f"Writer {sys.argv[1]} noted thing {at}.")
            assert said["success"], said
    """
    words = [PYTHON, "-c", textwrap.dedent(write)]
    writers = [
        subprocess.Popen([*words, str(number)], env=environment(home), stdout=subprocess.DEVNULL)
        for number in range(2)
    ]
    while any(one.poll() is None for one in writers) or records(home):
        for item in json.loads(reviewdeck(home, "list", "--json")):
            # A digest that names an older text is refused, and is asked for again.
            decided(home, "approve", item["id"], "--digest", item["digest"])
    assert [one.wait() for one in writers] == [0, 0]
    entries = (home / "memories/MEMORY.md").read_text("utf-8").split("\n§\n")
    for number in range(2):
        assert [f"Writer {number} noted thing {at}." in entries for at in range(12)] == [True] * 12
    assert [f"Fact number {at} is so." in entries for at in range(6)] == [True] * 6
    assert records(home) == []
