"""`reviewdeck skills`: approves folders of Agent Skills to the byte, and verifies them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from cyclopts import Parameter

from reviewdeck.cli.consent import check_asking, is_confirmed
from reviewdeck.cli.exit_codes import DIFFERS, DONE, UNREADABLE
from reviewdeck.cli.operators_directory import log_approval, refuse_agents
from reviewdeck.cli.options import DEFAULTS, Options, Yes
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.readers import As, chosen_agents
from reviewdeck.cli.session import fresh_engine
from reviewdeck.clock import utc_now
from reviewdeck.errors import BadInput, HomeUnavailable, ReviewdeckError, StaleBase
from reviewdeck.homes.skill_folder.contents import (
    LOCK,
    LOOSE,
    NodeKind,
    SkillContents,
    read_skills,
)
from reviewdeck.homes.skill_folder.lock import (
    FileChangeKind,
    FileDifference,
    ForeignLock,
    Lock,
    SkillApproval,
    compare_with_lock,
    discard_unfinished,
    is_earlier,
    named_agents,
    read_lock,
    write_lock,
)
from reviewdeck.homes.skill_folder.names import find_shadows, name_problem
from reviewdeck.homes.skill_folder.sources import sources_of
from reviewdeck.interruption import uninterrupted
from reviewdeck.model import Finding, Severity
from reviewdeck.presentation.items import findings_json
from reviewdeck.presentation.words import count, one_line
from reviewdeck.reading.agents import AGENTS, Agent
from reviewdeck.text.redact import redact

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
        " skills that exist here; else this folder, if it has a lock.",
    ),
]


@dataclass(frozen=True)
class LockedFolder:
    """One folder of skills, and the lock that says what was approved."""

    root: Path
    skills: Mapping[str, SkillContents] = field(default_factory=dict)
    lock: Lock = field(default_factory=dict)
    problem: str = ""
    """Why the folder or its lock could not be read."""
    agents: tuple[Agent, ...] = AGENTS
    """The agents that read it."""
    renamed: bool = False
    """Whether the lock does not name these agents yet."""

    @cached_property
    def differences(self) -> tuple[FileDifference, ...]:
        """Every file that differs from what was approved."""
        return tuple(compare_with_lock(self.lock, self.skills))

    @cached_property
    def code(self) -> int:
        """What the folder means for the exit code of `verify`."""
        if self.problem or any(
            difference.how is FileChangeKind.UNREADABLE for difference in self.differences
        ):
            return UNREADABLE
        return DIFFERS if self.differences else DONE


@dataclass(frozen=True, slots=True)
class Offer:
    """One skill to approve: it is new, or differs from what was approved."""

    folder: LockedFolder
    tree: SkillContents
    findings: tuple[Finding, ...]

    @property
    def gravity(self) -> int:
        """The rank of its most severe finding; -1 without findings."""
        return max((finding.severity.rank for finding in self.findings), default=-1)


def lock(
    dirs: Folders = (),
    /,
    *,
    skill: Annotated[
        tuple[str, ...],
        Parameter(
            help="Approve this skill alone, by its directory; may be given more than once.",
        ),
    ] = (),
    as_: As = (),
    yes: Yes = False,
    options: Options = DEFAULTS,
) -> int:
    """Approve folders of skills as they are, in a skills.lock in each.

    Shows what would be approved, most dangerous first, and asks. Commit the lock beside the
    skills. An agent cannot approve. With --as the lock names the agents that read the skills: from
    then on these are judged as those agents read them, and not as any agent would.
    """
    refuse_agents()
    check_asking(options, yes=yes)
    chosen = chosen_agents(as_) if as_ else ()
    folders = [_read_by(_read_folder(root), chosen) for root in roots_of(dirs)]
    offers = _offers(folders, skill)
    removals = [(folder, name) for folder in folders for name in _removed_skills(folder, skill)]
    _refuse_problems(offers)
    _refuse_unread(removals)
    if not options.json:
        _show(folders, offers, removals)
    is_needed = offers or removals or any(folder.renamed for folder in folders)
    if not is_needed or not is_confirmed(yes=yes):
        return _report([], options)
    _refuse_changed(offers)
    approved = []
    for folder in folders:
        with uninterrupted():
            approved.append(_approve(folder, offers, removals, options))
    return _report(approved, options)


def verify(dirs: Folders = (), /, *, options: Options = DEFAULTS) -> int:
    """Check folders of skills against their skills.lock, without a ledger, home or network.

    The exit code is 0 as approved, 3 when something differs, and 4 when something could not be
    read, so that it is not known.
    """
    folders = [_read_for_verify(root) for root in roots_of(dirs)]
    if options.json:
        print_json({"folders": [_folder_json(folder) for folder in folders]}, exact={"digest"})
    else:
        for folder in folders:
            _print_verdict(folder)
    return max(folder.code for folder in folders)


def roots_of(dirs: Sequence[Path]) -> tuple[Path, ...]:
    """The folders to work on, links resolved, each once. Raises BadInput."""
    paths = list(dirs) or [Path(name) for name in _USUAL if Path(name).is_dir()]
    if not paths and Path(LOCK).is_file():
        paths = [Path()]
    if not paths:
        raise BadInput(
            "No skills folder found.",
            hint=f"Name one. Without a name: {', '.join(_USUAL)} below this folder.",
        )
    try:
        return tuple(dict.fromkeys(folder.expanduser().resolve() for folder in paths))
    except (OSError, RuntimeError, ValueError) as error:
        raise BadInput(f"A folder of skills cannot be found: {error}.") from error


def _read_folder(root: Path) -> LockedFolder:
    """A folder whose lock may be damaged: to approve anew is the way out of that.

    Raises ForeignLock, HomeUnavailable.
    """
    with suppress(HomeUnavailable):  # Reading it says so in better words.
        discard_unfinished(root)
    skills = read_skills(root)
    try:
        return LockedFolder(root, skills, read_lock(root) or {}, agents=named_agents(root))
    except ForeignLock:
        raise
    except BadInput as error:
        return LockedFolder(root, skills, problem=error.message)


def _read_by(folder: LockedFolder, chosen: tuple[Agent, ...]) -> LockedFolder:
    if not chosen or chosen == folder.agents:
        return folder
    return replace(folder, agents=chosen, renamed=True)


def _read_for_verify(root: Path) -> LockedFolder:
    try:
        skills = read_skills(root)
        return LockedFolder(root, skills, read_lock(root) or {}, agents=named_agents(root))
    except ReviewdeckError as error:
        return LockedFolder(root, problem=error.message)


def _offers(folders: Sequence[LockedFolder], only: Sequence[str]) -> list[Offer]:
    """The skills to approve, most severe first. Raises BadInput for an unknown skill."""
    from reviewdeck.homes.skill_folder.inspection import findings_of  # the rules: not for a CI

    names = {skill for folder in folders for skill in (*folder.skills, *folder.lock)}
    if unknown := [name for name in only if name not in names]:
        raise BadInput(f"There is no skill {unknown[0]!r}.", hint="Name its directory.")
    twins = _twins(folders)
    offers = [
        Offer(folder, tree, findings_of(tree, twins.get(_place(folder, tree), ()), folder.agents))
        for folder in folders
        for skill, tree in folder.skills.items()
        if (skill in only or not only)
        and (skill not in folder.lock or folder.lock[skill].digest != tree.digest)
    ]
    return sorted(offers, key=lambda offer: -offer.gravity)


def _removed_skills(folder: LockedFolder, only: Sequence[str]) -> list[str]:
    return [
        skill for skill in folder.lock if skill not in folder.skills and (skill in only or not only)
    ]


def _refuse_problems(offers: Sequence[Offer]) -> None:
    for offer in offers:
        for node in offer.tree.nodes:
            problem = node.problem
            if problem is None and not node.path.isprintable():
                problem = "has an unprintable name"
            if problem is not None:
                directory = offer.tree.directory
                raise BadInput(
                    f"{directory} cannot be approved: {node.path!r} {problem}.",
                    hint="Remove it, or approve others alone with --skill.",
                )


def _refuse_unread(removals: Sequence[tuple[LockedFolder, str]]) -> None:
    """A skill in a directory that cannot be read is not gone."""
    for folder, skill in removals:
        loose = folder.skills.get(LOOSE)
        for node in loose.nodes if loose is not None else ():
            above = "" if node.path == LOOSE else f"{node.path}/"
            if node.kind is NodeKind.UNREADABLE and f"{skill}/".startswith(above):
                raise BadInput(
                    f"Whether {skill} is gone is not known: {node.path} {node.problem}.",
                    hint="Nothing was approved. Others can be approved with --skill.",
                )


def _refuse_changed(offers: Sequence[Offer]) -> None:
    """Only what was shown is approved. Raises StaleBase."""
    current = {root: read_skills(root) for root in {offer.folder.root for offer in offers}}
    for offer in offers:
        tree = current[offer.folder.root].get(offer.tree.directory)
        if tree is None or tree.digest != offer.tree.digest:
            raise StaleBase(
                f"{offer.tree.directory} has changed since it was shown: nothing was approved.",
                hint="Look at it again.",
            )


def _approve(
    folder: LockedFolder,
    offers: Sequence[Offer],
    removals: Sequence[tuple[LockedFolder, str]],
    options: Options,
) -> dict[str, Any]:
    """Writes the log first: a lock that names a line which is not there could be anybody's."""
    from reviewdeck.homes.skill_folder.inspection import abilities_of

    approved = [offer for offer in offers if offer.folder is folder]
    removed = [skill for owner, skill in removals if owner is folder]
    result = {"root": str(folder.root), "approved": [_offer_json(offer) for offer in approved]}
    if not (approved or removed or folder.renamed):
        return result | {"removed": [], "ledger": ""}
    digests: dict[str, object] = {offer.tree.directory: offer.tree.digest for offer in approved}
    detail: dict[str, object] = {"skills": digests, "removed": list(removed)}
    detail |= {"agents": [agent.key for agent in folder.agents]} if folder.renamed else {}
    actor, head = log_approval(options, _APPROVED, str(folder.root), detail)
    by, at = f"{actor.name} ({actor.tier})", utc_now().strftime("%Y-%m-%dT%H:%M:%SZ")
    remaining = {skill: approval for skill, approval in folder.lock.items() if skill not in removed}
    new = {
        offer.tree.directory: SkillApproval(
            offer.tree.nodes, by, at, head, abilities_of(offer.tree, folder.agents)
        )
        for offer in approved
    }
    write_lock(folder.root, remaining | new, agents=folder.agents)
    if head:
        with fresh_engine(replace(options, home=(folder.root,))):
            pass  # The ledger has the texts from now on: `skills restore` needs them.
    named = {"agents": detail["agents"]} if folder.renamed else {}
    return result | {"removed": removed, "ledger": head} | named


