"""The policy by which proposals are judged at one moment: the gate, and a file that sets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewdeck.model import CheckName, Finding, Judgement, Severity
from reviewdeck.policy.settings import DEFAULT, PolicySettings
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.policy.gate import Case

HALTED = "Nothing is applied automatically until the file is fixed."


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings that hold now, and where they come from."""

    settings: PolicySettings = DEFAULT
    mark: str = ""
    """SHA-256 of the policy file's bytes; empty without a file."""
    problem: str = ""
    """The reason why nothing may go in without an operator; empty when all is well."""

    def judge(self, case: Case) -> Judgement:
        """The answers of the six checks about a staged proposal."""
        # The rules: whoever asks for the settings alone does without them.
        from reviewdeck.policy.gate import judge, with_failed_check

        judgement = judge(case, self.settings)
        if not self.problem:
            return judgement
        finding = Finding("policy-file", Severity.MEDIUM, f"{self.problem} {HALTED}")
        return with_failed_check(judgement, CheckName.ORIGIN, finding)


BUILT_IN = Policy()
"""The gate as it is, without a file."""


def built_in() -> Policy:
    """The gate as it is, without a file."""
    return BUILT_IN
