"""What is not seen at a glance is not there."""

from __future__ import annotations

import random
from string import ascii_letters, digits

import pytest
from tests.corpus.every import written

from reviewdeck.cli.glancing import LONG, MAY_BE, may_hold
from reviewdeck.policy.masking import mask, secret_spans
from reviewdeck.policy.secret_prose import told
from reviewdeck.policy.secrets import RULES

WORDS = (
    *("akia", "gho_", "sk-", "xox", "eyj", "npm_", "-----", "://", "passw", "pwd", "secret"),
    *("token", "pin", "contrase", "haslo", "api key", "account-key"),
)
PLAIN = "step 4711: make 3, and wait\nCI runs on arm64.\n"
FAR = PLAIN * (LONG // len(PLAIN) + 1)
HITS = [hit for rule in RULES if rule.name == "secret" for hit in rule.hits if type(hit) is str]


@pytest.mark.parametrize("text", HITS)
def test_every_text_that_holds_a_secret_may_hold_one(text: str) -> None:
    assert secret_spans(text)
    assert may_hold(text)
    assert may_hold(text.upper())
    assert may_hold(f"日本語 {text}")
    assert may_hold(f"{FAR}{text}\n{FAR}")
    assert may_hold(f"{FAR}日本語 {text}\n{FAR}")


TOLD = [hit for rule in RULES if rule.name == "lock-code" for hit in rule.hits if type(hit) is str]


@pytest.mark.parametrize("text", TOLD)
def test_what_a_sentence_tells_is_seen_and_covered(text: str) -> None:
    assert may_hold(text)
    shown = mask("Uses tmux. " + text)
    assert shown.startswith("Uses tmux. ")
    assert text.split()[-1].rstrip(".") not in shown


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Login for the portal is mira / " + "Sommer2023.", "ommer2023"),
        ("The recovery phrase is " + "lamp otter violet mound carbon tiger.", "tiger"),
        ("Uses Bearer " + "AbCdEfGhIjKlMn0pQrStUvWxYz.", "WxYz"),
        ("The account is mira and the password " + "hunterxyz", "unterxyz"),
        ("The recovery key is " + "48213.", "48213"),
        ("The key is " + "xy_live_abcdefgh1j", "abcdefgh1j"),
        ("Likes tea. " * 370 + "The locker at the pool opens on " + "5503.", "5503"),
    ],
)
def test_a_secret_is_covered_to_its_end(text: str, value: str) -> None:
    assert may_hold(text)
    assert value not in mask(text)
    assert mask(text).startswith(text[:10])


@pytest.mark.parametrize(
    "text",
    [
        "The recovery phrase is kept with the notary.",
        "The seed words are kept offline and never typed.",
        "Das Passwort muss mindestens 12 Zeichen haben.",
        "Das Passwort wird mit argon2id gehasht.",
        "パスワードは90日ごとに変更。",
        "The API uses bearer authentication.",
        "The login page is React / TypeScript.",
        "Validate user input, pass it to the handler.",
        "The reset code is sent within 120 seconds.",
        "GPIO pin 101 drives the LED.",
        "Calls get_api_response and make_test_database; images are img_20240501123045.",
        "Uses React@18.2.0; totals are in Sheet1!B12; see Issue#1234.",
    ],
)
def test_what_is_said_about_secrets_is_none(text: str) -> None:
    assert list(told(text)) == []


def test_every_sentence_of_the_corpora_that_tells_a_secret_is_seen() -> None:
    texts = [text.text for text in written("ninety-third")]
    telling = [text for text in texts if any(told(text))]
    assert len(telling) > 40
    assert all(map(may_hold, telling))


def test_plain_prose_and_numbers_hold_none() -> None:
    assert not may_hold(PLAIN * 1_000)


def test_what_the_exact_pattern_finds_is_never_passed_over() -> None:
    made = random.Random(7)  # noqa: S311  # no secret is made of it
    letters = f"{ascii_letters}{digits}_+/=.- :@\n-----"
    found = 0
    for _ in range(2_000):
        text = "".join(made.choice(letters) for _ in range(40))
        if made.random() < 0.5:
            at, word = made.randrange(40), made.choice(WORDS)
            text = text[:at] + made.choice((word, word.upper(), word.title())) + text[at:]
        if MAY_BE.search(text):
            found += 1
            assert may_hold(FAR + text), text
    assert found > 500
