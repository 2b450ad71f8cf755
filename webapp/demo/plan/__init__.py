"""The acts of a community: who writes, answers, likes and chats, planned without a store."""
