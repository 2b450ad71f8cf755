"""Moderation: the acts of moderators on reports, members and posts, and the notices to members."""
