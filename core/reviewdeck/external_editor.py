"""A text in the operator's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from reviewdeck.interruption import outlasting_interrupts


def edit_text(text: str, name: str, command: str) -> str | None:
    """The text as the operator's editor left it; None if the editor failed or did not start.

    `command` is what VISUAL or EDITOR says: a program and arguments, quoted as for a shell.
    It starts in a folder of its own, so that it reads and runs nothing from the current one.
    """
    try:
        program, *arguments = shlex.split(command)
    except ValueError:  # Nothing, or a quotation that does not end.
        return None
    if os.sep in program:
        program = str(Path(program).absolute())
    with tempfile.TemporaryDirectory(prefix="reviewdeck-") as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode())
        try:
            with outlasting_interrupts():
                # The operator's own choice of program, from their own environment.
                subprocess.run([program, *arguments, str(path)], cwd=folder, check=True)  # noqa: S603
            return path.read_bytes().decode("utf-8", errors="replace")
        except (OSError, subprocess.CalledProcessError):
            return None
