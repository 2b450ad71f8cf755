"""Promotions: members pay points to show a public post of theirs to others, after a review."""
