"""Bloom filters: sets that say "certainly not" or "probably", in a few bits for each item."""
