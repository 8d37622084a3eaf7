"""The gate inside Qwen Code: that of Claude Code, whose hooks Qwen Code has under other names."""
