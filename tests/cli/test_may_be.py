"""The quick look that says whether a text may hold a secret at all misses none of its signs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.cli.glancing import LONG, MAY_BE, may_hold

SIGNS = (
    *("AKIA", "ASIA", "gho_", "sk-", "xoxb", "eyJ", "npm_", "pypi-", "hf_", "SG."),
    *("-----BEGIN", "://dana:x@", "password", "pwd", "passphrase", "passcode", "secret", "token"),
    *("api key", "access_key", "account-key", "credential", "pin", "Kennwort", "mot de passe"),
    *(
        "contraseña",
        "senha",
        "wachtwoord",
        "haslo",
        "hasło",
        "пароль",
        "密码",
        "口令",
        "パスワード",
    ),
    *("비밀번호", "abcdefghijklm4", "x/y+z=a.b-c_d3e"),
)


@pytest.mark.parametrize("sign", SIGNS)
def test_each_sign_is_found_in_any_case_and_anywhere(sign: str) -> None:
    for said in (sign, sign.upper(), sign.lower(), sign.title()):
        assert MAY_BE.search(f"An entry, and then\n{said} of it")


@pytest.mark.parametrize("plain", ["The staging host is stg-2.", "abcdefghijk12", "spinning", ""])
def test_what_is_plain_is_left_alone(plain: str) -> None:
    assert MAY_BE.search(plain) is None


LINE = "Staging is reached from the office; ask Ana for the rest.\n"
FAR = LINE * (2 * LONG // len(LINE))


@pytest.mark.parametrize("sign", SIGNS)
def test_each_sign_is_found_in_a_long_text_too(sign: str) -> None:
    for said in (sign, sign.upper(), sign.lower(), sign.title()):
        for line in (said, f"{said} of it", f"über {said} é", f"日本語\n{said}"):
            assert may_hold(FAR + line + "\n" + FAR), line


def test_a_long_plain_text_is_left_alone_in_any_language() -> None:
    assert not may_hold(FAR)
    assert not may_hold(FAR + "Die Übergabe ist um 9, 東京は10時。\n")


def test_a_key_that_begins_on_the_next_line_is_found() -> None:
    assert may_hold(FAR + "-----\n" + "BEGIN it")


PIECES = st.sampled_from([*SIGNS, "a", "7", "-", "/", ".", "ſ", "K", "é", " ", "\n", "п", "-----"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_the_quick_look_at_a_long_text_says_what_the_slow_one_says(said: str) -> None:
    text = f"{FAR}\n{said}\n{FAR}"
    assert may_hold(text) == (MAY_BE.search(text) is not None)
