"""Rebuilding timelines that are not stored, or lack entries, from the lists of their authors."""
