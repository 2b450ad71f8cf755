"""Statuses: posting, reading and deleting them, and what members do with them."""
