"""What the agents that read a folder of skills make of it, for the people who write skills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

from reviewdeck.errors import BadInput
from reviewdeck.files.reads import read_document
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.skill_folder.contents import LOOSE, Node, NodeKind, SkillContents
from reviewdeck.homes.skill_folder.inspection import findings_of
from reviewdeck.homes.skill_folder.names import find_shadows
from reviewdeck.model import SKILL_FILE, Severity
from reviewdeck.reading.account import Account, account
from reviewdeck.reading.agents import Agent
from reviewdeck.reading.discovery import SkillFile, is_skill_name, loaded_by
from reviewdeck.reading.listing import Shown, Uncertain, Unlisted
from reviewdeck.text import toml

WAIVERS: Final = "skills-waivers.toml"
"""The file in a folder of skills that says which findings are accepted, since when and why."""
_LARGEST: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing about a skill that its author should know."""

    rule: str
    skill: str
    path: str
    """Relative to the folder."""
    severity: Severity
    message: str
    line: int = 1
    waived: str = ""
    """When and why it was accepted; empty where it was not."""

    @property
    def is_failure(self) -> bool:
        """Whether the check fails because of it."""
        return not self.waived and self.severity.rank >= Severity.HIGH.rank


@dataclass(frozen=True, slots=True)
class Waiver:
    """Findings of one rule in one skill that somebody accepted."""

    skill: str
    rule: str
    on: date
    reason: str


def check(
    skills: Mapping[str, SkillContents], agents: Sequence[Agent], waivers: Sequence[Waiver] = ()
) -> tuple[Issue, ...]:
    """The issues of a folder, the gravest of each skill first."""
    found = [(tree, node) for tree in skills.values() for node in tree.nodes if _is_head(node)]
    files = [SkillFile(_path(tree, node)) for tree, node in found]
    loaded = {agent.key: {file.path for file in loaded_by(agent, files)} for agent in agents}
    issues = [
        issue
        for (tree, node), file in zip(found, files, strict=True)
        for issue in _of_file(tree, node, file, [a for a in agents if file.path in loaded[a.key]])
    ]
    twins = find_shadows((tree.directory, tree) for tree in skills.values())
    issues += [
        issue
        for tree in skills.values()
        for issue in _dangers(tree, twins.get(tree.directory, ()), tuple(agents))
    ]
    ordered = sorted(dict.fromkeys(issues), key=lambda issue: (issue.skill, -issue.severity.rank))
    return tuple(_with_waiver(issue, waivers) for issue in ordered)


def read_waivers(root: Path) -> tuple[Waiver, ...]:
    """The waivers of a folder. Raises BadInput for one without a date or a reason."""
    document = read_document(root, WAIVERS, follow=False, kernel=Kernel(), limit=_LARGEST)
    try:
        table = toml.parse((document.data or b"").decode("utf-8"))
        if isinstance(table, toml.Problem):
            raise ValueError(table)
        return tuple(_waiver(entry) for entry in table.get("waiver", []))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(
            f"{root / WAIVERS} cannot be read: {error}.",
            hint="Each [[waiver]] has skill, rule, date (a date) and reason (a sentence), such as "
            'rule = "executes", date = 2026-11-28, reason = "It builds the site".',
        ) from error


def _waiver(entry: Mapping[str, object]) -> Waiver:
    skill, rule, on, reason = (entry.get(key) for key in ("skill", "rule", "date", "reason"))
    if not (isinstance(skill, str) and isinstance(rule, str)):
        raise ValueError("a waiver names no skill or no rule")
    if not isinstance(on, date):
        raise ValueError(f"the waiver of {rule} for {skill} has no date")
    if not (isinstance(reason, str) and reason.strip()):
        raise ValueError(f"the waiver of {rule} for {skill} has no reason")
    return Waiver(skill, rule, on, reason.strip())


def _with_waiver(issue: Issue, waivers: Sequence[Waiver]) -> Issue:
    for waiver in waivers:
        if (waiver.skill, waiver.rule) == (issue.skill, issue.rule):
            return replace(issue, waived=f"accepted on {waiver.on.isoformat()}: {waiver.reason}")
    return issue


def _is_head(node: Node) -> bool:
    return node.kind is NodeKind.FILE and is_skill_name(node.path)


def _path(tree: SkillContents, node: Node) -> str:
    return node.path if tree.directory == LOOSE else f"{tree.directory}/{node.path}"


def _of_file(
    tree: SkillContents, node: Node, file: SkillFile, readers: Sequence[Agent]
) -> Iterator[Issue]:
    here = Issue("", tree.directory, file.path, Severity.INFO, "")
    if not readers:
        why = "It looks like a skill, and none of these agents loads it."
        yield replace(here, rule="unloaded", severity=Severity.MEDIUM, message=why)
        return
    if node.data is None:
        return  # it is too long: the finding about the file says so
    accounts = [account(node.data, "/".join(file.folders), agent) for agent in readers]
    for each in accounts:
        yield from _of_account(here, each, file.folders[-1] if file.folders else "")
    if node.data.startswith(b"\xef\xbb\xbf"):
        why = "It starts with a byte order mark, which some agents do not accept."
        yield replace(here, rule="encoding", severity=Severity.LOW, message=why)


def _of_account(here: Issue, each: Account, folder: str) -> Iterator[Issue]:
    name, line = each.agent.name, max(each.reading.line, 1)
    match each.listing:
        case Uncertain():
            return  # the rule `executes` says so once, for all agents
        case Unlisted():
            message = f"{name} {each.words}."
            yield replace(here, rule="unlisted", severity=Severity.HIGH, message=message, line=line)
            return
        case Shown(shown, description):
            fields = each.reading.fields
            if not description:
                message = f"{name} shows its model no description."
                yield replace(here, rule="description", severity=Severity.MEDIUM, message=message)
            elif description.endswith(("...", "…")) and "description" in fields:
                message = f"{name} cuts the description to {len(description):,} characters."
                yield replace(here, rule="description", severity=Severity.LOW, message=message)
            written = fields.get("name")
            if written is not None and folder and str(written) not in shown:
                message = f"{name} lists it as `{shown}`, not as `{written}`."
                yield replace(here, rule="name", severity=Severity.MEDIUM, message=message)
    if each.reading.problem:
        message = f"{name} takes its front matter as text: {each.reading.problem}."
        yield replace(
            here, rule="front-matter", severity=Severity.MEDIUM, message=message, line=line
        )
    if each.cut:
        message = f"{name} does not load all of it: {each.cut}."
        yield replace(here, rule="body", severity=Severity.MEDIUM, message=message)


def _dangers(
    tree: SkillContents, twins: Sequence[str], readers: tuple[Agent, ...]
) -> Iterator[Issue]:
    path = SKILL_FILE if tree.directory == LOOSE else f"{tree.directory}/{SKILL_FILE}"
    text = tree.text_of(SKILL_FILE) or ""
    for finding in findings_of(tree, twins, readers):
        quote = f": {finding.quote}" if finding.quote else ""
        at = text.find(finding.quote) if finding.quote else -1
        line = text.count("\n", 0, at) + 1 if at >= 0 else 1
        message = " ".join(f"{finding.message.rstrip('.')}{quote}".split())[:400]
        yield Issue(finding.code, tree.directory, path, finding.severity, message, line)
