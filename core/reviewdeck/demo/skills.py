"""The made-up agent's skills: live, and before people edited them by hand."""

from __future__ import annotations

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
"""Everything in the skills tree, live."""

AGENT_CREATED = (
    "database-migrations", "incident-triage", "old-ci-fixes", "release-notes", "timetable-import",
)  # fmt: skip
PINNED = "harbour-emails"
BUNDLED = "code-review"
