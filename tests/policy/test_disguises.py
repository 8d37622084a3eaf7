"""What must be refused stays out however it is written."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.corpus import hostile
from tests.corpus.disguises import DISGUISES
from tests.policy.kit import judge_text

from reviewdeck.model import AutoApply

_KINDS = ("plain injection", "evasive injection", "exfiltration", "persistence", "remote control")
_TEXTS = [text for kind in _KINDS for text in hostile.REFUSED[kind]]


_LOOK_LIKE_NAMES = {"no spaces": 3}
"""A few short words run together look as names in code do; they say little to an agent either."""


@pytest.mark.parametrize("disguise", DISGUISES)
def test_no_disguise_lets_a_refused_text_in(disguise: str) -> None:
    """A few texts per disguise here, others for each; the slow one asks for all of all."""
    at = list(DISGUISES).index(disguise)
    texts = (_TEXTS[at % len(_TEXTS)], _TEXTS[(at + 17) % len(_TEXTS)])
    assert not _let_in(disguise, texts)


@pytest.mark.slow  # eighty ways to write forty texts
@pytest.mark.parametrize("disguise", DISGUISES)
def test_hardly_a_disguise_lets_any_refused_text_in(disguise: str) -> None:
    assert len(_let_in(disguise, _TEXTS)) <= _LOOK_LIKE_NAMES.get(disguise, 0)


def _let_in(disguise: str, texts: Sequence[str]) -> list[str]:
    written = [DISGUISES[disguise](text) for text in texts]
    return [text for text in written if isinstance(judge_text(text).verdict, AutoApply)]
