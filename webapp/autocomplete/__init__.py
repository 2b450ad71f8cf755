"""Completion of `@` and `#` while a member writes: names of members, and hashtags."""
