"""The real Hermes as the parent: what its agent sent last, and what a review of it sends.

It runs where REVIEWDECK_HERMES_PYTHON names a Python that has hermes-agent.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.reviewer.kit import FAST, add
from tests.reviewer.peer import peer
from tests.reviewer.test_races import HERMES, needs_hermes

from reviewdeck.engine.engine import Engine
from reviewdeck.reviewer.conversation import ApiMode, Runtime, conversation_of
from reviewdeck.reviewer.models import open_model
from reviewdeck.reviewer.review import Reviewer, ReviewRequest

ANSWER = "Understood, nox it is."
AGENT = """
import sys
from run_agent import AIAgent
agent = AIAgent(base_url=sys.argv[1], api_key="mock", provider="custom", model="mock-model",
                enabled_toolsets=["memory", "skills"], quiet_mode=True, session_id="s-77")
agent.run_conversation("The tests run with nox now.")
"""


@needs_hermes
@pytest.mark.slow  # it starts the real Hermes
def test_each_part_of_hermes_own_request_is_sent_again_to_the_byte(
    deck: Engine, home: Path
) -> None:
    (home / "config.yaml").write_text(
        "memory:\n  nudge_interval: 0\nskills:\n  creation_nudge_interval: 0\n", "utf-8"
    )
    with peer(
        {"say": "?"}, {"say": ANSWER}, add("The linter is ruff."), {"say": "Done."}
    ) as running:
        subprocess.run(
            [HERMES, "-c", AGENT, f"{running.url}/v1"],
            env={"HERMES_HOME": str(home), "HOME": str(home), "PATH": os.environ["PATH"]},
            capture_output=True,
            timeout=120,
            check=True,
        )
        parent = next(one for one in running.requests if "messages" in one)
        said = {"role": "assistant", "content": ANSWER}
        conversation = conversation_of(parent | {"messages": [*parent["messages"], said]})
        runtime = Runtime("custom", "mock-model", ApiMode.CHAT, f"{running.url}/v1", "mock")
        before = len(running.journal)
        reviewer = Reviewer(deck, deck.open_homes[0].home, open_model, limits=FAST)
        reviewed = reviewer.run(replace(conversation, runtime=runtime), ReviewRequest())
        fork = running.requests[before]
    assert fork.keys() == parent.keys()
    for key in parent.keys() - {"messages"}:
        assert json.dumps(fork[key]) == json.dumps(parent[key]), key
    earlier = fork["messages"][: len(parent["messages"])]
    assert json.dumps(earlier) == json.dumps(parent["messages"])
    assert reviewed.fork.parity.share == 1.0 and len(reviewed.run.proposals) == 1