def _report(results: list[dict[str, Any]], options: Options) -> int:
    if options.json:
        print_json({"folders": results}, exact={"digest"})
    for result in () if options.json else results:
        if result["approved"] or result["removed"] or "agents" in result:
            amount = count(len(result["approved"]), "skill")
            say(f"Approved {amount}: {Path(result['root']) / LOCK}. Commit it.")
    return DONE


def _show(
    folders: Sequence[LockedFolder],
    offers: Sequence[Offer],
    removals: Sequence[tuple[LockedFolder, str]],
) -> None:
    for folder in folders:
        if folder.problem:
            say(f"{one_line(folder.problem)} All of it would be approved anew.")
        elif is_earlier(folder.root):
            lock_name = one_line(str(folder.root / LOCK))
            say(f"{lock_name} has an earlier format; an approval renews it.")
    for offer in offers:
        _show_offer(offer)
    for folder, skill in removals:
        say(f"  {_name(folder, skill)}: is gone, and would lose its approval")
    for note in _notes(folders):
        say(f"  {note}")
    for folder in folders:
        if folder.renamed:
            readers = ", ".join(agent.name for agent in folder.agents)
            say(f"  {one_line(folder.root.name)}/ is read by {readers}")
    if not (offers or removals or any(folder.renamed for folder in folders)):
        say("Nothing to approve: nothing changed since it was approved.")


