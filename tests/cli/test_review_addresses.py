"""Nobody gets a conversation or a key who was not named: not by a file, a word or a variable."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.cli.program import Program
from tests.reviewer.kit import anthropic_request, openai_request
from tests.reviewer.peer import Peer, peer
from tests.reviewer.test_conversations import make_database

from reviewdeck.errors import BadInput
from reviewdeck.reviewer.addresses import ADDRESSES
from reviewdeck.reviewer.conversation import ApiMode, Runtime
from reviewdeck.reviewer.models import Cancel, Model, ModelRequest, Reply, Route, choose, open_model

KEYS = ("OPENAI", "ANTHROPIC", "OPENROUTER", "OLLAMA", "CUSTOM")
KNOWN = ["openrouter", "ollama", "OpenRouter", " ollama ", "groq"]
ELSEWHERE = [
    *("custom", "azure", "open ai", "hermes"),
    *("openai/gpt-5", "openai.com", "opena\N{LATIN SMALL LETTER DOTLESS I}", "anthropic-vertex"),
]


@dataclass
class Vendors:
    """The two vendors, as the variables of their libraries name them."""

    openai: Peer
    anthropic: Peer


@pytest.fixture
def vendors(monkeypatch: pytest.MonkeyPatch) -> Iterator[Vendors]:
    """Both vendors on the loopback, with a key for everybody."""
    with peer() as openai, peer() as anthropic:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{openai.url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", anthropic.url)
        monkeypatch.setenv("OPENAI_ORG_ID", "org-of-openai")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-openai")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Own: header-of-openai")
        monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Own: header-of-anthropic")
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-anthropic")
        for name in KEYS:
            monkeypatch.setenv(f"{name}_API_KEY", f"key-of-{name.lower()}")
        yield Vendors(openai, anthropic)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A conversation in a file, which names no provider."""
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(openai_request()), "utf-8")
    return path


@pytest.mark.parametrize("model", [(), ("--model", "small")], ids=["", "model"])
@pytest.mark.parametrize("word", ELSEWHERE)
def test_a_provider_without_an_address_is_refused_before_anything_is_sent(
    program: Program, file: Path, vendors: Vendors, word: str, model: tuple[str, ...]
) -> None:
    ran = program("review", str(file), "--provider", word, *model)
    assert vendors.openai.journal == vendors.anthropic.journal == []
    assert ran.code == 1 and "answers is not known, and nothing was sent" in ran.err
    assert "--base-url URL" in ran.err


@pytest.mark.parametrize("word", [*ELSEWHERE, *KNOWN])
def test_neither_is_one_that_the_file_names(
    program: Program, file: Path, vendors: Vendors, word: str
) -> None:
    for request in (openai_request(), anthropic_request()):
        file.write_text(json.dumps(request | {"reviewdeck": {"provider": word}}), "utf-8")
        assert program("review", str(file)).code == 1
    assert vendors.openai.journal == vendors.anthropic.journal == []


@pytest.mark.parametrize("word", KNOWN)
def test_a_provider_that_is_named_is_asked_where_it_answers(word: str) -> None:
    model = open_model(Runtime(word, "m", api_key="k"))
    model.close()
    assert model.host == urlsplit(ADDRESSES[word.strip().lower()]).netloc


