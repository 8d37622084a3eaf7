"""`reviewer.toml`: a reviewer that is configured once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.cli.program import Program
from tests.reviewer.kit import openai_request
from tests.reviewer.peer import peer
from tests.reviewer.test_conversations import make_database

from reviewdeck.reviewer.addresses import ADDRESSES
from reviewdeck.reviewer.embed import route_in
from reviewdeck.reviewer.settings import Moment, ReviewerSettings, read_settings

NOTHING = {"say": "Nothing to save."}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The operator's file."""
    path = tmp_path / "config" / "reviewer.toml"
    path.parent.mkdir()
    monkeypatch.setattr("reviewdeck.cli.commands.review.reviewer_file", lambda: path)
    return path


@pytest.fixture
def talk(tmp_path: Path) -> str:
    """A conversation in a file."""
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(openai_request()), "utf-8")
    return str(path)


def test_the_model_is_named_once_and_its_key_by_its_variable(
    program: Program, file: Path, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "operators-own")
    with peer(NOTHING) as running:
        file.write_text(
            f'provider = "small"\nmodel = "s"\nbase_url = "{running.url}/v1"\n'
            'key_variable = "MY_KEY"\n[prompts]\nmemory = "Find birthdays."\nname = "mine"\n',
            "utf-8",
        )
        ran = program("review", talk, "--only", "memory", "--json")
        assert running.headers[0]["authorization"] == "Bearer operators-own"
        assert "Find birthdays." in json.dumps(running.requests[0])
    assert (ran.json["model"], ran.json["provider"], ran.json["prompts"]) == ("s", "small", "mine")


def test_a_model_on_the_command_line_takes_nothing_of_the_one_in_the_file(
    program: Program, file: Path, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "operators-own")
    with peer(NOTHING) as named, peer() as other:
        file.write_text(
            f'provider = "small"\nmodel = "s"\nbase_url = "{other.url}/v1"\n'
            'key_variable = "MY_KEY"\n',
            "utf-8",
        )
        where = ("--provider", "x", "--model", "m", "--base-url", f"{named.url}/v1")
        assert program("review", talk, *where).code == 0
        assert "operators-own" not in json.dumps(named.headers) and other.journal == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("provider = small", "line 1: "),
        ('model = "s"\nmodell = "t"', "line 2: there is no setting 'modell'"),
        ("timeout = 0", "line 1: 'timeout' is a number from 1 to 86,400"),
        ('base_url = "host/v1"', "line 1: 'base_url' begins with"),
        ('[when]\non = ["never"]', "line 2: 'on' is a list of: session-end, reset, compaction"),
        ('[prompts]\n\nmemory = ""', "line 3: 'memory' is a text"),
        ('model = "s"\nwhen = 3', "line 2: 'when' is a table"),
        ("typed = 1", "line 1: 'typed' is true or false"),
    ],
)
def test_a_mistake_is_named_with_its_line(
    program: Program, file: Path, talk: str, text: str, message: str
) -> None:
    file.write_text(text, "utf-8")
    ran = program("review", talk)
    assert ran.code == 1 and ran.out == "" and f"reviewer.toml: {message}" in ran.err


def test_a_pipe_in_its_place_is_refused_and_not_waited_for(
    program: Program, file: Path, talk: str
) -> None:
    os.mkfifo(file)
    ran = program("review", talk)
    assert ran.code == 1 and "reviewer.toml is no file." in ran.err


def test_the_file_says_when_sessions_are_reviewed() -> None:
    settings = read_settings('[when]\npause_minutes = 5\non = ["reset"]\nturns = 3\n')
    assert isinstance(settings, ReviewerSettings)
    assert (settings.when.pause_minutes, settings.when.turns) == (5, 3)
    assert settings.when.on == {Moment.RESET}


def write_config(program: Program, text: str) -> None:
    config = program.home / "config.yaml"
    kept = config.read_text("utf-8") if config.exists() else ""
    config.write_text(f"{kept}\n{text}", "utf-8")


