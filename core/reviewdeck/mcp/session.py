"""One agent's session: which tool is called, on which home, and what the agent gets to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePath
from typing import Any, Final, cast

from reviewdeck.errors import ReviewdeckError, UnknownId
from reviewdeck.homes.hermes.snapshot import STORES
from reviewdeck.homes.hermes.tool_calls import base_of
from reviewdeck.mcp.proposals import Client, Limits, Motive, Proposer, ServedHome
from reviewdeck.mcp.tools import (
    LOOKING,
    PROPOSING,
    WORKING,
    Json,
    Tool,
    WrongCall,
    checked,
    sound,
)
from reviewdeck.mcp.work import AgentWork
from reviewdeck.model import Base, QueueItem, State
from reviewdeck.policy.redact import redact, redact_value
from reviewdeck.presentation.crash import sentence_of
from reviewdeck.reviewer.live_state import live_memory, live_skill, rejection
from reviewdeck.text.inert import visible

STATUS_SHOWN: Final = 20
HERMES_NAMES: Final = ("memory", "skill_manage")
"""Names of Hermes' own tools that are taken with Hermes' own arguments."""
_KNOWN_IDS: Final = "Without an id, review_status lists your proposals; work_view your checkpoints."
_OUR_KEYS: Final = frozenset({"id", "at", "started_at", "updated_at"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call comes to: JSON in which every text is inert and has no secret."""

    content: Json
    is_error: bool = False


@dataclass(slots=True)
class AgentSession:
    """What one agent does with the homes that are served to it."""

    homes: Sequence[ServedHome]
    work: AgentWork | None = None
    """None where working memory is not offered."""
    limits: Limits = field(default_factory=Limits)
    viewed: dict[str, dict[str, Base]] = field(default_factory=dict)
    """What was looked at, by home and path, as it was then."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that are offered."""
        return PROPOSING + LOOKING + (WORKING if self.work is not None else ())

    def call(self, client: Client, name: str, arguments: Mapping[str, Any]) -> Answer:
        """Answers one call. Never raises for what an agent asks."""
        try:
            content = self._run(client, name, arguments)
        except WrongCall as wrong:
            return _failed(wrong.message)
        except UnknownId as unknown:
            return _failed(f"{unknown.message} {_KNOWN_IDS}")
        except ReviewdeckError as error:
            return _failed(f"{error.message} Your operator has to look at this.")
        except Exception as error:  # noqa: BLE001  # the agent gets a sentence, whatever we did
            return _failed(sentence_of(error).message)
        return Answer(_shown(content), is_error=content.get("state") == "refused")

    def _run(self, client: Client, name: str, arguments: Mapping[str, Any]) -> Json:
        if name in HERMES_NAMES:
            given = sound(arguments)
            proposer = self._proposer(self._home(given.pop("home", None)), client)
            calls = {"memory": proposer.memory, "skill_manage": proposer.skill}
            return calls[name](given, Motive())
        tool = next((one for one in self.tools if one.name == name), None)
        if tool is None:
            names = ", ".join(one.name for one in self.tools)
            raise WrongCall(f"There is no tool {name[:40]!r}. There are {names}.")
        given = checked(tool, arguments)
        served = self._home(given.pop("home", None))
        if self.work is not None and tool in WORKING:
            return self.work.run(tool.name, given, served.home.id, client)
        run = self._looks(served, client) | self._proposals(self._proposer(served, client))
        return run[tool.name](given)

    def _proposer(self, served: ServedHome, client: Client) -> Proposer:
        served.refresh()
        return Proposer(served, client, self._viewed(served), self.limits)

    def _viewed(self, served: ServedHome) -> dict[str, Base]:
        return self.viewed.setdefault(served.home.id, {})

    def _home(self, name: object) -> ServedHome:
        found = names_of(self.homes)
        if name is None and len(found) == 1:
            return self.homes[0]
        if isinstance(name, str) and name in found:
            return found[name]
        raise WrongCall(f"Say which home: one of {', '.join(found)}.")

    def _proposals(self, proposer: Proposer) -> dict[str, Callable[[Json], Json]]:
        return {
            "memory_propose": lambda given: proposer.memory(_memory_call(given), _motive(given)),
            "skill_propose": lambda given: proposer.skill(_skill_call(given), _motive(given)),
        }

    def _looks(self, served: ServedHome, client: Client) -> dict[str, Callable[[Json], Json]]:
        return {
            "memory_view": lambda given: self._memory_view(served),
            "skills_list": lambda given: _skills_list(served),
            "skill_view": lambda given: self._skill_view(served, given),
            "review_status": lambda given: self._status(served, client, given.get("id")),
        }

    def _memory_view(self, served: ServedHome) -> Json:
        snapshot, documents = served.home.snapshot(), {}
        for store, path in STORES.items():
            memory = live_memory(store, path, snapshot)
            self._viewed(served)[path] = base_of(snapshot.document(path))
            documents[store] = {
                "entries": list(memory.entries),
                "characters": memory.used,
                "limit": memory.limit,
                **({"closed": memory.closed} if memory.closed else {}),
            }
        return {"documents": documents}

    def _skill_view(self, served: ServedHome, given: Json) -> Json:
        name, file = given["name"], given.get("file") or "SKILL.md"
        snapshot = served.home.snapshot()
        skill = snapshot.skill(name)
        if skill is None:
            raise WrongCall(f"There is no skill {name!r}: skills_list has them all.")
        if file not in skill.files:  # Only what the home lists is opened, whatever was asked for.
            raise WrongCall(f"The skill has no file {file!r}. It has {', '.join(skill.files)}.")
        path = skill.path_of(file)
        document = snapshot.document(path)
        if document.problem is not None:
            raise WrongCall(f"{file} cannot be shown: it {document.problem}.")
        self._viewed(served)[path] = base_of(document)
        return {
            "name": skill.name,
            "file": file,
            "files": list(skill.files),
            "text": document.text,
        }

    def _status(self, served: ServedHome, client: Client, id: str | None) -> Json:
        proposer, ledger = self._proposer(served, client), served.ledger
        if id is not None:
            return _status_of(served, ledger.item(ledger.resolve(id, (served.home.id,))))
        ids = [one.id for one in islice(proposer.own(), STATUS_SHOWN)]
        return {"proposals": [_status_of(served, item) for item in ledger.items(ids)]}


