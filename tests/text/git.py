"""What git makes of the same texts."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.text.cases import Triple

ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
    "PATH": "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin", "LC_ALL": "C",
}  # fmt: skip


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Runs git with nobody's settings."""
    return subprocess.run(
        ["git", *arguments], cwd=folder, env=ENVIRONMENT, input=stdin, capture_output=True,
        check=False,
    )  # fmt: skip


def merge_file(folder: Path, case: Triple) -> str | None:
    """What `git merge-file` makes of three texts; None for a conflict."""
    names = []
    for name, text in (("ours", case.ours), ("base", case.base), ("theirs", case.theirs)):
        (folder / name).write_bytes(text.encode())
        names.append(name)
    done = git(folder, "merge-file", "-p", *names)
    if done.returncode < 0 or done.returncode > 127:
        raise RuntimeError(done.stderr.decode())
    return done.stdout.decode() if done.returncode == 0 else None


def merge_ort(folder: Path, cases: Sequence[Triple]) -> list[str | None]:
    """What the ort strategy makes of all of them, as the files of one merge."""
    git(folder, "init", "-q", "--bare", ".")
    stream = b"".join(
        _commit(mark, cases, side) for mark, side in enumerate(("base", "ours", "theirs"), 1)
    )
    if (done := git(folder, "fast-import", "--quiet", stdin=stream)).returncode:
        raise RuntimeError(done.stderr.decode())
    merged = git(
        folder, "-c", "merge.renames=false", "merge-tree", "--write-tree", "--name-only",
        "--no-messages", "ours", "theirs",
    )  # fmt: skip
    tree, *conflicted = merged.stdout.decode().split("\n")
    names = [name for name in (f"f{index}" for index in range(len(cases)))]
    clashes = set(conflicted)
    blobs = _blobs(folder, tree, names)
    return [None if name in clashes else blobs[name] for name in names]


def _commit(mark: int, cases: Sequence[Triple], side: str) -> bytes:
    head = f"commit refs/heads/{side}\nmark :{mark}\ncommitter a <a@b> 1700000000 +0000\ndata 0\n"
    parts = [head.encode(), b"from :1\n" if mark > 1 else b""]
    for index, case in enumerate(cases):
        data = getattr(case, side).encode()
        parts.append(b"M 100644 inline f%d\ndata %d\n%s\n" % (index, len(data), data))
    return b"".join(parts) + b"\n"


def _blobs(folder: Path, tree: str, names: Sequence[str]) -> dict[str, str]:
    asked = "".join(f"{tree}:{name}\n" for name in names).encode()
    out = git(folder, "cat-file", "--batch", stdin=asked).stdout
    found = {}
    at = 0
    for name in names:
        end = out.index(b"\n", at)
        size = int(out[at:end].split()[-1])
        found[name] = out[end + 1 : end + 1 + size].decode()
        at = end + 1 + size + 1
    return found


_FILE = re.compile(rb"^diff --git a/f(\d+) ", re.MULTILINE)
_HEADER = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
Hunks = list[tuple[int, int, int, int]]


def diff_all(folder: Path, pairs: Sequence[tuple[str, str]], *options: str) -> list[Hunks]:
    """The hunks of `git diff` for each pair of texts, in half-open indices, from one process."""
    git(folder, "init", "-q", "--bare", ".")
    cases = [Triple("pair", old, new, "") for old, new in pairs]
    stream = b"".join(_commit(mark, cases, side) for mark, side in enumerate(("base", "ours"), 1))
    if (done := git(folder, "fast-import", "--quiet", "--force", stdin=stream)).returncode:
        raise RuntimeError(done.stderr.decode())
    out = git(folder, "diff", "-U0", "--no-renames", "--text", *options, "base", "ours").stdout
    found: list[Hunks] = [[] for _ in pairs]
    starts = [*_FILE.finditer(out)]
    for index, start in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(out)
        hunks = [_hunk(header) for header in _HEADER.findall(out, start.start(), end)]
        found[int(start[1])] = hunks
    return found


def _hunk(found: tuple[bytes, bytes, bytes, bytes]) -> tuple[int, int, int, int]:
    a_at, a_count, b_at, b_count = (int(number) if number else 1 for number in found)
    a_start = a_at - 1 if a_count else a_at
    b_start = b_at - 1 if b_count else b_at
    return a_start, a_start + a_count, b_start, b_start + b_count
