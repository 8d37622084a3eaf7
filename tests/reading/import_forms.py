"""Forms in which a CLAUDE.md names another file, and whether Claude Code 2.1.332 imported it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Final

IMPORTED: Final = {
    "docs/line.md": "@docs/line.md",
    "docs/inline.md": "See @docs/inline.md for more.",
    "docs/item.md": "- @docs/item.md",
    "docs/dot-slash.md": "@./docs/dot-slash.md",
    "docs/no-suffix": "@docs/no-suffix",
    "docs/script.py": "@docs/script.py",
    "docs/upper.MD": "@docs/upper.MD",
    "docs/with space.md": "@docs/with\\ space.md",
    "docs/fragment.md": "@docs/fragment.md#part",
    "docs/quote.md": "> @docs/quote.md",
    "docs/bold.md": "**@docs/bold.md**",
    "docs/emphasis.md": "_@docs/emphasis.md_",
    "docs/cell.md": "| @docs/cell.md | x |",
    "docs/heading.md": "## @docs/heading.md",
    "docs/tick.md": "@docs/tick.md `open",
    "docs/between.md": "`x` @docs/between.md `y`",
    "docs/umlaut-ü.md": "@docs/umlaut-ü.md",
    "docs/two.md": "@docs/two.md @docs/line.md",
    "docs/normal.md": "@docs/none/../normal.md",
    "docs/escaped-stop.md": "@docs/escaped-stop.md\\.",
    "docs/in-item.md": "- a\n    @docs/in-item.md",
    "docs/setext.md": "@docs/setext.md\n===",
    "docs/task.md": "- [ ] @docs/task.md",
    ".hidden/file.md": "@.hidden/file.md",
    "BARE": "@BARE",
    "_under.md": "@_under.md",
    "AGENTS.md": "@AGENTS.md",
}
"""What is imported by each line."""
LEFT: Final = {
    "docs/span.md": "`@docs/span.md`",
    "docs/spans.md": "``a ` @docs/spans.md``",
    "docs/fence.md": "```\n@docs/fence.md\n```",
    "docs/tildes.md": "~~~~\n~~~\n@docs/tildes.md\n~~~~",
    "docs/indented.md": "\n    @docs/indented.md",
    "docs/after-heading.md": "# Heading\n    @docs/after-heading.md",
    "docs/comment.md": "<!-- @docs/comment.md -->",
    "docs/inline-comment.md": "a <!-- @docs/inline-comment.md --> b",
    "docs/html.md": "<div>\n@docs/html.md\n</div>",
    "docs/stop.md": "@docs/stop.md.",
    "docs/comma.md": "@docs/comma.md, and",
    "docs/question.md": "@docs/question.md?",
    "docs/bracket.md": "(@docs/bracket.md)",
    "docs/quotes.md": '"@docs/quotes.md"',
    "docs/named quotes.md": '@"docs/named quotes.md"',
    "docs/strike.md": "~~@docs/strike.md~~",
    "docs/escaped.md": "\\@docs/escaped.md",
    "docs/mail.md": "a@docs/mail.md",
    "docs/twice-at.md": "@@docs/twice-at.md",
    "docs/reference.md": "[x]: @docs/reference.md",
    "docs/link.md": "[x](@docs/link.md)",
    "docs/picture.png": "@docs/picture.png",
    "docs/long.markdown": "@docs/long.markdown",
    "docs/page.mdx": "@docs/page.mdx",
    "docs/version.2": "@docs/version.2",
    "docs/folder/in.md": "@docs/folder",
    "#odd.md": "@#odd.md",
}
"""What is not imported by each line."""
DOUBTED: Final = frozenset(
    {
        "docs/spans.md",
        "docs/indented.md",
        "docs/after-heading.md",
        "docs/inline-comment.md",
        "docs/html.md",
        "docs/reference.md",
    }
)
"""Of these what is counted as imported all the same, since little tells it from what is."""
NEAR: Final = (
    "Word\u2028```\n{}\n",
    "Word\u2029~~~\n{}\n",
    "Word\x0c```\n{}\n",
    "Word\x0b\x0b<div>\n{}\n",
    "Word\x85\x85    {}\n",
    "Word\n\xa0\n    {}\n",
    "Word\n\t\n    {}\n",
    "Word\ufeff{}\n",
    "{}\ufeffmore\n",
    "- item\n\n    {}\n",
    "> ```\n{}\n",
    "Word\n    ```\n{}\n",
    "``` `x`\n{}\n",
    "<div>\n```\n\n{}\n\n```\n",
    "`a\n`{} `\n",
    "`a\n`{}`b`\n",
    "[a](`) {} (`)\n",
    "\\` {} `\n",
    "`c`{}`d`\n",
    "---\n```\n---\n{}\n",
    "```\nx\n  ```\n{}\n```\n",
    "`x`\n~~~ {}",
)
"""Texts that import the path, and nearly do not."""
DEEP: Final = tuple(f"deep{at}.md" for at in range(1, 7))
"""A chain, of which four are imported."""
NEARLY: Final = tuple(f"near{number}.md" for number in range(len(NEAR)))


def text_of(path: str) -> str:
    """The text of the file at a path, which holds the next link of the chain."""
    following = dict(pairwise(DEEP)).get(path)
    back = "@CLAUDE.md\n@deep1.md\n" if following else ""
    return f"The text of {path} ends.\n" + (f"@{following}\n{back}" if following else "")


def write(repository: Path) -> None:
    """Writes a repository whose CLAUDE.md imports each form, in a file of its own."""
    texts = [f"Beginning.\n\n{line}\n" for line in (*IMPORTED.values(), *LEFT.values())]
    texts += [text.format(f"@near{number}.md") for number, text in enumerate(NEAR)]
    forms = {f"form{number}.md": text for number, text in enumerate(texts)}
    for path, text in forms.items():
        (repository / path).write_bytes(text.encode())
    lines = [*(f"@{path}" for path in forms), "@deep1.md"]
    (repository / "CLAUDE.md").write_text("\n\n".join(lines) + "\n", "utf-8")
    for path in (*IMPORTED, *LEFT, *NEARLY, *DEEP):
        place = repository / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text_of(path), "utf-8")


EXPECTED: Final = {*IMPORTED, *NEARLY, *DEEP[:4]}
