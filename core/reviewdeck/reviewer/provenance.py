"""Where a proposal comes from, for whoever decides it. Only our own reviewer fills this in: what
somebody else's record says of itself is a claim, and is not taken over.
"""

from __future__ import annotations

from typing import Final

BACKGROUND: Final = "background_review"
"""The write origin of a review, in Hermes' word."""


def provenance(
    *,
    write_origin: str = "assistant_tool",
    execution_context: str = "foreground",
    platform: str = "cli",
    **known: str,
) -> dict[str, str]:
    """What is known of how something came about, by name; what is empty is left out."""
    said = {
        "write_origin": write_origin or "assistant_tool",
        "execution_context": execution_context or "foreground",
        "platform": platform or "cli",
    }
    return said | {name: value for name, value in sorted(known.items()) if value}
