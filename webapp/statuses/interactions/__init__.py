"""Likes, boosts and bookmarks."""
