"""Live chats, and the unread counts that every open page shows."""
