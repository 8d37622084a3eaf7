"""The policy file: its bytes, the policy in force, and a rule more. No other module touches it.

The file is read again for every pass, so an edit takes effect with the next one.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reviewdeck.engine.options import PolicyPlace
from reviewdeck.errors import BadInput, NotVerified, WriteFailed
from reviewdeck.model import Actor
from reviewdeck.model.decisions import POLICY_SIGNED
from reviewdeck.model.votes import Quorum
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.policy.own_rules import OwnRule, as_toml
from reviewdeck.policy.settings import LARGEST, PolicySettings

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.text.toml import Problem

_MODE: Final = 0o600
_WHEN_WRONG: Final = Quorum(needs=2)


class Rulebook:
    """Gives the policy in force, from the file as it is now."""

    def __init__(self, place: PolicyPlace | None, user_home: Path | None = None) -> None:
        self._place = place
        self._user_home = user_home
        self._cached = BUILT_IN

    def __call__(self) -> Policy:
        """The policy in force. With an invalid file, nothing is applied automatically."""
        if self._place is None:
            return BUILT_IN
        try:
            data = read_source(self._place)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            problem = f"The policy file {self._place.path} cannot be read: {reason}."
            last = PolicySettings(quorum=self._cached.settings.quorum)
            return Policy(last, policy_digest(self._place), problem)
        if data is None:
            return BUILT_IN
        mark = hashlib.sha256(data).hexdigest()
        if mark != self._cached.mark:
            self._cached = self._read(data, mark)
        return self._cached

    def _read(self, data: bytes, mark: str) -> Policy:
        policy = policy_of(data, self._user_home)
        if isinstance(policy, PolicySettings):
            return Policy(policy, mark)
        path = self._place.path if self._place is not None else ""
        problem = f"The policy file {path} is wrong in {policy[0]}."
        # Nobody makes one operator enough by breaking the file.
        quorum = _WHEN_WRONG if b"[approval]" in data else self._cached.settings.quorum
        return Policy(PolicySettings(quorum=quorum), mark, problem)


def policy_of(data: bytes, user_home: Path | None = None) -> PolicySettings | tuple[Problem, ...]:
    """The settings in the bytes of a policy file, or their problems."""
    from reviewdeck.policy.config import read_policy  # only where there is a file
    from reviewdeck.text.toml import Problem

    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        return read_policy(text, str(user_home or ""))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return (Problem(line, "it is not UTF-8 text"),)


def read_source(place: PolicyPlace) -> bytes | None:
    """The file's bytes, up to one more than allowed; None if it does not exist and need not.

    Raises OSError for a file that cannot be read, or is not a regular one: a pipe would give each
    reader another policy, and could block.
    """
    try:
        descriptor = os.open(place.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file", str(place.path))
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        if place.is_named:
            raise
        return None


def policy_digest(place: PolicyPlace | None) -> str:
    """The SHA-256 of the policy file, by which versions differ; empty without one."""
    if place is None:
        return ""
    try:
        data = read_source(place)
    except (OSError, ValueError) as error:
        return f"unreadable: {type(error).__name__}"
    return "" if data is None else hashlib.sha256(data).hexdigest()


def add_rule(engine: Engine, place: PolicyPlace | None, rule: OwnRule) -> Path:
    """Writes one rule more at the end of the policy file, and signs that where decisions are.

    All that stands there stays, letter for letter. Raises NotPermitted for a caller who may not
    decide, NotVerified where the file is not the signed one, BadInput where it would be invalid,
    StaleBase where it changed meanwhile, WriteFailed.
    """
    if place is None:
        raise BadInput("No policy file is read here.")
    operator = engine.operator()
    before = _source_with_rules(place)
    mark = "" if before is None else hashlib.sha256(before).hexdigest()
    if (why := engine.authority.why_nothing_is_automatic(mark)) is not None:
        raise NotVerified(f"No rule was written: {why}.", hint="Check the file, and sign it first.")
    after = _with_rule(place, before or b"", rule)
    path = _swap(place.path, before, after)
    detail: dict[str, object] = {"effect": str(rule.effect), "reason": rule.reason}
    engine.ledger.append(
        "rule-added",
        home="",
        subject=rule.name,
        actor=operator,
        at=engine.now(),
        detail=detail,
        attest=engine.authority.attest,
    )
    _sign(engine, operator, after)
    return path


def check_takes_rule(place: PolicyPlace | None) -> None:
    """Raises BadInput where the file, as it is now, takes no rule, whoever signs it."""
    if place is None:
        raise BadInput("No policy file is read here.")
    before = _source_with_rules(place)
    if before is not None and isinstance(problems := policy_of(before), tuple):
        raise BadInput(f"The policy file {place.path} is wrong: {problems[0]}.")


def _source_with_rules(place: PolicyPlace) -> bytes | None:
    try:
        return read_source(place)
    except FileNotFoundError:
        return None  # It is named, and begins with the rule.
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"The policy file {place.path} cannot be read: {reason}.") from None


def _with_rule(place: PolicyPlace, before: bytes, rule: OwnRule) -> bytes:
    text = as_toml(rule) if before.strip() else f"version = 1\n\n{as_toml(rule)}"
    added = text.encode()
    if before.strip():
        gap = b"\n" if before.endswith(b"\n") else b"\n\n"
        added = gap + added
    if b"\r\n" in before:
        added = added.replace(b"\n", b"\r\n")
    after = before + added
    policy = policy_of(after)
    if isinstance(policy, tuple):
        was_wrong = isinstance(policy_of(before), tuple)
        why = "is wrong" if was_wrong else "would be wrong with this rule at its end"
        hint = f"Nothing was written. The rule: {' '.join(as_toml(rule).split())}"
        raise BadInput(f"The policy file {place.path} {why}: {policy[0]}.", hint=hint)
    return after


def _swap(path: Path, before: bytes | None, after: bytes) -> Path:
    """Replaces a file that still has these bytes; one behind a link stays behind it."""
    from reviewdeck.homes.installer import FileChange, apply, plan_of

    target = path.resolve()
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mode = _MODE if before is None else stat.S_IMODE(target.stat().st_mode)
    except OSError as error:
        raise WriteFailed(
            f"{target} cannot be written: {error.strerror}.", hint="Nothing was written."
        ) from None
    apply(plan_of(target.parent, [FileChange(target.name, before, after, mode)]))
    return target


def _sign(engine: Engine, operator: Actor, written: bytes) -> None:
    """Signs what was written, where decisions are signed: it was the signed one before."""
    from reviewdeck.operators.authority import Operators

    if isinstance(authority := engine.authority, Operators) and authority.signs:
        from reviewdeck.operators import enrolment

        settings = policy_of(written)
        quorum = settings.quorum if isinstance(settings, PolicySettings) else authority.quorum
        mark = hashlib.sha256(written).hexdigest()
        policy = enrolment.sign_policy(authority, mark, quorum)
        engine.ledger.append(
            POLICY_SIGNED, home="", subject=policy, actor=operator, at=engine.now()
        )
