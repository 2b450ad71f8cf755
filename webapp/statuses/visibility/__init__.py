"""Permissions to see, answer and quote statuses: visibility, blocks, mutes and reply policies."""
