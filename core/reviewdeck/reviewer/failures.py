"""Why a request was not answered: the errors of libraries and providers as one kind of value.

The provider's own sentence is kept, in one line and without the key.
"""

from __future__ import annotations

import email.utils
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Final

from reviewdeck.agents.hermes.kit import members
from reviewdeck.reviewer.addresses import host_of, is_at_vendor, other_address
from reviewdeck.reviewer.conversation import ApiMode, Json, Runtime
from reviewdeck.reviewer.models import Failure, FailureKind

MESSAGE_SHOWN: Final = 300
"""Characters of a provider's error message that are stored."""

_BUSY: Final = frozenset({408, 409, 425, 500, 502, 503, 504, 529})
_NOT_HERE: Final = frozenset({404, 405})
_BUSY_CODES: Final = frozenset(
    {
        *("api_error", "insufficient_system_resource", "internal_error", "internal_server_error"),
        *("overloaded", "overloaded_error", "server_error", "service_unavailable", "timeout"),
        *("timeout_error", "unavailable", "vector_store_timeout"),
    }
)
_LIMIT_CODES: Final = frozenset({"rate_limit_error", "rate_limit_exceeded", "resource_exhausted"})
_NO_CREDIT: Final = re.compile(
    r"insufficient[_ ](quota|balance|credit)|billing|credit balance|exceeded your current quota"
    r"|payment required",
    re.IGNORECASE,
)
"""Said with 429 too, though no wait helps."""
_FILTER_CODES: Final = frozenset({"content_filter", "content_policy_violation"})
_TOO_LONG: Final = re.compile(
    r"context[_ -]?(length|size|window)|maximum (context|prompt) length|prompt is too long"
    r"|(input|prompt|request) (is )?too (long|large)|prompt exceeds max length"
    r"|input token count.{0,40}exceeds|exceeds? the (maximum|available) (number of tokens|context)"
    r"|too many (input )?tokens|exceed_context_size",
    re.IGNORECASE,
)


class AnswerFailed(Exception):
    """An answer that is a failure, though its status may say otherwise."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def failure_of(error: Exception, library: ModuleType, runtime: Runtime) -> Failure:
    """An exception of a vendor's library, or of what it is built on, as a failure."""
    failure = _classify(error, library, runtime)
    message = " ".join(failure.message.split())
    if runtime.api_key:
        message = message.replace(runtime.api_key, "***")
    message = message[:MESSAGE_SHOWN]
    if isinstance(error, library.APIStatusError):
        message += f" (HTTP {error.response.status_code})"
    return replace(failure, message=message)


def _classify(error: Exception, library: ModuleType, runtime: Runtime) -> Failure:
    if isinstance(error, AnswerFailed):
        return _with_address(error.failure, runtime)
    if isinstance(error, library.APITimeoutError | TimeoutError):
        seconds = runtime.timeout
        return Failure(FailureKind.TIMEOUT, f"No answer within {seconds:g} seconds.")
    if isinstance(error, library.APIStatusError):
        response = error.response
        if response.is_redirect:
            return _redirected(response.headers.get("location", ""))
        said = _sentence_of(error.body) or response.reason_phrase or "no reason"
        kind = _kind(response.status_code, _code_of(error.body), said)
        hint = _key_hint(runtime) if response.status_code in {401, 403} else ""
        failure = Failure(kind, said, retry_after(response.headers), hint)
        return _with_address(failure, runtime) if response.status_code in _NOT_HERE else failure
    module = type(error).__module__.partition(".")[0]
    if isinstance(error, library.APIConnectionError | OSError) or module.startswith(
        ("httpx", "httpcore", "anyio", "h11")
    ):
        return _unreachable(error, runtime)
    if isinstance(error, library.APIError):
        return Failure(FailureKind.OVERLOADED, str(error))
    return Failure(FailureKind.MALFORMED, f"{type(error).__name__}: {error}")


def _redirected(location: str) -> Failure:
    return Failure(
        FailureKind.REFUSED,
        f"The server sends on to {location}, where nothing was sent",
        hint="If that is the model's address, name it with --base-url.",
    )


