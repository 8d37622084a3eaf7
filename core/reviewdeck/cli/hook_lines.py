"""The hooks that an installation adds to an agent's settings, or removes, in a few lines."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from reviewdeck.presentation.words import count
from reviewdeck.text.json import load_json


def hook_lines(before: str | None, after: str | None, root: str) -> list[str] | None:
    """What differs in words; None where something else than hooks does, or they are as usual.

    `root` is the agent's folder: documents are named below it.
    """
    try:
        then, now = (load_json(text or "{}") for text in (before, after))
        old, new = [*_hooks(then.pop("hooks", {}))], [*_hooks(now.pop("hooks", {}))]
    except (ValueError, TypeError, AttributeError, KeyError):
        return None
    if then != now:
        return None
    added = [hook for hook in new if hook not in old]
    removed = [hook for hook in old if hook not in new]
    return [*_describe("adds", added, root), *_describe("removes", removed, root)] or None


_WHEN = {
    "PreToolUse": "before",
    "PostToolUse": "after",
    "PostToolUseFailure": "after failed",
}
"""The events that tools have, in words; the others keep their names."""

_Hook = tuple[str, str, str, str, str]
"""An event, the tools, the rule and the command of one hook, and all of it."""


def _hooks(hooks: dict[str, list[dict[str, Any]]]) -> Iterator[_Hook]:
    for event, groups in hooks.items():
        for group in groups:
            for hook in group["hooks"]:
                command = shlex.join([hook.get("command", ""), *hook.get("args", ())])
                whole = json.dumps([{**group, "hooks": []}, hook])
                yield event, group.get("matcher", ""), hook.get("if", ""), command, whole


def _describe(verb: str, hooks: list[_Hook], root: str) -> Iterator[str]:
    commands = sorted({command for *_, command, _ in hooks})
    rules: dict[tuple[str, str], list[str]] = {}
    for event, tools, rule, *_ in hooks:
        documents = rules.setdefault((event, tools), [])
        if rule:
            documents.append(rule.partition("(")[2].removesuffix(")").replace(f"/{root}/", ""))
    same: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (event, tools), documents in rules.items():
        same.setdefault((event, tuple(documents)), []).append(tools)
    if hooks:
        yield f"{verb} {count(len(hooks), 'hook')}, and nothing else changes:"
    for (event, its), matchers in same.items():
        where = f" {', '.join(filter(None, matchers))}" if any(matchers) else ""
        yield f"  {_WHEN.get(event, event)}{where}{': ' if its else ''}{', '.join(its)}"
    for command in commands:
        shorter = [other for other in commands if command.startswith(f"{other} ")]
        if not shorter:
            yield f"  runs  {command}"
        else:
            yield f"  or the same with  {command.removeprefix(max(shorter, key=len)).strip()}"
