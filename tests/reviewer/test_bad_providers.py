"""Providers that answer badly: one sentence, a hint, an exit code, and nothing half staged."""

from __future__ import annotations

import datetime as dt
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.reviewer.kit import FAST, add, anthropic_request, openai_request, talk
from tests.reviewer.peer import Peer, peer
from tests.reviewer.test_wire import ARGUMENTS, call, chunks, whole

from reviewdeck.engine.engine import Engine
from reviewdeck.reviewer.conversation import ApiMode, Json, Runtime
from reviewdeck.reviewer.endings import ExitCode
from reviewdeck.reviewer.models import open_model
from reviewdeck.reviewer.review import Reviewed, Reviewer, ReviewRequest

MODES = (ApiMode.CHAT, ApiMode.MESSAGES)
KEY = "key-of-nobody"


def review(
    deck: Engine, base: str, mode: ApiMode = ApiMode.CHAT, timeout: float = 60.0, **settings: Any
) -> Reviewed:
    """A review by a model at this address."""
    request = anthropic_request if mode is ApiMode.MESSAGES else openai_request
    runtime = Runtime("somebody", "m", mode, base, KEY, timeout=timeout)
    reviewer = Reviewer(deck, deck.open_homes[0].home, open_model, limits=FAST)
    return reviewer.run(talk(request(**settings), runtime=runtime), ReviewRequest())


def base_of(running: Peer, mode: ApiMode) -> str:
    """Its address for this API."""
    return running.url if mode is ApiMode.MESSAGES else f"{running.url}/v1"


def assert_ended(deck: Engine, reviewed: Reviewed, code: ExitCode, *words: str) -> None:
    """It is one line without the key, with these words, and nothing is staged."""
    told = reviewed.exchange.told
    assert told.exit_code == code, told
    assert all(word in f"{told.reason} {told.hint}" for word in words), told
    assert "\n" not in told.reason and len(told.reason) < 400 and KEY not in repr(reviewed)
    assert reviewed.run.proposals == () and deck.pending() == ()
    assert told.reason in [run.detail for run in deck.ledger.reviews()]


FAULTS: list[tuple[str, Json, int, ExitCode, tuple[str, ...]]] = [
    ("429", {"fault": "ratelimit"}, 3, ExitCode.LATER, ("rate-limit: no: ratelimit (HTTP 429)",)),
    (
        "429 with a delay that is too long",
        {"fault": "ratelimit", "retry_after": 3600},
        1,
        ExitCode.LATER,
        ("rate-limit",),
    ),
    (
        "429 without credit",
        {
            "raw": {"error": {"message": "You exceeded your current quota", "code": "x"}},
            "status": 429,
        },
        1,
        ExitCode.FAILED,
        ("refused: You exceeded your current quota",),
    ),
    ("500", {"raw": b"oops", "status": 500}, 3, ExitCode.LATER, ("overloaded: oops (HTTP 500)",)),
    ("503", {"raw": b"", "status": 503}, 3, ExitCode.LATER, ("Service Unavailable (HTTP 503)",)),
    ("disconnect", {"fault": "disconnect"}, 3, ExitCode.LATER, ("connection: 127.0.0.1:",)),
    ("no JSON", {"fault": "malformed"}, 3, ExitCode.LATER, ("malformed-answer: ",)),
    ("nothing", {"raw": b""}, 3, ExitCode.LATER, ("cut-stream",)),
    ("a list", {"raw": b"[]"}, 3, ExitCode.LATER, ("malformed-answer",)),
    (
        "401",
        {"raw": {"error": f"no such key: {KEY}"}, "status": 401},
        1,
        ExitCode.FAILED,
        ("refused: no such key: *** (HTTP 401)", "See whether the key is one of 127.0.0.1"),
    ),
    (
        "400",
        {"raw": {"detail": [{"msg": "no such model"}]}, "status": 400},
        1,
        ExitCode.FAILED,
        ("refused: no such model (HTTP 400)",),
    ),
]


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize(
    ("fault", "amount", "code", "words"),
    [fault[1:] for fault in FAULTS],
    ids=[fault[0] for fault in FAULTS],
)
def test_a_fault_is_one_sentence_and_an_exit_code(
    deck: Engine, mode: ApiMode, fault: Json, amount: int, code: ExitCode, words: tuple[str, ...]
) -> None:
    with peer(*[fault] * 9) as running:
        reviewed = review(deck, base_of(running, mode), mode)
        assert len(running.journal) == amount
    assert_ended(deck, reviewed, code, *words)
    assert reviewed.exchange.told.hint and reviewed.run.iterations == 0


