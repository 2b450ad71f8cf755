"""Measure search: queries, memory, what indexing costs, and growth to a million posts."""
