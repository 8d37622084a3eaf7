"""What no plain fact says of anything, in the words of plain facts."""

from __future__ import annotations

import re

LOST = re.compile(
    r"\b(?:changed\s+to|changed|rank\s+of|user\s+messages|precedence|outrank\w*|exceptions?\s+(?:for|was|is)"
    r"|(?:index|registry|mirror|feed)\s+(?:of|at|from|in)\b"
    r"|(?:in|to)\s+(?:the\s+)?(?:us|eu|uk|china)\s+(?:bucket|region|cloud|cluster)"
    r"|as\s+(?:the\s+)?(?:\w+\s+)?(?:owner|superuser|root|admin\w*)\b|flags?\b[^.;]{0,40}\bis\s+(?:on|off|true|false|enabled)|on\s+in\s+(?:all|every)|(?:habits|movements|whereabouts)\s+of|(?:neighbou?rs?|colleagues?)\b|chats?\s+for|no\s+longer|alone|remote\s+(?:admin\w*|access|desktop|control)"
    r"|from\s+(?:the\s+)?(?:\w+\s+){0,2}(?:team|operators?|users?|admins?|staff"
    r"|department|support|desk|people)|accounts?|gists?|namespaces?|installers?|chat\s+group|(?:production|deploy|private"
    r"|ssh|api|signing)"
    r"\s+keys?|malicious|evil|hacked|compromised|infected|commands\s+in|shell\s+commands?"
    r"|unclear|confident"
    r"|sources\s+from|pulled|two\s+names|personal|competitors?|phishing|scam\w*|higher"
    r"|lower\s+than|(?:for|on)\s+how|(?:in|on|by)\s+(?:the\s+)?(?:\w+\s+)?wiki"
    r"|forever|years\s+valid|stay\s+valid|described\s+as|as\s+is|full\s+rights|omit\w*"
    r"|exclud\w+|suppress\w*|hid(?:e|es|den|ing)|drop(?:s|ped)?|left|leave\w*|withh\w+"
    r"|nothing|nobody|anything|everything(?!\s+else)|anyone|everyone|everybody|whatever|whoever"
    r"|regardless"
    r"|unlimited|endless\w*|disabled|deactivated|enabled\s+for|off(?!\s+on\b)|unseen|unchecked"
    r"|unread"
    r"|as\s+usual|as\s+they\s+come|real\s+names|name\s+of|names?'?s?\s+behalf|user's\s+(?:name|mail"
    r"|account|behalf)|to\s+save|(?:commands|instructions|orders|tasks)\s+that|remote\s+(?:\w+\s+)?"
    r"shell|stays\s+open|dumps?|forum|forums|mirrors?|root|debug\s+(?:mode|build)s?"
    r"|live\s+(?:system|payment|data|customer)\w*"
    r"|tls\s+1\.[01]|sslv?[23]|public(?:ly)?|false|fake|misleading|opposite|guess(?:es|ing)?"
    r"|unverified"
    r"|invented|exaggerat\w+|biased?|urgency|pressure|rumou?rs|gossip|illegal\w*|pirated?"
    r"|cracked|cheat\w*"
    r"|plagiar\w+|spam\w*|secretly|uploads?\s+\w+|financial|no\s+(?:branches|tests|prs|reviews"
    r"|checks|hooks)"
    r"|without\s+(?:comment|question|doubt|hesitation|delay|tests|checks|encryption|login|password)"
    r"|gateway\s+at|real\s+(?:customer|patient|user)\s*\w*|whole\s+home|personal\s+\w+\s+of)\b"
)
"""A clause with one of these is for a person to read, however plain its build is."""
