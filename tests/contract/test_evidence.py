"""What the real Hermes stages with the plugin, and what reviewdeck makes of it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.contract.kit import (
    PYTHON,
    add,
    call,
    converse,
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

MEMORY = "Deploys go out on Fridays.\n§\nThe linter is ruff."
SKILL = "---\nname: triage\ndescription: How tickets are sorted.\n---\n1. Read.\n2. Sort.\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = make_home(tmp_path / "agent" / ".hermes")
    for path, text in (("memories/MEMORY.md", MEMORY), ("skills/dev/triage/SKILL.md", SKILL)):
        (made / path).parent.mkdir(parents=True)
        (made / path).write_text(text, "utf-8")
    (made / "skills/.usage.json").write_text('{"triage": {"created_by": "agent"}}', "utf-8")
    return made


def explained(home: Path, record: dict[str, Any]) -> Any:
    return json.loads(reviewdeck(home, "policy", "explain", record["id"], "--json"))


def test_a_turn_and_its_review_are_told_exactly_and_go_in_by_themselves(home: Path) -> None:
    turns = (add("User prefers nox."), {"say": "Noted."})
    reviews = (add("User wants short answers.", "user"), {"say": "Done."})
    with model(*turns, reviews=reviews) as running:
        converse(home, running.url, "I prefer nox. I want short answers.")
    first, second = records(home)
    assert (first["origin"], second["origin"]) == ("assistant_tool", "background_review")
    for record, replayed in ((first, 0), (second, 4)):
        noted = sidecar(home, record)
        assert (noted["session"], noted["replayed"]) == ("s1", replayed)
        assert MEMORY in noted["prompt"][0] and noted["model"] == "mock-model"
    assert sidecar(home, first)["bases"]["memories/MEMORY.md"]["text"] == MEMORY
    for record in (first, second):
        judged = explained(home, record)
        assert judged["checks"]["origin"]["how"] == "exact"
        assert [one["ok"] for one in judged["answers"]] == [True] * 6, judged
    assert "Applied 2 proposals" in reviewdeck(home, "auto")


def test_what_a_tool_brought_in_is_told_of_the_turn_and_of_its_review(home: Path) -> None:
    with model() as running:
        fetch = call("terminal", command=f"curl -s {running.url}/page")
        running.script_turns(fetch, add("The page says so."), {"say": "Noted."})
        running.script_reviews(add("It says more."), {"say": "Done."})
        converse(home, running.url, "Look at that page.")
    for record in records(home):
        origin = explained(home, record)["checks"]["origin"]
        assert origin["class"] == "outside" and "curl" in json.dumps(origin["participants"])
    assert "Applied" not in reviewdeck(home, "auto")


def test_a_review_that_viewed_a_skill_is_known_to_have_seen_it_as_it_is(home: Path) -> None:
    change = {"action": "patch", "name": "triage", "old_string": "2. Sort.", "new_string": "2. Go."}
    reviews = (call("skill_view", name="triage"), call("skill_manage", **change), {"say": "Done."})
    with model({"say": "Noted."}, reviews=reviews) as running:
        converse(home, running.url, "Sorting is done by a script now.")
    (record,) = records(home)
    noted, path = sidecar(home, record), "skills/dev/triage/SKILL.md"
    assert noted["views"] == {path: SKILL} and noted["bases"][path]["text"] == SKILL
    assert [one["name"] for one in noted["calls"]] == ["skill_view"]
    checks = explained(home, record)["checks"]
    assert (checks["origin"]["class"], checks["origin"]["how"]) == ("user", "exact")
    assert checks["current"] is True
    (home / path).write_text(SKILL.replace("1. Read.", "1. Skim."), "utf-8")
    assert explained(home, record)["checks"]["current"] is False


STAGE = """
import json
from hermes_cli.plugins import discover_plugins, invoke_hook
from hermes_cli.middleware import run_tool_execution_middleware
from tools.memory_tool import load_on_disk_store, memory_tool
discover_plugins()
history = [{"role": "user", "content": "Note that."}]
invoke_hook("pre_api_request", turn_id="t1", session_id="s1", conversation_history=history,
            request_messages=history, model="m", request={})
store, made = load_on_disk_store(), []
def execute(args):
    made.append(args)
    return memory_tool(**args, store=store)
