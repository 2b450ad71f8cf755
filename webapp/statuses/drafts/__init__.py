"""Drafts, and posts scheduled for later."""
