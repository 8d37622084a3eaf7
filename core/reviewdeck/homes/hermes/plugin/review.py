"""Reviewdeck's reviewer in the place of Hermes' own, at Hermes' own moments.

Hermes decides when a review is due, by its own intervals. It then asks one function for the work of
the review's thread; this stands in that function's place, where `.reviewdeck/plugin.json` has a
`reviewer`:

    mode       replace: all reviews. typed: reviews of memory, on the user's typed words alone
    base_url   the address that was confirmed: a key goes nowhere else
    timeout    seconds for one answer; may be missing

The review is a process of its own, `reviewdeck review`, at a low priority: it outlives Hermes, and
the user's next turn ends it. It gets the conversation on its standard input, from a file without a
name, and the key that Hermes itself uses in its environment. Whatever stands in the way is logged,
and Hermes' own review runs as if this were not there.
"""

from __future__ import annotations

import inspect
import json
import logging
import os
import signal
import subprocess
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from . import agent, settings

SESSIONS = 8
"""Sessions whose last request is remembered: the latest."""
GRACE = 2.0
"""Seconds between asking a review to end and ending it."""
NICENESS = 10
INTERRUPTED = 130
"""How `reviewdeck review` ends when it was told to."""
SHOWN = 300
"""Characters of a failure that are logged."""
KEY, HEADERS = "REVIEWDECK_API_KEY", "REVIEWDECK_API_HEADERS"
"""The variables that reviewdeck reads a key and a provider's own headers from."""

_SEAM = "spawn_background_review_thread"
_HANDED = {"agent", "messages_snapshot", "review_memory", "review_skills"}
_MODES = ("replace", "typed")
_NOT_SENT = {"timeout", "http_client", "extra_headers", "extra_body"}
_PASSED = ("PATH", "HOME", "USER", "LANG", "TMPDIR", "TZ", "HERMES_HOME")
_PASSED_TOO = ("LC_", "XDG_", "SSL_", "REVIEWDECK_", "HTTP_", "HTTPS_", "NO_", "ALL_PROXY")
_log = logging.getLogger(__name__)

Target = tuple[Callable[[], Any], Any]
"""What Hermes wants to have: the work of a thread, and the prompt of its review."""


class NotTakenOver(Exception):
    """Why this review is left to Hermes."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What was sent to the model last in a session."""

    body: Mapping[str, Any]
    turn: str
    platform: str


@dataclass(slots=True)
class _Review:
    """One review: what it is started with, and its process once there is one."""

    command: list[str]
    body: bytes
    environment: dict[str, str]
    home: Path
    child: subprocess.Popen[bytes] | None = None
    is_cancelled: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


_requests: OrderedDict[str, _Request] = OrderedDict()
_running: dict[str, _Review] = {}
_lock = threading.Lock()
_is_looked_for = False


def register(ctx: Any) -> None:
    """Looks at each request, where a reviewer was set up for the home that Hermes runs on."""
    if _wanted(agent.home()):
        ctx.register_middleware("llm_request", note_request)


def note_request(
    *,
    request: object = None,
    original_request: object = None,
    session_id: object = "",
    turn_id: object = "",
    platform: object = "",
    **_: Any,
) -> None:
    """Hermes' middleware before each request: remembers the conversation's, and changes none.

    A request of the conversation means that the user has spoken: a review of it goes away.
    """
    body = original_request if isinstance(original_request, dict) else request
    if agent.origin() == agent.BACKGROUND or not isinstance(session_id, str) or not session_id:
        return
    take_place()
    with _lock:
        review = _running.get(session_id)
        if isinstance(body, dict):
            _requests[session_id] = _Request(body, str(turn_id or ""), str(platform or ""))
            _requests.move_to_end(session_id)
            while len(_requests) > SESSIONS:
                _requests.popitem(last=False)
    if review is not None:
        cancel(review)


def take_place() -> None:
    """Stands in the place of Hermes' function, once, if it is the one that this knows."""
    global _is_looked_for
    if _is_looked_for:
        return
    _is_looked_for = True
    try:
        module = import_module("agent.background_review")
        theirs = getattr(module, _SEAM)
        caller = import_module("run_agent").AIAgent._spawn_background_review
        is_known = set(inspect.signature(theirs).parameters) >= _HANDED
        if not is_known or _SEAM not in caller.__code__.co_names:
            raise NotTakenOver("this Hermes starts its reviews in another way")
    except Exception as error:  # noqa: BLE001 - whatever it is, Hermes' own review goes on
        _log.warning("reviewdeck: the reviewer is not used: %s", error)
        return
    setattr(module, _SEAM, _standing_in(theirs))


