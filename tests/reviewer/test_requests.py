"""A model that reviews is sent no secret that a screen would cover, unless the operator says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.engine.kit import entries, set_entries
from tests.reviewer.kit import FAST, Desk, add, openai_request, talk

from reviewdeck.engine.engine import Engine
from reviewdeck.reviewer.models import Cancel, ModelRequest
from reviewdeck.reviewer.redaction import RedactingModel
from reviewdeck.reviewer.scripted import ScriptedModel

TOKEN = "ghp_" + "a1B2" * 9
WORD = "marmalade" + "pier"
WIFI = f'The Wi-Fi at the cabin opens with "{WORD}".'
TOLD = (TOKEN[4:20], WORD)


def sent(desk: Desk) -> str:
    """Everything that the model was ever sent."""
    return json.dumps([(one.system, one.messages) for one in desk.models[-1].requests])


def messages() -> list[dict[str, Any]]:
    """A conversation with secrets in what is said, called and answered."""
    arguments = json.dumps({"command": f"export TOKEN={TOKEN}", "note": WIFI})
    function = {"name": "terminal", "arguments": arguments}
    called = {"id": "call_1", "type": "function", "function": function}
    return [
        {"role": "user", "content": WIFI},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "call_1", "content": f"The token is {TOKEN}."},
        {"role": "assistant", "content": [{"type": "text", "text": f"I saw {TOKEN}."}]},
    ]


def test_no_request_of_a_review_has_a_secret(deck: Engine, home: Path) -> None:
    set_entries(home, *entries(home), f"The staging token is {TOKEN}.")
    desk = Desk(deck)
    desk.review([add("The linter is ruff.")], talk(openai_request(messages())))
    assert len(desk.models[-1].requests) > 1, "what the tools answered is sent as well"
    assert not [value for value in TOLD if value in sent(desk)]
    assert "••••••••" in json.dumps(desk.first_request.messages, ensure_ascii=False)


def test_the_operator_can_send_them(deck: Engine) -> None:
    desk = Desk(deck, limits=FAST, sends_secrets=True)
    desk.review([add("The linter is ruff.")], talk(openai_request(messages())))
    assert all(value in sent(desk) for value in TOLD)


def test_what_holds_no_secret_is_sent_to_the_byte_and_arguments_stay_json() -> None:
    plain = {"role": "assistant", "content": "The build is green at 4711."}
    arguments = '{ "path":  "notes.md" }'
    kept = {"type": "thinking", "thinking": "so", "signature": f"{TOKEN}=="}
    model = ScriptedModel([])
    asked = ModelRequest(
        (
            plain,
            {"role": "assistant", "tool_calls": [{"function": {"arguments": arguments}}]},
            {"role": "assistant", "content": [kept]},
            *messages(),
        )
    )
    RedactingModel(model).answer(asked, Cancel())
    (got,) = model.requests
    assert got.messages[:3] == asked.messages[:3]
    called = got.messages[4]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(called).keys() == {"command", "note"}


def test_an_argument_is_covered_whatever_its_name() -> None:
    given = {"id": TOKEN, "data": {"name": TOKEN}, "password": "hunter2" + "zzz9"}
    used = {"type": "tool_use", "id": f"{TOKEN}", "name": "http", "input": given}
    called = {"id": "call_1", "function": {"name": "http", "arguments": json.dumps(given)}}
    model = ScriptedModel([])
    asked = ModelRequest(
        (
            {"role": "assistant", "content": [used]},
            {"role": "assistant", "content": None, "tool_calls": [called]},
        )
    )
    RedactingModel(model).answer(asked, Cancel())
    (got,) = model.requests
    (block,), (call,) = got.messages[0]["content"], got.messages[1]["tool_calls"]
    assert (block["id"], call["id"]) == (TOKEN, "call_1"), "an id of the request stays"
    for arguments in (json.dumps(block["input"]), call["function"]["arguments"]):
        assert TOKEN not in arguments and "hunter2zzz9" not in arguments
        assert json.loads(arguments).keys() == given.keys()
