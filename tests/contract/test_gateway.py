"""What becomes of a fact that a person writes to the real Hermes' gateway in a direct message."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.contract.kit import (
    PYTHON,
    Model,
    add,
    decided,
    environment,
    make_home,
    model,
    needs_hermes,
    patience,
    records,
    typed,
)

pytestmark = [needs_hermes, pytest.mark.slow]  # each starts the real Hermes

FACT = "The user drinks tea."


def send(home: Path, running: Model, *texts: str) -> list[str]:
    """What the gateway answers to these direct messages of one person."""
    settings = "model: {provider: custom, default: mock-model, base_url: %s/v1, api_key: x}\n"
    with (home / "config.yaml").open("a", encoding="utf-8") as config:
        config.write(settings % running.url)
    script = Path(__file__).with_name("hermes_gateway.py")
    done = subprocess.run(
        [PYTHON, str(script), *texts],
        env=environment(home) | {"TELEGRAM_ALLOWED_USERS": "7"},
        cwd=home.parent,
        capture_output=True,
        text=True,
        timeout=patience(180),
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    sent: list[str] = json.loads(done.stdout.splitlines()[-1])
    return sent


@pytest.mark.parametrize("in_review", [False, True], ids=["in the turn", "by its review"])
def test_a_fact_of_a_direct_message_waits_and_its_writer_is_told_and_decides(
    tmp_path: Path, in_review: bool
) -> None:
    home = make_home(tmp_path / ".hermes", nudge=int(in_review))
    proposed = (add(FACT, "user"), {"say": "Noted."})
    turns = ({"say": "Hello."}, *(({"say": "Noted."},) if in_review else proposed))
    reviews = ({"say": "Nothing to save."}, *(proposed if in_review else ()))
    with model(*turns, reviews=reviews) as running:
        sent = send(home, running, "Hello.", "I drink tea.", "/reviewdeck", "Thanks.")
    assert any(FACT in text and "1 waiting for you" in text for text in sent)
    (record,) = records(home)
    assert record["payload"]["content"] == FACT
    assert decided(home, "auto").returncode == 3  # it waits: nobody said that account is the user
    assert "rejected" in typed(home, "reject", record["id"], "No.")


def test_what_a_listed_account_writes_is_learnt_and_it_is_told(tmp_path: Path) -> None:
    home = make_home(tmp_path / ".hermes", nudge=0)
    policy = tmp_path / "policy.toml"
    policy.write_text('[trust]\naccounts = ["telegram:7"]\n', "utf-8")
    apply = f"$ {tmp_path}/reviewdeck auto --home {home} --policy {policy}"
    with model({"say": "Hello."}, add(FACT, "user"), {"say": "Noted."}) as running:
        sent = send(home, running, "Hello.", "I drink tea.", apply, "Thanks.")
    assert FACT in (home / "memories" / "USER.md").read_text("utf-8")
    assert records(home) == []
    assert "reviewdeck: 1 entry learned" in sent[-1]
