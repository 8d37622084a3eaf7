"""Replaces Hermes' own background reviewer by reviewdeck's, at the times that Hermes chooses.

Hermes decides when a review is due, by its own intervals. It then calls one function for the work
of the review's thread; this replaces that function where `.reviewdeck/plugin.json` has a
`reviewer`:

    mode       replace: all reviews. typed: reviews of memory, based on the user's typed words only
    base_url   the confirmed address: the key is sent nowhere else
    timeout    seconds for one answer; may be missing
    settings   the operator's reviewer.toml: a model that it names reviews, with its own key

The review is a process, `reviewdeck review`, at a low priority: it outlives Hermes, and the user's
next turn ends it. It gets the conversation on its standard input, from an unnamed file, and
Hermes' own key in its environment. Every obstacle is logged, and Hermes' own review runs instead.
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
import tomllib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from . import agent, announce, kit, settings
from .bounded import run_in_background

SESSIONS = 8
"""The most sessions whose last request is remembered."""
GRACE = 2.0
"""Seconds between interrupting a review and killing it."""
POLL = 0.05
"""Seconds between two looks at whether Hermes wants the review to end."""
NICENESS = 10
SETTINGS_READ = 256 * 1024
"""The most bytes of `reviewer.toml` that are read."""
INTERRUPTED = 130
"""The exit status of an interrupted `reviewdeck review`."""
KEY, HEADERS = "REVIEWDECK_API_KEY", "REVIEWDECK_API_HEADERS"
"""The variables from which reviewdeck reads the key and the provider's headers."""

_FUNCTION = "spawn_background_review_thread"
_CALLERS = ("_spawn_background_review_now", "_spawn_background_review")
"""The method that calls it: that of Hermes 0.22, and that of 0.19."""
_PARAMETERS = {"agent", "messages_snapshot", "review_memory", "review_skills"}
_MODES = ("replace", "typed")
_NOT_SENT = {"timeout", "http_client", "extra_headers", "extra_body"}
_VARIABLES = ("PATH", "HOME", "USER", "LANG", "TMPDIR", "TZ", "HERMES_HOME")
_VARIABLE_PREFIXES = ("LC_", "XDG_", "SSL_", "REVIEWDECK_", "HTTP_", "HTTPS_", "NO_", "ALL_PROXY")
_log = logging.getLogger(__name__)

Target = tuple[Callable[[], Any], Any]
"""The result that Hermes expects: the work of a thread, and the prompt of its review."""


class ReviewDeclined(Exception):
    """The reason for leaving this review to Hermes."""


@dataclass(frozen=True, slots=True)
class _Request:
    """The last request to the model in a session."""

    body: Mapping[str, Any]
    turn: str
    platform: str


@dataclass(slots=True)
class _Review:
    """One review: the parameters of its process, and the process once it is started."""

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
_has_tried = False


def register(ctx: Any) -> None:
    """Registers the middleware, if a reviewer is set up for the home."""
    if _reviewer_settings(agent.home()):
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
    """Hermes' middleware before each request: remembers the conversation's last one.

    A request of the conversation means that the user has sent a message: its review is cancelled.
    """
    body = original_request if isinstance(original_request, dict) else request
    if agent.origin() == agent.BACKGROUND or not isinstance(session_id, str) or not session_id:
        return
    replace_reviewer()
    with _lock:
        review = _running.get(session_id)
        if isinstance(body, dict):
            _requests[session_id] = _Request(body, str(turn_id or ""), str(platform or ""))
            _requests.move_to_end(session_id)
            while len(_requests) > SESSIONS:
                _requests.popitem(last=False)
    if review is not None:
        cancel(review)


def replace_reviewer() -> None:
    """Replaces Hermes' function, once, if its signature is the expected one."""
    global _has_tried
    if _has_tried:
        return
    _has_tried = True
    try:
        module = import_module("agent.background_review")
        theirs = getattr(module, _FUNCTION)
        live = import_module("run_agent").AIAgent
        callers = [getattr(live, name) for name in _CALLERS if hasattr(live, name)]
        is_called = any(_FUNCTION in caller.__code__.co_names for caller in callers)
        is_known = set(inspect.signature(theirs).parameters) >= _PARAMETERS
        if not (is_known and is_called):
            raise ReviewDeclined("this Hermes starts its reviews in another way")
    except Exception as error:  # noqa: BLE001 - Hermes' own review is kept
        _log.warning("reviewdeck: the reviewer is not used: %s", error)
        return
    setattr(module, _FUNCTION, _wrap(theirs))


