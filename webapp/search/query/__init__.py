"""Queries: their syntax, and what they ask the index."""
