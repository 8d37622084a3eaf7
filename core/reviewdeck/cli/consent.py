"""Showing the changes that a command is about to make outside the ledger, and asking first."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

from cyclopts import Parameter

from reviewdeck.cli.hook_lines import hook_lines
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import say
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.engine.authorisation import admitted
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotPermitted
from reviewdeck.homes.installer import HomePlan
from reviewdeck.terminal import ask
from reviewdeck.text.redact import redact

Yes: TypeAlias = Annotated[bool, Parameter(help="Do not ask for confirmation.")]
DryRun: TypeAlias = Annotated[
    bool, Parameter(help="Show what would be changed, and change nothing.")
]


def check_caller(settings: Settings, options: Options, *, yes: bool, dry_run: bool) -> None:
    """Raises DescendsFromAgent below a known agent, UsageProblem if nobody could be asked."""
    admitted(settings.ancestry(), settings.agents)
    if options.json and not (yes or dry_run):
        raise UsageProblem("--json cannot ask for confirmation.", hint="Add --yes or --dry-run.")


def is_confirmed(*, yes: bool, question: str = "Do this? [y/N] ") -> bool:
    """Whether the operator says yes. Raises NotPermitted where nobody can be asked."""
    if yes:
        return True
    try:
        answer = ask(question)
    except NotPermitted as error:
        raise NotPermitted(error.message, hint="Nothing was changed. --yes does not ask.") from None
    if answer.strip().lower() in {"y", "yes"}:
        return True
    say("Nothing was changed.")
    return False


def show_plan(plan: HomePlan, *, whole: bool = False) -> None:
    """Prints the changes to a home: settings as a diff, files of reviewdeck by their size.

    Where only hooks differ, they are described; `whole` adds the diff.
    """
    say(f"== {plan.home}")
    files: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for change in plan.changes:
        before, after = change.before, change.after
        if "/" not in change.path:
            _show_settings(change.path, _decode(before), _decode(after), plan.home, whole=whole)
        else:
            size = len((before if after is None else after) or b"")
            folder = change.path.rpartition("/")[0]
            files.setdefault((change.action, folder), []).append((change.path, size))
    for (action, folder), sizes in files.items():
        path, total = sizes[0][0], sum(size for _, size in sizes)
        one_or_all = path if len(sizes) == 1 else f"{folder}/ ({len(sizes)} files)"
        say(f"{action:<7} {one_or_all}, {total:,} bytes")
    for sentence in plan.remarks:
        say(sentence)


def _show_settings(
    path: str, before: str | None, after: str | None, home: Path, *, whole: bool
) -> None:
    described = hook_lines(before, after, str(home))
    if described is None:
        show_change(path, before, after)
        return
    say(path)
    for line in described:
        say(f"  {redact(line)}")
    if whole:
        show_change(path, before, after)
    else:
        say("  --dry-run shows every line.")


def plan_json(plan: HomePlan) -> dict[str, Any]:
    """The plan for `--json`."""
    changes = [{"path": change.path, "action": change.action} for change in plan.changes]
    return {"home": str(plan.home), "changes": changes, "left": [*plan.remarks]}


def _decode(data: bytes | None) -> str | None:
    return None if data is None else data.decode()


def show_change(path: str, before: str | None, after: str | None) -> None:
    """Prints one file as a diff, with secrets redacted."""
    from reviewdeck.text.diff import unified, unified_lines

    say(f"{path}{' (new)' if before is None else ' (removed)' if after is None else ''}")
    for line in unified_lines(unified(redact(before or ""), redact(after or ""))):
        say(f"  {line}")
