"""What the made-up agent remembers: live, and as it was before people edited it by hand."""

from __future__ import annotations

MEMORY = "memories/MEMORY.md"
USER = "memories/USER.md"

SOUL = """\
# Pilot

You are Pilot, the engineering assistant of the Ferrytime team: timetables, tickets and tide
tables for eleven islands. You are calm, brief and exact. You look before you touch.
"""

CONFIG = """\
# A made-up home. Nothing here belongs to a real agent.
memory:
  memory_enabled: true
  user_profile_enabled: true
  write_approval: true
  memory_char_limit: 2200
  user_char_limit: 1375
  nudge_interval: 10
skills:
  write_approval: true
  creation_nudge_interval: 10
  external_dirs: []
"""

STAGING_BEFORE = "Staging is ferry-stage-1: PostgreSQL 15 on port 5433."
STAGING = "Staging moved to ferry-stage-2: PostgreSQL 16 on port 5434."
PRINTER_BEFORE = "Norrholm still prints tickets through the old API; keep /v1/print."
PRINTER = (
    "Norrholm prints tickets through the old API until the harbour office moves in March; "
    "keep /v1/print."
)
JENKINS = "Jenkins still builds the printed timetable."

_RUNTIME = (
    "Ferrytime is Python 3.12 with uv; run the tests with `uv run pytest -q`, never bare pytest."
)
_FRONT_END = "The web front end is quay/ (TypeScript, pnpm); `pnpm dev` wants the API on port 8010."
_UTC = "Departures are stored in UTC and shown in harbour time; DST cases are in test_tides.py."
_CI = "CI is Woodpecker. The nightly `soak` job takes 40 minutes: do not wait for it."
_MIGRATIONS = "Migrations are written by hand in db/migrations; Priya reads every one of them."
_FLAGS = "Feature flags are in flags.toml; a flag older than two releases is removed."
FLAKY = "The flaky test is tests/test_sync.py::test_retry; it needs REDIS_URL."
_RELEASES = (
    "Releases leave every second Thursday: tag vYYYY.MM.N, announce in #dockside, and wait ten "
    "minutes before the next deploy."
)
_FREEZE = "No deploys in the first week of June, when the summer timetable goes live."
_MAPS = "Sea charts come from OpenSeaMap; the tile cache may be rebuilt at any time."


def _document(*entries: str) -> bytes:
    return "\n§\n".join(entries).encode("utf-8")


MEMORY_BEFORE = _document(
    _RUNTIME, _FRONT_END, STAGING_BEFORE, _UTC, _CI, JENKINS, _MIGRATIONS, PRINTER_BEFORE, _FLAGS,
    FLAKY, _RELEASES, _FREEZE, _MAPS,
)  # fmt: skip
"""As most of the authors saw it, two days ago."""

MEMORY_LIVE = _document(
    _RUNTIME, _FRONT_END, STAGING, _UTC, _CI, _MIGRATIONS, PRINTER, _FLAGS,
    FLAKY, _RELEASES, _FREEZE, _MAPS,
)  # fmt: skip
"""Since then Jonas moved staging, Mara added a date to the printers, and Jenkins went away."""

USER_LIVE = _document(
    "Mara Lindqvist, backend lead. Works from Gothenburg (Europe/Stockholm).",
    "Prefers short answers first, details on request.",
    "Wants tests before code, and real files in tests rather than mocks.",
    "Writes commit messages in the imperative, without emoji.",
    "Uses Helix and fish: terminal examples in fish syntax, please.",
    "Is away on Fridays after 15:00 for the school run.",
    "Likes a plan of at most five steps before a larger change.",
    "Reads unified diffs, not side by side.",
    "Is learning Portuguese and enjoys an occasional `bom dia`.",
)
