"""A home that keeps conversations, and nothing in it yet."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home."""
    path = tmp_path / "hermes"
    (path / "memories").mkdir(parents=True)
    return path
