"""Shared by the tests of the text core."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # so that tests and benchmarks find `tests.text.cases`


@pytest.fixture
def git_folder(tmp_path: Path) -> Path:
    """An empty folder in which git may work."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed: there is nothing to compare with")
    return tmp_path
