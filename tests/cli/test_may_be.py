"""The quick look that says whether a text may hold a secret at all misses none of its signs."""

from __future__ import annotations

import pytest

from reviewdeck.cli.words import MAY_BE

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
