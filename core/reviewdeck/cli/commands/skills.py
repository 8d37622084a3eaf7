"""`reviewdeck skills`: folders of Agent Skills, approved to the byte, and compared with that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from cyclopts import Parameter

from reviewdeck.cli.consent import Yes, is_wanted
from reviewdeck.cli.operators_directory import approve_outside, refuse_agents
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import fresh_deck
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.errors import BadInput, ReviewdeckError
from reviewdeck.homes.skill_folder.contents import LOCK, LOOSE, SkillContents, survey
from reviewdeck.homes.skill_folder.lock import (
    FileChangeKind,
    FileDifference,
    Lock,
    SkillApproval,
    compare,
    read_lock,
    write_lock,
)
from reviewdeck.homes.skill_folder.names import name_problem, shadowing
from reviewdeck.homes.skill_folder.sources import sources_of
from reviewdeck.model import Finding, Severity
from reviewdeck.policy.redact import redact
from reviewdeck.presentation.items import findings_json
from reviewdeck.presentation.words import count, one_line

DONE, DIFFERS, UNREADABLE = 0, 3, 4
_USUAL: Final = (".claude/skills", ".agents/skills", ".github/skills", "skills")
_APPROVED: Final = "skills-approved"
"""The line of the log that says that somebody approved skills of a folder."""
_SHOWN: Final = 8
"""Findings of one skill that are listed."""

Folders: TypeAlias = Annotated[
    tuple[Path, ...],
    Parameter(
        name="DIR",
        help="Folders of skills. By default .claude/skills, .agents/skills, .github/skills and"
        " skills below here, those that there are; else this folder, where it has a lock.",
    ),
]


@dataclass(frozen=True)
class LockedFolder:
    """One folder of skills, beside what was approved of it."""

    root: Path
    skills: Mapping[str, SkillContents] = field(default_factory=dict)
    lock: Lock = field(default_factory=dict)
    problem: str = ""
    """Why it cannot be told what is in it, or what was approved."""

    @cached_property
    def differences(self) -> tuple[FileDifference, ...]:
        """Everything in it that is not what was approved."""
        return tuple(compare(self.lock, self.skills))

    @cached_property
    def code(self) -> int:
        """What the folder means for the exit code of `verify`."""
        if self.problem or any(one.how is FileChangeKind.UNREADABLE for one in self.differences):
            return UNREADABLE
        return DIFFERS if self.differences else DONE


@dataclass(frozen=True, slots=True)
class Offer:
    """One skill that is not what was approved, and would be from now on."""

    folder: LockedFolder
    tree: SkillContents
    findings: tuple[Finding, ...]

    @property
    def gravity(self) -> int:
        """How grave the gravest of its findings is."""
        return max((finding.severity.rank for finding in self.findings), default=-1)


def lock(
    dirs: Folders = (),
    /,
    *,
    skill: Annotated[
        tuple[str, ...],
        Parameter(
            help="Approve this skill alone, by its directory; may be given more than once.",
            negative="",
            show_default=False,
        ),
    ] = (),
    yes: Yes = False,
    options: Options = DEFAULTS,
) -> int:
    """Approve folders of skills as they are now: a skills.lock in each says so.

    Shows first what would be approved, dangerous first, and asks. Commit the lock beside the
    skills. An agent cannot approve.
    """
    refuse_agents()
    if options.json and not yes:
        raise UsageProblem("With --json nobody is asked.", hint="Add --yes.")
    folders = [_opened(root) for root in roots_of(dirs)]
    offers = _offers(folders, skill)
    gone = [(folder, one) for folder in folders for one in _gone(folder, skill)]
    _refuse_problems(offers)
    if not options.json:
        _show(folders, offers, gone)
    if not (offers or gone) or not is_wanted(yes=yes):
        return _told([], options)
    return _told([_approve(one, offers, gone, options) for one in folders], options)


def verify(dirs: Folders = (), /, *, options: Options = DEFAULTS) -> int:
    """Compare folders of skills with their skills.lock. Needs no ledger, no home and no network.

    The exit code is 0 as approved, 3 when something differs, and 4 when something could not be
    read, so that it is not known.
    """
    folders = [_verified(root) for root in roots_of(dirs)]
    if options.json:
        print_json({"folders": [_folder_json(one) for one in folders]}, exact={"digest"})
    else:
        for one in folders:
            _tell(one)
    return max(one.code for one in folders)


def roots_of(dirs: Sequence[Path]) -> tuple[Path, ...]:
    """The real folders that are meant, each once, by whatever links it was named."""
    meant = list(dirs) or [Path(one) for one in _USUAL if Path(one).is_dir()]
    if not meant and Path(LOCK).is_file():
        meant = [Path()]
    if not meant:
        raise BadInput(
            "There is no folder of skills here.",
            hint=f"Name one. Without a name: {', '.join(_USUAL)} below this folder.",
        )
    try:
        return tuple(dict.fromkeys(one.expanduser().resolve() for one in meant))
    except (OSError, RuntimeError, ValueError) as error:
        raise BadInput(f"A folder of skills cannot be found: {error}.") from error


def _opened(root: Path) -> LockedFolder:
    """A folder whose lock may be damaged: to approve anew is the way out of that."""
    skills = survey(root)
    try:
        return LockedFolder(root, skills, read_lock(root) or {})
    except BadInput as error:
        return LockedFolder(root, skills, problem=error.message)


def _verified(root: Path) -> LockedFolder:
    try:
        skills = survey(root)
        return LockedFolder(root, skills, read_lock(root) or {})
    except ReviewdeckError as error:
        return LockedFolder(root, problem=error.message)


def _offers(folders: Sequence[LockedFolder], only: Sequence[str]) -> list[Offer]:
    """What is to be approved, the gravest first. Raises BadInput for a skill that is nowhere."""
    from reviewdeck.homes.skill_folder.inspection import findings_of  # the rules: not for a CI

    known = {one for folder in folders for one in (*folder.skills, *folder.lock)}
    if unknown := [one for one in only if one not in known]:
        raise BadInput(f"There is no skill {unknown[0]!r}.", hint="Name its directory.")
    twins = _twins(folders)
    offers = [
        Offer(folder, tree, findings_of(tree, twins.get(_place(folder, tree), ())))
        for folder in folders
        for skill, tree in folder.skills.items()
        if (skill in only or not only)
        and (skill not in folder.lock or folder.lock[skill].digest != tree.digest)
    ]
    return sorted(offers, key=lambda offer: -offer.gravity)


def _gone(folder: LockedFolder, only: Sequence[str]) -> list[str]:
    return [one for one in folder.lock if one not in folder.skills and (one in only or not only)]


def _refuse_problems(offers: Sequence[Offer]) -> None:
    for offer in offers:
        for node in offer.tree.nodes:
            why = node.problem or (None if node.path.isprintable() else "has an unprintable name")
            if why is not None:
                where = offer.tree.directory
                raise BadInput(
                    f"{where} cannot be approved: {node.path!r} {why}.",
                    hint="Remove it, or approve others alone with --skill.",
                )


def _approve(
    folder: LockedFolder,
    offers: Sequence[Offer],
    gone: Sequence[tuple[LockedFolder, str]],
    options: Options,
) -> dict[str, Any]:
    """Writes the log first: a lock that names a line which is not there could be anybody's."""
    mine = [offer for offer in offers if offer.folder is folder]
    removed = [skill for one, skill in gone if one is folder]
    told = {"root": str(folder.root), "approved": [_offer_json(one) for one in mine]}
    if not (mine or removed):
        return told | {"removed": [], "ledger": ""}
    digests: dict[str, object] = {offer.tree.directory: offer.tree.digest for offer in mine}
    detail: dict[str, object] = {"skills": digests, "removed": list(removed)}
    actor, head = approve_outside(options, _APPROVED, str(folder.root), detail)
    by, at = f"{actor.name} ({actor.tier})", utc_now().strftime("%Y-%m-%dT%H:%M:%SZ")
    kept = {skill: one for skill, one in folder.lock.items() if skill not in removed}
    new = {one.tree.directory: SkillApproval(one.tree.nodes, by, at, head) for one in mine}
    write_lock(folder.root, kept | new)
    if head:
        with fresh_deck(replace(options, home=(folder.root,))):
            pass  # The ledger has the texts from now on: `skills restore` needs them.
    return told | {"removed": removed, "ledger": head}