def test_a_long_sentence_keeps_its_status_and_no_part_of_the_key(deck: Engine) -> None:
    said = "x" * 295 + KEY
    with peer({"raw": {"error": said}, "status": 400}, {"raw": {"error": said}}) as running:
        failed = [review(deck, f"{running.url}/v1").exchange.told for _ in range(2)]
    assert failed[0].reason.endswith("x*** (HTTP 400)")
    assert [KEY[:4] in it.reason for it in failed] == [False, False]


def test_an_address_that_sends_elsewhere_says_where(deck: Engine) -> None:
    with peer() as other, peer({"fault": "redirect", "to": ""}) as running:
        running.script[0] = {"fault": "redirect", "to": f"{other.url}/v1"}
        reviewed = review(deck, f"{running.url}/v1")
        assert other.journal == []
        words = (f"The server sends on to {other.url}/v1", "where nothing was sent", "--base-url")
    assert_ended(deck, reviewed, ExitCode.FAILED, *words)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_stall_ends_at_the_time_limit_of_an_answer(deck: Engine, mode: ApiMode) -> None:
    with peer(*[{"latency": 600}] * 9) as running:
        reviewed = review(deck, base_of(running, mode), mode, timeout=0.2)
    assert_ended(deck, reviewed, ExitCode.LATER, "timeout: No answer within 0.2 seconds.")


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_half_a_stream_stages_nothing(deck: Engine, mode: ApiMode) -> None:
    with peer(*[add("The linter is ruff.") | {"fault": "truncated"}] * 9) as running:
        reviewed = review(deck, base_of(running, mode), mode, stream=True)
    assert_ended(deck, reviewed, ExitCode.LATER, "cut-stream: The answer stopped before its end.")


@pytest.mark.parametrize("start", [b"data: ", b"{", b""], ids=["event", "object", "no end"])
def test_fifty_megabytes_in_one_line_are_not_read_to_their_end(deck: Engine, start: bytes) -> None:
    with peer({"raw": start + b"x" * 50_000_000}) as running:
        reviewed = review(deck, f"{running.url}/v1")
        assert len(running.journal) == 1
    assert_ended(deck, reviewed, ExitCode.FAILED, "refused: The answer is over 16 MiB.")


@pytest.mark.parametrize("is_streamed", [False, True])
def test_of_ten_thousand_calls_a_hundred_are_run(deck: Engine, is_streamed: bool) -> None:
    calls = [call(f"c{n}", "{}", n if is_streamed else None) for n in range(10_000)]
    for one in calls:
        one["function"]["name"] = "skills_list"
    calls[-1] = call("last", ARGUMENTS, 9_999 if is_streamed else None)
    answer = chunks({"tool_calls": calls}) if is_streamed else whole({"tool_calls": calls})
    with peer({"raw": answer}) as running:
        reviewed = review(deck, f"{running.url}/v1", stream=is_streamed)
        second = running.requests[1]["messages"]
    assert reviewed.run.ending == "done" and reviewed.run.proposals == ()
    answered = [json.loads(one["content"]) for one in second if one["role"] == "tool"]
    assert len(answered) == 10_000 and sum(one["success"] for one in answered) == 100
    assert answered[-1]["error"].startswith("Too many calls")


@pytest.mark.parametrize("text", ["{", "[]", "nothing", '{"action": "add"} x', "[" * 100_000])
def test_arguments_that_are_no_json_are_answered_three_times(deck: Engine, text: str) -> None:
    with peer(*[{"raw": whole({"tool_calls": [call("c1", text)]})}] * 9) as running:
        reviewed = review(deck, f"{running.url}/v1")
        assert len(running.journal) == 3
    assert reviewed.run.ending == "malformed-arguments" and deck.pending() == ()
    assert reviewed.exchange.told.exit_code == ExitCode.EARLY and reviewed.exchange.told.hint


