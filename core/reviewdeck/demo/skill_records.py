"""The made-up records about skills."""

from __future__ import annotations

from typing import Any

from reviewdeck.demo.records import FOREGROUND, DemoRecord
from reviewdeck.demo.skills import (
    CODE_REVIEW,
    DASHBOARDS_BEFORE,
    EMAILS,
    FILES,
    HOLIDAYS_PROPOSED,
    MIGRATIONS,
    MIGRATIONS_BEFORE,
    OLD_CI,
    RELEASE_NOTES,
    RELEASE_NOTES_BEFORE,
    RELEASE_NOTES_PROPOSED,
    TIMETABLES,
    TRIAGE,
)

_LOAD_TEST = """\
---
name: ferry-load-test
description: Put the ticket shop under the load of a summer Saturday, and read the result.
---
# Ferry load test

## When to use
Before the summer timetable, and after changes to the ticket shop.

## Steps
1. Start with 50 travellers a minute: `uv run ferry load --rate 50`.
2. Double the rate and compare the slow requests.
3. Write the rate down in docs/load.md, with the commit.

## Pitfalls
- Use the test environment.
- Compare with the last summer.
"""

_CHANGELOG = """\
---
name: api-changelog
description: Tell the other islands' developers what changed in the public API.
---
# API changelog

## When to use
A pull request touches quay/api or anything under /v2.

## Steps
1. Compare the OpenAPI documents of the last tag and of the branch.
2. Put what breaks first, with a date.
3. Add an example request for everything new.
"""

_LOCK_TIMEOUTS = """\
# Lock timeouts

| table | how long a lock may last |
| --- | --- |
| tickets | 200 ms |
| departures | 1 s |
| tides | 5 s |
"""

_HOTFIX = """\
# Release {version}

- What changes: {what}
- Date: {since}
"""

_TOP_ERRORS = """\
#!/bin/sh
# The most frequent errors of the last hour, with their first line only.
journalctl -u ferrytime --since -60min -p err -o cat | cut -c -160 | sort | uniq -c | sort -rn
"""

_REVIEW_REWRITE = """\
---
name: code-review
description: Review a change quickly.
---
# Code review

1. Run the linter.
2. Approve when it is green.
"""


def _live(*paths: str) -> dict[str, bytes | None]:
    return {path: FILES[path].encode("utf-8") for path in paths}


def _payload(action: str, name: str, **fields: Any) -> dict[str, Any]:
    return {"action": action, "name": name, **fields, "replace_all": False}


def _create(name: str, content: str, category: str | None = None) -> dict[str, Any]:
    fields = (
        {"content": content} if category is None else {"content": content, "category": category}
    )
    return _payload("create", name, **fields)


def _patch(name: str, old: str, new: str) -> dict[str, Any]:
    return _payload("patch", name, old_string=old, new_string=new)


def _write(name: str, file: str, content: str) -> dict[str, Any]:
    return _payload("write_file", name, file_path=file, file_content=content)


PLAIN_ADDITIONS = (
    DemoRecord(
        "0a51c3e8",
        20,
        _create("ferry-load-test", _LOAD_TEST, "ops"),
        {"skills/ops/ferry-load-test/SKILL.md": None},
    ),
    DemoRecord(
        "0b8e27d4",
        33,
        _create("api-changelog", _CHANGELOG, "dev"),
        {"skills/dev/api-changelog/SKILL.md": None},
        FOREGROUND,
    ),
    DemoRecord(
        "0c19f6b2",
        48,
        _write("database-migrations", "references/lock-timeouts.md", _LOCK_TIMEOUTS),
        {f"{MIGRATIONS}/references/lock-timeouts.md": None},
    ),
    DemoRecord(
        "0d7430ac",
        70,
        _write("release-notes", "templates/hotfix.md", _HOTFIX),
        {f"{RELEASE_NOTES}/templates/hotfix.md": None},
    ),
)