def _standing_in(theirs: Callable[..., Target]) -> Callable[..., Target]:
    def spawn_background_review_thread(
        agent: Any,
        messages_snapshot: list[Any],
        review_memory: bool = False,
        review_skills: bool = False,
        **more: Any,
    ) -> Target:
        def own(memory: bool, skills: bool) -> Target:
            return theirs(
                agent, messages_snapshot, review_memory=memory, review_skills=skills, **more
            )

        try:
            review = prepare(agent, messages_snapshot, review_memory, review_skills)
        except Exception as error:  # noqa: BLE001 - Hermes' own review is better than none
            _log.warning("reviewdeck: Hermes' own review runs: %s", error)
            review = None
        if review is None:
            return own(review_memory, review_skills)
        # Typed words say nothing of how work is done: skills stay with Hermes' own review.
        is_shared = review_skills and "--typed" in review.command
        rest = own(False, True) if is_shared else None

        def work() -> None:
            try:
                run(str(agent.session_id), review, rest[0] if rest else None)
            except OSError as error:
                _log.warning("reviewdeck: Hermes' own review runs: %s", error)
                own(review_memory, review_skills and not is_shared)[0]()

        return work, rest[1] if rest else ""

    return spawn_background_review_thread


def prepare(live: Any, messages: Sequence[Any], memory: bool, skills: bool) -> _Review | None:
    """The review that is due; None where none was set up for this home. Raises NotTakenOver."""
    home = agent.home()
    wanted = _wanted(home)
    if not wanted or not (memory or skills):
        return None
    is_typed = wanted["mode"] == "typed"
    if is_typed and not memory:
        return None
    session = live.session_id
    with _lock:
        request, running = _requests.get(session), _running.get(session)
    if running is not None and not running.is_cancelled:
        raise NotTakenOver("another review of this conversation is running")
    if request is None or not isinstance(request.body.get("messages"), list):
        raise NotTakenOver("the conversation's last request is not one that can be sent again")
    runtime = import_module("agent.background_review")._resolve_review_runtime(live)
    address = _address(wanted, runtime)
    options = ["--home", str(home), "--base-url", address, "--json"]
    if runtime.get("routed"):
        options += ["--provider", str(runtime["provider"]), "--model", str(runtime["model"])]
    if is_typed or not (memory and skills):
        options += ["--only", "memory" if memory else "skills"]
    if is_typed:
        options.append("--typed")
    timeout = wanted.get("timeout")
    if isinstance(timeout, int | float) and timeout > 0:
        options += ["--timeout", str(timeout)]
    return _Review(
        [*settings.command(home), "review", "/dev/stdin", *options],
        _conversation(live, request, messages),
        _environment(_key(runtime), _headers(live, request, runtime)),
        home,
    )


def _wanted(home: Path) -> dict[str, Any]:
    found = settings.setting(home, "reviewer")
    return found if isinstance(found, dict) and found.get("mode") in _MODES else {}


def _address(wanted: Mapping[str, Any], runtime: Mapping[str, Any]) -> str:
    """Where the review goes. Raises NotTakenOver unless an operator confirmed that address."""
    confirmed, live = wanted.get("base_url"), str(runtime.get("base_url") or "")
    if not isinstance(confirmed, str) or not confirmed or confirmed.rstrip("/") != live.rstrip("/"):
        raise NotTakenOver(
            f"its model answers at {live or 'an unknown address'}, and {confirmed or 'none'} was"
            " confirmed: run `reviewdeck hermes install --reviewer` again"
        )
    return confirmed


def _key(runtime: Mapping[str, Any]) -> str:
    """The key that Hermes uses now. Raises NotTakenOver where one alone does not open the model."""
    key, provider, mode = (runtime.get(name) for name in ("api_key", "provider", "api_mode"))
    spoken = "anthropic_messages" if provider == "anthropic" else "chat_completions"
    if (mode or spoken) != spoken:
        raise NotTakenOver(f"{provider} is spoken to as {mode}, which reviewdeck does not do")
    if not isinstance(key, str) or not key or key.startswith("sk-ant-oat"):
        raise NotTakenOver(f"Hermes signs in to {provider} in a way that no key can be handed on")
    return key


