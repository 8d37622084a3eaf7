"""The tools of a review: what they are called, and our own definitions of them.

A fork offers the tools of its parent to the letter. These definitions are for conversations whose
source keeps none, and for a review that goes to another model.
"""

from __future__ import annotations

from typing import Any, Final

from reviewdeck.reviewer.values import Json

MEMORY: Final = "memory"
MANAGE: Final = "skill_manage"
VIEW: Final = "skill_view"
LIST: Final = "skills_list"

MEMORY_TOOLS: Final = (MEMORY,)
SKILL_TOOLS: Final = (LIST, VIEW, MANAGE)


def allowed_tools(*, memory: bool, skills: bool) -> tuple[str, ...]:
    """The tools that run in a review, and no others do."""
    return (MEMORY_TOOLS if memory else ()) + (SKILL_TOOLS if skills else ())


def own_definitions(names: tuple[str, ...]) -> list[Json]:
    """Our definitions of these tools, in OpenAI's form."""
    return [_DEFINITIONS[name] for name in names]


def _tool(tool: str, description: str, required: tuple[str, ...], /, **properties: Any) -> Json:
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    about = {"name": tool, "description": description, "parameters": parameters}
    return {"type": "function", "function": about}


def _text(description: str) -> Json:
    return {"type": "string", "description": description}


_OPERATION: Final[Json] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["add", "replace", "remove"]},
        "content": _text("The whole entry, for add and replace."),
        "old_text": _text("A part of the one entry that is meant, for replace and remove."),
    },
    "required": ["action"],
}

_DEFINITIONS: Final[dict[str, Json]] = {
    MEMORY: _tool(
        MEMORY,
        "Propose changes to what is remembered between sessions. A replace takes the place of the"
        " whole entry that contains old_text. Several changes go together in operations.",
        ("target",),
        target={
            "type": "string",
            "enum": ["memory", "user"],
            "description": "user for the person, memory for everything else.",
        },
        **_OPERATION["properties"],
        operations={"type": "array", "items": _OPERATION},
    ),
    LIST: _tool(LIST, "List all skills with their descriptions.", ()),
    VIEW: _tool(
        VIEW,
        "Read one file of a skill, by default its SKILL.md. Read it before you change it.",
        ("name",),
        name=_text("The skill."),
        file_path=_text("A file of it, such as references/style.md."),
    ),
    MANAGE: _tool(
        MANAGE,
        "Propose a change of a skill: create it, patch or write one of its files, remove one.",
        ("action", "name"),
        action={
            "type": "string",
            "enum": ["create", "edit", "patch", "delete", "write_file", "remove_file"],
        },
        name=_text("The skill: lower-case letters, digits, dots and dashes."),
        content=_text("The whole SKILL.md, with its front matter, for create and edit."),
        category=_text("A directory to put a new skill into."),
        file_path=_text("references/, templates/, assets/ or scripts/ and a name."),
        file_content=_text("The whole file, for write_file."),
        old_string=_text("What to replace, with enough around it to be found once, for patch."),
        new_string=_text("What to put in its place."),
        replace_all={"type": "boolean"},
        absorbed_into=_text("For delete: the skill that has taken over everything in it."),
    ),
}
