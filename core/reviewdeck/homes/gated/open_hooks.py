"""The hooks of an agent that lets a call through when its hook fails or is gone."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.gated.documents import LAYOUTS
from reviewdeck.agents.gated.switches import MARK
from reviewdeck.homes.gated.settings import STARTS, Entries, GovernedRoot

_WHEN_FAILED: Final = (
    r"path=${{event#*\"tool_input\":}}; path=${{path#*_path\":\"}}; code=1; "
    r"case $path in /*|{{*) ;; @*) code=2;; *) path=$PWD/$path;; esac; "
    r"case $path in {named}) code=2;; esac; "
    r"case ${{path%%\"*}} in *//*|*/./*|*/../*|*%*) code=2;; esac; "
    r"[ $code = 1 ] || echo {says} >&2; exit $code"
)
"""The shell's look at a call: at the path of a file tool's, `file_path` or `notebook_path`."""
_FAILED: Final = "The gate of reviewdeck failed. This file is reviewed: it is as it was."


@dataclass(frozen=True, slots=True)
class OpenHooks:
    """Which of its hooks such an agent starts the gate with."""

    agent: str
    """Its name in our folders."""
    before: str
    """The event before a call."""
    after: Sequence[str]
    """The events after a call."""
    between: Sequence[str]
    """The events at the begin of a session and of a prompt."""
    writers: str
    """Its tools that write a file, as a pattern."""
    others: str
    """Its tools that may write any file, as a pattern: documents are compared after them."""
    handler: Mapping[str, Any]
    """The keys of a hook beside its command."""

    def entries(self, python: str, folder: Path, roots: Sequence[GovernedRoot]) -> Entries:
        """The hooks for its settings."""
        before, gate = self._commands(python, folder, roots)
        strict, common = (
            [{"type": "command", **self.handler, "command": command}] for command in (before, gate)
        )
        after, between = {"matcher": f"^({self.others})$", "hooks": common}, {"hooks": common}
        return {
            self.before: [{"matcher": f"^({self.writers}|{self.others})$", "hooks": strict}],
            **{event: [after] for event in self.after},
            **{event: [between] for event in self.between},
        }

    def _commands(
        self, python: str, folder: Path, roots: Sequence[GovernedRoot]
    ) -> tuple[str, str]:
        """The command before a call, and the one for other events.

        When the gate fails, the shell that starts the former looks at the event itself, and refuses
        a call that names a document, or a path that may be spelled otherwise.
        """
        arguments = [python, "-I", "-S", "-c", STARTS.format(agent=self.agent), str(folder), MARK]
        gate = shlex.join([*arguments, *(root.argument for root in roots)])
        named = "|".join(f"{shlex.quote(path)}*" for path in _beginnings(roots))
        failed = _WHEN_FAILED.format(named=named, says=shlex.quote(_FAILED))
        return f'event=$(cat); printf %s "$event" | {gate} || {{ {failed}; }}', gate


def _beginnings(roots: Sequence[GovernedRoot]) -> Iterator[str]:
    """How the paths of documents begin, as JSON has them."""
    for root in roots:
        heads = dict.fromkeys(pattern.split("*")[0] for pattern in LAYOUTS[root.layout])
        for place in dict.fromkeys((root.path, root.path.resolve())):
            for head in heads:
                yield json.dumps(f"{place}/{head}", ensure_ascii=False)[1:-1]
