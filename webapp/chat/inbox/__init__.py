"""A member's own list of chats: its entries, and which are unread, muted, archived or requests."""