def _headers(live: Any, request: _Request, runtime: Mapping[str, Any]) -> dict[str, str]:
    """What a provider wants to have beside the key; nothing for another model's provider."""
    if runtime.get("routed"):
        return {}
    known = getattr(live, "_client_kwargs", None)
    always = known.get("default_headers") if isinstance(known, dict) else None
    found: dict[str, str] = {}
    for headers in (always, request.body.get("extra_headers")):
        if isinstance(headers, Mapping):
            found |= {str(name): value for name, value in headers.items() if type(value) is str}
    return found


def _conversation(live: Any, request: _Request, messages: Sequence[Any]) -> bytes:
    """The last request as it went over the wire, with the answer to it. Raises NotTakenOver."""
    body = {name: value for name, value in request.body.items() if name not in _NOT_SENT}
    extra = request.body.get("extra_body")
    body |= extra if isinstance(extra, dict) else {}
    if not getattr(live, "_disable_streaming", False):
        body["stream"] = True
        if getattr(live, "api_mode", "") != "anthropic_messages":
            body["stream_options"] = {"include_usage": True}
    last = messages[-1] if messages and isinstance(messages[-1], dict) else {}
    said = [*body["messages"]]
    if last.get("role") == "assistant" and last.get("content") and not last.get("tool_calls"):
        said.append({"role": "assistant", "content": last["content"]})
    began = getattr(live, "session_start", None)
    about = {
        "provider": live.provider,
        "session": live.session_id,
        "turn": request.turn,
        "platform": request.platform,
        "occasion": "turn",
        "started_at": began.astimezone().isoformat() if isinstance(began, datetime) else None,
    }
    try:
        return json.dumps({**body, "messages": said, "reviewdeck": about}).encode()
    except (TypeError, ValueError) as error:
        raise NotTakenOver(f"the conversation's last request is no JSON ({error})") from error


def _environment(key: str, headers: Mapping[str, str]) -> dict[str, str]:
    """What the review's process is given: none of the other keys that Hermes has."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in _PASSED or name.upper().startswith(_PASSED_TOO)
    }
    return passed | {KEY: key} | ({HEADERS: json.dumps(dict(headers))} if headers else {})


def run(session: str, review: _Review, beside: Callable[[], Any] | None) -> None:
    """One review from its start to its end, with other work beside it. Raises OSError."""
    with _lock:
        _running[session] = review
    try:
        with tempfile.TemporaryFile() as answer:
            child = _start(review, answer)
            if beside is not None:
                beside()
            if child is not None:
                ending = child.wait()
                answer.seek(0)
                _log.info("reviewdeck: %s", _outcome(session, ending, answer.read()))
    finally:
        with _lock:
            # One that was ended may go only after the next one began.
            if _running.get(session) is review:
                del _running[session]


def _start(review: _Review, answer: IO[bytes]) -> subprocess.Popen[bytes] | None:
    """The process; None where the user has spoken since the review was asked for."""
    with review.lock, tempfile.TemporaryFile() as said:
        if review.is_cancelled:
            return None
        said.write(review.body)
        said.seek(0)
        review.child = child = subprocess.Popen(  # noqa: S603 - the program that was set up
            review.command,
            stdin=said,
            stdout=answer,
            stderr=answer,
            env=review.environment,
            cwd=review.home,
            start_new_session=True,
        )
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, child.pid, NICENESS)
    return child


def _outcome(session: str, ending: int, answer: bytes) -> str:
    """What came of a review, in one line."""
    if ending in (-signal.SIGKILL, -signal.SIGINT, INTERRUPTED):
        return f"the review of {session} went away for the user's turn"
    try:
        said = json.loads(answer)
        staged, share = len(said["proposals"]), said["identical_share"]
        shared = "" if share is None else f", {share:.1%} of its request was sent before"
        return f"the review of {session} is {said['ending']}: {staged} staged{shared}"
    except (ValueError, TypeError, KeyError):
        shown = " ".join(answer.decode("utf-8", "replace").split())[:SHOWN]
        return f"the review of {session} failed ({ending}): {shown}"


def cancel(review: _Review) -> None:
    """Ends a review: what it staged stays. Nobody waits for it."""
    with review.lock:
        review.is_cancelled, child = True, review.child
    if child is None or child.poll() is not None:
        return
    child.send_signal(signal.SIGINT)
    timer = threading.Timer(GRACE, child.kill)
    timer.daemon = True
    timer.start()
