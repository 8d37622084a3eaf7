"""How long a policy file may be. Loads nothing: the file is looked at before any rule is."""

from __future__ import annotations

from typing import Final

LARGEST: Final = 256 * 1024
"""Bytes of a policy file."""