def _told(done: list[dict[str, Any]], options: Options) -> int:
    if options.json:
        print_json({"folders": done}, exact={"digest"})
    for one in () if options.json else done:
        if one["approved"] or one["removed"]:
            said = count(len(one["approved"]), "skill")
            say(f"Approved {said}: {Path(one['root']) / LOCK}. Commit it.")
    return DONE


def _show(
    folders: Sequence[LockedFolder],
    offers: Sequence[Offer],
    gone: Sequence[tuple[LockedFolder, str]],
) -> None:
    for folder in folders:
        if folder.problem:
            say(f"{one_line(folder.problem)} All of it would be approved anew.")
    for offer in offers:
        _show_offer(offer)
    for folder, skill in gone:
        say(f"  {_name(folder, skill)}: is gone, and would be approved no longer")
    for note in _notes(folders):
        say(f"  {note}")
    if not (offers or gone):
        say("Nothing to approve: all of it is as it was approved.")


def _show_offer(offer: Offer) -> None:
    is_grave = offer.gravity >= Severity.HIGH.rank
    sign = "!" if is_grave else "*" if offer.findings else " "
    source = sources_of(offer.folder.root).get(offer.tree.name)
    from_ = f", from {one_line(source)}" if source else ""
    files = count(len(offer.tree.nodes), "file")
    say(f"{sign} {_name(offer.folder, offer.tree.directory)}: {files}{from_}")
    for differing in _differing(offer):
        say(f"    {differing}")
    found = list(dict.fromkeys(_said(finding) for finding in offer.findings))
    for said in found[:_SHOWN]:
        say(f"    {said}")
    if len(found) > _SHOWN:
        say(f"    and {len(found) - _SHOWN} more")


