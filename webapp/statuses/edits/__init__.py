"""Edits of statuses, their old versions, and pins."""
