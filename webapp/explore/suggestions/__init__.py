"""Suggestions: members whom a member may want to follow, and why."""