def _wrap(theirs: Callable[..., Target]) -> Callable[..., Target]:
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
            review = prepare(
                agent, messages_snapshot, review_memory, review_skills, str(more.get("focus") or "")
            )
        except Exception as error:  # noqa: BLE001 - Hermes' own review is better than none
            _log.warning("reviewdeck: Hermes' own review runs: %s", error)
            review = None
        if review is None:
            return own(review_memory, review_skills)
        # Typed words do not show how work is done: Hermes' own review keeps the skills.
        is_shared = review_skills and "--typed" in review.command
        skills_review = own(False, True) if is_shared else None

        def work() -> None:
            try:
                beside = skills_review[0] if skills_review else None
                with _heeding(agent, more.get("review_run"), review):
                    outcome = run(str(agent.session_id), review, beside)
                if outcome is not None:
                    announce.tell(agent, outcome)
            except OSError as error:
                _log.warning("reviewdeck: Hermes' own review runs: %s", error)
                own(review_memory, review_skills and not is_shared)[0]()
            finally:
                _finish(agent, more.get("review_run"))

        return work, skills_review[1] if skills_review else ""

    return spawn_background_review_thread


@contextmanager
def _heeding(live: Any, token: Any, review: _Review) -> Iterator[None]:
    """While it is open, the review ends when Hermes 0.22 asks for that by its run's token.

    A live turn waits for the token's end, so that comes at once: what is left of the process
    touches nothing of the agent.
    """
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(POLL):
            if token.cancel_requested.is_set():
                cancel(review)
                _finish(live, token)
                return

    if token is not None:
        run_in_background(watch)
    try:
        yield
    finally:
        is_over.set()


def _finish(live: Any, token: Any) -> None:
    """Ends a run of Hermes 0.22; without that no other review starts."""
    if token is not None:
        import_module("agent.background_review").finish_background_review_run(live, token)


def prepare(
    live: Any, messages: Sequence[Any], memory: bool, skills: bool, focus: str = ""
) -> _Review | None:
    """The due review; None where no reviewer is set up for it. Raises ReviewDeclined."""
    home = agent.home()
    reviewer = _reviewer_settings(home)
    if not reviewer or not (memory or skills):
        return None
    is_typed = reviewer["mode"] == "typed"
    if is_typed and not memory:
        return None
    session = live.session_id
    with _lock:
        request, running = _requests.get(session), _running.get(session)
    if running is not None and not running.is_cancelled:
        raise ReviewDeclined("another review of this conversation is running")
    if request is None or not isinstance(request.body.get("messages"), list):
        raise ReviewDeclined("the conversation's last request is not one that can be sent again")
    options = ["--home", str(home), "--json"]
    if is_typed or not (memory and skills):
        options += ["--only", "memory" if memory else "skills"]
    if is_typed:
        options.append("--typed")
    if focus:
        options += ["--focus", focus]
    configured = _configured(reviewer)
    if configured:
        environment = _environment(_own_key(configured))
    else:
        runtime = import_module("agent.background_review")._resolve_review_runtime(live)
        options += _model_options(reviewer, runtime)
        environment = _environment({KEY: _key(runtime)}, headers=_headers(live, request, runtime))
    return _Review(
        [*settings.command(home), "review", "/dev/stdin", *options],
        _conversation(live, request, messages),
        environment,
        home,
    )


def _model_options(reviewer: Mapping[str, Any], runtime: Mapping[str, Any]) -> list[str]:
    """The model that Hermes would use, at the confirmed address. Raises ReviewDeclined."""
    options = ["--base-url", _address(reviewer, runtime)]
    if runtime.get("routed"):
        options += ["--provider", str(runtime["provider"]), "--model", str(runtime["model"])]
    timeout = reviewer.get("timeout")
    if isinstance(timeout, int | float) and timeout > 0:
        options += ["--timeout", str(timeout)]
    return options


