"""How many skills of each folder have a finding of high or critical severity.

    python -m benchmarks.skill_rates [--most N] FOLDER ...

A folder is a work tree of one repository. Sorted by name, the folders of odd position are the half
on which rules are mended; only figures of the other half say how rules do on what nobody looked at.
`adopt` counts every rule about form but those about names, `lock` what `reviewdeck skills lock`
shows. `PYTHONPATH=DIR/core` measures the rules of another checkout.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewdeck.homes.skill_folder.contents import LOOSE, SkillContents, read_skills
from reviewdeck.homes.skill_folder.inspection import findings_of
from reviewdeck.model import (
    SKILL_FILE,
    UNSAFE_NAME,
    Edit,
    Finding,
    Severity,
    SkillCreate,
    SkillWriteFile,
)
from reviewdeck.policy.plain import check_plain


@dataclass(frozen=True, slots=True)
class Rates:
    """Of several skills, how many are at least so grave for `adopt` and for `lock`."""

    name: str
    skills: int
    adopt: tuple[int, int]
    """High or critical, and critical."""
    lock: tuple[int, int]


def rates_of(folder: Path, most: int) -> Rates:
    """The rates of one folder, of at most so many of its skills, spread over their names."""
    skills = sorted(item for item in read_skills(folder).items() if item[0] != LOOSE)
    chosen = [skill for _, skill in skills[:: max(1, -(-len(skills) // most))]]
    return Rates(
        folder.name,
        len(chosen),
        _counted(_form_findings(skill) for skill in chosen),
        _counted(findings_of(skill) for skill in chosen),
    )


def _form_findings(skill: SkillContents) -> Sequence[Finding]:
    edits: list[Edit] = []
    for node in skill.nodes:
        if node.text is not None and node.path == SKILL_FILE:
            edits.append(SkillCreate(skill.name, node.text))
        elif node.text is not None:
            edits.append(SkillWriteFile(skill.name, node.path, node.text))
    spoke = (one for one in check_plain(tuple(edits)) if one.rule.name != UNSAFE_NAME)
    return [finding for one in spoke for finding in one.findings]


def _counted(found: Iterable[Sequence[Finding]]) -> tuple[int, int]:
    ranks = [max((one.severity.rank for one in findings), default=0) for findings in found]
    return (
        sum(rank >= Severity.HIGH.rank for rank in ranks),
        sum(rank >= Severity.CRITICAL.rank for rank in ranks),
    )


def total(name: str, all_rates: Sequence[Rates]) -> Rates:
    """Several folders as one."""
    return Rates(
        name,
        sum(one.skills for one in all_rates),
        (sum(one.adopt[0] for one in all_rates), sum(one.adopt[1] for one in all_rates)),
        (sum(one.lock[0] for one in all_rates), sum(one.lock[1] for one in all_rates)),
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=1_000, help="skills of a folder")
    arguments = parser.parse_args()
    started = time.process_time()
    print(
        "| skills of | | skills | adopt: high or critical | critical | lock: high or critical | |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    halves: dict[str, list[Rates]] = {"mended on": [], "reported": []}
    for number, folder in enumerate(sorted(arguments.folders)):
        half = "reported" if number % 2 else "mended on"
        halves[half].append(rates_of(folder, arguments.most))
        _print(half, halves[half][-1])
    for half, rates in halves.items():
        _print(half, total("all", rates))
    print(f"\n{time.process_time() - started:.1f} s CPU")


def _print(half: str, rates: Rates) -> None:
    numbers = (rates.skills, *rates.adopt, *rates.lock)
    print(f"| {rates.name} | {half} | {' | '.join(map(str, numbers))} |", flush=True)


if __name__ == "__main__":
    main()
