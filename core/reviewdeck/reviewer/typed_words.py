"""A conversation cut to what the user typed: no answer, no result of a tool, no prompt, no paste.

Nobody but the user has a word in it, so what a review of it proposes comes from the user by
construction, whatever took part in the conversation itself.
"""

from __future__ import annotations

from dataclasses import replace

from reviewdeck.errors import BadInput
from reviewdeck.origin.said import typed_in
from reviewdeck.reviewer.conversation import MessageForm, ReviewedConversation
from reviewdeck.reviewer.models import read


def typed_alone(conversation: ReviewedConversation) -> ReviewedConversation:
    """The words that the user typed, as a conversation of its own. Raises BadInput for none.

    It has another name than the session that it is cut from: that session is its parent.
    """
    said = (read(one, conversation.form) for one in conversation.messages)
    texts = (typed_in(one.text).words.strip() for one in said if one.role == "user")
    messages = tuple({"role": "user", "content": text} for text in texts if text)
    if not messages:
        raise BadInput("The user typed nothing in this conversation.")
    return replace(
        conversation,
        form=MessageForm.OPENAI,
        messages=messages,
        system=None,
        tools=None,
        settings={},
        session="",
        parent_session=conversation.session,
        turn="",
    )
