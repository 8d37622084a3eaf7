"""Another process of ours that judges a part of a long backlog."""
