"""The demo agent's skills, live and before people edited them, and their records."""

from __future__ import annotations

from typing import Any

from reviewdeck.demo.records import FOREGROUND, DemoRecord

RELEASE_NOTES = "skills/dev/release-notes"
MIGRATIONS = "skills/dev/database-migrations"
TIMETABLES = "skills/dev/timetable-import"
TRIAGE = "skills/ops/incident-triage"
OLD_CI = "skills/ops/old-ci-fixes"
EMAILS = "skills/support/harbour-emails"
CODE_REVIEW = "skills/code-review"


def _release_notes(steps: str) -> str:
    return f"""\
---
name: release-notes
description: Write the release notes of Ferrytime from merged pull requests.
---
# Release notes

## When to use
On release Thursday, or when somebody asks what changed since a tag.

## Steps
{steps}
## Pitfalls
- A migration always gets its own line.
- Harbour staff read these: no ticket numbers, no module names.
"""


RELEASE_NOTES_BEFORE = _release_notes("""\
1. List merges since the last tag: `git log --merges vYYYY.MM.N..`.
2. Group them by area: timetable, tickets, tides, inside.
3. Post the draft in #dockside.
""")
RELEASE_NOTES_LIVE = _release_notes("""\
1. Ask Priya for the milestone, and list its pull requests.
2. Group them by who notices: travellers, harbour staff, nobody.
3. Let Jonas read the draft before anybody else does.
""")
RELEASE_NOTES_PROPOSED = _release_notes("""\
1. List merges since the last tag: `git log --merges --first-parent vYYYY.MM.N..`.
2. Group them by area: timetable, tickets, tides, inside; drop what is behind a flag.
3. Post the draft in #dockside and pin it.
""")


def _migrations(lock_step: str) -> str:
    return f"""\
---
name: database-migrations
description: Write and check a PostgreSQL migration that does not stop the ferries.
---
# Database migrations

## When to use
Whenever a change adds, drops or rewrites a column of a table that is in use.

## Steps
1. Write the migration by hand in db/migrations, one statement to a file.
2. Set `lock_timeout` to 2s at its top.
{lock_step}
4. Ask Priya to read it.
5. Deploy it a day before the code that needs it.

## Pitfalls
- `ALTER TYPE` rewrites the table: add a column instead.
- An index is built `CONCURRENTLY`, or not at all.
- Tickets sold during the migration must still be there afterwards: count them.

## Afterwards
Write down how long it took.
"""


MIGRATIONS_BEFORE = _migrations("3. Run `scripts/check_locks.sh` against staging.")
MIGRATIONS_LIVE = _migrations("3. Run `scripts/check_locks.sh` on a fresh copy of production.")

_CHECK_LOCKS = """\
#!/bin/sh
# Lists what a migration would have to wait for.
exec psql -X -c 'select pid, mode, relation::regclass from pg_locks where not granted'
"""

_ROLLBACK = """\
# Rolling back

A migration is taken back by another migration. Nobody edits one that has run.
"""

_TIMETABLE_IMPORT = """\
---
name: timetable-import
description: Import a shipping company's timetable (GTFS or a spreadsheet) into Ferrytime.
---
# Timetable import

## When to use
A company sends a new timetable, usually in April and in September.

## Steps
1. Save the file as it came in imports/inbox.
2. Run `uv run ferry import --check` and read every warning.
3. Compare the number of departures per day with last year's.
4. Import into staging, and look at one Sunday and one holiday.

## Pitfalls
- "24:10" is ten past midnight on the next day.
- Vik has two piers with one name.
"""

_GTFS_QUIRKS = """\
# Quirks of GTFS files

- Skerry Lines leaves `stop_times` unsorted.
- Nordled writes dates as DDMMYY.
"""

_MAPPING = """\
# Column of the spreadsheet to our field.
avgang: departure
ankomst: arrival
kaj: pier
"""

HOLIDAYS_LIVE = """\
# Holidays

Ferries follow the Sunday timetable on Midsummer's Eve, and there is no night boat.
Ask the harbour office about Easter: it changes every year.
"""
HOLIDAYS_PROPOSED = """\
# Holidays

Treat every public holiday as a Sunday. Easter Monday is an ordinary Monday.
"""