def _show_offer(offer: Offer) -> None:
    is_grave = offer.gravity >= Severity.HIGH.rank
    sign = "!" if is_grave else "*" if offer.findings else " "
    source = sources_of(offer.folder.root).get(offer.tree.name)
    from_ = f", from {one_line(source)}" if source else ""
    files = count(len(offer.tree.nodes), "file")
    say(f"{sign} {_name(offer.folder, offer.tree.directory)}: {files}{from_}")
    for differing in _difference_lines(offer):
        say(f"    {differing}")
    findings = list(dict.fromkeys(_finding_line(finding) for finding in offer.findings))
    for line in findings[:_SHOWN]:
        say(f"    {line}")
    if len(findings) > _SHOWN:
        say(f"    and {len(findings) - _SHOWN} more")


def _finding_line(finding: Finding) -> str:
    """A finding in one line, with the words that it is about."""
    quote = f": {one_line(redact(finding.quote))[:100]}" if finding.quote else ""
    message = one_line(redact(finding.message)).rstrip(".")
    return f"{finding.severity.value}: {message}{quote}"


def _difference_lines(offer: Offer) -> Iterator[str]:
    """How a skill differs from what was approved of it before."""
    folder, skill = offer.folder, offer.tree.directory
    if skill in folder.lock:
        yield from (
            _line(difference) for difference in folder.differences if difference.skill == skill
        )


