"""Chats: direct ones of two members, and group chats; their messages, members and live pages."""
