"""`reviewdeck skills restore`: a folder of skills made again what was approved of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewdeck.cli.commands.skills import Folders, roots_of
from reviewdeck.cli.consent import Yes, is_wanted
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import deck_for_home
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.errors import BadInput
from reviewdeck.homes.skill_folder.contents import LOCK, Node, NodeKind, survey
from reviewdeck.homes.skill_folder.lock import read_lock
from reviewdeck.homes.skill_folder.writer import approved_nodes, nodes_of, put_aside, put_back
from reviewdeck.model import Revision
from reviewdeck.policy.redact import redact
from reviewdeck.presentation.words import count, one_line

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck

DONE, LEFT = 0, 1


@dataclass(frozen=True, slots=True)
class _Step:
    """One name of a folder that is to be again what was approved."""

    path: str
    was: Node | None
    """As it was approved; None for what was not there."""
    now: Node | None

    @property
    def words(self) -> str:
        """What becomes of it."""
        if self.was is None:
            return "goes"
        if self.now is None:
            return "comes back"
        is_mode = self.was.kind is self.now.kind and self.was.sha256 == self.now.sha256
        return "gets its permissions back" if is_mode else "gets its content back"

    @property
    def is_content(self) -> bool:
        """Whether it is more than a link that it is to have again: the bytes, or a clone."""
        if self.was is None or self.was.kind is NodeKind.LINK:
            return False
        return self.now is None or self.was.sha256 != self.now.sha256 or not self.content

    @property
    def content(self) -> str:
        """The revision that it is to have; empty for what is no file then."""
        return self.was.sha256 if self.was and self.was.kind is NodeKind.FILE else ""

    @property
    def mode(self) -> int | None:
        """The permissions that it is to have then."""
        return 0o644 | self.was.mode if self.was and self.content else None

    @property
    def is_document(self) -> bool:
        """Whether it is a text now, which the ledger keeps before it goes."""
        now = self.now
        return now is not None and now.kind is NodeKind.FILE and now.text is not None


def restore(dirs: Folders = (), /, *, yes: Yes = False, options: Options = DEFAULTS) -> int:
    """Make folders of skills again what was approved: each byte, permission and link.

    Contents come from the ledger, as far as it has seen them, in one operation that can be undone.
    Links and whatever is no file are moved into .reviewdeck/aside.
    """
    if options.json and not yes:
        raise UsageProblem("With --json nobody is asked.", hint="Add --yes.")
    done = [_restored(root, yes, options) for root in roots_of(dirs)]
    if options.json:
        print_json({"folders": done})
    return LEFT if any(one["left"] for one in done) else DONE


def _restored(root: Path, yes: bool, options: Options) -> dict[str, Any]:
    steps = _steps(root)
    told: dict[str, Any] = {"root": str(root), "restored": [], "aside": [], "left": []}
    if not options.json:
        say(f"{root}: {count(len(steps), 'name')} not as approved")
        for step in steps:
            say(f"  {one_line(step.path)} {step.words}")
    if not steps or not is_wanted(yes=yes):
        return told
    with deck_for_home(replace(options, home=(root,))) as deck:
        _carry_out(deck, root, steps, told)
    for one in () if options.json else told["left"]:
        said = "the ledger has no text of it as it was approved"
        say(f"not restored: {one_line(redact(one))}: {said}")
    return told


def _steps(root: Path) -> list[_Step]:
    """What differs, by path."""
    lock = read_lock(root)
    if lock is None:
        raise BadInput(f"Nothing of {root} was approved.", hint="reviewdeck skills lock")
    was = approved_nodes(lock)
    now = nodes_of({skill: tree.nodes for skill, tree in survey(root).items()})
    pairs = (_Step(path, was.get(path), now.get(path)) for path in sorted({*was, *now}))
    return [step for step in pairs if step.was != step.now]


def _carry_out(deck: Deck, root: Path, steps: Sequence[_Step], told: dict[str, Any]) -> None:
    """What is in the way first, then all contents at once, then permissions and links.

    Killed in between, the same can be done again: what is done already differs no more.
    """
    from reviewdeck.engine.restore import Wanted, restore_all

    texts = {step.path: deck.ledger.content(Revision(step.content)) for step in steps}
    told["left"] = [one.path for one in steps if one.is_content and texts[one.path] is None]
    able = [step for step in steps if step.path not in told["left"]]
    for step in able:
        if step.now is not None and not step.is_document:
            told["aside"].append(put_aside(root, step.path))
    deck.intake()
    wanted = [
        Wanted(step.path, texts[step.path], step.mode)
        for step in able
        if step.content != (step.now.sha256 if step.now and step.is_document else "")
    ]
    if wanted:
        said = f"{count(len(wanted), 'file')} as approved in {LOCK}"
        restore_all(deck.context, deck.view.home().id, wanted, said)
    for step in able:
        if step.was is not None:
            put_back(root, step.path, step.was)
        told["restored"].append(step.path)
