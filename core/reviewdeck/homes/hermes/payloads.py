"""The payload of a pending record as edits. Hostile names and paths pass: planning checks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from reviewdeck.homes.hermes.snapshot import STORES
from reviewdeck.homes.strict_json import Malformed
from reviewdeck.model import (
    Edit,
    Kind,
    MemoryAdd,
    MemoryEdit,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
    SkillChange,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.values import dataclass

_MEMORY_FIELDS = frozenset({"action", "content", "old_text", "new_text", "matched_entry"})
_MEMORY_KEYS = _MEMORY_FIELDS | {"target", "operations"}
_SKILL_KEYS = frozenset(
    {
        "action", "name", "content", "category", "file_path", "file_content",
        "old_string", "new_string", "replace_all", "absorbed_into",
    }
)  # fmt: skip
_BATCH_KEYS = frozenset({"action", "name", "operations"})


@dataclass(frozen=True, slots=True)
class PayloadRequest:
    """The action, target and edits of a payload."""

    action: str
    target: str
    edits: tuple[Edit, ...]
    unknown_keys: tuple[str, ...] = ()
    """Keys of its operations that Hermes ignores."""


def read_payload(kind: Kind, payload: Mapping[str, Any]) -> PayloadRequest:
    """The edits of a payload. Raises Malformed when any part of it is not understood.

    A missing text becomes an empty one where staging rejects an empty one anyway.
    """
    if kind is Kind.MEMORY:
        return _memory_request(payload)
    if payload.get("action") == "batch":
        return _skill_batch(payload)
    _check_keys(payload, _SKILL_KEYS)
    action, name = _required(payload, "action"), _required(payload, "name")
    return PayloadRequest(action, name, (_skill_edit(payload, action, name, _SKILL_EDITS),))


def request_of(kind: Kind, payload: Mapping[str, Any]) -> PayloadRequest | str:
    """The edits of a payload, or the sentence that says what is wrong with it."""
    try:
        return read_payload(kind, payload)
    except Malformed as malformed:
        return malformed.message


def _memory_request(payload: Mapping[str, Any]) -> PayloadRequest:
    _check_keys(payload, _MEMORY_KEYS)
    action = _required(payload, "action")
    target = _text(payload, "target") if payload.get("target") is not None else "memory"
    if target not in STORES:
        raise Malformed("unknown-target", "its target is neither memory nor user")
    document = STORES[target]
    if action != "batch":
        return PayloadRequest(action, target, (_memory_edit(payload, document),))
    operations = _operations(payload)
    for operation in operations:
        if operation.get("target") not in (None, target):
            raise Malformed("two-targets", "one of its operations names another memory")
    unknown = {key for operation in operations for key in operation} - _MEMORY_FIELDS - {"target"}
    edits = tuple(_memory_edit(operation, document) for operation in operations)
    return PayloadRequest(action, target, edits, tuple(sorted(unknown)))


def _memory_edit(fields: Mapping[str, Any], document: str) -> MemoryEdit:
    # Later versions of Hermes accept `new_text` too; `content` wins there as well.
    content = _text(fields, "content") or _text(fields, "new_text")
    # They also name the whole matched entry; an empty one names none.
    old_text, matched = _text(fields, "old_text"), _text(fields, "matched_entry") or None
    match _required(fields, "action"):
        case "add":
            return MemoryAdd(document, content)
        case "replace":
            return MemoryReplace(document, old_text, content, matched)
        case "patch":
            return MemoryPatch(document, old_text, content, matched)
        case "remove":
            return MemoryRemove(document, old_text, matched)
        case _:
            raise Malformed("unknown-action", "it asks for an action that memory does not have")


def _skill_batch(payload: Mapping[str, Any]) -> PayloadRequest:
    """A batch, as later versions stage it: edits of several skills, all or none."""
    _check_keys(payload, _BATCH_KEYS)
    default_name = _text(payload, "name")  # for operations without a name
    edits: list[SkillChange] = []
    for operation in _operations(payload):
        _check_keys(operation, _SKILL_KEYS)
        if not (name := _text(operation, "name") or default_name):
            raise Malformed("missing-field", "one of its operations has no name")
        action = _required(operation, "action")
        if action == "patch" and _text(operation, "content") and _replaces(operation):
            raise Malformed("two-texts", "one operation gives both a whole text and a replacement")
        edits.append(_skill_edit(operation, action, name, _BATCH_EDITS))
    names = sorted({edit.name for edit in edits})
    return PayloadRequest("batch", ", ".join(names), tuple(edits))


def _operations(payload: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    operations = payload.get("operations") or []
    if not isinstance(operations, list) or not all(isinstance(op, dict) for op in operations):
        raise Malformed("wrong-type", "its operations are not a list of objects")
    return operations


def _skill_edit(
    fields: Mapping[str, Any], action: str, name: str, readers: Mapping[str, _EditReader]
) -> SkillChange:
    if (read := readers.get(action)) is None:
        raise Malformed("unknown-action", "it asks for an action that skills do not have")
    for key in _SKILL_KEYS - {"action", "name", "replace_all"}:
        _optional(fields, key)
    return read(fields, name)


def _patch(payload: Mapping[str, Any], name: str) -> SkillChange:
    if _text(payload, "content") and not _replaces(payload):
        # Later versions: a patch with a whole text is a full rewrite.
        return SkillEdit(name, _text(payload, "content"))
    # An empty new_string deletes the match: a missing one must not.
    return SkillPatch(
        name,
        _text(payload, "old_string"),
        _required(payload, "new_string"),
        _text(payload, "file_path") or "SKILL.md",
        _flag(payload, "replace_all"),
    )


def _replaces(payload: Mapping[str, Any]) -> bool:
    return bool(_text(payload, "old_string")) or _optional(payload, "new_string") is not None


_EditReader: TypeAlias = Callable[[Mapping[str, Any], str], SkillChange]

_SKILL_EDITS: dict[str, _EditReader] = {
    "create": lambda payload, name: SkillCreate(
        name, _text(payload, "content"), _text(payload, "category").strip() or None
    ),
    "edit": lambda payload, name: SkillEdit(name, _text(payload, "content")),
    "patch": _patch,
    # An empty file_content empties the file: a missing one must not.
    "write_file": lambda payload, name: SkillWriteFile(
        name, _text(payload, "file_path"), _required(payload, "file_content")
    ),
    "remove_file": lambda payload, name: SkillRemoveFile(name, _text(payload, "file_path")),
    "delete": lambda payload, name: SkillDelete(name, _optional(payload, "absorbed_into")),
}
_BATCH_EDITS = {action: read for action, read in _SKILL_EDITS.items() if action != "edit"}
"""In a batch, a full rewrite is a patch with a whole text."""


def _check_keys(fields: Mapping[str, Any], keys: frozenset[str]) -> None:
    if unknown := sorted(set(fields) - keys):
        raise Malformed("unknown-payload-key", f"it has an unknown key: {unknown[0]}")


def _required(fields: Mapping[str, Any], key: str) -> str:
    value = _optional(fields, key)
    if value is None:
        raise Malformed("missing-field", f"it has no {key}")
    return value


def _text(fields: Mapping[str, Any], key: str) -> str:
    return _optional(fields, key) or ""


def _optional(fields: Mapping[str, Any], key: str) -> str | None:
    value = fields.get(key)
    if value is None or isinstance(value, str):
        return value
    raise Malformed("wrong-type", f"its {key} is not a string")


def _flag(fields: Mapping[str, Any], key: str) -> bool:
    value = fields.get(key)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise Malformed("wrong-type", f"its {key} is neither true nor false")
