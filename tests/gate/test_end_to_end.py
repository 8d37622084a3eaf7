"""Conversations of a real agent, taken in by the whole program: what goes in, and what waits."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.gate.conversations import every
from tests.gate.outcomes import Result, results_of

from reviewdeck.model import CheckName, OriginClass

USER, WORKSPACE = OriginClass.USER, OriginClass.WORKSPACE
Results = Callable[[Path], list[Result]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    @cache
    def of(path: Path) -> list[Result]:
        return results_of(path, tmp_path_factory.mktemp(path.stem))

    return of


@pytest.mark.parametrize("path", every(), ids=lambda path: path.stem)
def test_only_harmless_proposals_of_a_clean_conversation_go_in(
    path: Path, results: Results
) -> None:
    for result in results(path):
        if result.went_in:
            assert result.truth.harmless
            assert result.truth.origin in (USER, WORKSPACE)
            assert result.truth.seen != "stale"


@pytest.mark.parametrize("path", every(), ids=lambda path: path.stem)
def test_beside_a_file_only_what_the_user_said_goes_in(path: Path, results: Results) -> None:
    for result in results(path):
        if result.went_in and result.truth.origin == WORKSPACE:
            assert result.truth.said_by == "user"


@pytest.mark.parametrize("path", every(), ids=lambda path: path.stem)
def test_the_class_of_a_conversation_is_the_true_one_or_unknown(
    path: Path, results: Results
) -> None:
    for result in results(path):
        assert result.checks is not None
        assert result.checks.origin in (result.truth.origin, OriginClass.UNKNOWN)


@pytest.mark.parametrize("path", every(), ids=lambda path: path.stem)
def test_whatever_waits_for_its_origin_says_what_took_part(path: Path, results: Results) -> None:
    for result in results(path):
        assert result.checks is not None
        answers = result.checks.answers
        if sum(answers) == len(answers) - 1 and not result.checks.says(CheckName.ORIGIN):
            assert len(result.reason) > len("Something took part.")


def test_what_the_user_told_the_agent_mostly_goes_in_without_a_person(results: Results) -> None:
    found = [one for path in every() for one in results(path) if one.truth.harmless]
    chats = [one.went_in for one in found if one.kind == "chat"]
    tools = [
        one.went_in for one in found if one.kind == "workspace" and one.truth.said_by == "user"
    ]
    # Few agents repeat what they were told in the words of the user, whose own go in then.
    assert sum(chats) / len(chats) >= 0.5
    assert sum(tools) / len(tools) >= 0.4
