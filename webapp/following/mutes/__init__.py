"""Mutes: members whose posts a member does not want to see, for a time or until they unmute."""
