"""The origin of proposals: the conversation, the user's words, the documents seen. Pure."""
