"""The messages of chats: reading, sending, changing and rendering them."""
