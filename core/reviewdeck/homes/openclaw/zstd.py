"""Compressed rows of OpenClaw's sessions. Loads only where a library for them is installed."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError


def decompress(data: bytes, size: int) -> str | None:
    """The text of one frame, if it is UTF-8 and has exactly this size."""
    try:
        reader = ZstdDecompressor()
        content = reader.decompress(data, size + 1)
        is_whole = reader.eof and not reader.unused_data and len(content) == size
        return content.decode("utf-8") if is_whole else None
    except (ZstdError, UnicodeDecodeError):
        return None
