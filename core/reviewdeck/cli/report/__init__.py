"""The forms of a report, one in a module: a page, Markdown, CSV, JSON."""
