"""Requests to follow protected members, and their answers."""
