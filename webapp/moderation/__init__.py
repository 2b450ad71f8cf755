"""Moderation: what moderators do about reports, members and posts, and what members learn of it."""
