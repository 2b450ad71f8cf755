"""What others did that a member is told of: one list each, what is unread of it, and who may add to it."""
