"""`reviewdeck skills restore`: restores folders of skills to what was approved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reviewdeck.cli.commands.skills import Folders, roots_of
from reviewdeck.cli.consent import check_asking, is_confirmed
from reviewdeck.cli.exit_codes import DONE, FAILED
from reviewdeck.cli.options import DEFAULTS, Options, Yes
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import engine_for_home
from reviewdeck.engine.decide import apply_own
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.reverse import RestoreTarget, restore_all
from reviewdeck.errors import BadInput
from reviewdeck.homes.skill_folder.contents import LOCK, Node, NodeKind, read_skills
from reviewdeck.homes.skill_folder.lock import read_lock
from reviewdeck.homes.skill_folder.writer import approved_nodes, nodes_of, put_aside, put_back
from reviewdeck.interruption import uninterrupted
from reviewdeck.model import Revision, executes_otherwise
from reviewdeck.presentation.words import count, one_line
from reviewdeck.text.redact import redact


@dataclass(frozen=True, slots=True)
class _RestoreStep:
    """One path of a folder that differs from what was approved."""

    path: str
    was: Node | None
    """As it was approved; None for what was not there."""
    now: Node | None

    @property
    def words(self) -> str:
        """What the restore does to it, as a verb."""
        if self.was is None:
            return "goes"
        if self.now is None:
            return "comes back"
        if self.was.kind is self.now.kind is NodeKind.LINK:
            return "gets its target back"
        is_mode = self.was.kind is self.now.kind and self.was.sha256 == self.now.sha256
        return "gets its permissions back" if is_mode else "gets its content back"

    @property
    def is_content(self) -> bool:
        """Whether the restore needs bytes or a nested repository, and not only a link."""
        if self.was is None or self.was.kind is NodeKind.LINK:
            return False
        return self.now is None or self.was.sha256 != self.now.sha256 or not self.content

    @property
    def content(self) -> str:
        """The revision it is restored to; empty if that is not a file."""
        return self.was.sha256 if self.was and self.was.kind is NodeKind.FILE else ""

    @property
    def mode(self) -> int | None:
        """The permissions it is restored to; None if that is not a file."""
        return 0o644 | self.was.mode if self.was and self.content else None

    @property
    def is_written(self) -> bool:
        """Whether the operation writes it: its text differs, or whether it may be executed."""
        live = self.now if self.is_document else None
        if self.content != (live.sha256 if live else ""):
            return True
        return live is not None and executes_otherwise(live.mode, self.mode)

    @property
    def is_document(self) -> bool:
        """Whether it is a text file now, so that the ledger keeps it before it is replaced."""
        now = self.now
        return now is not None and now.kind is NodeKind.FILE and now.text is not None


def restore(dirs: Folders = (), /, *, yes: Yes = False, options: Options = DEFAULTS) -> int:
    """Restore folders of skills to what was approved: every byte, permission and link.

    The ledger provides the contents that it has stored. The operation can be undone.
    Links, and anything that is not a file, are moved into .reviewdeck/aside.
    """
    check_asking(options, yes=yes)
    results = [_restore_folder(root, yes, options) for root in roots_of(dirs)]
    if options.json:
        print_json({"folders": results})
    return FAILED if any(result["left"] for result in results) else DONE


def _restore_folder(root: Path, yes: bool, options: Options) -> dict[str, Any]:
    steps = _steps(root)
    result: dict[str, Any] = {"root": str(root), "restored": [], "aside": [], "left": []}
    if not options.json:
        say(f"{root}: {count(len(steps), 'name')} not as approved")
        for step in steps:
            say(f"  {one_line(step.path)} {step.words}")
    if not steps or not is_confirmed(yes=yes):
        return result
    with engine_for_home(replace(options, home=(root,))) as engine, uninterrupted():
        _carry_out(engine, root, steps, result)
    for path in () if options.json else result["left"]:
        reason = "the ledger does not have its approved text"
        say(f"not restored: {one_line(redact(path))}: {reason}")
    return result


def _steps(root: Path) -> list[_RestoreStep]:
    """What differs, by path."""
    lock = read_lock(root)
    if lock is None:
        raise BadInput(
            f"Nothing of {root} was approved.", hint="`reviewdeck skills lock` approves it."
        )
    approved = approved_nodes(lock)
    now = nodes_of({skill: tree.nodes for skill, tree in read_skills(root).items()})
    pairs = (
        _RestoreStep(path, approved.get(path), now.get(path)) for path in sorted({*approved, *now})
    )
    return [step for step in pairs if step.was != step.now]


def _carry_out(
    engine: Engine, root: Path, steps: Sequence[_RestoreStep], result: dict[str, Any]
) -> None:
    """Moves aside what is in the way, restores all contents, then permissions and links.

    After an interruption it can be run again: restored paths do not differ any more.
    """
    texts = {step.path: engine.ledger.content(Revision(step.content)) for step in steps}
    result["left"] = [step.path for step in steps if step.is_content and texts[step.path] is None]
    restorable = [step for step in steps if step.path not in result["left"]]
    for step in restorable:
        if step.now is not None and not step.is_document:
            result["aside"].append(put_aside(root, step.path))
    engine.intake()
    targets = [
        RestoreTarget(step.path, texts[step.path], step.mode)
        for step in restorable
        if step.is_written
    ]
    if targets:
        reason = f"{count(len(targets), 'file')} as approved in {LOCK}"
        evaluation = restore_all(engine, engine.home().id, targets, reason)
        apply_own(engine, evaluation, "Restoring them")
    for step in restorable:
        if step.was is not None:
            put_back(root, step.path, step.was)
        result["restored"].append(step.path)
