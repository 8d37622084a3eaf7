"""Keys, the list of whose signatures count, and the directory that keeps them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.operators.signed import CHEAP, WORDS

from reviewdeck.errors import (
    BadInput,
    LedgerUnavailable,
    NotVerified,
    TooManyTries,
    WrongPassphrase,
)
from reviewdeck.operators.keys import MODERATE, KdfCost, generate_key, is_signed, unseal
from reviewdeck.operators.ring import Act, Ring, RingEntry, next_line, read_ring
from reviewdeck.operators.vault import RING, Vault, pause_after

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
LATER = AT + timedelta(hours=1)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "operators", CHEAP)


def line_of(ring: Ring, entry: RingEntry, signer: object) -> str:
    return next_line(ring, entry, signer, AT)  # type: ignore[arg-type]  # any signer


def test_a_key_is_opened_by_its_passphrase_alone() -> None:
    signer = generate_key()
    kept = json.loads(json.dumps(signer.seal(WORDS, CHEAP)))
    again = unseal(kept, WORDS)
    assert again is not None and again.public == signer.public
    assert unseal(kept, WORDS + " ") is None
    assert signer.public not in json.dumps(kept)
    assert is_signed(signer.public, b"x", again.sign(b"x"))
    assert not is_signed(signer.public, b"y", again.sign(b"x"))
    assert not is_signed("no key", b"x", "no signature")


def test_the_same_words_in_other_code_points_open_it() -> None:
    kept = generate_key().seal("caf\u00e9 au lait", CHEAP)
    assert unseal(kept, "cafe\u0301 au lait") is not None


def test_a_guess_is_expensive_and_a_key_file_cannot_make_it_ruinous() -> None:
    assert KdfCost(passes=3, memory=256 * 1024 * 1024) == MODERATE
    kept = generate_key().seal(WORDS, CHEAP) | {"memory": 1 << 40}
    with pytest.raises(ValueError, match="not known"):
        unseal(kept, WORDS)


def test_only_a_trusted_key_adds_to_the_list() -> None:
    dana, erin, mallory = generate_key(), generate_key(), generate_key()
    text = line_of(Ring(), RingEntry(Act.TRUST, "dana", dana.public), dana) + "\n"
    text += line_of(read_ring(text), RingEntry(Act.TRUST, "erin", erin.public), dana) + "\n"
    assert [key.name for key in read_ring(text).current] == ["dana", "erin"]
    forged = line_of(read_ring(text), RingEntry(Act.TRUST, "eve", mallory.public), mallory)
    with pytest.raises(NotVerified, match="nobody we trust"):
        read_ring(text + forged)
    text += line_of(read_ring(text), RingEntry(Act.REVOKE, "dana", dana.public), erin) + "\n"
    with pytest.raises(NotVerified, match="nobody we trust"):
        read_ring(text + line_of(read_ring(text), RingEntry(Act.POLICY, policy="x"), dana))
    ring = read_ring(text)
    assert [key.name for key in ring.current] == ["erin"]
    assert ring.key_at(dana.public, AT) is None and ring.key_at(erin.public, LATER) is not None


@pytest.mark.parametrize("what", ["name", "key", "policy", "at", "n", "previous", "by"])
def test_no_word_of_the_list_can_be_changed(what: str) -> None:
    dana = generate_key()
    first = line_of(Ring(), RingEntry(Act.TRUST, "dana", dana.public), dana)
    said = json.loads(line_of(read_ring(first), RingEntry(Act.POLICY, policy="a"), dana))
    said[what] = said[what] + 1 if isinstance(said[what], int) else said[what] + "0"
    with pytest.raises(NotVerified):
        read_ring(first + "\n" + json.dumps(said, sort_keys=True, separators=(",", ":")))


def test_a_new_start_needs_no_old_key_and_is_told_for_ever() -> None:
    dana, other = generate_key(), generate_key()
    text = line_of(Ring(), RingEntry(Act.TRUST, "dana", dana.public), dana) + "\n"
    restart = next_line(read_ring(text), RingEntry(Act.RESTART, "dana", other.public), other, LATER)
    ring = read_ring(text + restart)
    assert ring.restarts == (LATER,)
    assert [key.public for key in ring.current] == [other.public]
    # What the old key signed before still counts, and nothing after.
    assert ring.key_at(dana.public, AT + timedelta(minutes=1)) is not None
    assert ring.key_at(dana.public, LATER) is None


def test_the_directory_is_for_its_owner_alone(vault: Vault) -> None:
    signer = vault.make_key("dana", WORDS)
    vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, AT)
    assert vault.directory.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in vault.directory.iterdir()} == {0o600}
    assert vault.open_key(WORDS, AT).name == "dana"
    assert WORDS not in "".join(path.read_text() for path in vault.directory.iterdir())


@pytest.mark.parametrize("name", ["", "../x", "a b", "-x", "x\n", "x" * 80])
def test_a_name_is_never_a_path(vault: Vault, name: str) -> None:
    with pytest.raises(BadInput):
        vault.make_key(name, WORDS)


def test_a_short_passphrase_is_none(vault: Vault) -> None:
    with pytest.raises(BadInput, match="at least 8"):
        vault.make_key("dana", "1234567")


def test_after_three_mistakes_there_is_a_pause_that_outlives_the_program(vault: Vault) -> None:
    signer = vault.make_key("dana", WORDS)
    vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, AT)
    for _ in range(3):
        with pytest.raises(WrongPassphrase):
            vault.open_key("a wrong one", AT)
    again = Vault(vault.directory, CHEAP)
    with pytest.raises(TooManyTries, match="60 seconds"):
        again.open_key(WORDS, AT)
    assert again.open_key(WORDS, AT + timedelta(seconds=60)).name == "dana"
    with pytest.raises(WrongPassphrase):
        again.open_key("a wrong one", AT)  # The count began anew.
    assert again.open_key(WORDS, AT).name == "dana"


def test_the_pause_doubles_up_to_an_hour() -> None:
    seconds = [pause_after(failed).total_seconds() for failed in range(2, 12)]
    assert seconds == [0, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]


def test_a_key_that_nobody_trusts_opens_nothing(vault: Vault) -> None:
    signer = vault.make_key("dana", WORDS)
    vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, AT)
    Vault(vault.directory, CHEAP).make_key("eve", "eve's own words")
    with pytest.raises(WrongPassphrase):
        vault.open_key("eve's own words", AT)


def test_an_older_key_of_the_same_name_is_kept(vault: Vault) -> None:
    first = vault.make_key("dana", WORDS)
    vault.make_key("dana", "other words entirely")
    assert (vault.directory / f"dana-{first.public[:8]}.old").exists()
    assert vault.names() == ("dana",)


def test_a_key_set_aside_opens_until_the_list_revokes_it(vault: Vault) -> None:
    old = vault.make_key("dana", WORDS)
    vault.note(RingEntry(Act.TRUST, "dana", old.public), old, AT)
    vault.make_key("dana", "other words entirely")  # A rotation that ends here.
    opened = vault.open_key(WORDS, AT)
    assert (opened.name, opened.signer.public) == ("dana", old.public)
    with pytest.raises(WrongPassphrase):
        vault.open_key("other words entirely", AT)
    new = vault.make_key("dana", "the third words")
    vault.note(RingEntry(Act.TRUST, "dana", new.public), old, AT)
    vault.note(RingEntry(Act.REVOKE, "dana", old.public), old, AT)
    assert vault.open_key("the third words", AT).signer.public == new.public
    with pytest.raises(WrongPassphrase):
        vault.open_key(WORDS, AT)


def test_a_damaged_key_keeps_nobody_else_out(vault: Vault) -> None:
    signer = vault.make_key("dana", WORDS)
    vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, AT)
    (vault.directory / "alice.key").write_text("{")
    assert vault.open_key(WORDS, AT).name == "dana"
    with pytest.raises(WrongPassphrase, match="alice"):
        vault.open_key("a wrong one", AT)
    (vault.directory / "dana.key").write_text("[]")
    with pytest.raises(NotVerified, match="cannot be used"):
        vault.open_key(WORDS, AT)


@pytest.mark.parametrize(
    "record",
    [
        '{"failed": "many"}',
        '{"failed": null}',
        '{"failed": 1e400}',
        '{"failed": 3, "until": 5}',
        '{"failed": 3, "until": "2026-11-21T09:00:00"}',
        '{"failed": 3, "until": "2999-01-01T00:00:00+00:00"}',
    ],
)
def test_a_damaged_record_of_wrong_passphrases_keeps_nobody_out(vault: Vault, record: str) -> None:
    signer = vault.make_key("dana", WORDS)
    vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, AT)
    (vault.directory / "tries.json").write_text(record)
    assert vault.open_key(WORDS, AT + timedelta(days=1)).name == "dana"


def test_a_damaged_counter_counts_as_none(vault: Vault) -> None:
    vault.record_counter("one", 2)
    vault.record_counter("two", 5)
    (vault.directory / "counters.json").write_text('{"one": "x", "two": 5}')
    assert [vault.highest_counter(name) for name in ("one", "two")] == [0, 5]
    vault.record_counter("one", 3)
    assert [vault.highest_counter(name) for name in ("one", "two")] == [3, 5]


def test_a_list_that_cannot_be_reached_is_not_absent(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer = vault.make_key("dana", WORDS)
    vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, AT)

    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", refuse)  # Modes do not bind root.
    assert vault.exists
    with pytest.raises(NotVerified, match="Permission denied"):
        vault.ring()


def test_a_directory_that_cannot_be_written_is_named(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reviewdeck.operators.vault.tempfile.mkstemp", refuse)
    with pytest.raises(LedgerUnavailable, match=str(vault.directory)):
        vault.record_counter("one", 2)


def test_a_list_that_cannot_be_read_is_no_empty_list(vault: Vault) -> None:
    signer = vault.make_key("dana", WORDS)
    vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, AT)
    (vault.directory / RING).write_bytes(b"\xff\xfe")
    with pytest.raises(NotVerified):
        Vault(vault.directory).ring()