def names_of(homes: Sequence[ServedHome]) -> dict[str, ServedHome]:
    """The homes by what an agent calls them: their names; where two share one, their folders'."""
    names = [served.home.name for served in homes]
    found: dict[str, ServedHome] = {}
    for served, name in zip(homes, names, strict=True):
        word = name if names.count(name) == 1 else PurePath(served.home.where).name
        while word in found:
            word += "-2"
        found[word] = served
    return found


def _motive(given: Json) -> Motive:
    return Motive(given["why"], given.get("source", ""))


def _memory_call(given: Json) -> Json:
    """The call in Hermes' words. Raises WrongCall for a text that is missing."""
    for name in _MEMORY_NEEDS[given["action"]]:
        if not given.get(name, "").strip():
            raise WrongCall(f"{name!r} is missing: {given['action']} needs it.")
    return {
        "action": given["action"],
        "target": given["document"],
        "content": given.get("text"),
        "old_text": given.get("old_text"),
    }


def _skill_call(given: Json) -> Json:
    """The same for skills. Raises WrongCall for a text that is missing."""
    action, text = given["action"], given.get("text")
    if action in _TEXT_FIELDS and text is None:
        raise WrongCall(f"'text' is missing: {action} needs it.")
    call = {
        "action": "delete" if action == "remove" else action,
        "name": given["name"],
        "old_string": given.get("old_text"),
        "file_path": given.get("file"),
        "category": given.get("category"),
        "absorbed_into": given.get("absorbed_into"),
    }
    return call | {_TEXT_FIELDS.get(action, "content"): text}


_MEMORY_NEEDS: Final = {
    "add": ("text",),
    "replace": ("old_text", "text"),
    "remove": ("old_text",),
}
_TEXT_FIELDS: Final = {
    "create": "content",
    "edit": "content",
    "patch": "new_string",
    "write_file": "file_content",
}


def _skills_list(served: ServedHome) -> Json:
    snapshot = served.home.snapshot()
    found = [live_skill(skill, snapshot) for skill in served.home.skills()]
    return {"skills": [{"name": one.name, "description": one.description} for one in found]}


_WORDS: Final = {
    State.APPROVED: "approved",
    State.APPLYING: "approved",
    State.APPLIED: "applied",
    State.REJECTED: "rejected",
    State.ELSEWHERE: "closed",
}


def _status_of(served: ServedHome, item: QueueItem) -> Json:
    found = {
        "id": item.id,
        "state": _WORDS.get(item.state, "pending"),
        "kind": item.kind.value,
        "what": f"{item.action} {item.target}: {item.gist}".rstrip(": "),
    }
    if item.state is State.REJECTED:
        found["reason"] = rejection(served.ledger, item) or "No reason was given."
    elif item.state in {State.CONFLICT, State.DEAD}:
        found["note"] = item.reason
    return found


def _failed(message: str) -> Answer:
    return Answer({"id": None, "state": "refused", "note": _inert(message)}, is_error=True)


def _shown(content: Json) -> Json:
    return cast("Json", redact_value(content, _OUR_KEYS, _inert))


def _inert(text: str) -> str:
    return visible(redact(text))
