"""Reads of statuses besides a page's own: boosts by id, and what statuses quote."""
