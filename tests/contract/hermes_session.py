# mypy: ignore-errors
"""One process of the real Hermes: it holds a conversation, and waits for its reviews.

Run by Hermes' own Python, as `hermes_session.py URL SESSION PLATFORM TEXT...`. It imports nothing
of reviewdeck, and prints what the agent answered, one JSON list.
"""

from __future__ import annotations

import json
import sys
import threading

from hermes_logging import setup_logging
from hermes_state import SessionDB
from run_agent import AIAgent

url, session, platform, *texts = sys.argv[1:]
setup_logging()
database = SessionDB()
agent = AIAgent(
    base_url=url,
    api_key="mock",
    provider="custom",
    model="mock-model",
    enabled_toolsets=["memory", "skills", "web", "terminal"],
    quiet_mode=True,
    session_id=session,
    platform=platform,
    session_db=database,
)
history: list = []
answers = []
for text in texts:
    result = agent.run_conversation(text, conversation_history=history)
    history = result["messages"]
    answers.append(result["final_response"])
    for thread in threading.enumerate():
        if thread.name.startswith("bg-review"):
            thread.join(60)
print(json.dumps(answers))
