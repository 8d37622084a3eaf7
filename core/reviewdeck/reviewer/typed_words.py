"""A conversation cut to what the user typed: no answers, tool results, prompts or pastes.

It has no words but the user's, so the proposals of its review come from the user by construction,
whatever else took part in the conversation.
"""

from __future__ import annotations

from dataclasses import replace

from reviewdeck.errors import BadInput
from reviewdeck.origin.user_row import read_user_row
from reviewdeck.reviewer.conversation import MessageForm, ReviewedConversation
from reviewdeck.reviewer.models import read


def cut_to_typed(conversation: ReviewedConversation) -> ReviewedConversation:
    """The user's typed words as a conversation, with the session as its parent.

    Raises BadInput if there are none.
    """
    parsed = (read(message, conversation.form) for message in conversation.messages)
    texts = (
        read_user_row(message.text).words.strip() for message in parsed if message.role == "user"
    )
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