def _said(finding: Finding) -> str:
    """A finding in one line, with the words that it is about."""
    quote = f": {one_line(redact(finding.quote))[:100]}" if finding.quote else ""
    message = one_line(redact(finding.message)).rstrip(".")
    return f"{finding.severity.value}: {message}{quote}"


def _differing(offer: Offer) -> Iterator[str]:
    """How a skill that was approved before is another now."""
    folder, skill = offer.folder, offer.tree.directory
    if skill in folder.lock:
        yield from (_line(one) for one in folder.differences if one.skill == skill)


def _tell(folder: LockedFolder) -> None:
    differing = dict.fromkeys(one.skill for one in folder.differences)
    if folder.problem:
        say(f"{folder.root}: not known. {one_line(folder.problem)}")
        return
    said = f"{count(len(folder.skills), 'skill')}, "
    said += f"{len(differing)} not as approved" if differing else "as approved"
    say(f"{folder.root}: {said}")
    sources = sources_of(folder.root) if differing else {}
    for skill in differing:
        approval, source = folder.lock.get(skill), sources.get(skill.rpartition("/")[2])
        by = f", approved by {approval.by} at {approval.at}" if approval else ""
        from_ = f", from {source}" if source else ""
        say(f"  {one_line(_name(folder, skill) + by + from_)}")
        for one in folder.differences:
            if one.skill == skill:
                say(f"    {_line(one)}")
    for note in _notes([folder]):
        say(f"  note: {note}")


def _line(one: FileDifference) -> str:
    said = one_line(one.path) or "the skill"
    return f"{one.how.value:<10} {said}" + (f": {one_line(one.words)}" if one.words else "")


def _name(folder: LockedFolder, skill: str) -> str:
    return one_line(f"{folder.root.name}/{skill}" if skill != LOOSE else f"{folder.root.name}/")


def _notes(folders: Sequence[LockedFolder]) -> Iterator[str]:
    """Names that are none, and names that several skills have: no reason to fail."""
    for folder in folders:
        for skill, tree in folder.skills.items():
            if (problem := name_problem(tree)) is not None:
                yield one_line(f"{_name(folder, skill)}: {problem}")
    for place, others in _twins(folders).items():
        if place < min(others):
            yield one_line(f"{', '.join((place, *others))} have the same name")


def _twins(folders: Sequence[LockedFolder]) -> dict[str, tuple[str, ...]]:
    return shadowing(
        (_place(folder, tree), tree) for folder in folders for tree in folder.skills.values()
    )


def _place(folder: LockedFolder, tree: SkillContents) -> str:
    return f"{folder.root.parent.name}/{folder.root.name}/{tree.directory}"


def _offer_json(offer: Offer) -> dict[str, Any]:
    return {
        "skill": offer.tree.directory,
        "digest": offer.tree.digest,
        "source": sources_of(offer.folder.root).get(offer.tree.name),
        "findings": findings_json(offer.findings),
    }


def _folder_json(folder: LockedFolder) -> dict[str, Any]:
    sources = sources_of(folder.root)
    return {
        "root": str(folder.root),
        "verdict": {DONE: "as approved", DIFFERS: "differs"}.get(folder.code, "not known"),
        "problem": folder.problem,
        "skills": [
            {
                "skill": skill,
                "digest": tree.digest if (tree := folder.skills.get(skill)) else None,
                "approved_by": approval.by if (approval := folder.lock.get(skill)) else None,
                "approved_at": approval.at if approval else None,
                "source": sources.get(skill.rpartition("/")[2]),
                "differences": [
                    {"how": one.how.value, "path": one.path, "words": one.words}
                    for one in folder.differences
                    if one.skill == skill
                ],
            }
            for skill in sorted({*folder.skills, *folder.lock})
        ],
        "notes": list(_notes([folder])),
    }