args = {"action": "add", "target": "memory", "content": "User prefers nox."}
result = run_tool_execution_middleware("memory", dict(args), execute, session_id="s1",
                                       turn_id="t1", tool_call_id="c1")
print(json.dumps([result, len(made), made[0] == args]))
"""


def stage(home: Path) -> dict[str, Any] | None:
    """The real tool stages an addition. Its result; None when killed."""
    done = subprocess.run(
        [PYTHON, "-c", STAGE],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=patience(60),
        check=False,
    )
    if done.returncode < 0:
        return None
    assert done.returncode == 0, done.stderr
    result, calls, is_same = json.loads(done.stdout.splitlines()[-1])
    assert calls == 1 and is_same
    staged: dict[str, Any] = json.loads(result)
    return staged


def break_plugin(home: Path, module: str, code: str) -> None:
    with (home / "plugins" / "reviewdeck" / f"{module}.py").open("a", encoding="utf-8") as file:
        file.write(f"\n{code}\n")


ITS_OWN = "_os, os = os, type('Broken', (), dict(vars(os), {0}=_broken))"
"""A function of `os` that is broken for the plugin alone: Hermes calls it too."""
BROKEN = {
    "raises before": ("documents", "def documents_before(*_): raise RuntimeError('no')"),
    "hangs before": ("documents", "def documents_before(*_): time.sleep(3600)\nimport time"),
    "raises after": ("sidecar", "def write(*_): raise RuntimeError('no')"),
    "hangs after": ("sidecar", "def write(*_): time.sleep(3600)"),
    "disk is full": (
        "kit",
        f"def _broken(_): raise OSError(28, 'No space')\n{ITS_OWN.format('fsync')}",
    ),
    "does not load": ("sidecar", "raise ImportError('no')"),
    "does not register": ("sidecar", "def register(_): raise RuntimeError('no')"),
    "knows no turn": ("sent", "def find_request(_): return None"),
    "misreads the result": ("sidecar", "def staged_id(_): raise RuntimeError('no')"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_plugin_that_is_broken_changes_nothing_of_what_hermes_stages(
    home: Path, how: str
) -> None:
    break_plugin(home, *BROKEN[how])
    result = stage(home)
    assert result is not None
    (record,) = records(home)
    assert result["staged"] is True and result["pending_id"] == record["id"]
    assert (home / "memories/MEMORY.md").read_text("utf-8") == MEMORY
    folder = home / ".reviewdeck" / "sidecar"
    if how.endswith("before"):
        assert sidecar(home, record)["bases"] == {}
    else:
        assert not folder.exists() or list(folder.iterdir()) == []


@pytest.mark.parametrize("how", ["link", "file", "read-only"])
def test_where_no_sidecar_can_be_written_the_call_is_staged_without_one(
    home: Path, tmp_path: Path, how: str
) -> None:
    place, elsewhere = home / ".reviewdeck" / "sidecar", tmp_path / "elsewhere"
    elsewhere.mkdir()
    match how:
        case "link":
            place.symlink_to(elsewhere)
        case "file":
            place.write_text("", "utf-8")
        case _:
            place.mkdir(mode=0o500)
            if os.access(place, os.W_OK):
                pytest.skip("root can write to a folder without write permission")
    staged = stage(home)
    assert staged is not None and staged["staged"] is True
    assert len(records(home)) == 1 and list(elsewhere.iterdir()) == []


KILLED = {"while it writes": "fsync", "before its name": "replace"}


@pytest.mark.parametrize("when", KILLED)
def test_a_process_that_is_killed_leaves_a_record_without_evidence(home: Path, when: str) -> None:
    dies = "def _broken(*_, **__): _os.kill(_os.getpid(), 9)"
    break_plugin(home, "kit", f"{dies}\n{ITS_OWN.format(KILLED[when])}")
    assert stage(home) is None
    (record,) = records(home)
    assert not (home / ".reviewdeck" / "sidecar" / f"{record['id']}.json").exists()
    assert explained(home, record)["checks"]["origin"]["class"] != "user"
    assert "Applied" not in reviewdeck(home, "auto")


def test_a_sidecar_is_its_owners_and_leaves_no_draft(home: Path) -> None:
    assert stage(home) is not None
    (record,) = records(home)
    path = home / ".reviewdeck" / "sidecar" / f"{record['id']}.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == [path.name]
