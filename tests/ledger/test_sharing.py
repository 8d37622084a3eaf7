"""One ledger, several operators and several hosts: nobody overwrites what is another's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.ledger.samples import (
    HOME,
    MEMORY,
    OPERATOR,
    START,
    OpenLedger,
    clock,
    decision,
    id_of,
    proposal,
)

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.recognition import recognise
from reviewdeck.environment import host_id, settings_in
from reviewdeck.errors import Busy
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Draft, Marks, State, Verb
from reviewdeck.model.ledger import DirectoryIdentity, Opener

LATER = START + timedelta(days=1)
Opening: TypeAlias = Callable[[Opener], Ledger]


@pytest.fixture
def opened(open_here: OpenLedger, tmp_path: Path) -> Iterator[Opening]:
    """Opens one ledger, as somebody."""
    with ExitStack() as stack:
        yield lambda opener: stack.enter_context(open_here(tmp_path, opener))


def draft(verb: Verb, reason: str = "") -> Draft:
    """A draft about the first proposal."""
    return Draft(id_of(1), verb, None, START, reason)


def test_two_operators_prepare_two_answers_to_one_proposal(opened: Opening) -> None:
    iris, otto = opened(Opener("iris")), opened(Opener("otto"))
    iris.add([proposal(1), proposal(2)], {})
    iris.put_draft(draft(Verb.APPROVE))
    otto.put_draft(draft(Verb.REJECT, "no"))
    assert iris.drafts() == (draft(Verb.APPROVE),)
    assert otto.drafts([HOME]) == (draft(Verb.REJECT, "no"),)
    assert iris.counts().drafts == otto.counts([HOME]).drafts == 1
    assert iris.clear_draft(id_of(1)) and not iris.clear_draft(id_of(1))
    assert iris.drafts() == () and iris.counts().drafts == 0
    assert otto.drafts() == (draft(Verb.REJECT, "no"),)


def test_a_decision_uses_up_what_its_operator_prepared_and_leaves_what_others_did(
    opened: Opening,
) -> None:
    iris, otto = opened(Opener("iris")), opened(Opener("otto"))
    iris.add([proposal(1)], {})
    iris.put_draft(draft(Verb.REJECT, "no"))
    otto.put_draft(draft(Verb.APPROVE))
    iris.decide(decision(1, verb=Verb.REJECT), State.REJECTED, [State.READY])
    assert iris.drafts() == ()
    assert otto.drafts() == (draft(Verb.APPROVE),)


def test_what_was_prepared_under_no_name_is_everybodys_until_somebody_takes_it(
    opened: Opening,
) -> None:
    nobody, iris, otto = opened(Opener()), opened(Opener("iris")), opened(Opener("otto"))
    nobody.add([proposal(1)], {})
    nobody.put_draft(draft(Verb.APPROVE))
    assert iris.drafts() == otto.drafts() == (draft(Verb.APPROVE),)
    iris.put_draft(draft(Verb.REJECT, "no"))
    assert iris.drafts() == (draft(Verb.REJECT, "no"),)
    assert otto.drafts() == nobody.drafts() == ()


def test_each_operator_has_seen_what_they_have_seen(opened: Opening) -> None:
    nobody, iris, otto = opened(Opener()), opened(Opener("iris")), opened(Opener("otto"))
    earlier = Marks(START, {MEMORY: LATER})
    nobody.put_marks(HOME, earlier, OPERATOR, START)
    assert iris.marks(HOME) == otto.marks(HOME) == earlier
    iris.put_marks(HOME, Marks(LATER), OPERATOR, LATER)
    assert iris.marks(HOME) == Marks(LATER)
    assert otto.marks(HOME) == nobody.marks(HOME) == earlier
    assert iris.marks("/elsewhere") == Marks()


def known_as(ledger: Ledger, host: str, at: DirectoryIdentity) -> str:
    """The id under which a host's home is stored, as opening it does."""
    found = recognise(at, ledger.known_homes(), lambda path: None, lambda id: False, host)
    ledger.put_place(found.id, at, "0" * 32)
    return found.id


