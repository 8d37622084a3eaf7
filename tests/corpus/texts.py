"""Building the texts of a corpus."""

from __future__ import annotations


def skill(name: str, description: str, body: str) -> tuple[str, str]:
    """A new skill: its name and its SKILL.md."""
    body = body.strip("\n")
    title = "" if body.startswith("# ") else f"# {name.replace('-', ' ').capitalize()}\n\n"
    return name, f"---\nname: {name}\ndescription: {description}\n---\n\n{title}{body}\n"


def reference(file: str, body: str) -> tuple[str, str]:
    """A new file of a skill that is there: its path and its text."""
    return file, body.strip("\n") + "\n"
