"""The real Hermes as the client: its agent proposes over MCP and reads what became of it.

It runs where REVIEWDECK_HERMES_PYTHON names a Python that has hermes-agent.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.program import fingerprint
from tests.engine.kit import OpenDeck
from tests.reviewer.kit import call
from tests.reviewer.peer import peer
from tests.reviewer.test_races import HERMES, needs_hermes

pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")

# Hermes 0.22 looks for the tools of servers here, and offers them behind `tool_call`.
BRIDGE = "tools.mcp_tool_discovery"
AGENT = """
import sys
from {module} import discover_mcp_tools
print(discover_mcp_tools())
from run_agent import AIAgent
agent = AIAgent(base_url=sys.argv[1], api_key="mock", provider="custom", model="mock-model",
                enabled_toolsets=["mcp-reviewdeck", "reviewdeck"], quiet_mode=True)
agent.run_conversation("The tests run with nox now.")
"""


@needs_hermes
@pytest.mark.slow  # it starts the real Hermes
def test_hermes_proposes_over_mcp_and_is_told_that_it_waits(
    open_at: OpenDeck, home: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger" / "ledger.db"
    served = {
        "command": sys.executable,
        "args": ["-m", "reviewdeck.cli.main", "mcp", "--home", str(home), "--ledger", str(ledger)],
        "env": {
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "HOME": str(tmp_path),
        },
    }
    hermes = tmp_path / "hermes"
    hermes.mkdir()
    (hermes / "config.yaml").write_text(json.dumps({"mcp_servers": {"reviewdeck": served}}))
    before = fingerprint(home)
    wanted = {"document": "memory", "action": "add", "text": "Use nox.", "why": "The user said so."}
    name = "mcp__reviewdeck__memory_propose"
    if subprocess.run([HERMES, "-c", f"import {BRIDGE}"], capture_output=True).returncode == 0:
        module, propose = BRIDGE, call("tool_call", calls=[{"name": name, "arguments": wanted}])
    else:
        module, propose = "tools.mcp_tool", call(name, **wanted)
    with peer({"say": "?"}, propose, {"say": "Done."}) as running:
        done = subprocess.run(
            [HERMES, "-c", AGENT.format(module=module), f"{running.url}/v1"],
            env={"HERMES_HOME": str(hermes), "HOME": str(tmp_path), "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=180,
        )
        requests = [one for one in running.requests if "messages" in one]
    assert "mcp__reviewdeck__review_status" in done.stdout, done.stdout + done.stderr
    answers = [one["content"] for one in requests[-1]["messages"] if one["role"] == "tool"]
    assert len(answers) == 1 and "pending" in answers[0], answers
    (item,) = open_at(home).pending()
    assert item.origin.startswith("mcp:") and item.gist == "Use nox."
    assert fingerprint(home) == before
