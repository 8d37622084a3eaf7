"""Where a call of a review meets its tool: the few that run, and a denial for every other.

What is offered is the parent's list, so that the prompt cache is met. What runs is decided here,
and nothing that a model, a skill or a text says can change that.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from reviewdeck.homes.hermes.strict import object_of
from reviewdeck.model import Skill
from reviewdeck.ports import Snapshot
from reviewdeck.reviewer.authoring import Author
from reviewdeck.reviewer.live import base_of
from reviewdeck.reviewer.tools import LIST, MANAGE, MEMORY, VIEW
from reviewdeck.reviewer.values import Call, Json

NAME_SHOWN: Final = 100
"""Characters of a tool's name that are kept: a model can write anything there."""


@dataclass(frozen=True, slots=True)
class Handled:
    """One call and its answer."""

    call: Call
    content: Json
    is_denied: bool = False
    is_malformed: bool = False

    @property
    def text(self) -> str:
        """The answer as the model gets it."""
        return json.dumps(self.content, ensure_ascii=False)


class Toolbox:
    """The tools of one review."""

    def __init__(self, author: Author, allowed: tuple[str, ...]) -> None:
        self._author = author
        self._allowed = allowed
        self.denied: Counter[str] = Counter()
        """How often a model tried a tool that does not run, by its name."""
        self._tools: dict[str, Callable[[Call, Json], Json]] = {
            MEMORY: author.memory,
            MANAGE: author.skill,
            VIEW: lambda call, arguments: self._view(arguments),
            LIST: lambda call, arguments: self._list(),
        }

    def run(self, call: Call) -> Handled:
        """Runs one call. Never raises for what a model asks."""
        if call.name not in self._allowed:
            name = call.name[:NAME_SHOWN].encode("utf-8", "replace").decode()
            self.denied[name] += 1
            return Handled(call, self._denial(name), is_denied=True)
        arguments = object_of(call.arguments or "{}")
        if isinstance(arguments, str):
            said = {"success": False, "error": f"The arguments are no use: {arguments}."}
            return Handled(call, said, is_malformed=True)
        return Handled(call, self._tools[call.name](call, arguments))

    def _denial(self, name: str) -> Json:
        runs = ", ".join(self._allowed)
        said = f"Tool {name!r} is denied: a review runs only {runs}, and asks nobody."
        return {"success": False, "denied": True, "tool": name, "error": said}

    def _list(self) -> Json:
        found = [
            {"name": skill.name, "description": skill.description}
            for skill in self._author.live.skills
        ]
        return {"success": True, "skills": found}

    def _view(self, arguments: Json) -> Json:
        """One file of a skill; from now on it counts as looked at, as it is now."""
        name, file = arguments.get("name"), arguments.get("file_path") or "SKILL.md"
        if not isinstance(name, str) or not isinstance(file, str):
            return {"success": False, "error": "It needs the name of a skill."}
        snapshot = self._author.home.snapshot()
        skill = snapshot.skill(name)
        if skill is None:
            return {"success": False, "error": f"There is no skill {name!r}."}
        return self._seen(skill, file, snapshot)

    def _seen(self, skill: Skill, file: str, snapshot: Snapshot) -> Json:
        if file not in skill.files:
            files = list(skill.files)
            return {"success": False, "error": f"It has no file {file!r}.", "files": files}
        path = skill.path_of(file)
        document = snapshot.document(path)
        if document.problem is not None:
            return {"success": False, "error": f"{path}: {document.problem}."}
        self._author.viewed[path] = base_of(document)
        about = {"name": skill.name, "file_path": file, "files": list(skill.files)}
        return {"success": True, **about, "content": document.text}
