"""Cached pages for visitors: their paths, and which of them an event makes untrue."""
