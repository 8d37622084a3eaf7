"""Demands that are told by how they are built: a trigger, what is done then, and whom it serves.

Patterns for folded text. Each is a verb with what it is about; what else has to stand in the
sentence is a pattern of its own.
"""

from __future__ import annotations

import re

CONTENT_SAYS = (
    r"\b(?:do|follow|obey|carry\s+out|execute|perform)\s+(?:what(?:ever)?\s+(?:it|they|its|the|is)\b"
    r"[^,.;]{0,30}\b(?:says?|asks?|wants?|lists?|contains?|written|listed|stands?)\b"
    r"|(?:the\s+|each\s+of\s+the\s+)?(?:steps|points|lines|instructions|commands|orders)\s+"
    r"(?:(?:listed|written|given|found)\s+)?(?:there|in\s+it|in\s+them)\b|(?:it|them)\s+first\b)"
)
"""Doing what a text says that somebody else has written."""
SOURCE = re.compile(
    r"\b(?:e-?mails?|mails?|messages?|web\s*pages?|pages?|posts?|newsletters?|comments?|captions?"
    r"|footers?|annotations?|attachments?|tickets?|subject|cells|memos?|tags|sender"
    r"|headings?|texts?|whatever|everything)\b|https?://|\b[\w-]{2,40}\.(?:test|example|com|net|org)\b"
)
"""Where such a text comes from."""
AS_THE_USER = (
    r"\b(?:counts?\s+as|(?:treat|regard|consider|take)\b[^.;]{0,80}?\bas)\s+(?:if\s+|though\s+)?"
    r"(?:it\s+(?:was|were)\s+)?(?:being\s+|a\s+|an\s+)?(?:said|spoken|written|requests?|orders?|commands?"
    r"|messages?|coming|instructions?)\s+(?:by|from|of)\s+(?:the\s+|its\s+)?(?:user|owner)\b"
    r"|\bis\s+an?\s+(?:message|order|command)\s+of\s+the\s+(?:user|owner)\b"
    r"|\borders\s+in\s+place\s+of\s+the\s+(?:user|owner)\b|\bbinding\s+for\s+the\s+(?:agent|assistant)\b"
)
"""What gives the words of others the weight of the user's."""
SAFEGUARDS = re.compile(
    r"\b(?:notes?|entry|entries|rules?|limits?|conventions|preferences|what\s+(?:the\s+)?"
    r"(?:user|owner|user\.md|earlier\s+notes))\b[^.;]{0,50}?\b(?:confirm\w*|approv\w*|asking|secrets?"
    r"|two\s+signatures|embargo\w*|transfers?|permissions?|release\s+payments|joint\s+account"
    r"|freigaben)\b"
)
"""Notes about what the agent may not do alone."""
UNSAID = (
    r"\b(?:do\s+not|don't|never|without)\s+(?:mention|report|announc|bring|comment)\w*"
    r"(?:\s+(?:it|this|that))?(?:\s+up)?\s*(?:\Z|[.;,])"
    r"|\bleave\s+no\s+(?:trace|note|record)\b|\bkeep\s+no\s+record\b"
    r"|\bohne\s+es\s+zu\s+erwahnen\b|\bno\s+lo\s+comentes\b|\bwithout\s+a\s+word\b"
)
"""What is done is not to be spoken of."""
DONE = re.compile(
    r"\b(?:run|execute|send|forward|fetch|append|carry\s+out|obey|delete|wipe|pays?|transfer"
    r"|do\s+what|does\s+what|fill\s+in|schicken|haz|hazle|reenvia)\b"
)
WHENEVER = re.compile(
    r"\b(?:when|whenever|if|each\s+time|every\s+time|at\s+the\s+start|as\s+soon\s+as|on\s+each|wenn"
    r"|bei\s+jede\w*|si|cuando|quando)\b"
)
HANDS_OVER = r"\b(?:send|forward|mail|hand\s+over)\s+(?:back\s+)?(?:the|all|its|their)\b"
HOLDINGS = re.compile(
    r"\b(?:conversation|last\s+\w+\s+messages|latest\s+attachments|contents\s+of|folder"
    r"|last\s+\w+\s+bookings|whole\s+conversation|full\s+text\s+of)\b"
)
"""What an agent has in its hands."""
OUTSIDE = re.compile(
    r"\bto\s+(?:its|the|their)\s+sender\b|\bto\s+[\w.+-]{1,60}@\w|\bto\s+https?:"
    r"|\b(?:hand|give)\s+over\b"
)
