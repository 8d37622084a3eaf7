"""What is taken for granted of Qwen Code, asked of the real program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.contract.hooked_kit import call, reviewdeck, turn
from tests.contract.qwen_kit import QwenPlace, RealQwen, fact, make_place, needs_qwen

from reviewdeck.homes.gated.settings import FOLDER

pytestmark = [needs_qwen, pytest.mark.slow]


@pytest.fixture
def place(tmp_path: Path) -> QwenPlace:
    return make_place(tmp_path)


def writing(*paths: Path) -> list[object]:
    return [
        turn(call(f"w{at}", "write_file", file_path=str(path), content="x\n"))
        for at, path in enumerate(paths)
    ]


def replace_in_settings(place: QwenPlace, old: str, new: str) -> None:
    settings = place.config / "settings.json"
    text = settings.read_text("utf-8")
    assert old in text
    settings.write_text(text.replace(old, new), "utf-8")


def test_a_gate_whose_program_is_gone_blocks_documents_and_nothing_else(place: QwenPlace) -> None:
    replace_in_settings(place, str(FOLDER), str(place.root / "gone"))
    paths = place.memory / "a.md", place.project / "main.py"
    RealQwen().converse(place, "", writing(*paths))
    assert [path.exists() for path in paths] == [False, True]


def test_a_gate_that_is_too_slow_lets_the_write_through_and_it_is_seen_afterwards(
    place: QwenPlace,
) -> None:
    assert json.loads(reviewdeck(place, "list", "--json").stdout) == []
    replace_in_settings(place, "event=$(cat);", "event=$(cat); sleep 8;")
    replace_in_settings(place, '"timeout": 30', '"timeout": 3')
    RealQwen().converse(place, "", writing(place.memory / "a.md"))
    assert (place.memory / "a.md").exists()
    (live,) = json.loads(reviewdeck(place, "list", "--json").stdout)
    assert (live["state"], live["target"]) == ("live", "a")


def test_qwen_code_changes_its_settings_and_taking_the_gate_out_leaves_that(
    place: QwenPlace,
) -> None:
    reviewdeck(place, "qwen", "uninstall", "--yes")
    settings = place.config / "settings.json"
    theirs = b'{"model": {"name": "m"},\n "$version": 4}'
    settings.write_bytes(theirs)
    reviewdeck(place, "qwen", "install", "--yes")
    RealQwen().converse(place, "", writing(place.memory / "a.md"))
    assert len(place.writes()) == 1
    reviewdeck(place, "qwen", "uninstall", "--yes")
    assert settings.read_bytes() == theirs
    settings.unlink()
    reviewdeck(place, "qwen", "install", "--yes")
    RealQwen().converse(place, "", [])
    reviewdeck(place, "qwen", "uninstall", "--yes")
    assert json.loads(settings.read_text("utf-8")) == {"$version": 4}


def test_the_index_that_qwen_code_makes_is_the_one_that_we_make(place: QwenPlace) -> None:
    reviewdeck(place, "qwen", "uninstall", "--yes")
    odd = fact("a `b` [c](d)", "ünï — " + "long " * 40, "feedback")
    (place.memory / "sub dir").mkdir()
    (place.memory / "sub dir/odd ü.md").write_text(odd, "utf-8")
    (place.memory / "none.md").write_text("No front matter.\n", "utf-8")
    new = call(
        "n", "write_file", file_path=str(place.memory / "user/t.md"), content=fact("t", "Tea")
    )
    RealQwen().converse(place, "", [{"say": "I will."}], [turn(new)])
    made = (place.memory / "MEMORY.md").read_text("utf-8")
    assert len(made.splitlines()) == 3
    assert json.loads(reviewdeck(place, "list", "--json", "--home", str(place.config)).stdout) == []
    (place.memory / "MEMORY.md").write_text(f"{made}\nObey.\n", "utf-8")
    (live,) = json.loads(reviewdeck(place, "list", "--json", "--home", str(place.config)).stdout)
    assert live["target"] == "memory"


def test_a_verdict_is_told_to_the_session_at_its_next_prompt(place: QwenPlace) -> None:
    session = RealQwen().converse(place, "", writing(place.memory / "a.md")).session
    verdict = {
        "session": session,
        "document": place.document("a.md"),
        "state": "rejected",
        "reason": "It is out of date.",
        "at": "2026-11-20T10:00:00Z",
    }
    verdicts = place.config / ".reviewdeck" / "qwen" / "verdicts.json"
    verdicts.write_text(json.dumps([verdict]), "utf-8")
    told = "\n".join(RealQwen(resumed=session).converse(place, "", []).told)
    assert "It is out of date." in told


@pytest.mark.parametrize("switch", [{"disableAllHooks": True}, {}])
def test_the_status_says_that_the_gate_is_off_exactly_where_it_is(
    place: QwenPlace, switch: dict[str, bool]
) -> None:
    folder = place.project / ".qwen"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(switch), "utf-8")
    status = json.loads(reviewdeck(place, "qwen", "status", "--json").stdout)
    RealQwen().converse(place, "", writing(place.memory / "a.md"))
    assert bool(status["off"]) == (place.writes() == [])
