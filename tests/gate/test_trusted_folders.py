"""`[trust] said`: a folder of a home of Hermes launders nothing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.origin.kit import NOON, Chat, Said, answer, fork_lines, tool, write_log, write_record

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.model import Actor, ActorKind, Judgement, OriginClass

PAGE = "The release branch is called blue."
SKILL = {"action": "create", "name": "x", "content": f"---\nname: x\ndescription: y\n---\n{PAGE}"}


@pytest.mark.parametrize("is_link", [False, True])
def test_what_an_agent_put_into_a_trusted_folder_stays_out_of_the_memory(
    tmp_path: Path, is_link: bool
) -> None:
    home, ours = tmp_path / "home", tmp_path / "ours"
    (home / "memories").mkdir(parents=True)
    (home / "memories" / "MEMORY.md").write_text("")
    ours.mkdir()
    (tmp_path / "page.md" if is_link else ours / "web.md").write_text(PAGE)
    if is_link:
        (ours / "web.md").symlink_to(tmp_path / "page.md")
    path = {"path": str(ours / "web.md")}
    fetched: list[Said] = [
        tool("web_extract"),
        tool("write_file", path | {"content": PAGE}),
        answer("Kept."),
    ]
    Chat("web", ["Save this page.", *fetched], at=NOON - timedelta(days=1)).write(home)
    read = tool("read_file", path, PAGE)
    asked: list[Said] = ["Make a skill of our notes.", read, answer(PAGE), "Thanks."]
    chat = Chat("s1", asked).write(home)
    end = chat.ends + timedelta(seconds=2)
    later = end + timedelta(minutes=1)
    write_record(home, "aaaaaaaa", PAGE, at=end)
    write_record(home, "bbbbbbbb", at=later, subsystem="skills", payload=SKILL)
    write_log(home, fork_lines("s1", end, replayed=len(chat.rows)))
    write_log(home, fork_lines("s1", later, replayed=len(chat.rows), tool="skill_manage"))
    policy = tmp_path / "policy.toml"
    policy.write_text(f'version = 1\n[trust]\nsaid = ["{ours}"]\n')
    settings = Settings(
        homes=(home,),
        ledger=str(tmp_path / "ledger.db"),
        user_home=tmp_path,
        actor=Actor(ActorKind.OPERATOR, "dana"),
        policy=PolicyPlace(policy),
        lock_wait=1,
    )
    deck = open_engine(settings)
    try:
        deck.auto()
        kinds = [kind_of(deck.ledger.judgement(item.id)) for item in deck.pending()]
    finally:
        deck.close()
    assert (home / "memories" / "MEMORY.md").read_text() == ""
    assert not (home / "skills" / "x").exists()
    assert kinds == [OriginClass.WORKSPACE] * 2


def kind_of(judgement: Judgement | None) -> OriginClass | None:
    return judgement.origin.kind if judgement and judgement.origin else None
