"""The files of an earlier version, which runs from them beside this one."""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


@contextmanager
def core_of(revision: str) -> Iterator[Path]:
    """The `core` of a commit, for `PYTHONPATH`. Raises CalledProcessError where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "core.tar"
        git = ["git", "-C", str(ROOT), "archive", "--output", str(archive), revision, "core"]
        subprocess.run(git, check=True)
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        yield Path(folder) / "core"
