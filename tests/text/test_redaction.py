"""One redaction covers every secret, and nothing that is none."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.text.redact import (
    COVER,
    Redaction,
    cover_places,
    merge_places,
    redact,
    redact_value,
    secret_places,
)

TOKEN = "ghp_" + "a1B2" * 9
PLAIN = "step 4711: make 3, and wait\nCI runs on arm64.\n"


def test_a_token_is_covered_and_the_rest_is_not() -> None:
    covered = redact(f"The token is {TOKEN}, for CI.")
    assert TOKEN[4:12] not in covered
    assert covered.startswith("The token is ")
    assert covered.endswith(", for CI.")


def test_a_cover_says_nothing_of_the_length() -> None:
    assert cover_places("a" * 30, [(0, 30)]) == cover_places("a" * 40, [(0, 40)])


def test_line_ends_stay_where_they_are() -> None:
    assert cover_places("ab\ncd\nef", [(1, 7)]).count("\n") == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The Wi-Fi at the cabin opens with " + '"marmalade"', "marmalade"),
        ("Login for the portal is mira / " + "Sommer2023.", "ommer2023"),
        ("The recovery phrase is " + "lamp otter violet mound carbon tiger.", "tiger"),
        ("Uses Bearer " + "AbCdEfGhIjKlMn0pQrStUvWxYz.", "WxYz"),
        ("The account is mira and the password " + "hunterxyz", "unterxyz"),
        ("The recovery key is " + "48213.", "48213"),
        ("The key is " + "xy_live_abcdefgh1j", "abcdefgh1j"),
        ("Night safe: combination sixty-two, " + "nineteen, forty-four.", "forty-four"),
        ("パスワードは" + "haru2931です。", "haru2931"),
        ("postgres://app:" + "s3cr3t@db/app", "s3cr3t"),
    ],
)
def test_a_secret_is_covered_to_its_end_however_long_the_text_around_it(
    text: str, value: str
) -> None:
    for around in ("", "Likes tea. " * 370, "Lint first.\n" * 3_000):
        assert value not in redact(f"{around}{text}")
        assert value not in redact(f"{text}\n{around}")
        assert redact(f"{text}\n{around}").startswith(text[:4])


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("postgresql://anna:" + "s3cr3t@db.lan:5432/app", "postgresql://anna:{}@db.lan:5432/app"),
        (
            "https://deploy-bot2:" + "Tr0ub4dor@git.lan/a.git",
            "https://deploy-bot2:{}@git.lan/a.git",
        ),
        ("redis://:" + "s3cr3t@cache.lan/0", "redis://{}@cache.lan/0"),
        ("postgres://" + "postgres:postgres@localhost/x", "postgres://{}@localhost/x"),
        ("https://" + "5up3rT0k3nOfM1ne:x-oauth-basic@git.lan", "https://{}@git.lan"),
        ("https://" + "abcdefghij:x-oauth-basic@git.lan", "https://{}@git.lan"),
    ],
)
def test_of_a_link_with_a_password_the_scheme_user_and_host_stay_readable(
    link: str, shown: str
) -> None:
    assert re.sub(rf"\w*{COVER}", COVER, redact(f"Uses {link} daily.")) == (
        f"Uses {shown.format(COVER)} daily."
    )
    view = Redaction([link])
    assert COVER in view.text(link)
    assert view.text("The postgres server of anna.") == "The postgres server of anna."


@pytest.mark.parametrize(
    "text",
    [
        "The recovery phrase is kept with the notary.",
        "The seed words are kept offline and never typed.",
        "Das Passwort muss mindestens 12 Zeichen haben.",
        "Passwords are hashed with argon2id.",
        "The API uses bearer authentication.",
        "The login page is React / TypeScript.",
        "Validate user input, pass it to the handler.",
        "The reset code is sent within 120 seconds.",
        "GPIO pin 101 drives the LED.",
        "Calls get_api_response and make_test_database; images are img_20240501123045.",
        "Uses React@18.2.0; totals are in Sheet1!B12; see Issue#1234.",
        PLAIN * 100,
    ],
)
def test_what_is_said_about_secrets_is_shown_as_it_is(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("before", [16_380, 16_384, 65_536, 61_430, 200_000])
def test_a_token_far_down_in_a_long_text_is_covered(before: int) -> None:
    text = "Lint. " * (before // 6) + "x" * (before % 6) + f" {TOKEN} for CI."
    assert TOKEN[4:] not in redact(text)
    assert redact(text).endswith(" for CI.")


def test_every_secret_is_covered_however_many_there_are() -> None:
    text = "\n".join(f"{number} ghp_{number:036x}" for number in range(100, 160))
    assert redact(text).count("••••••••") == 60


def test_a_view_in_lines_covers_each_line_of_a_key_and_what_a_cut_left_of_a_token() -> None:
    line = "MIIEpAIBAAKCAQEAtesttest"
    key = "-----BEGIN RSA " + f"PRIVATE KEY-----\n{line}\n-----END RSA PRIVATE KEY-----"
    redaction = Redaction([key, f"The token is {TOKEN}."])
    assert line not in redaction.text(f"  {line}")
    for cut in (f"The token is {TOKEN[:9]}", f"“The token is {TOKEN[:14]}…”"):
        assert TOKEN[4:9] not in redaction.text(cut)
    assert redaction.text("The token of ghp_ is old.") == "The token of ghp_ is old."


def test_a_short_secret_that_is_known_covers_no_part_of_a_longer_word() -> None:
    redaction = Redaction(["The locker at the pool opens on " + "5503."])
    assert redaction.text("Revision a5503f9 came after 5503.") == (
        "Revision a5503f9 came after ••••••••."
    )


def test_redaction_that_is_off_covers_nothing() -> None:
    assert Redaction([TOKEN], is_off=True).text(TOKEN) == TOKEN


def test_redaction_loads_neither_the_rules_nor_the_engine() -> None:
    code = (
        "import sys; from reviewdeck.text.redact import redact;"
        "redact('The build is green, 4711 tests.'); ours = 'reviewdeck.';"
        "print(*sorted(one for one in sys.modules if one.startswith(ours)), 're2' in sys.modules)"
    )
    ran = subprocess.run(  # our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    *loaded, has_re2 = ran.stdout.split()
    light = {"json", "lazy", "redact", "secret_forms", "secret_prose"}
    below = {"reviewdeck.text", "reviewdeck.values"}
    assert set(loaded) <= {*below, *(f"reviewdeck.text.{one}" for one in light)}
    assert has_re2 == "False"


@pytest.mark.parametrize(
    "text",
    [
        f'{{"note": "{TOKEN}"}}',
        f'{{"note": "{TOKEN}", "note": "-"}}',
        f'{{"id": "{TOKEN}"}}',
        f'[{{"id": {{"id": ["{TOKEN}"]}}}}]',
        '{"password": "' + "hunter2zzz9" + '"}',
        '[{"door": {"pin": ' + "471100" + "}}]",
        json.dumps({"id": json.dumps({"id": TOKEN})}),
    ],
)
def test_a_text_that_is_json_covers_a_secret_under_any_key(text: str) -> None:
    covered = redact_value({"what": text, "id": TOKEN}, exact={"id"})
    assert isinstance(covered, dict) and covered["id"] == TOKEN
    assert COVER in covered["what"]
    assert not [value for value in (TOKEN, "hunter2zzz9", "471100") if value in covered["what"]]


def test_json_keeps_its_lines_and_its_plain_values_where_a_secret_in_it_is_covered() -> None:
    text = f'{{\n  "token": "{TOKEN}",\n  "token_is_set": true,\n  "path": "a"\n}}'
    covered = redact_value(text)
    assert isinstance(covered, str) and TOKEN not in covered
    assert covered.splitlines()[2:] == text.splitlines()[2:]
    assert json.loads(covered)["token_is_set"] is True


@pytest.mark.parametrize("depth", [100, 400, 600, 800, 950, 2_000])
@pytest.mark.parametrize("brackets", [("[", "]"), ('{"a":', "}")])
def test_json_however_deep_is_answered_with_its_secrets_covered(
    depth: int, brackets: tuple[str, str]
) -> None:
    opening, closing = brackets
    text = opening * depth + f'"{TOKEN}"' + closing * depth
    covered = redact_value([text])
    assert isinstance(covered, list) and TOKEN not in covered[0] and COVER in covered[0]


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70))))
def test_nothing_outside_the_places_is_lost(text: str, found: list[tuple[int, int]]) -> None:
    spans = [(min(a, b), max(a, b)) for a, b in found if max(a, b) <= len(text) and a != b]
    covered = cover_places(text, spans)
    kept = [c for n, c in enumerate(text) if not any(a <= n < b for a, b in spans)]
    remaining = iter(covered)
    assert all(character in remaining for character in kept)


@given(st.text(max_size=200))
def test_no_text_makes_the_search_for_secrets_fail(text: str) -> None:
    found = secret_places(text)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert found == merge_places(found)
