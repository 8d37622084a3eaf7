"""Plans the file changes that install the gate into an agent's settings, or remove it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewdeck.agents.gated.documents import AGENT_LAYOUTS, is_repository
from reviewdeck.agents.hermes.kit import items
from reviewdeck.files import OURS
from reviewdeck.homes.gated.governed import record_of
from reviewdeck.homes.gated.hooked import HookedAgent
from reviewdeck.homes.gated.marks import plan_marks, removed_notes
from reviewdeck.homes.gated.settings import (
    FILE,
    FOLDER,
    GovernedRoot,
    add_gate,
    our_arguments,
    parse_roots,
    parse_settings,
    remove_gate,
)
from reviewdeck.homes.installer import HomePlan, SettingsFile, plan_of, read_settings, what_stays


@dataclass(frozen=True, slots=True)
class GateInstallation(SettingsFile):
    """The current state of an installation in an agent's folder."""

    agent: HookedAgent

    @property
    def settings(self) -> Mapping[str, Any]:
        """The parsed settings. Raises BadInput."""
        return parse_settings(self.text, comments=self.agent.reads_comments)

    @property
    def roots(self) -> tuple[GovernedRoot, ...]:
        """The folders that the gate covers. Raises BadInput."""
        return tuple(
            root for root in self._all_roots if root.layout in AGENT_LAYOUTS[self.agent.key]
        )

    @property
    def is_of_another(self) -> bool:
        """Whether the gate in the settings is that of another agent. Raises BadInput."""
        return bool(self._all_roots) and not self.roots

    @property
    def _all_roots(self) -> tuple[GovernedRoot, ...]:
        return parse_roots(our_arguments(self.settings))

    @property
    def without_gate(self) -> str | None:
        """`settings.json` without our entries. Raises BadInput."""
        before = self.record.before if self.record else None
        comments = self.agent.reads_comments
        return self.base(lambda text: remove_gate(text, before, comments=comments), _is_empty)

    def with_gate(self, text: str | None, roots: Sequence[GovernedRoot]) -> str:
        """A text of the settings with this program's entries alone. Raises BadInput."""
        entries = self.agent.entries(sys.executable, FOLDER, roots)
        return add_gate(text, entries, comments=self.agent.reads_comments)

    @property
    def is_current(self) -> bool:
        """Whether every entry is present as this program writes it. Raises BadInput."""
        return bool(self.roots) and self.with_gate(self.text, self.roots) == self.text


def _is_empty(text: str) -> bool:
    return text.split() in ([], ["{}"], ["{", "}"])


def read_installation(config: Path, agent: HookedAgent) -> GateInstallation:
    """Reads the installation in an agent's folder. Raises BadInput for an unreadable file."""
    return read_settings(GateInstallation, config, FILE, record_of(agent.key), "settings", agent)


def plan_install(installed: GateInstallation, roots: Sequence[GovernedRoot]) -> HomePlan:
    """The plan that makes the gate cover these folders. Raises BadInput, HomeReadOnly."""
    installed.check_writable()
    before = installed.without_gate
    # Where our entries are missing, somebody put other settings in their place.
    current = installed.text if installed.roots else before
    after = installed.with_gate(current, roots)
    noted = installed.record_change(before, after, roots=[root.argument for root in roots])
    return plan_of(installed.home, [noted, installed.change(after)])


def plan_layouts(agent: HookedAgent, roots: Sequence[GovernedRoot]) -> tuple[HomePlan, ...]:
    """The plans that mark the folders whose layout their own files do not tell: repositories,
    where those of several agents may be, and others.

    The gate marks a folder too, when it first writes there: one that does not exist yet can wait.
    """
    return tuple(
        plan_marks(root.path, root.layout)
        for root in roots
        if root.path.is_dir()
        and (is_repository(root.layout) or agent.layout_of(root.path.resolve()) != root.layout)
    )


def plan_uninstall(installed: GateInstallation) -> tuple[HomePlan, ...]:
    """The plans that remove the gate: the entries first, then its own files.

    Raises BadInput, HomeReadOnly.
    """
    installed.check_writable()
    config, record, key = installed.home, installed.record, installed.agent.key
    noted = record.more.get("roots") if record else None
    recorded = parse_roots(items(noted))
    folders = {root.path.resolve() for root in (*installed.roots, *recorded)} - {config.resolve()}
    own = (f"{OURS}/{key}", OURS)  # Deepest first.
    notes = {root: removed_notes(root, key) for root in sorted(folders) if root.is_dir()}
    notes[config] = [installed.record_removal(), *removed_notes(config, key)]
    plans = [
        plan_of(config, [installed.change(installed.without_gate)]),
        *(plan_of(root, gone, own, what_stays(root, gone)) for root, gone in notes.items()),
    ]
    return tuple(plan for plan in plans if plan.changes or plan.remarks)
