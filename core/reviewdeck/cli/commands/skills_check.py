"""`reviewdeck skills check`: what the agents make of folders of skills, for who writes them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter

from reviewdeck.cli.commands.skills import Folders, roots_of
from reviewdeck.cli.exit_codes import DONE, FAILED
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.readers import As, chosen_agents
from reviewdeck.homes.skill_folder.check import Issue, read_waivers
from reviewdeck.homes.skill_folder.check import check as issues_of
from reviewdeck.homes.skill_folder.contents import read_skills
from reviewdeck.homes.skill_folder.lock import named_agents
from reviewdeck.model import Severity
from reviewdeck.presentation.words import count, one_line
from reviewdeck.text.redact import redact, redact_value

_LEVELS: Final = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning"}


def check(
    dirs: Folders = (),
    /,
    *,
    as_: As = (),
    format: Annotated[
        Literal["text", "json", "sarif"],
        Parameter(help="How to print it; sarif is what code hosts show beside the lines."),
    ] = "text",
    options: Options = DEFAULTS,
) -> int:
    """Check skills as the agents read them: who refuses one, and why; what runs by itself.

    The exit code is 0 where nothing is found that is high, and 1 otherwise. A finding that was
    accepted stands in skills-waivers.toml beside the skills, with a date and a reason.
    """
    chosen = chosen_agents(as_) if as_ else ()
    found: dict[Path, tuple[Issue, ...]] = {}
    for root in roots_of(dirs):
        agents = chosen or named_agents(root)
        found[root] = issues_of(read_skills(root), agents, read_waivers(root))
    if format == "sarif":
        text = json.dumps(redact_value(_sarif(found), {"uri", "version"}, redact), indent=2)
        sys.stdout.write(text + "\n")
    elif format == "json" or options.json:
        print_json({"folders": [_json(root, issues) for root, issues in found.items()]})
    else:
        for root, issues in found.items():
            for line in _lines(root, issues):
                say(line)
    return FAILED if any(issue.is_failure for all in found.values() for issue in all) else DONE


def _lines(root: Path, issues: Sequence[Issue]) -> Iterator[str]:
    for issue in issues:
        words = one_line(redact(issue.message))
        waived = f" ({one_line(issue.waived)})" if issue.waived else ""
        where = f"{one_line(f'{root.name}/{issue.path}')}:{issue.line}"
        yield f"{where}: {issue.severity.value}: {words} [{issue.rule}]{waived}"
    failures = sum(issue.is_failure for issue in issues)
    yield f"{root}: {count(len(issues), 'finding')}, {failures} to fix"


def _json(root: Path, issues: Sequence[Issue]) -> dict[str, Any]:
    return {
        "root": str(root),
        "findings": [
            {
                "rule": issue.rule,
                "skill": issue.skill,
                "path": issue.path,
                "line": issue.line,
                "severity": issue.severity.value,
                "message": issue.message,
                "waived": issue.waived or None,
            }
            for issue in issues
        ],
    }


def _sarif(found: Mapping[Path, Sequence[Issue]]) -> dict[str, Any]:
    rules = sorted({issue.rule for issues in found.values() for issue in issues})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "reviewdeck", "rules": [{"id": rule} for rule in rules]}
                },
                "results": [
                    _result(root, issue) for root, issues in found.items() for issue in issues
                ],
            }
        ],
    }


def _result(root: Path, issue: Issue) -> dict[str, Any]:
    place = root / issue.path
    here = Path.cwd()
    uri = place.relative_to(here) if place.is_relative_to(here) else place
    waived = [{"kind": "external", "justification": issue.waived}] if issue.waived else []
    return {
        "ruleId": issue.rule,
        "level": _LEVELS.get(issue.severity, "note"),
        "message": {"text": issue.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri.as_posix()},
                    "region": {"startLine": issue.line},
                }
            }
        ],
        "suppressions": waived,
    }
