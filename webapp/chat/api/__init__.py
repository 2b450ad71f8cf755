"""The JSON API of chats, for programs and bots."""
