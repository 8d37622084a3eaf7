"""A folder of twenty Agent Skills in the shapes that public ones have; the texts are made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

_PLAIN: Final = {
    "changelog-writer": "Turn merged pull requests into a changelog.",
    "sql-review": "Review a migration before it runs.",
    "incident-notes": "Write the timeline of an incident.",
    "office/weekly-report": "Collect the week's work in one page.",
    "office/meeting-minutes": "Turn a transcript into minutes.",
    "design/icon-names": "Name icons alike.",
    "design/colour-contrast": "Check the contrast of a palette.",
}
_RUN: Final = "#!/bin/sh\nset -eu\nprintf '%s\\n' \"$1\"\n"
_CONVERT: Final = '"""Count the pages."""\n\nimport sys\n\nprint(len(sys.argv))\n'


def skill_text(name: str, description: str, *, front: str = "", body: str = "") -> str:
    """A SKILL.md."""
    return (
        f"---\nname: {name}\ndescription: {description}\n{front}---\n\n# {name}\n\n"
        f"{body or f'When asked to, {description.lower()}'}\n"
    )


def write_skills(root: Path) -> Path:
    """Writes the folder, and gives it."""
    for directory, description in _PLAIN.items():
        name = directory.rpartition("/")[2]
        _write(root / directory / "SKILL.md", skill_text(name, description, front="license: MIT\n"))
    _with_files(root)
    _that_execute(root)
    _that_are_odd(root)
    _write(root / "README.md", "# Our skills\n")
    _write(root / "skills-lock.json", json.dumps(_SOURCES))
    return root


_SOURCES: Final = {
    "version": 1,
    "skills": {"pdf": {"source": "acme/agent-skills", "computedHash": "0" * 64}},
}


def _with_files(root: Path) -> None:
    pdf = root / "pdf"
    _write(pdf / "SKILL.md", skill_text("pdf", "Read and fill in forms.", body="See forms.md."))
    _write(pdf / "forms.md", "# Forms\n\nFields have names.\n")
    _write(pdf / "LICENSE.txt", "Do as you like.\n")
    _write(pdf / "scripts/count.py", _CONVERT)
    _write(pdf / "scripts/run.sh", _RUN, mode=0o755)
    (pdf / "assets").mkdir()
    (pdf / "assets/logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff\xfe")
    for name in ("spreadsheets", "slides", "word-documents"):
        _write(root / name / "SKILL.md", skill_text(name, f"Make {name.replace('-', ' ')}."))
        _write(root / name / "references/style.md", "# Style\n\nShort sentences.\n")
    _write(root / "windows" / "SKILL.md", skill_text("windows", "Use it.").replace("\n", "\r\n"))
    _write(root / "no-newline" / "SKILL.md", skill_text("no-newline", "Use it.").rstrip("\n"))


def _that_execute(root: Path) -> None:
    hooks = "hooks:\n  PostToolUse:\n    - matcher: Write\n      command: ./scripts/format.sh\n"
    _write(root / "formatter/SKILL.md", skill_text("formatter", "Format code.", front=hooks))
    _write(root / "formatter/scripts/format.sh", _RUN, mode=0o755)
    granted = "allowed-tools: Bash(git:*), Read\n"
    _write(root / "git-helper/SKILL.md", skill_text("git-helper", "Commit.", front=granted))
    before = "The state: !`git status --short`"
    _write(root / "repo-state/SKILL.md", skill_text("repo-state", "Say it.", body=before))
    _write(root / "bundle/SKILL.md", skill_text("bundle", "Bring a server."))
    _write(root / "bundle/.claude-plugin/plugin.json", '{"name": "bundle"}\n')
    _write(root / "bundle/.mcp.json", '{"mcpServers": {}}\n')


def _that_are_odd(root: Path) -> None:
    _write(root / "shared/SKILL.md", skill_text("shared", "Share a text."))
    (root / "shared/text.md").symlink_to("../pdf/forms.md")
    _write(root / "personal/weekly-report/SKILL.md", skill_text("weekly-report", "My own."))
    _write(root / "Bad_Name/SKILL.md", skill_text("bad-name", "Has a name that is none."))


def _write(path: Path, text: str, *, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    path.chmod(mode)
