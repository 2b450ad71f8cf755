"""Search in one chat, and in all chats of a member: an index that changes with the messages."""
