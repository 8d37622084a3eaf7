"""Prompts before a decision: the operator's passphrase, and the code of a grave decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewdeck.engine.confirmation import is_code, is_grave
from reviewdeck.errors import Locked, NotPermitted
from reviewdeck.terminal import ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from reviewdeck.engine.engine import Engine
    from reviewdeck.engine.evaluation import Evaluation
    from reviewdeck.model import Actor


def admit(engine: Engine, *, is_chat: bool = False, who: Callable[[], Actor] | None = None) -> None:
    """Checks that the caller may decide; asks for the passphrase where one is needed.

    `who` gives whoever does it, by default the operator. Raises NotPermitted.
    """
    who = who or engine.operator
    try:
        who()
    except Locked:
        if is_chat:
            raise NotPermitted(
                "Decisions here are signed with your key, and a chat is no place for a passphrase.",
                hint="Nothing was changed. Decide it in the deck.",
            ) from None
        engine.authority.unlock(ask("Passphrase: ", is_secret=True))
        who()


def confirm(engine: Engine, evaluation: Evaluation) -> bool:
    """Asks for the confirmation code of a grave decision; says whether it asked.

    Raises NotPermitted for a wrong one.
    """
    digest = evaluation.digest
    if digest is None or not engine.authority.signs or not is_grave(evaluation.findings):
        return False
    id = evaluation.proposal.id
    if not is_code(ask(f"Code at the end of `reviewdeck diff {id}`: "), digest):
        raise NotPermitted(
            "That is not the code of this change.",
            hint=f"Nothing was changed. `reviewdeck diff {id}` shows it below the whole content.",
        )
    return True