CHANGES = (
    DemoRecord(
        "1a92b7f0",
        110,
        _patch(
            "incident-triage",
            "3. Is a deploy less than an hour old? Roll it back, then think.",
            "3. Is a deploy or a timetable less than an hour old? Roll it back, then think.",
        ),
        _live(f"{TRIAGE}/SKILL.md"),
    ),
    DemoRecord(
        "1b06d45e",
        115,
        _patch(
            "timetable-import",
            "3.  Compare the  number of departures per day with last year's.",
            "3. Compare departures per day and per pier with last year's.",
        ),
        _live(f"{TIMETABLES}/SKILL.md"),
    ),
    DemoRecord(
        "1c3fe871",
        2850,
        _patch(
            "database-migrations",
            "Write down how long it took.",
            "Write down how long it took, and how many rows it touched.",
        ),
        {f"{MIGRATIONS}/SKILL.md": MIGRATIONS_BEFORE.encode("utf-8")},
    ),
    DemoRecord(
        "1d58a09b",
        160,
        _write("incident-triage", "scripts/top_errors.sh", _TOP_ERRORS),
        _live(f"{TRIAGE}/scripts/top_errors.sh"),
    ),
    DemoRecord(
        "1e6b14c7",
        170,
        _payload("remove_file", "timetable-import", file_path="templates/mapping.yaml"),
        _live(f"{TIMETABLES}/templates/mapping.yaml"),
    ),
    DemoRecord(
        "1f20cd95",
        190,
        _payload("delete", "old-ci-fixes", absorbed_into="incident-triage"),
        _live(f"{OLD_CI}/SKILL.md"),
    ),
)

PROTECTED = (
    DemoRecord(
        "2a4d8e16",
        210,
        _patch("harbour-emails", "2. Give times in harbour time.", "2. Give times in UTC."),
        _live(f"{EMAILS}/SKILL.md"),
    ),
    DemoRecord(
        "2b7199fc",
        220,
        _payload("delete", "harbour-emails", absorbed_into=""),
        _live(f"{EMAILS}/SKILL.md", f"{EMAILS}/templates/apology.md"),
    ),
    DemoRecord(
        "2ce5036d",
        240,
        _payload("edit", "code-review", content=_REVIEW_REWRITE),
        _live(f"{CODE_REVIEW}/SKILL.md"),
    ),
)

CONFLICTS = (
    DemoRecord(
        "3a0c6f4d",
        2840,
        _patch(
            "database-migrations",
            "3. Run `scripts/check_locks.sh` against staging.",
            "3. Run `scripts/check_locks.sh` against staging twice, a minute apart.",
        ),
        {f"{MIGRATIONS}/SKILL.md": MIGRATIONS_BEFORE.encode("utf-8")},
    ),
    DemoRecord(
        "3b95d2e7",
        2830,
        _payload("edit", "release-notes", content=RELEASE_NOTES_PROPOSED),
        {f"{RELEASE_NOTES}/SKILL.md": RELEASE_NOTES_BEFORE.encode("utf-8")},
    ),
    DemoRecord(
        "3c2e71a8",
        2820,
        _payload("remove_file", "incident-triage", file_path="references/dashboards.md"),
        {f"{TRIAGE}/references/dashboards.md": DASHBOARDS_BEFORE.encode("utf-8")},
    ),
    DemoRecord(
        "3df84b09",
        2810,
        _write("timetable-import", "references/holidays.md", HOLIDAYS_PROPOSED),
        {f"{TIMETABLES}/references/holidays.md": None},
    ),
)

STALE = (
    DemoRecord("4a17e0c3", 4320, _patch("jenkins-agents", "gull", "cormorant")),
    DemoRecord(
        "4b6f25d8",
        420,
        _patch("incident-triage", "Do not restart", "Never restart"),
        _live(f"{TRIAGE}/SKILL.md"),
    ),
)

HOSTILE = (
    DemoRecord(
        "5a83c91e",
        430,
        _create("quick-notes", "# Quick notes\n\nJust write it down.\n"),
        {"skills/quick-notes/SKILL.md": None},
    ),
    DemoRecord(
        "5be04d72",
        440,
        _write("incident-triage", "references/../../../../.ssh/authorized_keys", "ssh-ed25519 AA"),
    ),
)

SKILL_RECORDS = PLAIN_ADDITIONS + CHANGES + PROTECTED + CONFLICTS + STALE + HOSTILE
