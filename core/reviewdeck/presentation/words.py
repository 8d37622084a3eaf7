"""Words and signs shared by screens and commands: states, ages, counts, origins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from reviewdeck.text.inert import visible
from reviewdeck.text.redact import redact


def age_of(moment: datetime | None, now: datetime) -> str:
    """How long ago, in one unit."""
    if moment is None:
        return "?"
    amount, unit = _age(moment, now)
    return f"{amount}{unit[0]}"


def count(amount: int, noun: str, plural: str | None = None) -> str:
    """An amount with its noun."""
    return f"{amount} {noun if amount == 1 else plural or noun + 's'}"


def age_words(moment: datetime, now: datetime) -> str:
    """How long ago, in one unit with its name: ``2 days``."""
    return count(*_age(moment, now))


def _age(moment: datetime, now: datetime) -> tuple[int, str]:
    """How long ago, in the largest unit; in weeks from two on."""
    seconds = max(0, int((now - moment).total_seconds()))
    for size, unit in ((604_800, "week"), (86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size * (2 if unit == "week" else 1):
            return seconds // size, unit
    return seconds, "second"


def headline(
    learned: int,
    to_decide: int,
    conflicts: int,
    attacks: int,
    oldest: datetime | None,
    now: datetime,
    *,
    live: int = 0,
    dangerous: int = 0,
    is_short: bool = False,
) -> str:
    """The status in one line that can be read aloud: unreviewed live changes, the dangerous first;
    then what was applied without the reader, attacks stopped, what is to decide and since when.

    `to_decide` includes the conflicts.
    """
    parts = _live_words(live, dangerous, is_short=is_short)
    parts += [f"{learned} applied{'' if is_short else ' without you'}"] if learned else []
    parts += [f"{attacks if is_short else count(attacks, 'attack')} stopped"] if attacks else []
    if to_decide > conflicts:
        among = f" ({count(conflicts, 'conflict')})" if is_short else ""
        parts += [f"{to_decide} to decide{among if conflicts else ''}"]
        parts += [f"{conflicts} of them {_conflicts(conflicts)}"] * bool(conflicts and not among)
    elif conflicts:
        parts += [f"{count(conflicts, 'conflict')} to decide"]
    if oldest is not None and not parts:
        return "nothing to decide"  # Whatever waits is drafted, deferred, outdated or unreadable.
    if oldest is not None:
        parts.append(f"oldest {age_of(oldest, now) if is_short else age_words(oldest, now)}")
    return ", ".join(parts) or "nothing new, nothing waiting"


def _conflicts(amount: int) -> str:
    return "a conflict" if amount == 1 else "conflicts"


def _live_words(live: int, dangerous: int, *, is_short: bool) -> list[str]:
    """The dangerous changes among those outside review, and the number of the others."""
    remaining = live - dangerous
    if is_short:
        parts = [f"{dangerous} dangerous live"] if dangerous else []
        return parts + ([f"{remaining} live"] if remaining else [])
    verb = "is" if dangerous == 1 else "are"
    parts = [f"{count(dangerous, 'dangerous change')} {verb} live"] if dangerous else []
    return parts + ([f"{count(remaining, 'outside change')} to review"] if remaining else [])


def direct_writes_words(kind: str, ungated: Sequence[str], unreviewed: int) -> str:
    """A warning that an agent writes without staging, and the command to change that; or empty."""
    if not ungated:
        return ""
    gates = "A gate is" if len(ungated) == 1 else "Gates are"
    text = f"{gates} off: {_AGENTS.get(kind, kind)} writes directly"
    if unreviewed:
        verb = "was" if unreviewed == 1 else "were"
        text += f": {count(unreviewed, 'change')} since yesterday {verb} not reviewed"
    if kind != "hermes":
        return f"{text}. `reviewdeck {kind} status` says why, `{kind} install` puts the gate there."
    parts = " and ".join(name.partition(".")[0] for name in ungated)
    return f"{text}. To review {parts} first: `reviewdeck hermes install`."


def state_word(state: str) -> str:
    """A state in the words of the lists; `--json` has its name."""
    return _STATE_WORDS.get(state, state)


GLYPHS: Final = {
    "ready": "+",
    "conflict": "#",
    "dead": "x",
    "refused": "!",
    "quarantined": "?",
    "deferred": "~",
    "live": "*",
    "approved": ">",
    "applying": ">",
    "applied": "=",
    "rejected": "-",
    "elsewhere": "/",
    "kept": "=",
}
"""The sign of each state, by its name; a member of `State` is such a name."""
_STATE_WORDS: Final = {
    "dead": "outdated",
    "quarantined": "unreadable",
    "elsewhere": "decided elsewhere",
}
STYLES: Final = {
    "+": "green",
    "#": "yellow",
    "x": "dim",
    "!": "bold red",
    "?": "magenta",
    "~": "cyan",
    "*": "bold yellow",
    ">": "cyan",
    "=": "green",
    "-": "dim",
    "/": "dim",
}
_AGENTS: Final = {
    "hermes": "Hermes",
    "claude": "Claude Code",
    "qwen": "Qwen Code",
    "openclaw": "OpenClaw",
    "gemini": "Gemini CLI",
}
_KINDS: Final = {"documents": "file"}
_ORIGINS: Final = {"background_review": "review", "foreground": "chat", "assistant_tool": "chat"}
_SPACES: Final = re.compile(r"\s+")


def one_line(text: str) -> str:
    """An untrusted text as one inert line, with its secrets redacted."""
    return inert(redact(text))


def inert(text: str) -> str:
    """A text of reviewdeck's own, or one made of redacted texts, as one inert line.

    It is not redacted again: that would cover the ids and times in it.
    """
    return visible(_single_spaced(text), keep="")


def _single_spaced(text: str) -> str:
    if text.isprintable() and "  " not in text:  # Most texts: a pattern takes ten times as long.
        return text.strip()
    return _SPACES.sub(" ", text).strip()


def kind_word(kind: str) -> str:
    """The kind of a proposal in a word: memory, skill or file."""
    return _KINDS.get(kind, kind)


def home_words(name: str, kind: str) -> str:
    """A home's name, with its kind if it is not a Hermes home."""
    return name if kind == "hermes" or kind in name else f"{name} ({kind})"


def origin_word(origin: str) -> str:
    """The origin of a proposal in a word."""
    return one_line(_ORIGINS.get(origin, origin))
