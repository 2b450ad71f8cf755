"""Blocks: they end the follows between two members and keep both from following again."""
