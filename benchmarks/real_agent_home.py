"""One conversation of a real Hermes in the home of HERMES_HOME. Runs in Hermes' environment alone.

What is said comes as JSON on the standard input. The model is a server on the loopback that answers
from the same script, so that everything which Hermes itself does is what Hermes does.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any


def agent_for(session: dict[str, Any], url: str, database: Any) -> Any:
    """An agent as the program of its platform makes one."""
    return import_module("run_agent").AIAgent(
        base_url=url,
        api_key="none",
        model=session["model"],
        session_db=database,
        quiet_mode=True,
        **session["as"],
    )


def settle() -> None:
    """Waits for reviews that still run."""
    for thread in threading.enumerate():
        if thread.name.startswith("bg-review"):
            thread.join(60)


def typed(turn: dict[str, Any], workspace: Path) -> str:
    """The text of a turn after the command line has put in what `@` refers to."""
    if not turn["refers"]:
        return str(turn["user"])
    pages: dict[str, str] = turn["pages"]
    return str(
        import_module("agent.context_references")
        .preprocess_context_references(
            turn["user"],
            cwd=workspace,
            context_length=128_000,
            url_fetcher=lambda url: pages.get(url, ""),
        )
        .message
    )


def delegated() -> str:
    """The message that Hermes sends the agent when a delegated helper is done."""
    registry = import_module("tools.process_registry")
    waiting = registry.process_registry.completion_queue
    try:
        return str(registry.format_process_notification(waiting.get(timeout=60)))
    except queue.Empty:
        return ""


def hold(session: dict[str, Any], agent: Any, database: Any, workspace: Path) -> None:
    """Carries out the turns of one session in their order."""
    history: Any = None
    if session["resumes"]:
        agent.session_id = session["resumes"]
    for turn in session["turns"]:
        for path, text in turn["meanwhile"].items():
            target = Path(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")
        text = delegated() if turn["delegated"] else typed(turn, workspace)
        history = agent.run_conversation(text, conversation_history=history)["messages"]
        if turn["settle"]:
            settle()
        if turn["compress"]:
            history, _ = agent._compress_context(history, None, approx_tokens=90_000, force=True)
        time.sleep(turn["pause"])
    database.end_session(agent.session_id, "cli_close")


def scheduled(session: dict[str, Any], url: str) -> None:
    """One run of a job as the scheduler starts it."""
    jobs, scheduler = import_module("cron.jobs"), import_module("cron.scheduler")
    job = jobs.create_job(
        session["turns"][0]["user"],
        "every 24h",
        name=session["name"],
        model=session["model"],
        provider="custom",
        base_url=url,
    )
    scheduler.run_job(job)


def main() -> None:
    """Runs the sessions, one after the other or at once."""
    request = json.load(sys.stdin)
    import_module("hermes_logging").setup_logging(mode="cli")
    if request["servers"]:
        import_module("tools.mcp_tool").discover_mcp_tools()
    database = import_module("hermes_state").SessionDB()
    workspace = Path.cwd()
    threads: list[threading.Thread] = []
    for session in request["sessions"]:
        if session["cron"]:
            scheduled(session, request["url"])
            continue
        agent = agent_for(session, request["url"], database)
        if session["peer"]:
            database.ensure_session(agent.session_id, source=session["as"]["platform"])
            database.record_gateway_session_peer(
                agent.session_id, source=session["as"]["platform"], **session["peer"]
            )
        if request["at_once"]:
            thread = threading.Thread(target=hold, args=(session, agent, database, workspace))
            thread.start()
            threads.append(thread)
            time.sleep(session["after"])
        else:
            hold(session, agent, database, workspace)
            settle()
    for thread in threads:
        thread.join()
    settle()


if __name__ == "__main__":
    main()