def test_a_session_of_the_home_is_reviewed_by_the_homes_own_model_with_its_own_key(
    program: Program, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_database(program.home).close()
    monkeypatch.setenv("REVIEWDECK_API_KEY", "operators-own")
    with peer(NOTHING) as running:
        write_config(
            program,
            "model: {default: big, provider: custom, api_key: homes,"
            f" base_url: '{running.url}/v1'}}\n",
        )
        ran = program("review", "--hermes-session", "s-100", "--json")
        assert running.headers[0]["authorization"] == "Bearer homes"
    assert ran.code == 0 and ran.json["ending"] == "done"


def test_an_address_in_a_home_gets_no_key_of_the_operator(
    program: Program, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_database(program.home).close()
    monkeypatch.setenv("REVIEWDECK_API_KEY", "operators-own")
    with peer(NOTHING) as running:
        write_config(program, f"model: {{default: big, base_url: '{running.url}/v1'}}\n")
        assert program("review", "--hermes-session", "s-100").code == 0
        assert running.headers[0]["authorization"] == "Bearer none"
    config = program.home / "config.yaml"
    config.write_text("model: {default: big, base_url: 'https://models.example/v1'}\n", "utf-8")
    ran = program("review", "--hermes-session", "s-100")
    assert ran.code == 1 and "answers at https://models.example/v1" in ran.err
    assert "--base-url https://models.example/v1" in ran.err and "reviewer.toml" in ran.err


@pytest.mark.parametrize(
    "config",
    [
        "model: {default: big, provider: groq}",
        "auxiliary: {background_review: {model: small, provider: groq}}",
    ],
)
def test_a_company_that_a_home_names_gets_its_own_key_and_no_other_of_the_operator(
    program: Program, file: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_database(program.home).close()
    monkeypatch.setenv("REVIEWDECK_API_KEY", "operators-own")
    with peer(NOTHING) as groq:
        monkeypatch.setitem(ADDRESSES, "groq", f"{groq.url}/v1")
        write_config(program, config)
        program("review", "--hermes-session", "s-100")
        monkeypatch.setenv("GROQ_API_KEY", "own-of-groq")
        assert program("review", "--hermes-session", "s-100").code == 0
        assert "operators-own" not in json.dumps(groq.headers)
        assert groq.headers[-1]["authorization"] == "Bearer own-of-groq"


def test_a_company_that_a_home_names_is_not_asked_without_its_key(
    program: Program, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_database(program.home).close()
    monkeypatch.setenv("REVIEWDECK_API_KEY", "operators-own")
    write_config(program, "model: {default: big, provider: groq}")
    ran = program("review", "--hermes-session", "s-100")
    assert ran.code == 1 and "There is no key for groq." in ran.err
    assert "set GROQ_API_KEY, or say --provider" in ran.err


def test_an_address_in_a_home_gets_no_header_of_the_operator(
    program: Program, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_database(program.home).close()
    monkeypatch.setenv("REVIEWDECK_API_HEADERS", '{"X-Own": "operators-own"}')
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-More: operators-own")
    with peer(NOTHING) as running:
        write_config(
            program, f"model: {{default: big, provider: openai, base_url: '{running.url}/v1'}}\n"
        )
        assert program("review", "--hermes-session", "s-100").code == 0
        assert "operators-own" not in json.dumps(running.headers)


def test_a_program_that_embeds_reviews_sends_the_files_address_no_key_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ReviewerSettings("openai", "m", "https://proxy.example/v1")
    env = {"OPENAI_API_KEY": "own-of-openai"}
    route = route_in(settings, env)
    assert route is not None and route.api_key is None
    route = route_in(ReviewerSettings("openai", "m"), env)
    assert route is not None and route.api_key == "own-of-openai"


def test_the_model_for_reviews_in_a_home_comes_before_its_model_for_chats(
    program: Program, file: Path
) -> None:
    make_database(program.home).close()
    with peer(NOTHING) as small, peer() as big:
        write_config(
            program,
            f"model: {{default: big, base_url: '{big.url}/v1', api_key: homes}}\n"
            "auxiliary: {background_review: {provider: cheap, model: small, api_key: small-key,"
            f" base_url: '{small.url}/v1'}}}}\n",
        )
        ran = program("review", "--hermes-session", "s-100", "--json")
        assert small.headers[0]["authorization"] == "Bearer small-key" and big.journal == []
    assert ran.json["model"] == "small" and ran.json["routed"] is True
