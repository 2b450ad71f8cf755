"""Passwords: their hashes, and the rules for new ones."""
