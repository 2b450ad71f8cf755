"""A member's own list of chats: what is on it, what is unread, muted, archived or a request."""
