"""Seen lately: the posts that a member has opened, for those who switch it on."""