def _print_verdict(folder: LockedFolder) -> None:
    skills = dict.fromkeys(difference.skill for difference in folder.differences)
    if folder.problem:
        say(f"{folder.root}: not known. {one_line(folder.problem)}")
        return
    verdict = f"{count(len(folder.skills), 'skill')}, "
    verdict += f"{len(skills)} not as approved" if skills else "as approved"
    say(f"{folder.root}: {verdict}")
    sources = sources_of(folder.root) if skills else {}
    for skill in skills:
        approval, source = folder.lock.get(skill), sources.get(skill.rpartition("/")[2])
        by = f", approved by {approval.by} at {approval.at}" if approval else ""
        from_ = f", from {source}" if source else ""
        say(f"  {one_line(_name(folder, skill) + by + from_)}")
        for difference in folder.differences:
            if difference.skill == skill:
                say(f"    {_line(difference)}")
        for ability in new_abilities(folder, skill):
            say(f"    now: {one_line(redact(ability))}")
    for note in _notes([folder]):
        say(f"  note: {note}")


def new_abilities(folder: LockedFolder, skill: str) -> tuple[str, ...]:
    """What a skill lets an agent do now and did not when it was approved."""
    tree, approval = folder.skills.get(skill), folder.lock.get(skill)
    if tree is None:
        return ()
    # The rules: loaded only where something differs.
    from reviewdeck.homes.skill_folder.inspection import abilities_of

    before = approval.can if approval is not None and approval.can is not None else ()
    now = abilities_of(tree, folder.agents)
    return tuple(ability for ability in now if ability not in before)


def _line(difference: FileDifference) -> str:
    subject = one_line(difference.path) or "the skill"
    words = f": {one_line(difference.words)}" if difference.words else ""
    return f"{difference.how.value:<10} {subject}{words}"


def _name(folder: LockedFolder, skill: str) -> str:
    return one_line(f"{folder.root.name}/{skill}" if skill != LOOSE else f"{folder.root.name}/")


def _notes(folders: Sequence[LockedFolder]) -> Iterator[str]:
    """Invalid names, and names that several skills share: no reason to fail."""
    for folder in folders:
        for skill, tree in folder.skills.items():
            if (problem := name_problem(tree)) is not None:
                yield one_line(f"{_name(folder, skill)}: {problem}")
    for place, twins in _twins(folders).items():
        if place < min(twins):
            yield one_line(f"{', '.join((place, *twins))} have the same name")


def _twins(folders: Sequence[LockedFolder]) -> dict[str, tuple[str, ...]]:
    return find_shadows(
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
    changed = {difference.skill for difference in folder.differences}
    return {
        "root": str(folder.root),
        "verdict": {DONE: "as approved", DIFFERS: "differs"}.get(folder.code, "not known"),
        "problem": folder.problem,
        "agents": [agent.key for agent in folder.agents],
        "skills": [
            {
                "skill": skill,
                "digest": tree.digest if (tree := folder.skills.get(skill)) else None,
                "approved_by": approval.by if (approval := folder.lock.get(skill)) else None,
                "approved_at": approval.at if approval else None,
                "source": sources.get(skill.rpartition("/")[2]),
                "differences": [
                    {
                        "how": difference.how.value,
                        "path": difference.path,
                        "words": difference.words,
                    }
                    for difference in folder.differences
                    if difference.skill == skill
                ],
                "now": list(new_abilities(folder, skill)) if skill in changed else [],
            }
            for skill in sorted({*folder.skills, *folder.lock})
        ],
        "notes": list(_notes([folder])),
    }
