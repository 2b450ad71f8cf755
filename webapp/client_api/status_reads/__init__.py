"""Reads that statuses and accounts need besides those of a page."""
