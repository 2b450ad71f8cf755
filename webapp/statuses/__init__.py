"""Statuses: posting, reading and deleting them, and members' actions on them."""
