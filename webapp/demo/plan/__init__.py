"""What a community does: who writes, answers, likes and chats, planned without a store."""