def test_the_same_path_on_two_hosts_is_two_homes(opened: Opening) -> None:
    one, two = opened(Opener(host="a" * 16)), opened(Opener(host="b" * 16))
    here, there = DirectoryIdentity(HOME, "1-2", "c" * 32), DirectoryIdentity(HOME, "1-2")
    assert known_as(one, "a" * 16, here) == HOME
    assert known_as(two, "b" * 16, there) == f"{HOME}@{'b' * 16}"
    assert [(home.id, home.at.path) for home in one.known_homes()] == [
        (HOME, HOME),
        (f"{HOME}@{'b' * 16}", HOME),
    ]
    assert one.home_at(HOME, ("1-2", "c" * 32)) == HOME
    assert two.home_at(HOME, ("1-2", "0" * 32)) == f"{HOME}@{'b' * 16}"
    for _ in range(2):  # Neither takes the place of the other.
        assert known_as(one, "a" * 16, here) == HOME
        assert known_as(two, "b" * 16, there) == f"{HOME}@{'b' * 16}"


def test_a_copied_image_is_another_home_on_its_host(opened: Opening) -> None:
    """The mark in its folder is the same."""
    one, two = opened(Opener(host="a" * 16)), opened(Opener(host="b" * 16))
    at = DirectoryIdentity(HOME, "1-2", "c" * 32)
    assert known_as(one, "a" * 16, at) != known_as(two, "b" * 16, at)


def test_a_home_from_before_hosts_had_ids_keeps_its_id(opened: Opening) -> None:
    before, one, two = (
        opened(Opener(host=host)) for host in ("", "a" * 16, "b" * 16)
    )  # fmt: skip
    at = DirectoryIdentity(HOME, "1-2")
    assert known_as(before, "", at) == HOME
    assert one.home_at(HOME, ("1-2", "0" * 32)) == HOME
    assert known_as(one, "a" * 16, at) == HOME
    assert [home.host for home in one.known_homes()] == ["a" * 16]
    assert two.home_at(HOME, ("1-2", "0" * 32)) is None


def test_of_two_hosts_that_give_a_home_the_same_id_one_is_told(opened: Opening) -> None:
    one, two = opened(Opener(host="a" * 16)), opened(Opener(host="b" * 16))
    at = DirectoryIdentity(HOME, "1-2")
    one.put_place(HOME, at, "0" * 32)
    with pytest.raises(Busy):
        two.put_place(HOME, at, "0" * 32)
    assert [home.host for home in two.known_homes()] == ["a" * 16]


def test_the_id_of_a_host_is_made_once(tmp_path: Path) -> None:
    id = host_id(tmp_path)
    assert len(id) == 16 and host_id(tmp_path) == id
    assert [file.name for file in tmp_path.iterdir()] == ["host"]


def test_two_programs_that_make_the_id_of_a_host_at_once_have_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, others = Path.hardlink_to, "a" * 16

    def overtaken(file: Path, part: Path) -> None:
        file.write_text(others, "ascii")
        link(file, part)

    monkeypatch.setattr(Path, "hardlink_to", overtaken)
    assert host_id(tmp_path) == others
    assert [file.name for file in tmp_path.iterdir()] == ["host"]


def test_no_other_id_of_the_host_gives_the_homes_of_a_file_a_new_past(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent can write beside the ledger: what was rejected stays known."""
    home = tmp_path / "hermes"
    (home / "memories").mkdir(parents=True)
    (home / "config.yaml").write_text("model: x\n", "utf-8")
    env = {"HERMES_HOME": str(home), "HOME": str(tmp_path)}
    for other in ("a" * 16, "b" * 16):
        (tmp_path / "host").write_text(other, "ascii")
        settings = settings_in(ledger=str(tmp_path / "ledger.db"), env=env)
        with closing(open_engine(settings, now=clock)) as engine:
            assert [known.id for known in engine.ledger.known_homes()] == [str(home)]


def test_where_no_id_can_be_kept_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    assert host_id(tmp_path / "taken" / "state") == ""
    (tmp_path / "host").write_bytes(b"\xff")
    assert host_id(tmp_path) == ""
