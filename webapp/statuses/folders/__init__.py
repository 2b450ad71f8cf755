"""Bookmark folders: a member's private groups of bookmarks."""