@pytest.mark.parametrize("word", ["ollama", "lmstudio", "llamacpp", "vllm"])
def test_a_server_on_this_computer_needs_no_key_and_is_told_before_it_is_asked(
    program: Program, file: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    with peer() as local:
        monkeypatch.setitem(ADDRESSES, word, f"{local.url}/v1")
        ran = program("review", str(file), "--provider", word, "--model", "small")
        (headers,) = local.headers
    assert ran.code == 0 and "of-openai" not in str(headers)
    assert ran.err == f"The conversation goes to {local.url.removeprefix('http://')}.\n"


@pytest.mark.parametrize(
    ("provider", "url"),
    [
        ("", "https://openrouter.ai/api/v1"),
        ("openai", "https://OpenRouter.ai./api/v1"),
        ("openrouter", "https://api.openai.com/v1"),
        ("anthropic", "https://eu.api.openai.com/v1"),
        ("gemini", "https://api.deepseek.com"),
    ],
)
def test_an_address_of_one_company_is_not_asked_with_the_key_of_another(
    program: Program, file: Path, vendors: Vendors, provider: str, url: str
) -> None:
    named = ("--provider", provider, "--model", "small") if provider else ()
    ran = program("review", str(file), *named, "--base-url", url)
    assert ran.code == 1 and "nothing was sent" in ran.err and "--provider" in ran.err


def test_a_key_of_one_company_is_not_sent_to_another(
    program: Program, file: Path, vendors: Vendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.setenv("REVIEWDECK_API_KEY", "-".join(("sk", "or", "v1", "0" * 20)))
    ran = program("review", str(file))
    assert ran.code == 1 and "The key is one of openrouter" in ran.err
    assert "would have gone to openai: nothing was sent" in ran.err


def test_the_own_variable_of_a_company_is_for_its_own_address(
    program: Program, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    asked: list[str | None] = []

    def opened(runtime: Runtime) -> Model:
        asked.append(runtime.api_key)
        raise BadInput("Nobody is asked.")

    monkeypatch.setattr("reviewdeck.cli.chosen_model.open_model", opened)
    for where in ("https://proxy.example/v1", "https://eu.api.openai.com/v1"):
        program("review", str(file), "--base-url", where)
    named = ("--base-url", "https://proxy.example/v1", "--key-variable", "OPENAI_API_KEY")
    program("review", str(file), *named)
    assert asked == [None, "key-of-openai", "key-of-openai"]


def test_a_session_that_does_not_tell_its_provider_goes_to_nobody(
    program: Program, vendors: Vendors
) -> None:
    make_database(program.home).close()
    ran = program("review", "--hermes-session", "s-100", "--model", "small")
    assert ran.code == 1 and "does not tell its provider" in ran.err and "--provider" in ran.err
    assert vendors.openai.journal == []


@pytest.mark.parametrize("model", [(), ("--model", "small")], ids=["", "model"])
def test_a_company_that_only_the_file_names_gets_nothing(
    program: Program, file: Path, model: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with peer() as groq:
        monkeypatch.setitem(ADDRESSES, "groq", f"{groq.url}/v1")
        monkeypatch.setenv("REVIEWDECK_API_KEY", "operators-own")
        request = openai_request() | {"reviewdeck": {"provider": "groq"}}
        file.write_text(json.dumps(request), "utf-8")
        ran = program("review", str(file), *model)
        assert groq.journal == []
    assert ran.code == 1 and "held with groq, and nothing was sent" in ran.err


@pytest.mark.parametrize(
    "key", ["a\nb", "schl\N{LATIN SMALL LETTER U WITH DIAERESIS}ssel", "a\x7f"]
)
def test_a_key_that_no_request_can_carry_is_not_printed(
    program: Program, file: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with peer() as local:
        where = ("--provider", "x", "--model", "m", "--base-url", f"{local.url}/v1")
        monkeypatch.setenv("REVIEWDECK_API_KEY", key)
        ran = program("review", str(file), *where)
        monkeypatch.setenv("REVIEWDECK_API_KEY", "plain\n")
        assert program("review", str(file), *where).code == 0
        assert [it["authorization"] for it in local.headers] == ["Bearer plain"]
    assert ran.code == 1 and key not in ran.out + ran.err and repr(key)[1:-1] not in ran.err
    assert "The key in REVIEWDECK_API_KEY has a character that no key has" in ran.err


@pytest.mark.parametrize("key", [None, "", "  "])
def test_a_variable_that_is_named_has_a_key(
    program: Program, file: Path, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if key is not None:
        monkeypatch.setenv("MY_KEY", key)
    with peer() as local:
        where = ("--provider", "x", "--model", "m", "--base-url", f"{local.url}/v1")
        ran = program("review", str(file), *where, "--key-variable", "MY_KEY")
        assert local.journal == []
    assert ran.code == 1 and "The variable MY_KEY has no key." in ran.err


def test_a_password_in_an_address_is_not_printed(program: Program, file: Path) -> None:
    with peer() as local:
        base = f"{local.url}/v1".replace("//", "//bob:hunter2@")
        ran = program("review", str(file), "--provider", "x", "--model", "m", "--base-url", base)
        assert len(local.journal) == 1
    assert "goes to 127.0.0.1:" in ran.err and "hunter2" not in ran.out + ran.err


@pytest.mark.parametrize("base", ["http://127.0.0.1:99999/v1", "http://[::1/v1", "http://:80/v1"])
def test_an_address_that_is_none_is_refused(program: Program, file: Path, base: str) -> None:
    ran = program("review", str(file), "--provider", "x", "--model", "m", "--base-url", base)
    assert ran.code == 1 and "is no address, and nothing was sent" in ran.err


def test_variables_of_a_vendor_go_to_no_other_address_under_its_name(
    program: Program, file: Path, vendors: Vendors
) -> None:
    with peer() as named:
        where = ("--provider", "openai", "--model", "small", "--base-url", f"{named.url}/v1")
        assert program("review", str(file), *where).code == 0
        (headers,) = named.headers
    assert "org-of-openai" not in str(headers) and "header-of-openai" not in str(headers)


@pytest.mark.parametrize("mode", [ApiMode.CHAT, ApiMode.RESPONSES])
@pytest.mark.parametrize("provider", ["", "custom", "anthropic", "Anthropic "])
def test_a_program_that_embeds_reviews_cannot_send_them_to_openai_by_omission(
    vendors: Vendors, provider: str, mode: ApiMode
) -> None:
    with pytest.raises(BadInput, match="nothing was sent"):
        open_model(Runtime(provider, "m", mode, api_key="k"))
    with pytest.raises(BadInput, match="nothing was sent"):
        open_model(choose(Route(provider or "x", "m", api_mode=mode), Runtime("openai")).runtime)


def test_another_provider_without_a_model_is_no_reason_to_ask_the_parents() -> None:
    routed = choose(Route("ollama"), Runtime("openai", "parent-model", api_key="k"))
    assert routed.is_routed and routed.runtime.provider == "ollama"
    with pytest.raises(BadInput, match="No model is named"):
        open_model(routed.runtime)


@pytest.mark.parametrize("word", ["ollama", "openai-compatible", "OLLAMA"])
def test_variables_of_a_vendor_are_not_for_another(
    program: Program, file: Path, vendors: Vendors, word: str
) -> None:
    with peer() as named:
        where = ("--provider", word, "--model", "small", "--base-url", f"{named.url}/v1")
        assert program("review", str(file), *where).code == 0
    (headers,) = named.headers
    own = "key-of-ollama" if word.lower() == "ollama" else "none"
    assert headers["authorization"] == f"Bearer {own}"
    assert "of-openai" not in str(headers)
    assert vendors.openai.journal == []


def test_nor_is_what_anthropics_library_reads(vendors: Vendors) -> None:
    with peer() as named:
        runtime = Runtime("proxy", "m", ApiMode.MESSAGES, named.url, "key-of-proxy", {"X-A": "1"})
        model = open_model(runtime)
        try:
            message = {"role": "user", "content": "Review it."}
            assert isinstance(model.answer(ModelRequest((message,)), Cancel()), Reply)
        finally:
            model.close()
    (headers,) = named.headers
    assert headers["authorization"] == "Bearer key-of-proxy" and headers["x-a"] == "1"
    assert "of-anthropic" not in str(headers)


@pytest.mark.parametrize("word", ["openai", " OpenAI ", "OPENAI"])
def test_openai_however_it_is_written_is_asked_with_its_own_variables(
    program: Program, file: Path, vendors: Vendors, word: str
) -> None:
    assert program("review", str(file), "--provider", word, "--model", "small").code == 0
    (headers,) = vendors.openai.headers
    assert headers["authorization"] == "Bearer key-of-openai"
    assert headers["openai-organization"] == "org-of-openai"
    assert headers["x-own"] == "header-of-openai"


@pytest.mark.parametrize("word", ["anthropic", "Anthropic", " anthropic"])
def test_so_is_anthropic(program: Program, file: Path, vendors: Vendors, word: str) -> None:
    assert program("review", str(file), "--provider", word, "--model", "small").code == 0
    assert vendors.openai.journal == []
    (headers,) = vendors.anthropic.headers
    assert headers["authorization"] == "Bearer key-of-anthropic"


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_an_address_that_sends_elsewhere_is_not_followed(
    program: Program, file: Path, vendors: Vendors, provider: str
) -> None:
    with peer() as other, peer({"fault": "redirect", "to": ""}) as named:
        named.script[0] = {"fault": "redirect", "to": other.url}
        where = ("--base-url", f"{named.url}/v1", "--model", "small")
        ran = program("review", str(file), "--provider", provider, *where)
        assert other.journal == [] and len(named.journal) == 1
    assert ran.code == 1 and "refused" in ran.out