def _unreachable(error: BaseException, runtime: Runtime) -> Failure:
    host = _host(runtime)
    causes = list(_causes(error))
    if why := _bad_certificate(causes):
        return Failure(FailureKind.CERTIFICATE, f"The certificate of {host} is not valid: {why}.")
    why = str(causes[-1]) or type(causes[-1]).__name__
    hint = "It speaks no TLS: its address begins with http://." if "WRONG_VERSION" in why else ""
    return Failure(FailureKind.CONNECTION, f"{host} cannot be reached: {why}", hint=hint)


def _bad_certificate(causes: list[BaseException]) -> str:
    """Why a certificate was not accepted; empty if that is not what happened."""
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return cause.verify_message
    said = (re.search(r"CERTIFICATE_VERIFY_FAILED\W+(.*?)( \(_ssl|$)", str(c)) for c in causes)
    return next(
        (found[1].removeprefix("certificate verify failed: ") for found in said if found), ""
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what caused it, at most ten of them."""
    cause: BaseException | None = error
    for _ in range(10):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def failure_within(value: Json) -> Failure | None:
    """The error that an answer of status 200, or an event of a stream, is; None for none."""
    error = value.get("error")
    if not error and value.get("type") == "error":
        error = value
    if not error and isinstance(response := value.get("response"), dict):
        error = response.get("error")
    if not error:
        return None
    code = _code_of(error)
    said = _sentence_of(error) or code or "The provider reports an error and does not say which."
    status = int(code) if code.isdigit() else None
    return Failure(_kind(status, code, said), said)


def _sentence_of(body: object) -> str:
    """The provider's own sentence in the body of an error; empty without one."""
    if isinstance(body, str):
        return "" if body.lstrip().startswith("<") else body
    if isinstance(body, list):
        return next(filter(None, map(_sentence_of, body)), "")
    if not isinstance(body, dict):
        return ""
    for name in ("message", "error", "detail", "msg"):
        if said := _sentence_of(body.get(name)):
            raw = _sentence_of(members(body.get("metadata")).get("raw"))
            return f"{said}: {raw}" if raw else said
    return ""


def _code_of(body: object) -> str:
    """The provider's own code for an error, in small letters; empty without one."""
    if isinstance(body, dict):
        inner = body.get("error")
        if isinstance(inner, dict):
            return _code_of(inner)
        for name in ("code", "type", "status"):
            if isinstance(value := body.get(name), str | int) and value:
                return str(value).lower()
    return ""


def _kind(status: int | None, code: str, said: str) -> FailureKind:
    if code in _FILTER_CODES:
        return FailureKind.FILTERED
    if _NO_CREDIT.search(code) or (status in {402, 429} and _NO_CREDIT.search(said)):
        return FailureKind.REFUSED
    is_limit = status == 429 or code in _LIMIT_CODES
    if status == 413 or (not is_limit and (_TOO_LONG.search(code) or _TOO_LONG.search(said))):
        return FailureKind.CONTEXT
    if is_limit:
        return FailureKind.RATE_LIMIT
    if status in _BUSY or code in _BUSY_CODES or (status is None and not code):
        return FailureKind.OVERLOADED
    return FailureKind.REFUSED


def _with_address(failure: Failure, runtime: Runtime) -> Failure:
    """A failure that an address without /v1, or with it twice, may have caused."""
    address = other_address(runtime)
    if not address or failure.kind not in {FailureKind.REFUSED, FailureKind.MALFORMED}:
        return failure
    hint = f"The address may be wrong: try --base-url {address}"
    if runtime.api_mode is ApiMode.MESSAGES and not is_at_vendor(runtime):
        hint += ", or --provider NAME if it speaks as OpenAI does"
    return replace(failure, kind=FailureKind.REFUSED, hint=hint)


def _key_hint(runtime: Runtime) -> str:
    if not runtime.api_key:
        return "No key was sent: name its variable with --key-variable NAME."
    return f"See whether the key is one of {_host(runtime)}."


def _host(runtime: Runtime) -> str:
    return host_of(runtime.base_url) if runtime.base_url else runtime.provider


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by either of a provider's headers; a date is relative to now."""
    try:
        if (value := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(value) / 1000)
        if (value := headers.get("retry-after")) is None:
            return None
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(headers["retry-after"])
        return max(0.0, moment.timestamp() - time.time())
    except (ValueError, KeyError, OverflowError):
        return None
