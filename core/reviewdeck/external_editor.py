"""A text in the operator's own editor."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path


def edited(text: str, name: str, command: Sequence[str]) -> str | None:
    """What the editor leaves of a text; None when it could not be started or failed.

    It starts in a folder of its own: nothing of the current one is looked for or run.
    """
    program, *rest = command
    if os.sep in program:
        program = str(Path(program).absolute())
    with tempfile.TemporaryDirectory(prefix="reviewdeck-") as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode())
        try:
            # The operator's own choice of program, from their own environment.
            subprocess.run([program, *rest, str(path)], cwd=folder, check=True)  # noqa: S603
            return path.read_bytes().decode("utf-8", errors="replace")
        except (OSError, subprocess.CalledProcessError):
            return None