@contextmanager
def certified(directory: Path) -> Iterator[Peer]:
    """A stand-in behind TLS, whose certificate nobody but itself has signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = directory / "server.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    with peer() as running:
        running.server.socket = context.wrap_socket(running.server.socket, server_side=True)
        yield running


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_certificate_that_nobody_signed_gets_no_conversation(
    deck: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: ApiMode
) -> None:
    with certified(tmp_path) as running:
        port = running.server.server_address[1]
        reviewed = review(deck, f"https://localhost:{port}/v1", mode)
        assert running.journal == []
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.pem"))
        base = f"https://localhost:{port}" + ("" if mode is ApiMode.MESSAGES else "/v1")
        assert review(deck, base, mode).run.ending == "done"
    assert_ended(
        deck, reviewed, ExitCode.FAILED, f"certificate: The certificate of localhost:{port}",
        "self", "SSL_CERT_FILE",
    )  # fmt: skip


def test_a_server_that_does_not_run_is_named(deck: Engine) -> None:
    with peer() as running:
        base = f"{running.url}/v1"
    reviewed = review(deck, base)
    host = base.removeprefix("http://").removesuffix("/v1")
    assert_ended(deck, reviewed, ExitCode.LATER, f"connection: {host} cannot be reached", "runs")


@pytest.mark.parametrize(
    ("mode", "path", "other"),
    [
        (ApiMode.CHAT, "", "/v1"),
        (ApiMode.CHAT, "/", "/v1"),
        (ApiMode.CHAT, "/v1/v1", "/v1"),
        (ApiMode.CHAT, "/v1/v1/", "/v1"),
        (ApiMode.CHAT, "/v1/chat/completions", "/v1"),
        (ApiMode.CHAT, "/api", "/api/v1"),
        (ApiMode.MESSAGES, "/v1", ""),
        (ApiMode.MESSAGES, "/v1/v1", ""),
        (ApiMode.MESSAGES, "/v1/messages", ""),
        (ApiMode.MESSAGES, "/anthropic/v1", "/anthropic"),
    ],
)
@pytest.mark.parametrize("answer", ["404", "a page"])
def test_an_address_with_a_wrong_version_is_answered_with_the_right_one(
    deck: Engine, mode: ApiMode, path: str, other: str, answer: str
) -> None:
    page: Json = {"raw": b"<!doctype html><p>Hello."}
    line = page if answer == "a page" else {"raw": {"detail": "Not Found"}, "status": 404}
    with peer(*[line] * 9) as running:
        reviewed = review(deck, f"{running.url}{path}", mode)
        assert len(running.journal) == 1
    hint = f"The address may be wrong: try --base-url {running.url}{other}"
    if mode is ApiMode.MESSAGES:
        hint += ", or --provider NAME if it speaks as OpenAI does"
    assert_ended(deck, reviewed, ExitCode.FAILED, "refused: ")
    assert reviewed.exchange.told.hint == hint


def test_an_address_with_a_version_of_its_own_gets_no_other(deck: Engine) -> None:
    with peer({"raw": {"error": {"message": "no such model"}}, "status": 404}) as running:
        reviewed = review(deck, f"{running.url}/api/paas/v4")
    assert_ended(deck, reviewed, ExitCode.FAILED, "no such model (HTTP 404)")
    assert "--base-url" not in reviewed.exchange.told.hint


def test_without_a_key_the_hint_says_how_to_name_one(deck: Engine) -> None:
    with peer({"fault": "refused"}) as running:
        runtime = Runtime("somebody", "m", base_url=f"{running.url}/v1", api_key="")
        reviewer = Reviewer(deck, deck.open_homes[0].home, open_model, limits=FAST)
        conversation = replace(talk(openai_request()), runtime=runtime)
        reviewed = reviewer.run(conversation, ReviewRequest())
    assert_ended(deck, reviewed, ExitCode.FAILED, "--key-variable NAME")
