"""Chats: direct ones of two members, and groups; their messages, members and live pages."""
