"""Notifications: what others did that a member wants to know of."""