def _configured(reviewer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The operator's `reviewer.toml` if it names a model, else nothing. Raises ReviewDeclined."""
    path = reviewer.get("settings")
    if not isinstance(path, str):
        return {}
    try:
        table = tomllib.loads((kit.read_file(path, SETTINGS_READ) or b"").decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise ReviewDeclined(f"{path} cannot be used: {error}") from error
    return table if any(table.get(name) for name in ("provider", "model", "base_url")) else {}


def _own_key(configured: Mapping[str, Any]) -> dict[str, str]:
    """The variable with the key of the operator's own model, and no key of Hermes."""
    provider = kit.text(configured.get("provider")).strip().lower()
    own = f"{provider.replace('-', '_').replace('.', '_').upper()}_API_KEY"
    name = kit.text(configured.get("key_variable")) or own
    return {name: os.environ[name]} if name in os.environ else {}


def _reviewer_settings(home: Path) -> dict[str, Any]:
    reviewer = settings.setting(home, "reviewer")
    return reviewer if isinstance(reviewer, dict) and reviewer.get("mode") in _MODES else {}


def _address(reviewer: Mapping[str, Any], runtime: Mapping[str, Any]) -> str:
    """The review's address. Raises ReviewDeclined unless an operator confirmed it."""
    confirmed, live = reviewer.get("base_url"), str(runtime.get("base_url") or "")
    if not isinstance(confirmed, str) or not confirmed or confirmed.rstrip("/") != live.rstrip("/"):
        raise ReviewDeclined(
            f"its model answers at {live or 'an unknown address'}, and {confirmed or 'none'} was"
            " confirmed: run `reviewdeck hermes install --reviewer` again"
        )
    return confirmed


def _key(runtime: Mapping[str, Any]) -> str:
    """Hermes' current key. Raises ReviewDeclined where the model needs more than a key."""
    key, provider, mode = (runtime.get(name) for name in ("api_key", "provider", "api_mode"))
    spoken = "anthropic_messages" if provider == "anthropic" else "chat_completions"
    if (mode or spoken) != spoken:
        raise ReviewDeclined(f"{provider} is spoken to as {mode}, which reviewdeck does not do")
    if not isinstance(key, str) or not key or key.startswith("sk-ant-oat"):
        raise ReviewDeclined(f"Hermes signs in to {provider} in a way that no key can be handed on")
    return key


def _headers(live: Any, request: _Request, runtime: Mapping[str, Any]) -> dict[str, str]:
    """The provider's headers besides the key; none for another model's provider."""
    if runtime.get("routed"):
        return {}
    client_options = getattr(live, "_client_kwargs", None)
    always = client_options.get("default_headers") if isinstance(client_options, dict) else None
    merged: dict[str, str] = {}
    for headers in (always, request.body.get("extra_headers")):
        if isinstance(headers, Mapping):
            merged |= {str(name): value for name, value in headers.items() if type(value) is str}
    return merged


def _conversation(live: Any, request: _Request, messages: Sequence[Any]) -> bytes:
    """The last request as it was sent, with the answer to it. Raises ReviewDeclined."""
    body = {name: value for name, value in request.body.items() if name not in _NOT_SENT}
    extra = request.body.get("extra_body")
    body |= extra if isinstance(extra, dict) else {}
    if not getattr(live, "_disable_streaming", False):
        body["stream"] = True
        if getattr(live, "api_mode", "") != "anthropic_messages":
            body["stream_options"] = {"include_usage": True}
    last = messages[-1] if messages and isinstance(messages[-1], dict) else {}
    messages_sent = [*body["messages"]]
    if last.get("role") == "assistant" and last.get("content") and not last.get("tool_calls"):
        messages_sent.append({"role": "assistant", "content": last["content"]})
    started_at = getattr(live, "session_start", None)
    about = {
        "provider": live.provider,
        "session": live.session_id,
        "turn": request.turn,
        "platform": request.platform or os.environ.get("HERMES_SESSION_SOURCE", "cli"),
        "occasion": "turn",
        "started_at": started_at.astimezone().isoformat()
        if isinstance(started_at, datetime)
        else None,
    }
    try:
        return json.dumps({**body, "messages": messages_sent, "reviewdeck": about}).encode()
    except (TypeError, ValueError) as error:
        raise ReviewDeclined(f"the conversation's last request is no JSON ({error})") from error


def _environment(
    key: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment of the review's process, without Hermes' other keys."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in _VARIABLES or name.upper().startswith(_VARIABLE_PREFIXES)
    }
    return passed | dict(key) | ({HEADERS: json.dumps(dict(headers))} if headers else {})


def run(
    session: str, review: _Review, beside: Callable[[], Any] | None
) -> announce.ReviewEnd | None:
    """Runs one review to its end, and other work meanwhile. Raises OSError.

    None where it went away for the user's turn.
    """
    with _lock:
        _running[session] = review
    answer, path = announce.open_answer(review.home)
    try:
        with answer:
            child = _start(review, answer)
            if beside is not None:
                beside()
            status = child.wait() if child is not None else INTERRUPTED
            if status in (-signal.SIGKILL, -signal.SIGINT, INTERRUPTED):
                _log.info("reviewdeck: the review of %s went away for the user's turn", session)
                return None
            answer.seek(0)
            outcome = announce.read_outcome(session, status, answer.read(announce.READ))
            if path is not None:
                path.unlink(missing_ok=True)  # Still locked: no other process tells it.
        _log.info("reviewdeck: %s", outcome.line)
        return outcome
    finally:
        if path is not None:
            path.unlink(missing_ok=True)
        with _lock:
            # A cancelled review may end after the next one has started.
            if _running.get(session) is review:
                del _running[session]


def _start(review: _Review, answer: IO[bytes]) -> subprocess.Popen[bytes] | None:
    """The started process; None where the review has been cancelled."""
    with review.lock, tempfile.TemporaryFile() as request:
        if review.is_cancelled:
            return None
        request.write(review.body)
        request.seek(0)
        review.child = child = subprocess.Popen(  # noqa: S603 - the program that was set up
            review.command,
            stdin=request,
            stdout=answer,
            stderr=answer,
            env=review.environment,
            cwd=review.home,
            start_new_session=True,
        )
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, child.pid, NICENESS)
    return child


def cancel(review: _Review) -> None:
    """Ends a review without waiting for it. What it staged stays."""
    with review.lock:
        review.is_cancelled, child = True, review.child
    if child is None or child.poll() is not None:
        return
    child.send_signal(signal.SIGINT)
    timer = threading.Timer(GRACE, child.kill)
    timer.daemon = True
    timer.start()
