"""Passwords: their hashes, the rules for new ones, and asking for them again."""
