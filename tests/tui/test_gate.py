"""The door of the deck in a browser: one link, one cookie, this address and no other."""

from __future__ import annotations

import pytest

from reviewdeck_tui.browser.gate import Gate, Pass

HERE = {"Host": "127.0.0.1:8123"}
OURS = {**HERE, "Origin": "http://127.0.0.1:8123"}


def token_of(link: str) -> str:
    """The token in a link."""
    return link.partition("token=")[2]


@pytest.fixture
def gate() -> Gate:
    """A door at a known port."""
    return Gate(8123)


def test_the_link_works_once(gate: Gate) -> None:
    token = token_of(gate.new_link())
    assert gate.judge(HERE, {}, token, is_socket=False) is Pass.NEW
    gate.open_session()
    assert gate.judge(HERE, {}, token, is_socket=False) is Pass.OUT


def test_a_new_link_ends_the_one_before(gate: Gate) -> None:
    first, second = token_of(gate.new_link()), token_of(gate.new_link())
    assert gate.judge(HERE, {}, first, is_socket=False) is Pass.OUT
    assert gate.judge(HERE, {}, second, is_socket=False) is Pass.NEW


def test_who_got_in_later_puts_out_who_was_in(gate: Gate) -> None:
    cookies = {gate.cookie_name: gate.open_session()}
    assert gate.judge(OURS, cookies, None, is_socket=True) is Pass.IN
    gate.open_session()
    assert gate.judge(OURS, cookies, None, is_socket=True) is Pass.OUT


@pytest.mark.parametrize("is_socket", [False, True])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Host": "evil.example:8123", "Origin": "http://evil.example:8123"},
        {"Host": "localhost:8123", "Origin": "http://localhost:8123"},
        {"Host": "127.0.0.1", "Origin": "http://127.0.0.1"},
        {**HERE, "Origin": "http://evil.example"},
        {**HERE, "Origin": "http://127.0.0.1:9000"},
        {**HERE, "Origin": "https://127.0.0.1:8123"},
        {**HERE, "Origin": "null"},
        {**HERE, "Origin": ""},
    ],
)
def test_nobody_comes_in_by_another_name_or_from_another_page(
    gate: Gate, headers: dict[str, str], is_socket: bool
) -> None:
    token, cookies = token_of(gate.new_link()), {gate.cookie_name: gate.open_session()}
    token = token_of(gate.new_link())
    assert gate.judge(headers, cookies, token, is_socket=is_socket) is Pass.OUT
    assert gate.judge(headers, cookies, None, is_socket=is_socket) is Pass.OUT


def test_a_socket_that_says_nothing_of_where_it_comes_from_stays_out(gate: Gate) -> None:
    cookies = {gate.cookie_name: gate.open_session()}
    assert gate.judge(HERE, cookies, None, is_socket=True) is Pass.OUT
    assert gate.judge(HERE, cookies, None, is_socket=False) is Pass.IN


@pytest.mark.parametrize("given", [None, "", "x", "ä\udcff"])
def test_without_the_right_cookie_or_token_nothing_opens(gate: Gate, given: str | None) -> None:
    cookies = {} if given is None else {gate.cookie_name: given}
    assert gate.judge(OURS, cookies, None, is_socket=False) is Pass.OUT
    gate.open_session()
    gate.new_link()
    assert gate.judge(OURS, cookies, None, is_socket=False) is Pass.OUT
    assert gate.judge(OURS, {}, given, is_socket=False) is Pass.OUT


def test_nothing_secret_is_in_its_words(gate: Gate) -> None:
    link, session = gate.new_link(), gate.open_session()
    assert token_of(link) not in repr(gate) and session not in repr(gate)