TRIAGE_LIVE = """\
---
name: incident-triage
description: Find out what is wrong with Ferrytime, and who should know.
---
# Incident triage

## When to use
An alert in #dockside-alerts, or travellers who cannot buy a ticket.

## Steps
1. Look at the ticket dashboard first: sold tickets per minute.
2. Run `scripts/top_errors.sh` for the last quarter of an hour.
3. Is a deploy less than an hour old? Roll it back, then think.
4. Tell the harbours by e-mail when tickets cannot be checked.

## Pitfalls
- Do not restart the database.
- Do not restart the queue.
- A quiet dashboard at 03:00 is normal.
"""

DASHBOARDS_BEFORE = """\
# Dashboards

- Tickets: grafana/d/tickets
- Tides: grafana/d/tides
"""
DASHBOARDS_LIVE = """\
# Dashboards

- Tickets: grafana/d/tickets
- Tides: grafana/d/tides
- Night boats: grafana/d/night (added by Tomas after the long night in October)
"""

_TOP_ERRORS = """\
#!/bin/sh
# The most frequent errors of the last quarter of an hour.
journalctl -u ferrytime --since -15min -p err -o cat | sort | uniq -c | sort -rn | head -20
"""

_OLD_CI = """\
---
name: old-ci-fixes
description: Workarounds for the Jenkins jobs of 2023.
---
# Old CI fixes

## Steps
1. Restart the agent called `gull`.
2. If that does not help, clear its workspace.
"""

EMAILS_LIVE = """\
---
name: harbour-emails
description: Write to harbour masters in the tone that Mara agreed with them.
---
# E-mails to harbours

## Steps
1. Say in the first sentence what they have to do, if anything.
2. Give times in harbour time.
3. Sign with the name of whoever is on call.

## Pitfalls
- Never promise when a ferry will run: only they know.
"""

_APOLOGY = """\
Dear harbour master,

tickets could not be checked between {start} and {end}. Please let everybody on board.
"""

CODE_REVIEW_LIVE = """\
---
name: code-review
description: Review a change for correctness before style.
---
# Code review

1. Read the tests first.
2. Look for what is missing.
3. Comment on behaviour before names.
"""

FILES: dict[str, str] = {
    f"{RELEASE_NOTES}/SKILL.md": RELEASE_NOTES_LIVE,
    f"{RELEASE_NOTES}/references/style.md": "# Style\n\nPresent tense. One line per change.\n",
    f"{RELEASE_NOTES}/templates/announcement.md": "Ferrytime {version} is out.\n\n{highlights}\n",
    f"{MIGRATIONS}/SKILL.md": MIGRATIONS_LIVE,
    f"{MIGRATIONS}/references/rollback.md": _ROLLBACK,
    f"{MIGRATIONS}/scripts/check_locks.sh": _CHECK_LOCKS,
    f"{TIMETABLES}/SKILL.md": _TIMETABLE_IMPORT,
    f"{TIMETABLES}/references/gtfs-quirks.md": _GTFS_QUIRKS,
    f"{TIMETABLES}/references/holidays.md": HOLIDAYS_LIVE,
    f"{TIMETABLES}/templates/mapping.yaml": _MAPPING,
    f"{TRIAGE}/SKILL.md": TRIAGE_LIVE,
    f"{TRIAGE}/references/dashboards.md": DASHBOARDS_LIVE,
    f"{TRIAGE}/scripts/top_errors.sh": _TOP_ERRORS,
    f"{OLD_CI}/SKILL.md": _OLD_CI,
    f"{EMAILS}/SKILL.md": EMAILS_LIVE,
    f"{EMAILS}/templates/apology.md": _APOLOGY,
    f"{CODE_REVIEW}/SKILL.md": CODE_REVIEW_LIVE,
}
"""Every live file of the skills tree."""

AGENT_CREATED = (
    "database-migrations", "incident-triage", "old-ci-fixes", "release-notes", "timetable-import",
)  # fmt: skip
PINNED = "harbour-emails"
BUNDLED = "code-review"


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
A lock on departures may last one second.
Whoever touches fares has five of them.
"""

_HOTFIX = """\
Release {version} mends {what}.
Harbour staff need not do anything.
"""

_TOP_ERRORS_PROPOSED = """\
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
        _write("incident-triage", "scripts/top_errors.sh", _TOP_ERRORS_PROPOSED),
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
        _write(
            "incident-triage",
            "references/../../../../../.ssh/authorized_keys",
            "ssh-ed25519 AA",
        ),
    ),
)

SKILL_RECORDS = PLAIN_ADDITIONS + CHANGES + PROTECTED + CONFLICTS + STALE + HOSTILE
