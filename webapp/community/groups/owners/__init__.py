"""Owners of groups: the settings, and what they do about members and posts."""
